/** The query of a list, its result and its error, and the predicate that decides which testimonials match. */
import { commonFacetsOf, TextTerms, type View } from './terms.ts';
import type { Testimonial } from './testimonial.ts';
import { clausesOf, type TestimonialFilter } from './testimonial-filter.ts';
import type { Direction, Sort } from './testimonial-order.ts';

export interface ListQuery {
  /** The view that the list searches; `whole` by default. */
  view?: View;
  filter: TestimonialFilter;
  sort: Sort;
  order: Direction;
  /** From 1. */
  page: number;
  /** Testimonials per page. */
  limit: number;
  /** The number of testimonials before the page that are listed with it; 0 by default. */
  before?: number;
}

/**
 * Returns the position of a list's first testimonial, from 0, and the maximum number of testimonials to list
 * from there.
 */
export function windowOf({ page, limit, before = 0 }: ListQuery): { first: number; most: number } {
  const first = Math.max(0, (page - 1) * limit - before);
  return { first, most: page * limit - first };
}

export interface ListResult {
  testimonials: Testimonial[];
  /** The number of testimonials that match the filter. */
  total: number;
}

/**
 * The list index of an organization lacks postings that a list needs, because older or newer rules built it.
 */
export class NotReady extends Error {
  override name = 'NotReady';

  /** @param terms the version of the rules that built the index */
  constructor(organization: string, terms: string) {
    super(
      `The list index of ${organization} (rules ${terms}) lacks terms that this list needs. Rebuild it: npm run admin -- index rebuild --organization ${organization}`,
    );
  }
}

/** Returns the predicate of a filter. Lists, exports and tests all use this one. */
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
      // Words are the most expensive to compare.
      return textTerms.hasWord(view, clause.prefix);
    });
  };
}
