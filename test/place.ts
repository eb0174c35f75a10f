import { firstPlace } from '../functions/domain/testimonial-order.ts';

/** The n-th place that an organization gives, in either order. */
export function place(n: number): number {
  return firstPlace + n - 1;
}
