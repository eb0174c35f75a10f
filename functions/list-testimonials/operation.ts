/** The operation `GET /v1/testimonials`. */
import type { Operation } from '../http/operation.ts';
import { views } from './views.ts';

export const listTestimonialsOperation = {
  method: 'GET',
  path: '/v1/testimonials',
  accesses: views,
} as const satisfies Operation;
