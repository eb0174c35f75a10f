/**
 * Maps update ordinals to ordinals, in blocks of 2,048. A search, whose words are on the axis of creation, finds the order by updatedAt
 * here. An update ordinal belongs to one testimonial for ever; the bits of the axis say whether the testimonial still has it. A block
 * stores the differences between the two, which are small, as variable-length integers with the sign in the lowest bit, deflated
 * (RFC 1951).
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { appendVarint, forEachVarint } from './posting-codec.ts';

/** Update ordinals in a block. */
export const blockSize = 2048;

/** Ordinals by the offset of their update ordinal in the block; 0 for none. */
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
