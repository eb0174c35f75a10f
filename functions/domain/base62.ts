/** Numbers in the digits `0-9A-Za-z`. */
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
