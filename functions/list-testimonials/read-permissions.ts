/** What a token sees of the testimonials, by the permission to read that it has: one table of all that differs. */
import { createHash } from 'node:crypto';
import type { ListQuery } from '../domain/list-query.ts';
import { publicTexts } from '../domain/public-texts.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { toBase62 } from '../domain/testimonial-id.ts';
import { type Access, type Operation, ownAccess } from '../http/operation.ts';
import type { ListBody, PublishedListBody, PublishedTestimonial } from './list-body.ts';

export interface ReadPermission extends Access {
  /** What a list asks for, of those that this permission may see. */
  ask: (query: ListQuery) => ListQuery;
  /** What is shown of a page. */
  show: (body: ListBody) => ListBody | PublishedListBody;
  /** Headers of an answer that shows a page. */
  headers: Record<string, string>;
}

/** Each permission to read. */
export const readPermissions = [
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
] as const satisfies readonly ReadPermission[];

/** What everyone may see of an approved testimonial. */
function toPublishedTestimonial(approved: Testimonial): PublishedTestimonial {
  const { id, rating, type, createdAt } = approved;
  const { content, author, tags = [] } = publicTexts(approved);
  return {
    id: publishedId(id),
    content,
    author,
    ...(rating !== undefined && { rating }),
    type,
    status: 'approved',
    tags,
    createdAt,
  };
}

// 62 to the 43rd is just above two to the 256th.
const digitsOfSha256 = 43;

/** An id ends with the testimonial's ordinal, which would tell how many there are. */
export function publishedId(id: string): string {
  const hash = createHash('sha256').update(id).digest('hex');
  return `pub_${toBase62(BigInt(`0x${hash}`), digitsOfSha256).slice(0, 20)}`;
}

export const listTestimonialsOperation = {
  method: 'GET',
  path: '/v1/testimonials',
  accesses: readPermissions,
} as const satisfies Operation;
