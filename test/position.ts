import { firstPosition } from '../functions/domain/testimonial-order.ts';

/** Returns the n-th position of an organization on either axis. */
export function position(n: number): number {
  return firstPosition + n - 1;
}
