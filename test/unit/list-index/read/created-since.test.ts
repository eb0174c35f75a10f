/** Finds the first testimonial since a time in the order of creation, and counts the calls. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Bitmap, countBits } from '../../../../functions/testimonials/list-index/bits/bitmap.ts';
import type { CorrectedList } from '../../../../functions/testimonials/list-index/read/correct.ts';
import { createdSince } from '../../../../functions/testimonials/list-index/read/created-since.ts';
import { MatchSegments } from '../../../../functions/testimonials/list-index/read/matches.ts';
import { isWhole } from '../../../some-of.ts';
import { storedAt } from '../../../testimonials.ts';

const iso = (time: number) => new Date(time).toISOString();

/** Testimonials at some positions, created at the given times, of which some cannot be read. */
function existing(times: ReadonlyMap<number, number>, unreadable: ReadonlySet<number>) {
  const bitmap = Bitmap.of(times.keys());
  const segments = bitmap.chunkNumbers().map((chunk) => {
    const bits = bitmap.chunk(chunk);
    return { group: 0, chunk, chunks: 1, count: countBits(bits), isExact: true, bits };
  });
  const calls: number[] = [];
  const testimonials = async (positions: number[]) => {
    if (positions.length > 0) calls.push(positions.length);
    return positions
      .filter((position) => !unreadable.has(position))
      .map((position) => storedAt(position, { createdAt: iso(times.get(position) ?? Number.NaN) }));
  };
  const matches = new MatchSegments(segments, async () => []);
  // No other part is used.
  const all = {
    matches,
    total: times.size,
    firstRound: { reader: { testimonials } },
  } as unknown as CorrectedList;
  return { all, calls };
}

test('a time divides the testimonials that can be read into earlier ones, and later ones and those of that time', async () => {
  const place = fc.record({
    step: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 90_000 })),
    later: fc.oneof(fc.constant(0), fc.nat(5)),
    isReadable: fc.constantFrom(true, true, true, false),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(place, { maxLength: 300 }),
      fc.array(fc.integer({ min: -1, max: 900 }), { minLength: 1, maxLength: 14 }),
      async (places, asked) => {
        let [position, time] = [0, 0];
        const rows = places.map(({ step, later, isReadable }) => {
          position += step;
          time += later;
          return { position, time, isReadable };
        });
        const unreadable = rows.filter(({ isReadable }) => !isReadable).map((row) => row.position);
        const times = new Map(rows.map((row) => [row.position, row.time]));
        const { all } = existing(times, new Set(unreadable));
        const found = await createdSince(asked, all);
        for (const [i, since] of found.entries()) {
          const isRight = (row: (typeof rows)[number]) => row.position < since === row.time < (asked[i] ?? 0);
          expect(rows.filter((row) => row.isReadable && !isRight(row))).toEqual([]);
        }
      },
    ),
  );
});

const day = 24 * 3_600_000;
const begin = Date.parse('2024-03-10T00:00:00.000Z');
const asked = [
  Date.parse('2026-11-17T10:00:00.000Z'),
  ...Array.from({ length: 12 }, (_, i) => Date.UTC(2025, 11 + i)),
];

test('thirteen times take at most six rounds, however many testimonials there are', async () => {
  const count = isWhole ? 1_000_000 : 50_000;
  // The organization has grown ever faster, and every fiftieth testimonial was erased.
  const timeOf = (i: number) => begin + Math.round(990 * day * Math.sqrt(i / count));
  const positions = Array.from({ length: count }, (_, i) => i).filter((i) => i % 50 !== 7);
  const { all, calls } = existing(new Map(positions.map((i) => [i, timeOf(i)])), new Set());
  expect(await createdSince(asked, all)).toEqual(
    asked.map((time) => positions.find((i) => timeOf(i) >= time) ?? Number.POSITIVE_INFINITY),
  );
  expect(calls.length).toBeLessThanOrEqual(6);
  // As many as one call reads.
  expect(Math.max(...calls)).toBeLessThanOrEqual(100);
});
