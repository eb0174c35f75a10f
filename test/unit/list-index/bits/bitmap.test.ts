import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Direction } from '../../../../functions/domain/testimonial-order.ts';
import {
  Bitmap,
  chunkSize,
  offsetOf,
  selectInChunk,
} from '../../../../functions/testimonials/list-index/bits/bitmap.ts';

// Around the borders of words and chunks, in neighbouring chunks and far away.
const ordinal = fc.oneof(
  fc.constantFrom(0, 31, 32, 63, 64, 65_504, 65_535, 65_536, 65_537, 131_071, 131_072, 5 * 65_536),
  fc.integer({ min: 0, max: 200 }),
  fc.integer({ min: 65_400, max: 65_700 }),
  fc.integer({ min: 0, max: 10 * chunkSize }),
  fc.constantFrom(999_999_999_999, 65_536_000_000),
);
// Also long runs: words with all bits set.
const run = fc
  .tuple(ordinal, fc.integer({ min: 1, max: 200 }))
  .map(([from, length]) => Array.from({ length }, (_, i) => from + i));
const ordinals = fc
  .array(fc.oneof({ weight: 4, arbitrary: ordinal.map((each) => [each]) }, { weight: 1, arbitrary: run }), {
    maxLength: 60,
  })
  .map((parts) => new Set(parts.flat()));
const directions: Direction[] = ['asc', 'desc'];

function sorted(set: Iterable<number>, direction: Direction = 'asc'): number[] {
  const sign = direction === 'asc' ? 1 : -1;
  return [...set].sort((a, b) => sign * (a - b));
}

/** Chunks without bits, as they remain once all bits are removed. */
function withEmptyChunks(set: Set<number>, emptied: Iterable<number>): Bitmap {
  const bitmap = Bitmap.of(set);
  for (const each of emptied) {
    if (set.has(each)) continue;
    bitmap.add(each);
    bitmap.delete(each);
  }
  return bitmap;
}

test('ordinals are added, deleted and found as in a set', () => {
  const edit = fc.tuple(fc.constantFrom('add' as const, 'delete' as const), ordinal);
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 100 }), fc.array(ordinal), (edits, asked) => {
      const bitmap = new Bitmap();
      const set = new Set<number>();
      for (const [operation, each] of edits) {
        bitmap[operation](each);
        set[operation](each);
      }
      expect(bitmap.ordinals()).toEqual(sorted(set));
      for (const each of [...asked, ...edits.map(([, edited]) => edited)]) {
        expect(bitmap.has(each)).toBe(set.has(each));
      }
    }),
  );
});

test.each([
  ['or', (a: Set<number>, b: Set<number>) => a.union(b)],
  ['and', (a: Set<number>, b: Set<number>) => a.intersection(b)],
  ['andNot', (a: Set<number>, b: Set<number>) => a.difference(b)],
] as const)('%s is what it is for sets, and shares no bits with the other', (operation, ofSets) => {
  fc.assert(
    fc.property(ordinals, ordinals, fc.array(ordinal, { maxLength: 5 }), ordinal, (a, b, emptied, added) => {
      const other = withEmptyChunks(b, emptied);
      const result = withEmptyChunks(a, emptied)[operation](other);
      expect(result.ordinals()).toEqual(sorted(ofSets(a, b)));
      expect(result.count()).toBe(ofSets(a, b).size);
      result.add(added);
      expect(other.ordinals()).toEqual(sorted(b));
    }),
  );
});

test('truncating leaves only the lower positions', () => {
  fc.assert(
    fc.property(ordinals, ordinal, fc.array(ordinal, { maxLength: 5 }), (others, from, emptied) => {
      const set = new Set(others).add(from).add(Math.max(0, from - 1));
      const bitmap = withEmptyChunks(set, emptied).truncate(from);
      expect(bitmap.ordinals()).toEqual(sorted(set).filter((each) => each < from));
    }),
  );
});

// Within one chunk.
const offsets = ordinals.map((set) => new Set(Array.from(set, offsetOf)));

test.each(directions)('selecting in a chunk skips and takes positions in %s order', (direction) => {
  const place = fc.oneof(fc.integer({ min: 0, max: 10 }), fc.nat({ max: 400 }));
  fc.assert(
    fc.property(offsets, place, place, (set, skip, take) => {
      expect(selectInChunk(Bitmap.of(set).chunk(0), 0, { skip, take, direction })).toEqual(
        sorted(set, direction).slice(skip, skip + take),
      );
    }),
    { numRuns: 500 },
  );
});
