import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  blockSize,
  decodeBlock,
  emptyBlock,
  encodeBlock,
} from '../../../../functions/testimonials/list-index/bits/posting-codec.ts';

test('a block of ordinals survives encoding', () => {
  const number = fc.oneof(fc.nat(100), fc.constant(400_000_000));
  const place = fc.tuple(fc.nat(blockSize - 1), fc.double({ min: 0, max: 1, noNaN: true }));
  fc.assert(
    fc.property(number, fc.array(place), (block, places) => {
      const ordinals = emptyBlock();
      // Imported testimonials can have an update ordinal below their ordinal.
      for (const [i, share] of places) ordinals[i] = Math.floor(share * 2 * (block * blockSize + i));
      expect(decodeBlock(encodeBlock(ordinals, block), block)).toEqual(ordinals);
    }),
  );
});

test('a block of testimonials that were never updated is a few bytes', () => {
  const ordinals = emptyBlock().map((_, i) => 7 * blockSize + i);
  expect(encodeBlock(ordinals, 7).length).toBeLessThan(30);
});

test('bytes that are not a block are refused', () => {
  const ordinals = emptyBlock().fill(1);
  expect(() => decodeBlock(encodeBlock(ordinals, 1).subarray(0, 5), 1)).toThrow();
});
