/**
 * Encodes the bits of a posting's chunk: one byte of flags, then the smallest of
 * - the bitmap, little-endian, without the zero bytes at its end;
 * - the gaps between set bits, as variable-length integers of 7 bits per byte (LEB128), for sparse chunks;
 * - either of them deflated (RFC 1951), if that saves enough to pay for inflating it.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type ChunkBits, countBits, emptyChunk, setBit } from './bitmap.ts';

// The flags.
const asGaps = 1;
const deflated = 2;

// A deflated body must be this much smaller, because inflating takes about as long as reading the gaps.
const worthDeflating = 0.8;
// Below this many bytes deflating saves nothing.
const smallest = 64;

/** Encodes a chunk. Equal bits always give equal bytes. */
export function encodePosting(bits: ChunkBits): Uint8Array {
  const bitmap = trimmedBytes(bits);
  const plain: Encoded[] = [{ flags: 0, body: bitmap }];
  // A gap takes at least a byte.
  if (countBits(bits) < bitmap.length) plain.push({ flags: asGaps, body: gapsOf(bits) });
  const best = shortest(plain);
  if (best.body.length <= smallest) return tagged(best);
  const packed = shortest(
    plain.map(({ flags, body }) => ({ flags: flags | deflated, body: deflateRawSync(body) })),
  );
  return tagged(packed.body.length <= best.body.length * worthDeflating ? packed : best);
}

interface Encoded {
  flags: number;
  body: Uint8Array;
}

/** Returns the shortest of several encodings; of equally short ones, the first. */
function shortest(candidates: readonly Encoded[]): Encoded {
  return candidates.reduce((best, each) => (each.body.length < best.body.length ? each : best));
}

/**
 * Adds the bits of an encoded chunk to `into`.
 * @throws if `encodePosting` did not make the bytes
 */
export function decodePostingInto(bytes: Uint8Array, into: ChunkBits): void {
  const [flags = Number.NaN] = bytes;
  if (!(flags <= (asGaps | deflated))) throw new Error(`A posting has an unknown form: ${bytes[0]}`);
  const rest = bytes.subarray(1);
  const body = flags & deflated ? inflateRawSync(rest) : rest;
  if (flags & asGaps) addGaps(body, into);
  else addBitmap(body, into);
}

export function decodePosting(bytes: Uint8Array): ChunkBits {
  const bits = emptyChunk();
  decodePostingInto(bytes, bits);
  return bits;
}

function tagged({ flags, body }: Encoded): Uint8Array {
  const bytes = new Uint8Array(body.length + 1);
  bytes[0] = flags;
  bytes.set(body, 1);
  return bytes;
}

// Bytes and words have the same order, because Lambda's processors and laptops' are little-endian.
function trimmedBytes(bits: ChunkBits): Uint8Array {
  const bytes = new Uint8Array(bits.buffer);
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length -= 1;
  return bytes.subarray(0, length);
}

function gapsOf(bits: ChunkBits): Uint8Array {
  const bytes: number[] = [];
  let last = -1;
  bits.forEach((wordBits, index) => {
    let rest = wordBits;
    while (rest !== 0) {
      const bit = 31 - Math.clz32(rest & -rest);
      rest &= rest - 1;
      const offset = index * 32 + bit;
      appendVarint(bytes, offset - last - 1);
      last = offset;
    }
  });
  return Uint8Array.from(bytes);
}

function addBitmap(bytes: Uint8Array, into: ChunkBits): void {
  const target = new Uint8Array(into.buffer);
  if (bytes.length > target.length) throw new Error('A posting is longer than its chunk');
  for (let i = 0; i < bytes.length; i += 1) target[i] = (target[i] ?? 0) | (bytes[i] ?? 0);
}

function addGaps(bytes: Uint8Array, into: ChunkBits): void {
  let offset = -1;
  forEachVarint(bytes, (gap) => {
    offset += gap + 1;
    if (offset >= into.length * 32) throw new Error('A posting is longer than its chunk');
    setBit(into, offset);
  });
}

// Whole numbers in as few bytes as they need: 7 bits per byte, the lowest first (LEB128).
const lowBits = 0x7f;
const more = 0x80;
const base = 128;

/** Appends a number below 2^53 to the bytes. */
export function appendVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest > lowBits) {
    bytes.push((rest % base) | more);
    rest = Math.floor(rest / base);
  }
  bytes.push(rest);
}

/**
 * Calls `visit` with each number in the bytes.
 * @throws if the bytes end within a number
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

// Maps update ordinals to ordinals, in blocks of 2,048. A search, whose words are on the axis of creation,
// finds the order by updatedAt here. An update ordinal belongs to one testimonial forever. The bits of the
// axis say whether the testimonial still has it. A block stores the differences between the two, which are
// small, as variable-length integers with the sign in the lowest bit, deflated (RFC 1951).

/** Update ordinals in a block. */
export const blockSize = 2048;

/** Ordinals by the offset of their update ordinal in the block; 0 where there is no ordinal. */
export type OrdinalBlock = Float64Array<ArrayBuffer>;

export function emptyBlock(): OrdinalBlock {
  return new Float64Array(blockSize);
}

export function encodeBlock(block: OrdinalBlock, number: number): Uint8Array {
  const bytes: number[] = [];
  for (const [i, ordinal] of block.entries()) {
    const difference = number * blockSize + i - ordinal;
    appendVarint(bytes, ordinal === 0 ? 0 : 1 + 2 * Math.abs(difference) + (difference < 0 ? 1 : 0));
  }
  return deflateRawSync(Uint8Array.from(bytes));
}

/** @throws if `encodeBlock` did not make the bytes */
export function decodeBlock(bytes: Uint8Array, number: number): OrdinalBlock {
  const block = emptyBlock();
  let i = 0;
  forEachVarint(inflateRawSync(bytes), (value) => {
    if (i >= blockSize) throw new Error('A block of ordinals is too long');
    if (value > 0) {
      const difference = Math.floor((value - 1) / 2) * (value % 2 === 0 ? -1 : 1);
      block[i] = number * blockSize + i - difference;
    }
    i += 1;
  });
  return block;
}
