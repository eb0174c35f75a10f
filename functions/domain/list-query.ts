/** The query of a list, and its result. */
import { commonFacetsOf, TextTerms, type View } from './terms.ts';
import type { Testimonial } from './testimonial.ts';
import { clausesOf, type TestimonialFilter } from './testimonial-filter.ts';
import type { Order, Sort } from './testimonial-order.ts';

export interface ListQuery {
  /** The view of a testimonial that may make it match; the whole where nothing is said. */
  view?: View;
  filter: TestimonialFilter;
  sort: Sort;
  order: Order;
  /** From 1. */
  page: number;
  /** Testimonials a page. */
  limit: number;
}

export interface ListResult {
  testimonials: Testimonial[];
  /** How many testimonials match the filter. */
  total: number;
}

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
