/** The entry point of the Lambda function: builds the handler once per execution environment. */
import { apiFunction } from '../persistence/api-function.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { createHandler } from './handler.ts';

// A change makes one call at a time, plus one for the organization's budget.
const { dependencies, perRequest } = await apiFunction(2);

export const handler = createHandler({
  ...dependencies,
  stores: perRequest((table) => ({ testimonials: testimonialStore(table) })),
});
