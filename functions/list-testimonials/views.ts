/** What a token sees of the testimonials, by the permission to read that it has: one table of all that differs. */
import type { ListQuery } from '../domain/list-query.ts';
import { type Access, ownAccess } from '../http/operation.ts';
import type { ListBody, PublishedListBody } from './list-body.ts';
import { toPublishedTestimonial } from './published-testimonial.ts';

export interface View extends Access {
  /** What a list asks for, of those that this permission may see. */
  ask: (query: ListQuery) => ListQuery;
  /** What is shown of a page. */
  show: (body: ListBody) => ListBody | PublishedListBody;
  /** Headers of an answer that shows a page. */
  headers: Record<string, string>;
}

/** Each permission to read. */
export const views = [
  {
    ...ownAccess('testimonials:read'),
    ask: (query) => query,
    show: (body) => body,
    headers: {},
  },
  {
    permission: 'testimonials:read-published',
    budget: 'published',
    share: 1 / 2,
    // What waits, what was refused, and when somebody decided.
    refuses: { status: ['pending', 'rejected'], sort: ['updatedAt'] },
    ask: (query) => ({ ...query, view: 'published', filter: { ...query.filter, status: 'approved' } }),
    show: ({ testimonials, pagination }) => ({
      testimonials: testimonials.map(toPublishedTestimonial),
      pagination,
    }),
    // `public`, since no cache keeps the answer to a token otherwise (RFC 9111, section 3.5).
    headers: { 'cache-control': 'public, max-age=60', vary: 'Authorization, Origin' },
  },
] as const satisfies readonly View[];
