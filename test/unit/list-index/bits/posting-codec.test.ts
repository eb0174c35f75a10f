import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ChunkBits,
  chunkSize,
  emptyChunk,
  setBit,
} from '../../../../functions/testimonials/list-index/bits/bitmap.ts';
import {
  blockSize,
  decodeBlock,
  decodePosting,
  decodePostingInto,
  emptyBlock,
  encodeBlock,
  encodePosting,
} from '../../../../functions/testimonials/list-index/bits/posting-codec.ts';

// The forms as they are stored: other numbers would make the postings of every table unreadable.
const forms = { bitmap: 0, gaps: 1, deflatedBitmap: 2, deflatedGaps: 3 };

function chunkWith(offsets: Iterable<number>): ChunkBits {
  const bits = emptyChunk();
  for (const offset of offsets) setBit(bits, offset);
  return bits;
}

/**
 * A chunk of a density, from a small generator of its own (Park and Miller): the same seed, the same bits.
 */
function chunkOfDensity(density: number, seed: number): ChunkBits {
  const bits = emptyChunk();
  let state = (seed % 2_147_483_646) + 1;
  for (let offset = 0; offset < chunkSize; offset += 1) {
    state = (state * 48_271) % 2_147_483_647;
    if (state / 2_147_483_647 < density) setBit(bits, offset);
  }
  return bits;
}

const offset = fc.oneof(
  fc.constantFrom(0, 1, 127, 128, 129, 16_384, 65_534, 65_535),
  fc.nat({ max: 65_535 }),
);
// Beginning, end, or the middle of a chunk only: as in the first and the last chunk of an organization.
const part = fc.tuple(offset, offset).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

const densities: [string, fc.Arbitrary<ChunkBits>][] = [
  ['without bits', fc.constant(emptyChunk())],
  ['with the first bit', fc.constant(chunkWith([0]))],
  ['with the last bit', fc.constant(chunkWith([65_535]))],
  ['with the first and the last bit', fc.constant(chunkWith([0, 65_535]))],
  ['with any one bit', offset.map((each) => chunkWith([each]))],
  ['sparse', fc.array(offset, { maxLength: 300 }).map(chunkWith)],
  ['at 0.1 %', fc.nat().map((seed) => chunkOfDensity(0.001, seed))],
  ['at 5 %', fc.nat().map((seed) => chunkOfDensity(0.05, seed))],
  ['at 50 %', fc.nat().map((seed) => chunkOfDensity(0.5, seed))],
  ['at 95 %', fc.nat().map((seed) => chunkOfDensity(0.95, seed))],
  ['full', fc.constant(emptyChunk().fill(0xffffffff))],
  [
    'full but for one',
    offset.map((each) =>
      emptyChunk()
        .fill(0xffffffff)
        .fill(~1, each >>> 5, (each >>> 5) + 1),
    ),
  ],
  [
    'full in a part',
    part.map(([from, to]) => chunkWith(Array.from({ length: to - from + 1 }, (_, i) => from + i))),
  ],
  [
    'regular',
    fc
      .integer({ min: 2, max: 3000 })
      .map((step) => chunkWith(Array.from({ length: Math.ceil(chunkSize / step) }, (_, i) => i * step))),
  ],
];

// Jest compares thousands of numbers one by one.
const isSame = (a: ChunkBits | Uint8Array, b: ChunkBits | Uint8Array) =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer, b.byteOffset, b.byteLength));

test.each(densities)(
  'a chunk %s survives encoding, and takes at most one byte more than its bitmap',
  (_, chunk) => {
    fc.assert(
      fc.property(chunk, offset, (bits, there) => {
        const before = bits.slice();
        const encoded = encodePosting(bits);
        expect(isSame(bits, before)).toBe(true);
        expect(isSame(decodePosting(encoded), bits)).toBe(true);
        const last = Buffer.from(bits.buffer).findLastIndex((byte) => byte !== 0);
        expect(encoded.length).toBeLessThanOrEqual(last + 2);
        // Added to the bits that are there.
        const into = chunkWith([there]);
        decodePostingInto(encoded, into);
        setBit(before, there);
        expect(isSame(into, before)).toBe(true);
      }),
      { numRuns: 30 },
    );
  },
);

