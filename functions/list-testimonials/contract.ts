/** The contract of `GET /v1/testimonials`. */
import * as v from 'valibot';
import { NotReady } from '../domain/list-query.ts';
import {
  commonHeaders,
  commonResponses,
  exampleOf,
  exampleTestimonial,
  largeResponseHeaders,
  type OperationContract,
} from '../http/contract.ts';
import { listBody, publishedListBody } from './list-body.ts';
import { parameters } from './parameters.ts';
import { listTestimonialsOperation } from './read-permissions.ts';

const examplePagination = { page: 1, limit: 25, total: 142, totalPages: 6, hasNext: true, hasPrev: false };

export const listTestimonialsContract = {
  operationId: 'listTestimonials',
  ...listTestimonialsOperation,
  summary: 'List testimonials',
  tag: 'Testimonials',
  description:
    "Lists the testimonials of the token's organization with filters, search, sorting and the exact total. A list includes every " +
    'testimonial whose create returned before the list began. A token with `testimonials:read-published` gets approved testimonials ' +
    'only: `status` may be absent, `all` or `approved`, and `sort` must not be `updatedAt`; other values fail with 403. The request line ' +
    'and all header values together are limited to 10,240 bytes: twenty long tags in non-Latin letters can exceed that when ' +
    'percent-encoded, so send them in two requests.',
  parameters: Object.entries(parameters).map(([name, parameter]) => ({ name, in: 'query', ...parameter })),
  responses: {
    200: {
      description:
        'The page; empty after the last page. With `testimonials:read-published` it is a `PublishedTestimonialList`, which caches ' +
        'may keep for a minute.',
      schema: v.union([listBody, publishedListBody]),
      headers: {
        ...commonHeaders,
        'Cache-Control': 'no-store, or public, max-age=60 with testimonials:read-published.',
        Vary: `${largeResponseHeaders.Vary} Authorization and Origin, if caches may keep the response: it is for this token and for pages of this origin.`,
        Link: 'Links to the first, prev, next and last page with the same filters (RFC 8288).',
      },
      examples: {
        page: {
          testimonials: [exampleTestimonial],
          pagination: examplePagination,
        },
        published: {
          testimonials: [
            {
              id: 'pub_1aB2cD3eF4gH5iJ6kL7m',
              content: 'Amazing product! Ask me how we use it: [e-mail address].',
              author: { name: 'Jane Doe', company: 'Acme Inc.' },
              rating: 5,
              type: 'text',
              status: 'approved',
              tags: ['onboarding', 'support'],
              createdAt: '2026-01-15T10:30:00.000Z',
            },
          ],
          pagination: examplePagination,
        },
      },
    },
    ...commonResponses,
    503: {
      ...commonResponses[503],
      description: `${commonResponses[503].description} Or the list needs a part of the index that a new version is still building for this organization.`,
      examples: {
        ...commonResponses[503].examples,
        ...exampleOf(new NotReady('', '')),
      },
    },
  },
} as const satisfies OperationContract;
