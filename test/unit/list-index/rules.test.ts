/** Rules of docs/protocol.md that no other race breaks alone. */

import { expect, test } from '@jest/globals';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';
import { chunkSize } from '../../../functions/list-index/bits/bitmap.ts';
import { ListMemory } from '../../../functions/list-index/read/memory.ts';
import { removeOldGenerations } from '../../../functions/list-index/write/generations.ts';
import { countTestimonials, listTestimonials } from '../../../functions/operations/list-testimonials.ts';
import { forgetAfterMs, rebuildGivenUpMs, settledMs } from '../../../functions/timing.ts';
import { beginLoad } from '../../../lib/operator/load/load-testimonials.ts';
import type { Backend } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { Process } from '../../world/process.ts';
import {
  approvedAmazing,
  base,
  byUpdate,
  expectRightForGood,
  expectRightLists,
  input,
  pausedList,
  pausedUpdate,
  ux,
  withThree,
} from '../../world/races.ts';
import { createWorld } from '../../world/world.ts';

const worldWithThree = async () => withThree(await createWorld(inMemoryBackend()));

test('a change whose marker comes after a higher one was covered shows in every list', async () => {
  const world = await worldWithThree();
  const change = await world
    .begin(world.works.setStatus(world.first.id, 'approved'))
    .runUntil('putChangeMarker');
  await world.setStatus(world.third.id, 'approved');
  expect(await world.updateSettled()).toMatchObject({ changes: 1 });
  await change.run();
  await expectRightLists(world);
  await expectRightForGood(world);
});

test('a rebuild that was given up writes into no later generation', async () => {
  const world = await worldWithThree();
  // It has read the first testimonial as pending.
  const sleeper = await world.begin(world.works.rebuild()).runUntil('writePosting');
  await world.setStatus(world.first.id, 'approved');
  world.advance(rebuildGivenUpMs);
  await world.settle();
  expect(await world.markers()).toEqual([]);
  await world.rebuild();
  await sleeper.run();
  await expectRightForGood(world);
});

test('an old generation is kept as long as a list that began with it can be running', async () => {
  const world = await worldWithThree();
  // It has the head, and has yet to read the postings.
  const listing = await pausedList(world, approvedAmazing, 'readTerm');
  const head = await world.rebuild();
  if (!head) throw new Error('It has an index');
  await removeOldGenerations(world.backend.index, 'acme', head, async (milliseconds) => {
    expect(milliseconds).toBe(forgetAfterMs);
    await listing.run();
  });
  expect(await listing.end()).toEqual(await world.expected(approvedAmazing));
});

test('an index update that died between bits and summary is repaired by the next, which finds the bits right', async () => {
  const world = await worldWithThree();
  await world.create(input);
  const dying = await pausedUpdate(world, 'replacePosting');
  dying.kill();
  expect(await world.updateIndex()).toMatchObject({ testimonials: 1 });
  await expectRightForGood(world);
});

test('an index update that pauses before its commit does not replace the head of a later one', async () => {
  const world = await worldWithThree();
  await world.create(input);
  const late = await pausedUpdate(world, 'writePosting', 'replaceHead');
  await world.setStatus(world.first.id, 'approved');
  await world.create(input);
  expect(await world.updateSettled()).toMatchObject({ testimonials: 2, changes: 1 });
  const head = await world.head();
  await late.run();
  expect(await world.head()).toEqual(head);
  await expectRightForGood(world);
});

test('a list that begins before a step reads its markers has seen them all, or begins again', async () => {
  const world = await worldWithThree();
  const change = await world
    .begin(world.works.setStatus(world.first.id, 'approved'))
    .runUntil('putChangeMarker');
  const updateIndex = await pausedUpdate(world, 'changeMarkers');
  const tagged: ListQuery = { ...ux, filter: { ...ux.filter, type: 'text' }, sort: 'updatedAt' };
  const listing = await pausedList(world, tagged, 'readTerm');
  await listing.run(1); // the postings of the first clause
  await change.run();
  await updateIndex.run();
  expect(await listing.end()).toMatchObject({ total: 3 });
});

