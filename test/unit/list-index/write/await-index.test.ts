/** Commands pause if they change testimonials faster than the index keeps up, and lists stay right. */
import { expect, test } from '@jest/globals';
import { maxOutstanding, paceOf } from '../../../../functions/testimonials/list-index/write/await-index.ts';
import { ownIndexing } from '../../../../functions/testimonials/list-index/write/indexing.ts';
import { changeEach } from '../../../../functions/testimonials/operations/change-testimonial.ts';
import { eraseEach } from '../../../../functions/testimonials/operations/erase-testimonial.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { approved, input } from '../../../world/races.ts';
import { createWorld } from '../../../world/world.ts';

// Changes that may begin between two checks, and concurrent ones.
const slack = 300;

async function worldOf(count: number) {
  const world = await createWorld(inMemoryBackend());
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await world.create(input)).id);
  await world.settle();
  const deps = { ...world.backend, now: world.now, indexing: ownIndexing };
  const reported: number[] = [];
  const pace = paceOf(
    {
      ...deps,
      sleep: async (milliseconds) => world.advance(milliseconds),
      progress: (outstanding) => reported.push(outstanding),
    },
    world.organization,
  );
  return { world, ids, deps, reported, pace };
}

test('changes wait until earlier ones are indexed, without an index function', async () => {
  const { world, ids, deps, reported, pace } = await worldOf(600);
  let most = 0;
  for (const status of ['approved', 'rejected', 'approved', 'pending', 'approved'] as const) {
    const items = ids.map((id) => ({ id }));
    for (const change of [{ status }, { addTags: [status], removeTags: [] }]) {
      await changeEach(deps, world.organization, items, change, { pace });
    }
    most = Math.max(most, (await world.markers()).length);
    expect(await world.list(approved)).toEqual(await world.expected(approved));
  }
  expect(reported[0]).toBeGreaterThan(maxOutstanding);
  expect(most).toBeLessThanOrEqual(maxOutstanding + slack);
});

test('erasures wait for the index function; a small number of changes does not wait', async () => {
  const { world, ids, deps, reported } = await worldOf(2200);
  const pace = paceOf(
    {
      ...deps,
      sleep: async (milliseconds) => {
        world.advance(milliseconds);
        await world.updateIndex();
      },
      progress: (outstanding) => reported.push(outstanding),
    },
    world.organization,
  );
  const items = ids.map((id) => ({ id }));
  await changeEach(deps, world.organization, items, { status: 'approved' }, { pace });
  expect(reported).toEqual([]);
  await eraseEach(deps, world.organization, items, { pace });
  expect(reported.length).toBeGreaterThan(0);
  expect(Math.max(...reported)).toBeLessThanOrEqual(maxOutstanding + slack);
  expect((await world.list({ ...approved, filter: {} })).total).toBe(0);
});
