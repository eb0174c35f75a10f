/** Handles `POST /v1/testimonials`. */
import { type CreateDependencies, createTestimonial } from '../domain/create-testimonial.ts';
import { type TestimonialInput, testimonialInput } from '../domain/testimonial.ts';
import { json } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, apiHandler } from '../http/api-handler.ts';
import { jsonBody } from '../http/json-body.ts';
import { validateBody } from '../http/validate.ts';
import { createTestimonialContract } from './contract.ts';
import { readIdempotencyKey } from './idempotency-key.ts';

/** Builds the handler from its dependencies. */
export function createHandler(deps: ApiDependencies & CreateDependencies): ApiLambdaHandler {
  return apiHandler<TestimonialInput>(
    createTestimonialContract,
    deps,
    [
      jsonBody(),
      // Checked ahead of the body's rules: a 400 comes before a 422.
      { before: ({ event }) => void readIdempotencyKey(event.headers) },
      validateBody(testimonialInput),
    ],
    async ({ caller, headers, input }, signal) => {
      const idempotencyKey = readIdempotencyKey(headers);
      const { testimonial, replayed } = await createTestimonial(
        deps,
        {
          organization: caller.organization,
          input,
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        },
        signal,
      );
      return json(201, testimonial, replayed ? { 'idempotent-replayed': 'true' } : {});
    },
  );
}
