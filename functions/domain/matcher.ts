/** The one predicate that decides whether a testimonial matches a filter. */
import { facetsOf, wordsOf } from './terms.ts';
import type { Testimonial } from './testimonial.ts';
import { clausesOf, type TestimonialFilter } from './testimonial-filter.ts';

/** Returns the predicate of a filter. */
export function matcherOf(filter: TestimonialFilter): (testimonial: Testimonial) => boolean {
  const clauses = clausesOf(filter);
  return (testimonial) => {
    const facets = facetsOf(testimonial);
    let found: Set<string> | undefined;
    return clauses.every((clause) => {
      if (clause.kind === 'facets') return clause.anyOf.some((term) => facets.has(term));
      // Splitting the text into words is the dearest part: only once the facets hold.
      found ??= wordsOf(testimonial);
      return found.has(clause.prefix) || found.values().some((word) => word.startsWith(clause.prefix));
    });
  };
}
