/** The operation `POST /v1/testimonials`. */
import { type Operation, ownAccess } from '../http/operation.ts';

export const createTestimonialOperation = {
  method: 'POST',
  path: '/v1/testimonials',
  accesses: [ownAccess('testimonials:write')],
} as const satisfies Operation;

/** Logged when a create is given a place that is another's, and takes the next; an alarm counts it. */
export const placeTakenMessage = 'The place of a new testimonial is taken';
