/** The query of a list, its result, its error, and the predicate that decides which testimonials match. */
import { commonFacetsOf, TextTerms, type View } from './terms.ts';
import type { Testimonial } from './testimonial.ts';
import { clausesOf, type TestimonialFilter } from './testimonial-filter.ts';
import type { Order, Sort } from './testimonial-order.ts';

export interface ListQuery {
  /** The view that the list searches; `whole` by default. */
  view?: View;
  filter: TestimonialFilter;
  sort: Sort;
  order: Order;
  /** From 1. */
  page: number;
  /** Testimonials per page. */
  limit: number;
}

export interface ListResult {
  testimonials: Testimonial[];
  /** The number of testimonials that match the filter. */
  total: number;
}

/** The organization's list index does not have the postings that a list needs: it was built by older or newer rules. */
export class NotReady extends Error {
  override name = 'NotReady';

  /** @param terms the version of the rules that the index was built by */
  constructor(organization: string, terms: string) {
    super(`The list index of ${organization} was built by the rules ${terms}, and the list needs others`);
  }
}

/** Returns the predicate of a filter. There is no other: lists, exports and tests all use it. */
export function matcherOf(
  filter: TestimonialFilter,
  view: View = 'whole',
): (testimonial: Testimonial) => boolean {
  const clauses = clausesOf(filter);
  return (testimonial) => {
    const common = commonFacetsOf(testimonial);
    const textTerms = new TextTerms(testimonial);
    return clauses.every((clause) => {
      if (clause.kind === 'facets') {
        if (clause.anyOf.some((term) => common.includes(term))) return true;
        const facets = textTerms.facets(view);
        return clause.anyOf.some((term) => facets.has(term));
      }
      // Words cost most, so they come after the facets.
      return textTerms.hasWord(view, clause.prefix);
    });
  };
}
