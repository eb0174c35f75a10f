/** Numbers and random texts in base 62: digits, capitals and small letters. */
const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const base = BigInt(base62Digits.length);

/** Writes a number with `length` digits, the highest first. Cuts off higher digits. */
export function toBase62(number: bigint, length: number): string {
  let rest = number;
  let digits = '';
  for (let position = 0; position < length; position += 1) {
    digits = base62Digits.charAt(Number(rest % base)) + digits;
    rest /= base;
  }
  return digits;
}

/** A cryptographically secure source of integers from `min` up to, but not including, `max`. */
export type RandomInt = (min: number, max: number) => number;

/** Returns random base-62 characters. */
export function randomDigits(length: number, randomInt: RandomInt): string {
  return Array.from({ length }, () => base62Digits[randomInt(0, base62Digits.length)]).join('');
}
