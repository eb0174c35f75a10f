/** The contract of `POST /v1/testimonials`. */

import { IdempotencyKeyReused } from '../domain/outcomes.ts';
import { without } from '../domain/without.ts';
import {
  commonResponses,
  errorContract,
  exampleTestimonial,
  largeResponseHeaders,
  type OperationContract,
  responseContract,
} from '../http/contract.ts';
import { createdUpload, shownTestimonial } from '../media/contract.ts';
import { inputWithMedia, uploadRequest } from '../media/upload-request.ts';
import texts from './contract.json' with { type: 'json' };
import { createTestimonialOperation, createUploadOperation, idempotencyKey } from './handler.ts';

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
    schema: inputWithMedia,
    examples: { testimonial: example },
  },
  responses: {
    201: {
      ...responseContract(shownTestimonial, {
        ...created,
        headers: { ...largeResponseHeaders, ...created.headers },
      }),
      examples: { created: { ...exampleTestimonial, status: 'pending', updatedAt: createdAt } },
    },
    ...commonResponses,
    422: errorContract(refused, new IdempotencyKeyReused('another body')),
  },
} as const satisfies OperationContract;

/** Only a deployment with media has this operation. */
export const createUploadContract = {
  ...texts.upload.operation,
  ...createUploadOperation,
  tag: 'Media',
  parameters: [],
  requestBody: {
    contentType: 'application/json',
    schema: uploadRequest,
    examples: texts.upload.requests,
  },
  responses: {
    201: responseContract(createdUpload, { ...texts.upload.created, headers: largeResponseHeaders }),
    ...commonResponses,
    422: errorContract(texts.upload.refused),
  },
} as const satisfies OperationContract;
