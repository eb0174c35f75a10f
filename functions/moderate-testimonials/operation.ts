/** The operations on `/v1/testimonials/{id}`, which a deployment may have. */
import { type Operation, ownAccess } from '../http/operation.ts';

/** The parameter of the path. */
export const idParameter = 'id';

const path = `/v1/testimonials/{${idParameter}}` as const;

/** What refusals say; the documented examples say the same. */
export const notFoundMessage = 'There is no testimonial with this id.';
export const changedMeanwhileMessage = 'The testimonial was changed since it was seen.';

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
