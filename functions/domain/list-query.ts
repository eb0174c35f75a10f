/** The query of a list, and its result. */

import type { View } from './terms.ts';
import type { Testimonial } from './testimonial.ts';
import type { TestimonialFilter } from './testimonial-filter.ts';
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
