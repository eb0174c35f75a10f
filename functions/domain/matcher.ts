/** The one predicate that decides whether a testimonial matches a filter. */
import { facetsOf, wordFinderOf } from './terms.ts';
import type { Testimonial } from './testimonial.ts';
import { clausesOf, type TestimonialFilter } from './testimonial-filter.ts';

/** Returns the predicate of a filter. */
export function matcherOf(filter: TestimonialFilter): (testimonial: Testimonial) => boolean {
  const clauses = clausesOf(filter);
  return (testimonial) => {
    const facets = facetsOf(testimonial);
    let hasWord: ReturnType<typeof wordFinderOf> | undefined;
    return clauses.every((clause) => {
      if (clause.kind === 'facets') return clause.anyOf.some((term) => facets.has(term));
      // Words are the dearest part: only once the facets hold.
      hasWord ??= wordFinderOf(testimonial);
      return hasWord(clause.prefix);
    });
  };
}
