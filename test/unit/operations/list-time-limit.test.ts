/** Lists that take longer than allowed, or that index updates overlap again and again. */

import { expect, test } from '@jest/globals';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import { ListTookTooLong } from '../../../functions/domain/outcomes.ts';
import { ListMemory } from '../../../functions/testimonials/list-index/read/memory.ts';
import { countTestimonials } from '../../../functions/testimonials/operations/count-testimonials.ts';
import { listTestimonials } from '../../../functions/testimonials/operations/list-testimonials.ts';
import { requestTimeoutMs, settledMs } from '../../../functions/timing.ts';
import { interceptCalls } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { input, pausedList } from '../../world/races.ts';
import { createWorld } from '../../world/world.ts';

const search = { filter: { search: 'amaz' }, sort: 'updatedAt', order: 'asc', page: 1, limit: 50 } as const;

test('begins again when changes were indexed and forgotten meanwhile', async () => {
  const world = await createWorld(inMemoryBackend());
  const created = [];
  for (let i = 0; i < 6; i += 1) created.push(await world.create(input));
  await world.settle();
  for (const call of ['readRecent', 'readTerm', 'findMany']) {
    const listing = await pausedList(world, search, call);
    for (const { id } of created.slice(0, 4)) await world.setStatus(id, 'approved');
    world.advance(settledMs);
    await world.settle();
    expect(await world.markers()).toEqual([]);
    expect(await listing.end()).toEqual(await world.expected(search));
  }
});

test('fails when that happens again and again (rule 15)', async () => {
  const backend = inMemoryBackend();
  let time = 0;
  const clock = () => {
    time += requestTimeoutMs + 1;
    return time;
  };
  const deps = { ...backend, memory: new ListMemory(), clock };
  await expect(listTestimonials(deps, 'acme', search)).rejects.toThrow(ListTookTooLong);
  await expect(countTestimonials(deps, 'acme')).rejects.toThrow(
    'The list took longer than 10 s, 3 times, because the table is slow or this program was paused. Try again.',
  );
});

/**
 * A list during which index updates begin and end, between its reads of the recent items and of the postings.
 */
async function overlappedList(times: number) {
  const world = await createWorld(inMemoryBackend());
  const { id } = await world.create(input);
  await world.settle();
  let reads = 0;
  let overlaps = 0;
  const stores = interceptCalls(world.backend, async (name, call) => {
    if (name === 'readPostings') {
      reads += 1;
      // Each attempt but the first begins with an older head, and so reads the postings twice: the second
      // time under the newest head.
      if (reads % 2 === 1 && overlaps < times) {
        overlaps += 1;
        await world.setStatus(id, overlaps % 2 === 0 ? 'rejected' : 'approved');
        await world.updateSettled();
      }
    }
    return call();
  });
  const query: ListQuery = { ...search, filter: { status: 'approved', tags: ['ux'] } };
  const { testimonials, total } = await listTestimonials(
    { ...stores, memory: new ListMemory(), clock: () => 0 },
    'acme',
    query,
  );
  return { listed: { testimonials, total }, expected: await world.expected(query) };
}

test('begins again when index updates overlapped it 19 times', async () => {
  const { listed, expected } = await overlappedList(19);
  expect(listed).toEqual(expected);
  expect(listed.total).toBe(1);
});

test('fails and says so when index updates overlapped it 20 times', async () => {
  const error = new ListTookTooLong('Index updates overlapped the list 20 times. Try again.');
  await expect(overlappedList(20)).rejects.toThrow(error);
});
