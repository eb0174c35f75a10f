/** The body of a list's answer; the operator's command line prints the same. */
import type { ListQuery, ListResult } from '../domain/list-query.ts';
import type { ListBody } from './contract.ts';

/** Makes the body of a list from what was found. */
export function listBodyOf({ page, limit }: ListQuery, { testimonials, total }: ListResult): ListBody {
  const totalPages = Math.ceil(total / limit);
  return {
    testimonials: testimonials.map((testimonial) => ({ ...testimonial, tags: testimonial.tags ?? [] })),
    pagination: { page, limit, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 },
  };
}
