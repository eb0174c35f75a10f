/** Whole numbers from 0 in as few bytes as they need: 7 bits a byte, the lowest first (LEB128). */

const lowBits = 0x7f;
const more = 0x80;
const base = 128;

/** Appends a number below 2^53. */
export function appendVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest > lowBits) {
    bytes.push((rest % base) | more);
    rest = Math.floor(rest / base);
  }
  bytes.push(rest);
}

/**
 * Reads numbers one after another.
 * @throws when the bytes end within one
 */
export function forEachVarint(bytes: Uint8Array, visit: (value: number) => void): void {
  let value = 0;
  let scale = 1;
  for (const byte of bytes) {
    value += (byte & lowBits) * scale;
    if (byte & more) {
      scale *= base;
      continue;
    }
    visit(value);
    value = 0;
    scale = 1;
  }
  if (scale > 1) throw new Error('A posting ends within a number');
}