test('a load whose positions are being sealed begins nothing', async () => {
  const world = await createWorld(inMemoryBackend());
  let hasBegun: boolean | undefined;
  const load = await world
    .begin({
      name: 'load',
      run: async (stores) => {
        hasBegun = await beginLoad(stores, 'acme', {
          last: firstPosition + 2,
          time: world.now().toISOString(),
          load: 'seed',
        });
      },
    })
    .runUntil('readHead');
  await world.create(input);
  const updateIndex = await pausedUpdate(world, 'sealPlace');
  await load.run();
  await updateIndex.run();
  expect(hasBegun).toBe(false);
  await expectRightForGood(world);
});

test('a list counts the tail once, before and after an index update counts it', async () => {
  const world = await worldWithThree();
  await world.create(input);
  await expectRightLists(world);
  const updateIndex = await pausedUpdate(world, 'writePosting', 'replaceHead');
  await expectRightLists(world);
  await updateIndex.run();
  await expectRightForGood(world);
});

/** Three in the index and more in the tail, behind so many chunks, of which summaries count all but the last. */
const worldBehind = async (chunks: number, tail: number) => {
  const world = await withThree(await createWorld(inMemoryBackend(), { taken: chunks * chunkSize }));
  for (let i = 0; i < tail; i += 1) await world.create(input);
  world.advance(settledMs + 1000);
  return world;
};

test('a step that is shorter than one that died still names how far that one has written', async () => {
  const world = await worldBehind(1, 4);
  const dying = await world.begin(world.works.updateIndex()).runUntil('writePosting');
  await dying.runUntil('replaceHead');
  dying.kill();
  const { reach } = (await world.head()) ?? {};
  const report = await world.updateIndex({ limits: { postings: 1 }, until: world.clock.time });
  expect(report).toMatchObject({ steps: 1, testimonials: 1 });
  expect(await world.head()).toMatchObject({ reach });
  await expectRightLists(world);
  expect(await world.counts()).toMatchObject({ found: (await world.counts()).expected });
  expect(await world.differences()).toEqual([]);
});

/** One in the index, changed some times, and 66 chunks later one in the tail: chunks are summed up by 64. */
async function worldWithOldOne() {
  const world = await createWorld(inMemoryBackend());
  const old = await world.create(input);
  await world.settle();
  for (const status of ['approved', 'pending', 'approved'] as const) {
    await world.setStatus(old.id, status);
    await world.settle();
  }
  const taken = 66 * chunkSize;
  await world.backend.testimonials.takeOrdinals('acme', world.now(), taken);
  await world.replaceHead((head) => ({ ...head, indexed: head.indexed + taken }));
  await world.create(input);
  return Object.assign(world, { old });
}

test('a count that reads the tail, and then a summary with it, begins again', async () => {
  const world = await worldWithOldOne();
  world.advance(settledMs + 1000);
  let found: unknown;
  const run = async (stores: Backend) => {
    found = await countTestimonials({ ...stores, memory: new ListMemory() }, 'acme');
  };
  const counting = await world.begin({ name: 'list', run }).runUntil('readTerm');
  await world.updateIndex();
  await counting.run();
  expect(found).toEqual((await world.counts()).expected);
});

test('a list begins again if a testimonial moves from chunks that it has yet to read to chunks that it has read', async () => {
  const world = await worldWithOldOne();
  await world.settle();
  // Past the last page: nothing but summaries is read.
  const query: ListQuery = { ...byUpdate(base), page: 9 };
  let listed: unknown;
  const listing = new Process('list', world.backend, { newestFirst: true }).begin(async (stores) => {
    // By a clock of its own, by which it does not take too long.
    listed = await listTestimonials({ ...stores, memory: new ListMemory() }, 'acme', query);
  });
  await listing.runUntil('readTerm');
  expect(listing.waitsFor).toEqual(['readTerm', 'readTerm']);
  await listing.run(1);
  await world.setStatus(world.old.id, 'rejected');
  await world.updateSettled();
  await listing.run();
  expect(listed).toMatchObject({ testimonials: [], total: 2 });
});
