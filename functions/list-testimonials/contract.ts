/** The contract of `GET /v1/testimonials`. */
import * as v from 'valibot';
import { NotReady } from '../domain/list-query.ts';
import {
  commonResponses,
  exampleOf,
  exampleTestimonial,
  type OperationContract,
  responseContract,
} from '../http/contract.ts';
import texts from './contract.json' with { type: 'json' };
import { listBody, publishedListBody } from './list-body.ts';
import { parameters } from './parameters.ts';
import { listTestimonialsOperation } from './read-permissions.ts';

const { pagination, publishedTestimonial } = texts;
const { 503: unavailable } = commonResponses;

/** Schema of the response to any token. */
export const anyListBody = v.union([listBody, publishedListBody]);

export const listTestimonialsContract = {
  ...texts.operation,
  ...listTestimonialsOperation,
  tag: 'Testimonials',
  parameters: Object.entries(parameters).map(([name, parameter]) => ({ name, in: 'query', ...parameter })),
  responses: {
    200: responseContract(anyListBody, {
      ...texts.page,
      examples: {
        page: { testimonials: [exampleTestimonial], pagination },
        published: { testimonials: [publishedTestimonial], pagination },
      },
    }),
    ...commonResponses,
    503: {
      ...unavailable,
      description: `${unavailable.description} ${texts.notReady}`,
      examples: { ...unavailable.examples, ...exampleOf(new NotReady('', '')) },
    },
  },
} as const satisfies OperationContract;
