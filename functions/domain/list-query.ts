/** What a list asks for and what it answers. */

import type { View } from './terms.ts';
import type { Testimonial } from './testimonial.ts';
import type { TestimonialFilter } from './testimonial-filter.ts';
import type { Order, Sort } from './testimonial-order.ts';

export interface ListQuery {
  /** What of a testimonial may make it match; all of it where nothing is said. */
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
