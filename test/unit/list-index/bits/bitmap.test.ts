import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Direction } from '../../../../functions/domain/testimonial-order.ts';
import {
  Bitmap,
  chunkOf,
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

test('a position consists of its chunk and its offset', () => {
  fc.assert(
    fc.property(ordinal, (each) => {
      expect(chunkOf(each) * chunkSize + offsetOf(each)).toBe(each);
      expect(offsetOf(each)).toBeLessThan(chunkSize);
    }),
    { examples: [[65_535], [65_536]] },
  );
});

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

test('positions on both sides of a chunk border are distinct', () => {
  const bitmap = Bitmap.of([65_535]);
  expect([65_534, 65_535, 65_536].map((each) => bitmap.has(each))).toEqual([false, true, false]);
  bitmap.add(65_536).delete(65_535);
  expect(bitmap.ordinals()).toEqual([65_536]);
});

describe('combined with another,', () => {
  test.each([
    ['or', (a: Set<number>, b: Set<number>) => a.union(b)],
    ['and', (a: Set<number>, b: Set<number>) => a.intersection(b)],
    ['andNot', (a: Set<number>, b: Set<number>) => a.difference(b)],
  ] as const)('%s is what it is for sets and leaves the other as it was', (operation, ofSets) => {
    fc.assert(
      fc.property(ordinals, ordinals, fc.array(ordinal, { maxLength: 5 }), (a, b, emptied) => {
        const other = withEmptyChunks(b, emptied);
        const result = withEmptyChunks(a, emptied)[operation](other);
        expect(result.ordinals()).toEqual(sorted(ofSets(a, b)));
        expect(result.count()).toBe(ofSets(a, b).size);
        expect(other.ordinals()).toEqual(sorted(b));
      }),
    );
  });

  test.each(['or', 'and', 'andNot'] as const)('%s shares no bits with the other afterwards', (operation) => {
    fc.assert(
      fc.property(ordinals, ordinals, ordinal, (a, b, added) => {
        fc.pre(!b.has(added));
        const other = Bitmap.of(b);
        Bitmap.of(a)[operation](other).add(added);
        expect(other.has(added)).toBe(false);
      }),
    );
  });
});

test('truncating leaves only the lower positions', () => {
  fc.assert(
    fc.property(ordinals, ordinal, fc.array(ordinal, { maxLength: 5 }), (set, from, emptied) => {
      const bitmap = withEmptyChunks(set, emptied).truncate(from);
      expect(bitmap.ordinals()).toEqual(sorted(set).filter((each) => each < from));
    }),
  );
});

test.each([0, 1, 31, 32, 33, 65_535, 65_536, 65_537])(
  'truncating at %i separates its two neighbours',
  (from) => {
    const beside = [from - 1, from].filter((each) => each >= 0);
    expect(Bitmap.of(beside).truncate(from).ordinals()).toEqual(beside.filter((each) => each < from));
  },
);

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

test('a full chunk is counted and selected from either end', () => {
  const bitmap = new Bitmap().put(3, new Uint32Array(chunkSize / 32).fill(0xffffffff));
  const base = 3 * chunkSize;
  const select = (skip: number, direction: Direction) =>
    selectInChunk(bitmap.chunk(3), 3, { skip, take: 2, direction });
  expect(bitmap.count()).toBe(chunkSize);
  expect(select(0, 'asc')).toEqual([base, base + 1]);
  expect(select(0, 'desc')).toEqual([base + 65_535, base + 65_534]);
  expect(select(65_535, 'asc')).toEqual([base + 65_535]);
  expect(select(65_536, 'asc')).toEqual([]);
});
