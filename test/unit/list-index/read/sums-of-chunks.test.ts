/** Lists of an organization with so many chunks that their counts are summed up. */
import { expect, test } from '@jest/globals';
import { type ListQuery, matcherOf } from '../../../../functions/domain/list-query.ts';
import { statuses } from '../../../../functions/domain/testimonial.ts';
import type { TestimonialFilter } from '../../../../functions/domain/testimonial-filter.ts';
import { makeTestimonialId } from '../../../../functions/domain/testimonial-id.ts';
import { firstPosition, sortNames } from '../../../../functions/domain/testimonial-order.ts';
import { chunkSize } from '../../../../functions/testimonials/list-index/bits/bitmap.ts';
import { chunksTogether } from '../../../../functions/testimonials/list-index/bits/summary.ts';
import { noIndex } from '../../../../functions/testimonials/list-index/index-store.ts';
import {
  PostingEdits,
  writeEdits,
} from '../../../../functions/testimonials/list-index/write/posting-edits.ts';
import { renewSummaries } from '../../../../functions/testimonials/list-index/write/renew-summaries.ts';
import { changeTestimonial } from '../../../../functions/testimonials/operations/change-testimonial.ts';
import {
  countRatings,
  countTestimonials,
} from '../../../../functions/testimonials/operations/count-testimonials.ts';
import {
  ListMemory,
  listTestimonials,
} from '../../../../functions/testimonials/operations/list-testimonials.ts';
import { oracle } from '../../../../lib/check/contract/oracle.ts';
import { storedAt } from '../../../testimonials.ts';
import { interceptCalls } from '../../../world/backend.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';

// Several in each of three sums, and in single chunks after the last sum.
const chunks = [15, 16, 16, 63, 64, 70, 127, 128, 190, 191, 192, 200].map(
  (chunk, i) => chunk * chunkSize + 7 * i,
);
const last = 201 * chunkSize;
const rows = chunks.map((ordinal, i) =>
  storedAt(ordinal, {
    id: makeTestimonialId(ordinal, (min) => min),
    status: statuses[i % 3] ?? 'pending',
    ...(i % 4 > 0 && { rating: (i % 4) + 1 }),
    createdAt: `2026-01-0${1 + Math.floor(i / 2)}T00:00:00.000Z`,
    updatedAt: '2026-01-06T00:00:00.000Z',
  }),
);
const queries: ListQuery[] = sortNames.flatMap((sort) =>
  [{}, { status: 'approved' as const }, { rating: 2 }].flatMap((filter) =>
    (['asc', 'desc'] as const).flatMap((order) =>
      [1, 2, 4].map((page) => ({ filter, sort, order, page, limit: 3 })),
    ),
  ),
);

/** A backend with an index of these testimonials, far apart from each other. */
async function sparseBackend() {
  const backend = inMemoryBackend();
  const { testimonials, index } = backend;
  await testimonials.reserveOrdinals('acme', new Date('2026-01-01'), last - firstPosition);
  const edits = new PostingEdits();
  for (const row of rows) {
    await testimonials.insert('acme', row);
    edits.put(row);
  }
  const head = { ...noIndex, indexed: last, updated: last, reach: last, epoch: 1 };
  await writeEdits(index, 'acme', head, edits);
  await renewSummaries(index, 'acme', head.generation, edits.chunksToCount);
  await index.replaceHead('acme', head);
  return backend;
}

test('every page and total is right, before and after changes inside a sum', async () => {
  const backend = await sparseBackend();
  const { testimonials } = backend;
  expect(Math.floor(201 / chunksTogether)).toBe(3);
  const expectRight = async () => {
    const stored = (await Array.fromAsync(testimonials.from('acme', 0))).flat();
    for (const query of queries) {
      const { testimonials: page, total } = await listTestimonials(
        { ...backend, memory: new ListMemory() },
        'acme',
        query,
      );
      expect({ query, testimonials: page, total }).toEqual({ query, ...oracle(stored, query) });
    }
    const days = Array.from({ length: 9 }, (_, i) => Date.UTC(2026, 0, i));
    const calls: string[] = [];
    const stores = interceptCalls(backend, (name, call) => {
      calls.push(name);
      return call();
    });
    const counts = await countTestimonials({ ...stores, memory: new ListMemory() }, 'acme', days);
    expect(calls.length).toBeLessThanOrEqual(14);
    const before = (day: number) =>
      stored.filter(({ testimonial }) => Date.parse(testimonial.createdAt) < day);
    expect(counts.map((each) => each.reduce((sum, count) => sum + count, 0))).toEqual([
      stored.length,
      ...days.map((day) => before(day).length),
    ]);
    const filters: TestimonialFilter[] = [{ tags: ['changed'] }, { status: 'approved' }, {}];
    const ratings = await countRatings({ ...backend, memory: new ListMemory() }, 'acme', filters);
    const rated = (filter: TestimonialFilter, stars: number) =>
      stored.filter(
        ({ testimonial }) => matcherOf(filter)(testimonial) && (testimonial.rating ?? 0) === stars,
      );
    expect(ratings).toEqual(
      filters.map((filter) => [0, 1, 2, 3, 4, 5].map((stars) => rated(filter, stars).length)),
    );
  };
  await expectRight();
  const deps = { testimonials, now: () => new Date('2026-02-01') };
  for (const i of [2, 4, 11]) {
    const { id } = rows[i]?.testimonial ?? { id: '' };
    const outcome = await changeTestimonial(deps, 'acme', id, { status: 'approved', addTags: ['changed'] });
    expect(outcome.kind).toBe('done');
    await expectRight();
  }
});
