/** `test_`, 12 random digits (the first not 0), then the testimonial's ordinal in its organization. */

const pattern = /^test_[1-9]\d{11}([1-9]\d*)$/;

/**
 * Makes the id of the testimonial with this ordinal.
 * @param ordinal a place in the order of creation, from 1
 * @param randomInt a source of unpredictable integers: from `min` to below `max`
 */
export function makeTestimonialId(ordinal: number, randomInt: (min: number, max: number) => number): string {
  return `test_${randomInt(100_000_000_000, 1_000_000_000_000)}${ordinal}`;
}

/** The ordinal that an id ends with, or undefined when the text is no testimonial id. */
export function ordinalOfId(id: string): number | undefined {
  const ordinal = Number(pattern.exec(id)?.[1]);
  return Number.isSafeInteger(ordinal) ? ordinal : undefined;
}

/**
 * The ordinal that the id of a stored testimonial ends with.
 * @throws when it is malformed
 */
export function ordinalOf(id: string): number {
  const ordinal = ordinalOfId(id);
  if (ordinal === undefined) throw new Error(`A stored testimonial has the malformed id ${id}`);
  return ordinal;
}

export const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const base = BigInt(base62Digits.length);

/** Writes a number in so many digits, the highest first. What has more loses its highest. */
export function toBase62(number: bigint, length: number): string {
  let rest = number;
  let digits = '';
  for (let position = 0; position < length; position += 1) {
    digits = base62Digits.charAt(Number(rest % base)) + digits;
    rest /= base;
  }
  return digits;
}
