/** `POST /v1/testimonials`. */
import * as v from 'valibot';
import { type TestimonialInput, testimonialInput } from '../domain/testimonial.ts';
import { ApiError } from '../http/api-error.ts';
import { json } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, apiHandler } from '../http/api-handler.ts';
import { jsonBody } from '../http/json-body.ts';
import { ownOperation } from '../http/operation.ts';
import { validateBody } from '../http/validate.ts';
import type { OpenCreates } from '../testimonials/creates.ts';

export const createTestimonialOperation = ownOperation('POST', '/v1/testimonials', 'testimonials:write');

/** Builds the handler. */
export function createHandler(deps: ApiDependencies & { creates: OpenCreates }): ApiLambdaHandler {
  return apiHandler<TestimonialInput>(
    createTestimonialOperation,
    deps,
    [
      jsonBody(),
      // A malformed key is a 400, which comes before the 422 of an invalid body.
      { before: ({ event }) => void readIdempotencyKey(event.headers) },
      validateBody(testimonialInput),
    ],
    async (event, signal) => {
      const { caller, headers, input, payFor } = event;
      const idempotencyKey = readIdempotencyKey(headers);
      const { testimonial, replayed } = await deps
        .creates(caller.organization, { signal, payFor })
        .create(input, { ...(idempotencyKey !== undefined && { idempotencyKey }) });
      return json(201, testimonial, replayed ? { 'idempotent-replayed': 'true' } : {});
    },
  );
}

const rule = 'must have 1 to 255 visible ASCII characters';
const quoted = /^"(?:[!#-[\]-~]|\\["\\])*"$/;
const bare = /^[!#-~][!-~]*$/;

/**
 * Schema of the Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header). The quoted form, a
 * Structured Fields string (RFC 8941), and the bare form mean the same key.
 */
export const idempotencyKey = v.pipe(
  v.string(),
  v.trim(),
  v.check((value) => quoted.test(value) || bare.test(value), rule),
  v.transform((value) => (value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value)),
  v.minLength(1, rule),
  v.maxLength(255, rule),
  v.metadata({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' }),
);

/**
 * Returns the idempotency key of a request, or undefined if it has none.
 * @throws {ApiError} bad_request if it is malformed
 */
export function readIdempotencyKey(headers: Record<string, string | undefined>): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const result = v.safeParse(idempotencyKey, header);
  if (result.success) return result.output;
  throw new ApiError('bad_request', 'The request is malformed.', { details: { 'Idempotency-Key': rule } });
}
