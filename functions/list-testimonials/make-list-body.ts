/**
 * Makes the body of a list's response. Apart from its schemas, because the bundles of most functions need
 * none of them.
 */
import type { ListQuery, ListResult } from '../domain/list-query.ts';
import type { ListBody } from './list-body.ts';

export function listBodyOf({ page, limit }: ListQuery, { testimonials, total }: ListResult): ListBody {
  const totalPages = Math.ceil(total / limit);
  return {
    testimonials: testimonials.map((testimonial) => ({ ...testimonial, tags: testimonial.tags ?? [] })),
    pagination: { page, limit, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 },
  };
}
