/** Rules of docs/protocol.md that only these races test: late reads, overlaps and late writes. */
import { expect, test } from '@jest/globals';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';
import { chunkSize } from '../../../functions/testimonials/list-index/bits/bitmap.ts';
import { ListMemory } from '../../../functions/testimonials/list-index/read/memory.ts';
import { removeOldGenerations } from '../../../functions/testimonials/list-index/write/generations.ts';
import { hideFirstLoad } from '../../../functions/testimonials/load/all-at-once.ts';
import { countTestimonials } from '../../../functions/testimonials/operations/count-testimonials.ts';
import { forgetAfterMs, longestStepMs, settledMs } from '../../../functions/timing.ts';
import type { Backend } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import {
  approvedAmazing,
  base,
  byUpdate,
  expectRightForGood,
  expectRightLists,
  input,
  pausedList,
  pausedUpdate,
  taggedUx,
  withThree,
} from '../../world/races.ts';
import { type FirstTry, withTries } from '../../world/tries.ts';
import { createWorld } from '../../world/world.ts';

const worldWithThree = async (taken = 0) => withThree(await createWorld(inMemoryBackend(), { taken }));
/** Positions in the second chunk: a list reads each posting in a call of its own. */
const secondChunk = chunkSize;
const taggedTexts: ListQuery = {
  ...taggedUx,
  filter: { ...taggedUx.filter, type: 'text' },
  sort: 'updatedAt',
};

test('a change whose marker comes after a higher one was covered shows in every list (rule 14)', async () => {
  const world = await worldWithThree();
  const change = await world
    .begin(world.works.setStatus(world.first.id, 'approved'))
    .runUntil('putChangeMarkers');
  await world.setStatus(world.third.id, 'approved');
  expect(await world.updateSettled()).toMatchObject({ changes: 1 });
  await change.run();
  await expectRightLists(world);
  await expectRightForGood(world);
});

test('an old generation is kept as long as a list that began with it can be running (rule 21)', async () => {
  const world = await worldWithThree();
  // The list has read the head, and not yet the posting of the status.
  const listing = await pausedList(world, approvedAmazing, 'readPostings');
  const head = await world.rebuild();
  if (!head) throw new Error('It has an index');
  const sleep = async (milliseconds: number) => {
    expect(milliseconds).toBe(forgetAfterMs);
    await listing.run();
  };
  await removeOldGenerations(world.backend.index, 'acme', head, { sleep });
  expect(await listing.end()).toEqual(await world.expected(approvedAmazing));
});

test('an index update keeps a replaced generation as long as a list that began with it can be running (rule 21)', async () => {
  const world = await worldWithThree();
  // No step may still write.
  world.advance(longestStepMs);
  const listing = await pausedList(world, approvedAmazing, 'readPostings');
  await world.rebuild();
  for (let updates = 0; updates < 2; updates += 1) await world.updateIndex();
  expect(await listing.end()).toEqual(await world.expected(approvedAmazing));
});

test('an index update that died between bits and summary is repaired by the next, which finds the bits right (rule 12)', async () => {
  const world = await worldWithThree();
  await world.create(input);
  const dying = await pausedUpdate(world, 'replaceSummary');
  dying.kill();
  expect(await world.updateIndex()).toMatchObject({ testimonials: 1 });
  await expectRightForGood(world);
});

