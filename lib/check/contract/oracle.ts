/** The expected list: filters, sorts and slices all testimonials. */
import { type ListQuery, type ListResult, matcherOf } from '../../../functions/domain/list-query.ts';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { comparison } from '../../../functions/domain/testimonial-order.ts';

export function oracle(stored: readonly StoredTestimonial[], query: ListQuery): ListResult {
  const { filter, sort, order, page, limit, view } = query;
  const matches = matcherOf(filter, view);
  const matching = stored
    .filter(({ testimonial }) => matches(testimonial))
    .sort(comparison(sort, order))
    .map(({ testimonial }) => testimonial);
  return { testimonials: matching.slice((page - 1) * limit, page * limit), total: matching.length };
}
