/** The operation `GET /v1/testimonials`, and the differences between the read permissions. */

import { textsOf } from '../domain/fields.ts';
import type { ListQuery } from '../domain/list-query.ts';
import { publicTexts } from '../domain/public-texts.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { publishedId } from '../domain/testimonial-id.ts';
import { type Access, type Operation, secretTokenAccess } from '../http/operation.ts';
import { mediaView, withMediaView } from '../media/media-view.ts';
import type { FullListBody, ListBody, PublishedListBody, PublishedTestimonial } from './list-body.ts';

export interface ReadPermission extends Access {
  /** Restricts a query to the testimonials that this permission may see. */
  restrict: (query: ListQuery) => ListQuery;
  /** Removes everything that this permission may not see from a page, and gives media their URLs. */
  show: (body: ListBody, organization: string) => FullListBody | PublishedListBody;
  /** Headers of a successful response. */
  headers: Record<string, string>;
}

export const readPermissions = [
  {
    ...secretTokenAccess('testimonials:read'),
    restrict: (query) => query,
    show: ({ testimonials, pagination }, organization) => ({
      testimonials: testimonials.map((each) => withMediaView(organization, each)),
      pagination,
    }),
    headers: {},
  },
  {
    permission: 'testimonials:read-published',
    budget: 'published',
    share: 1 / 2,
    // These values would reveal pending and rejected testimonials, and the times of decisions.
    refuses: { status: ['pending', 'rejected'], sort: ['updatedAt'] },
    restrict: (query) => ({ ...query, view: 'published', filter: { ...query.filter, status: 'approved' } }),
    show: ({ testimonials, pagination }, organization) => ({
      testimonials: testimonials.map((each) => toPublishedTestimonial(each, organization)),
      pagination,
    }),
    // Without `public`, no cache stores the response to a request with a token (RFC 9111, section 3.5).
    headers: { 'cache-control': 'public, max-age=60', vary: 'Authorization, Origin' },
  },
] as const satisfies readonly ReadPermission[];

export const listTestimonialsOperation = {
  method: 'GET',
  path: '/v1/testimonials',
  accesses: readPermissions,
} as const satisfies Operation;

function toPublishedTestimonial(approved: Testimonial, organization: string): PublishedTestimonial {
  const { id, rating, type, createdAt } = approved;
  const { content, author, tags = [] } = publicTexts(textsOf(approved));
  const media = mediaView(organization, approved);
  return {
    id: publishedId(id),
    content,
    author,
    ...(rating !== undefined && { rating }),
    type,
    status: 'approved',
    tags,
    ...(media && { media }),
    createdAt,
  };
}
