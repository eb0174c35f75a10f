/** Lists that take longer than allowed. */

import { expect, test } from '@jest/globals';
import { ListMemory } from '../../../functions/list-index/read/memory.ts';
import {
  countTestimonials,
  ListTookTooLong,
  listTestimonials,
} from '../../../functions/operations/list-testimonials.ts';
import { requestTimeoutMs, settledMs } from '../../../functions/timing.ts';
import { input } from '../../testimonials.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { pausedList } from '../../world/races.ts';
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

test('fails when that happens again and again', async () => {
  const backend = inMemoryBackend();
  let time = 0;
  const clock = () => {
    time += requestTimeoutMs + 1;
    return time;
  };
  const deps = { ...backend, memory: new ListMemory(), clock };
  await expect(listTestimonials(deps, 'acme', search)).rejects.toThrow(ListTookTooLong);
  await expect(countTestimonials(deps, 'acme')).rejects.toThrow('longer than 10 s, 3 times');
});
