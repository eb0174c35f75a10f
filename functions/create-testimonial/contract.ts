/** The contract of `POST /v1/testimonials`. */
import { testimonial, testimonialInput } from '../domain/testimonial.ts';
import {
  commonHeaders,
  commonResponses,
  errorContract,
  errorExample,
  exampleOf,
  exampleTestimonial,
  largeResponseHeaders,
  type OperationContract,
} from '../http/contract.ts';
import { IdempotencyKeyReused } from '../operations/create-testimonial.ts';
import { createTestimonialOperation, idempotencyKey } from './handler.ts';

const { id: _, status: __, createdAt, updatedAt: ___, ...example } = exampleTestimonial;

export const createTestimonialContract = {
  operationId: 'createTestimonial',
  ...createTestimonialOperation,
  summary: 'Create a testimonial',
  tag: 'Testimonials',
  description:
    "Stores a testimonial of the token's organization, with the status `pending`. With an Idempotency-Key you can repeat the " +
    'request safely.',
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Makes the request safe to repeat: within 24 hours the same key and body return the first testimonial and create ' +
        'nothing.',
      schema: idempotencyKey,
      example: '5f2c1a7e-0f43-4a7d-9d0c-2f6d1c1c9f10',
    },
  ],
  requestBody: { contentType: 'application/json', schema: testimonialInput, example },
  responses: {
    201: {
      description: 'The testimonial was created, now or by an earlier request with the same Idempotency-Key.',
      schema: testimonial,
      headers: {
        ...commonHeaders,
        ...largeResponseHeaders,
        'Idempotent-Replayed': '`true` if an earlier request with the same key created the testimonial.',
      },
      examples: {
        created: { ...exampleTestimonial, status: 'pending', updatedAt: createdAt },
      },
    },
    ...commonResponses,
    422: errorContract(
      'The testimonial is not valid, or the Idempotency-Key was used with another body or for a testimonial that has been ' +
        'erased.',
      {
        ...errorExample('validation_error', 'The testimonial is not valid.', {
          content: 'must have 10 to 10,000 characters',
          'author.email': 'is required',
        }),
        ...exampleOf(new IdempotencyKeyReused('another body')),
      },
    ),
  },
} as const satisfies OperationContract;
