/** The operation `POST /v1/testimonials`. */
import { type Operation, ownAccess } from '../http/operation.ts';

export const createTestimonialOperation = {
  method: 'POST',
  path: '/v1/testimonials',
  accesses: [ownAccess('testimonials:write')],
} as const satisfies Operation;
