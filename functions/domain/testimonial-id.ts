/** The two ids of a testimonial. */

import { createHash } from 'node:crypto';
import { toBase62 } from './base62.ts';

const pattern = /^test_[1-9]\d{11}([1-9]\d*)$/;

/**
 * Makes a testimonial's id: `test_`, 12 random digits (the first not 0), then the ordinal.
 * @param randomInt a source of unpredictable integers, from `min` to below `max`
 */
export function makeTestimonialId(ordinal: number, randomInt: (min: number, max: number) => number): string {
  return `test_${randomInt(100_000_000_000, 1_000_000_000_000)}${ordinal}`;
}

/** Returns the ordinal at the end of an id, or undefined if the id is malformed. */
export function ordinalOfId(id: string): number | undefined {
  const ordinal = Number(pattern.exec(id)?.[1]);
  return Number.isSafeInteger(ordinal) ? ordinal : undefined;
}

export function isTestimonialId(id: string): boolean {
  return ordinalOfId(id) !== undefined;
}

/**
 * Returns the ordinal at the end of a stored testimonial's id.
 * @throws when the id is malformed
 */
export function ordinalOf(id: string): number {
  const ordinal = ordinalOfId(id);
  if (ordinal === undefined) throw new Error(`A stored testimonial has the malformed id ${id}`);
  return ordinal;
}

// 62 to the power of 43 is just above 2 to the power of 256.
const digitsOfSha256 = 43;

/**
 * Returns the id that everyone may see. The testimonial's own id would reveal the organization's number of
 * testimonials.
 */
export function publishedId(id: string): string {
  const hash = createHash('sha256').update(id).digest('hex');
  return `pub_${toBase62(BigInt(`0x${hash}`), digitsOfSha256).slice(0, 20)}`;
}