test('an index update that pauses before its commit does not replace the head of a later one (rule 13)', async () => {
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

test('a list that begins before a step reads its markers has seen them all, or restarts (rule 7)', async () => {
  const world = await worldWithThree(secondChunk);
  const change = await world
    .begin(world.works.setStatus(world.first.id, 'approved'))
    .runUntil('putChangeMarkers');
  const updateIndex = await pausedUpdate(world, 'changeMarkers');
  const listing = await pausedList(world, taggedTexts, 'readTerm');
  await listing.run(1); // the postings of the first clause
  await change.run();
  await updateIndex.run();
  expect(await listing.end()).toMatchObject({ total: 3 });
});

test('a load does not begin if its positions are being sealed (rule 26)', async () => {
  const world = await createWorld(inMemoryBackend());
  let hasBegun: boolean | undefined;
  const load = await world
    .begin({
      name: 'load',
      run: async (stores) => {
        hasBegun = await hideFirstLoad(stores, 'acme', {
          last: firstPosition + 2,
          time: world.now().toISOString(),
          load: 'seed',
        });
      },
    })
    .runUntil('readHead');
  await world.create(input);
  const updateIndex = await pausedUpdate(world, 'sealPosition');
  await load.run();
  await updateIndex.run();
  expect(hasBegun).toBe(false);
  await expectRightForGood(world);
});

test('a list counts the tail once, before and after an index update counts it (rule 18)', async () => {
  const world = await worldWithThree();
  await world.create(input);
  await expectRightLists(world);
  const updateIndex = await pausedUpdate(world, 'writePosting', 'replaceHead');
  await expectRightLists(world);
  await updateIndex.run();
  await expectRightForGood(world);
});

/**
 * Indexes three testimonials and adds more to the tail, after so many chunks; lists count the last one by its
 * bits.
 */
const worldBehind = async (chunks: number, tail: number) => {
  const world = await withThree(await createWorld(inMemoryBackend(), { taken: chunks * chunkSize }));
  for (let i = 0; i < tail; i += 1) await world.create(input);
  world.advance(settledMs + 1000);
  return world;
};

test('a step that is shorter than one that died still names how far that one has written (rule 18)', async () => {
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

test('a count that reads the tail and then a summary that includes it restarts (rule 7)', async () => {
  const world = await createWorld(inMemoryBackend());
  await world.create(input);
  await world.settle();
  // The next one is 66 chunks later: 64 chunks have a sum.
  const taken = 66 * chunkSize;
  await world.backend.testimonials.reserveOrdinals('acme', world.now(), taken);
  await world.replaceHead((head) => ({ ...head, indexed: head.indexed + taken }));
  await world.create(input);
  world.advance(settledMs + 1000);
  let found: unknown;
  const run = async (stores: Backend) => {
    [found] = await countTestimonials({ ...stores, memory: new ListMemory() }, 'acme');
  };
  const counting = await world.begin({ name: 'list', run }).runUntil('readTerm');
  await world.updateIndex();
  await counting.run();
  expect(found).toEqual((await world.counts()).expected[0]);
});

test('a list that reads a summary, and then bits of a step that began after it, restarts (rule 7)', async () => {
  // The last positions of a chunk: the change moves the testimonial to the next one.
  const world = await createWorld(inMemoryBackend(), { taken: chunkSize - 5 });
  const { id } = await world.create(input);
  for (let i = 0; i < 4; i += 1) await world.create(input);
  await world.settle();
  const change = await world.begin(world.works.setStatus(id, 'approved')).runUntil('putChangeMarkers');
  world.advance(settledMs + 1000);
  const list = world.works.list(byUpdate(base));
  const listing = await world.begin(list).run(2);
  await change.run();
  await world.updateIndex();
  // Rows may show the change.
  await listing.run();
  const { testimonials, total } = list.listed() as Awaited<ReturnType<typeof world.list>>; // of this very list
  expect([new Set(testimonials.map((each) => each.id)).size, total]).toEqual([5, 5]);
});

test('a list that reads bits of the second step of an index update has also seen its markers (rule 10)', async () => {
  const world = await worldWithThree(secondChunk);
  for (const { id } of [world.second, world.third]) await world.setStatus(id, 'rejected');
  const change = await world
    .begin(world.works.setStatus(world.first.id, 'approved'))
    .runUntil('putChangeMarkers');
  world.advance(settledMs + 1000);
  // The first step has been committed, and the second has read nothing yet.
  const updateIndex = await world
    .begin(world.works.updateIndex({ limits: { positions: 1 } }))
    .runUntil('replaceHead');
  await updateIndex.run(1);
  await updateIndex.runUntil('replaceHead');
  await updateIndex.run(1);
  const listing = await pausedList(world, taggedTexts, 'readTerm');
  await listing.run(1);
  await change.run();
  await updateIndex.run();
  expect(await listing.end()).toMatchObject({ total: 3 });
});

/** A world in which the first tries of some writes are late. */
async function worldWithLateTries() {
  const fates = new Map<string, FirstTry>();
  const { stores, late } = withTries(inMemoryBackend(), (name) => fates.get(name) ?? 'answered');
  const world = await createWorld(stores);
  return {
    ...world,
    delay: (name: string) => fates.set(name, 'late'),
    arrive: async () => {
      fates.clear();
      // The first ones come last.
      for (const { arrive } of late.splice(0).reverse()) await arrive();
    },
  };
}

test('a late posting of one step of an index update does not undo a later step (rule 10)', async () => {
  const world = await worldWithLateTries();
  const created = [await world.create(input), await world.create(input)];
  await world.settle();
  for (const { id } of created) await world.setStatus(id, 'approved');
  world.advance(settledMs + 1000);
  world.delay('writePosting');
  expect(await world.updateIndex({ limits: { positions: 1 } })).toMatchObject({ steps: 2, changes: 2 });
  await world.arrive();
  expect(await world.differences()).toEqual([]);
});

test('a late posting of a rebuild does not undo an index update after it (rule 25)', async () => {
  const world = await worldWithLateTries();
  const { id } = await world.create(input);
  for (let i = 0; i < 20; i += 1) await world.create(input);
  await world.settle();
  world.delay('writePosting');
  await world.rebuild();
  await world.setStatus(id, 'approved');
  await world.settle();
  await world.arrive();
  await world.settle();
  expect(await world.differences()).toEqual([]);
});
