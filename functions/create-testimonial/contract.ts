/** The contract of `POST /v1/testimonials`. */

import { IdempotencyKeyReused } from '../domain/outcomes.ts';
import { testimonial, testimonialInput } from '../domain/testimonial.ts';
import { without } from '../domain/without.ts';
import {
  commonResponses,
  errorContract,
  exampleTestimonial,
  largeResponseHeaders,
  type OperationContract,
  responseContract,
} from '../http/contract.ts';
import texts from './contract.json' with { type: 'json' };
import { createTestimonialOperation, idempotencyKey } from './handler.ts';

const { createdAt } = exampleTestimonial;
const example = without(exampleTestimonial, 'id', 'status', 'createdAt', 'updatedAt');
const { 201: created, 422: refused } = texts.responses;

export const createTestimonialContract = {
  ...texts.operation,
  ...createTestimonialOperation,
  tag: 'Testimonials',
  parameters: [{ ...texts.idempotencyKey, in: 'header', schema: idempotencyKey }],
  requestBody: {
    contentType: 'application/json',
    schema: testimonialInput,
    examples: { testimonial: example },
  },
  responses: {
    201: {
      ...responseContract(testimonial, {
        ...created,
        headers: { ...largeResponseHeaders, ...created.headers },
      }),
      examples: { created: { ...exampleTestimonial, status: 'pending', updatedAt: createdAt } },
    },
    ...commonResponses,
    422: errorContract(refused, new IdempotencyKeyReused('another body')),
  },
} as const satisfies OperationContract;