test.each<[string, ChunkBits, number, number]>([
  ['gaps for a few bits, in at most 16 bytes', chunkWith([5, 9000, 20_000, 40_000, 65_535]), forms.gaps, 16],
  ['a bitmap for random bits', chunkOfDensity(0.5, 1), forms.bitmap, chunkSize / 8 + 1],
  ['a deflated bitmap for a full chunk', emptyChunk().fill(0xffffffff), forms.deflatedBitmap, 100],
  [
    'deflated gaps for regular, wide distances',
    chunkWith(Array.from({ length: 600 }, (_, i) => i * 107)),
    forms.deflatedGaps,
    300,
  ],
  ['a bitmap of no bytes for no bits', emptyChunk(), forms.bitmap, 1],
])('the form is %s', (_which, bits, form, most) => {
  const encoded = encodePosting(bits);
  expect(encoded[0]).toBe(form);
  expect(encoded.length).toBeLessThanOrEqual(most);
});

test.each<[string, number[], number[]]>([
  ['a bitmap', [forms.bitmap, 0b101, 0x80], [0, 2, 15]],
  ['gaps', [forms.gaps, 0, 0, 0x80, 0x01], [0, 1, 130]],
  ['a deflated bitmap', [forms.deflatedBitmap, ...deflateRawSync(Buffer.of(0, 1))], [8]],
  ['deflated gaps', [forms.deflatedGaps, ...deflateRawSync(Buffer.of(3, 0))], [3, 4]],
])('stored bytes of %s are read', (_form, bytes, offsets) => {
  expect(decodePosting(Uint8Array.from(bytes))).toEqual(chunkWith(offsets));
});

const tooLong = Buffer.alloc(chunkSize / 8 + 1, 1);

test.each<[string, number[]]>([
  ['no bytes at all', []],
  ['an unknown form', [4, 0]],
  ['a bitmap longer than a chunk', [forms.bitmap, ...tooLong]],
  ['gaps that together pass the end', [forms.gaps, 0xff, 0xff, 0x03, 0]],
  ['a gap that wraps around 32 bits', [forms.gaps, 0x80, 0x80, 0x80, 0x80, 0x08]],
  ['a gap that was cut off', [forms.gaps, 5, 0x80]],
  [
    'a deflated body that was cut off',
    [forms.deflatedBitmap, ...deflateRawSync(tooLong.subarray(1)).subarray(0, 9)],
  ],
])('%s: refused, because no encoding makes it', (_what, bytes) => {
  expect(() => decodePosting(Uint8Array.from(bytes))).toThrow();
});

describe('a block of ordinals', () => {
  const number = fc.oneof(fc.nat(100), fc.constant(400_000_000));
  const place = fc.tuple(fc.nat(blockSize - 1), fc.double({ min: 0, max: 1, noNaN: true }));

  test('survives encoding', () => {
    fc.assert(
      fc.property(number, fc.array(place), (block, places) => {
        const ordinals = emptyBlock();
        // Imported testimonials can have an update ordinal below their ordinal.
        for (const [i, share] of places) ordinals[i] = Math.floor(share * 2 * (block * blockSize + i));
        expect(decodeBlock(encodeBlock(ordinals, block), block)).toEqual(ordinals);
      }),
    );
  });

  test('of testimonials that were never updated is a few bytes', () => {
    const ordinals = emptyBlock().map((_, i) => 7 * blockSize + i);
    expect(encodeBlock(ordinals, 7).length).toBeLessThan(30);
  });

  test('is refused if its bytes are cut off', () => {
    const ordinals = emptyBlock().fill(1);
    expect(() => decodeBlock(encodeBlock(ordinals, 1).subarray(0, 5), 1)).toThrow();
  });
});
