/** The operations on `/v1/testimonials/{id}`, which a deployment may have. */
import { type Operation, ownAccess } from '../http/operation.ts';

/** The parameter of the path. */
export const idParameter = 'id';

const path = `/v1/testimonials/{${idParameter}}` as const;

export const getTestimonialOperation = {
  method: 'GET',
  path,
  accesses: [ownAccess('testimonials:read')],
} as const satisfies Operation;

export const changeTestimonialOperation = {
  method: 'PATCH',
  path,
  accesses: [ownAccess('testimonials:moderate')],
} as const satisfies Operation;

export const eraseTestimonialOperation = {
  method: 'DELETE',
  path,
  accesses: [ownAccess('testimonials:erase')],
} as const satisfies Operation;
