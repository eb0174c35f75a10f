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

export type { ListBody } from './list-body.ts';

const examplePagination = { page: 1, limit: 25, total: 142, totalPages: 6, hasNext: true, hasPrev: false };

export const listTestimonialsContract = {
  operationId: 'listTestimonials',
  ...listTestimonialsOperation,
  summary: 'List testimonials',
  tag: 'Testimonials',
  description:
    'Lists the testimonials of the organization of the token, filtered, searched and sorted, with the exact total. ' +
    'A testimonial is in every list that begins after its create was answered.\n\n' +
    'With `testimonials:read-published`, the list has approved testimonials only: `status` may be absent, `all` or `approved`, ' +
    'and other values and `sort=updatedAt` are a 403.\n\n' +
    'The request line and the header values may have 10,240 bytes together. Twenty long tags of non-Latin letters are more ' +
    'when percent-encoded: request them in parts.',
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
        'The requested page, which is empty after the last one. With `testimonials:read-published` it is a ' +
        '`PublishedTestimonialList`, which caches may keep for a minute.',
      schema: v.union([listBody, publishedListBody]),
      headers: {
        ...commonHeaders,
        'Cache-Control': 'no-store; with testimonials:read-published public, max-age=60.',
        Vary: `${largeAnswerHeaders.Vary} With testimonials:read-published also Authorization and Origin.`,
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
      description: `${commonResponses[503].description} Or the index for this search or filter is still being built after a deployment.`,
      examples: {
        ...commonResponses[503].examples,
        ...exampleOf(new NotReady('', '')),
      },
    },
  },
} as const satisfies OperationContract;
