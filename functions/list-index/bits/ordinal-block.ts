/**
 * Which testimonial has which place in the order of updates, in blocks of 2,048 places: a search, whose words are on
 * the axis of creation, finds its order by updatedAt here. A place is one testimonial's for ever; whether that is
 * still there, the bits of the axis tell. Stored are the differences between place and ordinal, which are small, as
 * variable-length integers, the sign in the lowest bit, deflated (RFC 1951).
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { appendVarint, forEachVarint } from './posting-codec.ts';

/** Update ordinals a block. */
export const blockSize = 2048;

/** Ordinals by their places in the block; 0 where none is known. */
export type OrdinalBlock = Float64Array<ArrayBuffer>;

export function emptyBlock(): OrdinalBlock {
  return new Float64Array(blockSize);
}

/** Encodes the block that has this number. */
export function encodeBlock(block: OrdinalBlock, number: number): Uint8Array {
  const bytes: number[] = [];
  for (const [i, ordinal] of block.entries()) {
    const difference = number * blockSize + i - ordinal;
    appendVarint(bytes, ordinal === 0 ? 0 : 1 + 2 * Math.abs(difference) + (difference < 0 ? 1 : 0));
  }
  return deflateRawSync(Uint8Array.from(bytes));
}

/**
 * Decodes the block that has this number.
 * @throws when the bytes are not what `encodeBlock` makes
 */
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
