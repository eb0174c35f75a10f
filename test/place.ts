import { firstPosition } from '../functions/domain/testimonial-order.ts';

/** The n-th place that an organization gives, in either order. */
export function place(n: number): number {
  return firstPosition + n - 1;
}
