/** The one predicate that decides whether a testimonial matches a filter. */
import { commonFacetsOf, TextTerms, type View } from './terms.ts';
import type { Testimonial } from './testimonial.ts';
import { clausesOf, type TestimonialFilter } from './testimonial-filter.ts';

/**
 * Returns the predicate of a filter.
 * @param view what of a testimonial may make it match
 */
export function matcherOf(
  filter: TestimonialFilter,
  view: View = 'whole',
): (testimonial: Testimonial) => boolean {
  const clauses = clausesOf(filter);
  return (testimonial) => {
    const common = commonFacetsOf(testimonial);
    const ofTexts = new TextTerms(testimonial);
    return clauses.every((clause) => {
      if (clause.kind === 'facets') {
        if (clause.anyOf.some((term) => common.includes(term))) return true;
        const facets = ofTexts.facets(view);
        return clause.anyOf.some((term) => facets.has(term));
      }
      // Words are the dearest part: only once the facets hold.
      return ofTexts.hasWord(view, clause.prefix);
    });
  };
}
