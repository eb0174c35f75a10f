/** Finding a page among segments whose counts are exact, expected or together. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Direction } from '../../../../functions/domain/testimonial-order.ts';
import { Bitmap, chunkOf, countBits } from '../../../../functions/testimonials/list-index/bits/bitmap.ts';
import {
  countBelow,
  type ListPosition,
  MatchSegments,
  type Segment,
} from '../../../../functions/testimonials/list-index/read/matches.ts';

const together = 4;

interface Known {
  groups: Bitmap[];
  matches: MatchSegments;
  /** The number of segments that were expanded, for each round. */
  rounds: number[];
}

/**
 * Segments of some groups: chunks from `apart` on each on its own, of which those in `inexact` are expected
 * to have `guess`.
 */
function matchesOf(
  sets: number[][],
  { apart, inexact, guess }: { apart: number; inexact: Set<number>; guess: number },
): Known {
  const groups = sets.map((set) => Bitmap.of(set));
  const rounds: number[] = [];
  const single = (group: number, chunk: number): Segment => {
    const isExact = !inexact.has(chunk);
    const count = isExact ? countBits((groups[group] as Bitmap).chunk(chunk)) : guess;
    return { group, chunk, chunks: 1, count, isExact };
  };
  const singles = (group: number, from: number) =>
    Array.from({ length: together }, (_, i) => single(group, from + i));
  const segments = groups.flatMap((_, group) =>
    Array.from({ length: 3 }, (_, i) => i * together).flatMap((from) => {
      const chunks = singles(group, from);
      if (from >= apart || chunks.some(({ isExact }) => !isExact)) return chunks;
      const count = chunks.reduce((sum, each) => sum + each.count, 0);
      return [{ group, chunk: from, chunks: together, count, isExact: true }];
    }),
  );
  const matches = new MatchSegments(segments, async (expanded) => {
    rounds.push(expanded.length);
    return expanded.map((segment) => {
      const { group, chunk, chunks } = segment;
      if (chunks > 1) return singles(group, chunk);
      const bits = (groups[group] as Bitmap).chunk(chunk);
      return [{ ...segment, bits, count: countBits(bits), isExact: true }];
    });
  });
  return { groups, matches, rounds };
}

const number = fc
  .tuple(fc.integer({ min: 0, max: 3 * together - 1 }), fc.constantFrom(0, 1, 2, 31, 32, 65_535))
  .map(([chunk, offset]) => chunk * 65_536 + offset);
const sets = fc.array(fc.array(number, { maxLength: 30 }), { minLength: 1, maxLength: 3 });
const known = fc.record({
  apart: fc.constantFrom(0, together, 3 * together),
  inexact: fc.uniqueArray(fc.nat(3 * together - 1), { maxLength: 4 }).map((chunks) => new Set(chunks)),
  guess: fc.integer({ min: 0, max: 4 }),
});

test('a page equals a slice of all positions in order, whatever the estimates', async () => {
  await fc.assert(
    fc.asyncProperty(
      sets,
      known,
      fc.nat(40),
      fc.nat(10),
      fc.constantFrom<Direction>('asc', 'desc'),
      fc.array(number, { maxLength: 3 }),
      async (found, options, skip, take, direction, borders) => {
        const { groups, matches } = matchesOf(found, options);
        const all = groups.flatMap((bitmap, group): ListPosition[] =>
          bitmap.ordinals().map((each) => ({ group, number: each })),
        );
        const inOrder = direction === 'asc' ? all : all.toReversed();
        expect(await matches.select(skip, take, direction)).toEqual(inOrder.slice(skip, skip + take));
        expect(await matches.count()).toBe(all.length);
        expect(await countBelow(matches, [Infinity, ...borders], groups.length)).toEqual([
          groups.map((each) => each.count()),
          ...borders.map((border) => groups.map((each) => each.clone().truncate(border).count())),
        ]);
      },
    ),
  );
});

test('only the chunks of the page are read, in one round if the estimates are right', async () => {
  const first = [1, 2, 3].map((offset) => 5 * 65_536 + offset);
  const second = [1, 2].map((offset) => 9 * 65_536 + offset);
  const { matches, rounds } = matchesOf([[...first, ...second]], {
    apart: 0,
    inexact: new Set([9]),
    guess: 2,
  });
  const positions = await matches.select(1, 3, 'asc');
  expect(positions.map((position) => chunkOf(position.number))).toEqual([5, 5, 9]);
  expect(rounds).toEqual([2]);
});
