/**
 * Makes the body of a list's response. Separate from its schemas, because most functions' bundles do not need
 * the schemas.
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
