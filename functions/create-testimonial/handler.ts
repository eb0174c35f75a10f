/** Handles `POST /v1/testimonials`. */

import { type TestimonialInput, testimonialInput } from '../domain/testimonial.ts';
import { newPostings } from '../fair-use/new-postings.ts';
import { json } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, apiHandler } from '../http/api-handler.ts';
import { jsonBody } from '../http/json-body.ts';
import { validateBody } from '../http/validate.ts';
import {
  type CreateDependencies,
  type CreateStores,
  createTestimonial,
} from '../operations/create-testimonial.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { createTestimonialOperation, placeTakenMessage } from './operation.ts';

/** Builds the handler from its dependencies, among them the stores of one request, whose calls `signal` aborts. */
export function createHandler(
  deps: ApiDependencies &
    Pick<CreateDependencies, 'randomInt'> & { stores: (signal: AbortSignal) => CreateStores },
): ApiLambdaHandler {
  const { logger, now, randomInt, stores } = deps;
  const postingsOf = newPostings(now);
  const onPlaceTaken = (organization: string, ordinal: number) =>
    logger.error(placeTakenMessage, { organization, ordinal });
  return apiHandler<TestimonialInput>(
    createTestimonialOperation,
    deps,
    [
      jsonBody(),
      // Checked ahead of the body's rules: a 400 comes before a 422.
      { before: ({ event }) => void readIdempotencyKey(event.headers) },
      validateBody(testimonialInput),
    ],
    async (event, signal) => {
      const { headers, input } = event;
      const { organization } = event.caller;
      const beforeWrite = () => event.payFor(postingsOf(organization, { ...input, status: 'pending' }));
      const idempotencyKey = readIdempotencyKey(headers);
      const { testimonial, replayed } = await createTestimonial(
        { ...stores(signal), now, randomInt, onPlaceTaken, beforeWrite },
        { organization, input, ...(idempotencyKey !== undefined && { idempotencyKey }) },
      );
      return json(201, testimonial, replayed ? { 'idempotent-replayed': 'true' } : {});
    },
  );
}
