/** Where times begin in the order of creation, and what it costs to count by them. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { statuses } from '../../../../functions/domain/testimonial.ts';
import { firstPosition } from '../../../../functions/domain/testimonial-order.ts';
import {
  Bitmap,
  chunkOf,
  chunkSize,
  countBits,
} from '../../../../functions/testimonials/list-index/bits/bitmap.ts';
import { encodePosting } from '../../../../functions/testimonials/list-index/bits/posting-codec.ts';
import { cellOf, cells, encodeSummary } from '../../../../functions/testimonials/list-index/bits/summary.ts';
import {
  type IndexHead,
  type ListStores,
  noIndex,
  type PostingRef,
} from '../../../../functions/testimonials/list-index/index-store.ts';
import type { PostingName } from '../../../../functions/testimonials/list-index/index-terms.ts';
import type { CorrectedList } from '../../../../functions/testimonials/list-index/read/correct.ts';
import { createdSince } from '../../../../functions/testimonials/list-index/read/created-since.ts';
import { Matches } from '../../../../functions/testimonials/list-index/read/matches.ts';
import { countTestimonials } from '../../../../functions/testimonials/operations/count-testimonials.ts';
import { ListMemory } from '../../../../functions/testimonials/operations/list-testimonials.ts';
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
  const matches = new Matches(segments, async () => []);
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
        const { all, calls } = existing(times, new Set(unreadable));
        const found = await createdSince(asked, all);
        for (const [i, since] of found.entries()) {
          const isRight = (row: (typeof rows)[number]) => row.position < since === row.time < (asked[i] ?? 0);
          expect(rows.filter((row) => row.isReadable && !isRight(row))).toEqual([]);
        }
        expect(Math.max(0, ...calls)).toBeLessThanOrEqual(100);
        expect(calls.length).toBeLessThanOrEqual(5);
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
const byCell = cells.map((cell) => ['all', ...cell]);

/**
 * An organization that has grown ever faster for 990 days: every fiftieth testimonial was erased, and
 * everything is indexed.
 */
function large(count: number) {
  const timeOf = (i: number) => begin + Math.round(990 * day * Math.sqrt(i / count));
  const rowAt = (i: number) => {
    const rating = (i * 7) % 6;
    return storedAt(firstPosition + i, {
      createdAt: iso(timeOf(i)),
      status: statuses[(i * 31) % 3] ?? 'pending',
      ...(rating > 0 && { rating }),
    });
  };
  const exists = (i: number) => i < count && i % 50 !== 7;
  const cellsInTurn = Array.from({ length: 6 }, (_, i) => cellOf(rowAt(i).testimonial));
  const cellAt = (i: number) => cellsInTurn[i % 6] ?? 0;
  const end = firstPosition + count;
  const head: IndexHead = { ...noIndex, indexed: end, updated: end, reach: end, epoch: 1, revision: 1 };
  const chunks = new Map<number, number[]>();
  const inChunk = (chunk: number) => {
    const first = chunk * chunkSize - firstPosition;
    const found = chunks.get(chunk) ?? Array.from({ length: chunkSize }, (_, i) => first + i).filter(exists);
    chunks.set(chunk, found);
    return found;
  };
  const bytesOf = (term: PostingName, chunk: number): Uint8Array | undefined => {
    if (chunk < chunkOf(firstPosition) || chunk > chunkOf(end - 1)) return undefined;
    const found = inChunk(chunk);
    if (term.kind === 'summary') {
      const summary = cells.map(() => 0);
      for (const i of found) summary[cellAt(i)] = (summary[cellAt(i)] ?? 0) + 1;
      return encodeSummary(summary);
    }
    const facet = term.kind === 'facet' ? term.term : '';
    const has = byCell.map((terms) => terms.includes(facet));
    const bitmap = Bitmap.of(found.filter((i) => has[cellAt(i)]).map((i) => firstPosition + i));
    return encodePosting(bitmap.chunk(chunk));
  };
  const calls = { count: 0 };
  const stores = {
    index: {
      readHead: async () => {
        calls.count += 1;
        return head;
      },
      readRecent: async () => {
        calls.count += 1;
        return { head, tail: [], markers: [] };
      },
      readTerm: async (
        _: string,
        __: number,
        term: PostingName,
        { from, to }: { from: number; to: number },
      ) => {
        calls.count += 1;
        const chunks = Array.from({ length: Math.min(to, chunkOf(end)) - from + 1 }, (_, i) => from + i);
        return chunks.flatMap((chunk) => {
          const bytes = bytesOf(term, chunk);
          return bytes ? { chunk, bytes, epoch: 1 } : [];
        });
      },
      readPostings: async (_: string, __: number, refs: readonly PostingRef[]) => {
        calls.count += Math.ceil(refs.length / 100);
        return refs.map(({ posting, chunk }) => {
          const bytes = bytesOf(posting, chunk);
          return bytes && { bytes, epoch: 1 };
        });
      },
    },
    testimonials: {
      findMany: async (_: string, positions: number[]) => {
        calls.count += Math.ceil(positions.length / 100);
        return positions.map((position) => rowAt(position - firstPosition));
      },
    },
  } as unknown as ListStores; // a count uses no other call
  const expected = [Infinity, ...asked].map((time) => {
    const summary = cells.map(() => 0);
    for (let i = 0; i < count && timeOf(i) < time; i += 1) {
      if (exists(i)) summary[cellAt(i)] = (summary[cellAt(i)] ?? 0) + 1;
    }
    return summary;
  });
  return { stores, calls, expected };
}

// On a busy machine the real clock would make a list begin again.
const clock = () => 0;

test.each([
  [3000, 5],
  [isWhole ? 1_000_000 : 50_000, 10],
])(
  'of %d testimonials, counts before thirteen times are exact and take at most %d more calls',
  async (count, more) => {
    const { stores, calls, expected } = large(count);
    const [all] = await countTestimonials({ ...stores, memory: new ListMemory(), clock }, 'acme');
    const ofAll = calls.count;
    calls.count = 0;
    const found = await countTestimonials({ ...stores, memory: new ListMemory(), clock }, 'acme', asked);
    expect([all, ...found]).toEqual([expected[0], ...expected]);
    expect(found[1]).not.toEqual(found[0]);
    expect(ofAll).toBe(3);
    expect(calls.count - ofAll).toBeLessThanOrEqual(more);
  },
);
