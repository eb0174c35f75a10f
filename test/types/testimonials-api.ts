/**
 * The types that a generator makes for `examples/*.ts`, here from the schemas of the contracts, so that `npm
 * run typecheck` checks the examples. `.ci/client` compiles them with the generator's.
 */
import type { InferInput } from 'valibot';
import type { errorBody, gatewayBody } from '../../functions/http/contract.ts';
import type { listBody } from '../../functions/list-testimonials/list-body.ts';
import type { ListParameters } from '../../functions/list-testimonials/parameters.ts';
import type { createdUpload, shownTestimonial } from '../../functions/media/contract.ts';
import type { inputWithMedia, uploadRequest } from '../../functions/media/upload-request.ts';

export interface components {
  schemas: {
    Testimonial: InferInput<typeof shownTestimonial>;
    TestimonialInput: InferInput<typeof inputWithMedia>;
    ErrorBody: InferInput<typeof errorBody>;
    GatewayError: InferInput<typeof gatewayBody>;
  };
}

export interface paths {
  '/v1/testimonials': {
    get: { parameters: { query?: ListParameters }; data: InferInput<typeof listBody> };
    post: {
      parameters: { header?: { 'Idempotency-Key'?: string } };
      body: components['schemas']['TestimonialInput'];
      data: components['schemas']['Testimonial'];
    };
  };
  '/v1/uploads': {
    post: {
      parameters: object;
      body: InferInput<typeof uploadRequest>;
      data: InferInput<typeof createdUpload>;
    };
  };
}
