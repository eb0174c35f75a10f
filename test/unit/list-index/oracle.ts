/** What a list has to answer: filter, sort and slice over everything. */
import type { ListQuery, ListResult } from '../../../functions/domain/list-query.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { matcherOf } from '../../../functions/domain/testimonial-filter.ts';
import { comparison } from '../../../functions/domain/testimonial-order.ts';

export function oracle(stored: readonly Testimonial[], query: ListQuery): ListResult {
  const { filter, sort, order, page, limit } = query;
  const matching = stored.filter(matcherOf(filter)).sort(comparison(sort, order));
  return { testimonials: matching.slice((page - 1) * limit, page * limit), total: matching.length };
}
