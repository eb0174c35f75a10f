/** The contract of `GET /v1/testimonials`. */
import * as v from 'valibot';
import { NotReady } from '../domain/try-later.ts';
import {
  commonHeaders,
  commonResponses,
  exampleOf,
  exampleTestimonial,
  largeAnswerHeaders,
  type OperationContract,
} from '../http/contract.ts';
import { listBody, publishedListBody } from './list-body.ts';
import { parameters } from './parameters.ts';
import { listTestimonialsOperation } from './read-permissions.ts';

export type { ListBody, PublishedListBody } from './list-body.ts';

const examplePagination = { page: 1, limit: 25, total: 142, totalPages: 6, hasNext: true, hasPrev: false };

export const listTestimonialsContract = {
  operationId: 'listTestimonials',
  ...listTestimonialsOperation,
  summary: 'List testimonials',
  tag: 'Testimonials',
  description:
    'Lists the testimonials of the organization that the token belongs to: filtered, searched, sorted, with the ' +
    'exact total. A testimonial whose create was answered is in the very next list. The request line and the values of ' +
    'all headers may have 10,240 bytes together: percent-encoded, some twenty tags of fifty letters that are not Latin are ' +
    'longer, and are asked for in parts. A token with `testimonials:read-published` sees approved testimonials only: ' +
    '`status` may be left out, `all` or `approved`, which all mean that, and `sort` not be `updatedAt`; others are 403.',
  parameters: Object.entries(parameters).map(([name, { schema, description, default: value, example }]) => ({
    name,
    in: 'query' as const,
    description,
    schema,
    ...(value !== undefined && { default: value }),
    ...(example !== undefined && { example }),
  })),
  responses: {
    200: {
      description:
        'The page asked for; past the last page it is empty. With `testimonials:read-published` it is a ' +
        '`PublishedTestimonialList`, which caches may keep for a minute.',
      schema: v.union([listBody, publishedListBody]),
      headers: {
        ...commonHeaders,
        'Cache-Control': 'no-store, or public, max-age=60 with testimonials:read-published.',
        Vary: `${largeAnswerHeaders.Vary} Authorization, Origin, of what a cache may keep: the answer to this token, for pages of this origin.`,
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
      description: `${commonResponses[503].description} Or the list asks for what a new version brought and this organization's index does not have yet.`,
      examples: {
        ...commonResponses[503].examples,
        ...exampleOf(new NotReady('', '')),
      },
    },
  },
} as const satisfies OperationContract;
