import { firstPosition } from '../functions/domain/testimonial-order.ts';

/** Returns the n-th position of an organization on either axis. */
export function place(n: number): number {
  return firstPosition + n - 1;
}
