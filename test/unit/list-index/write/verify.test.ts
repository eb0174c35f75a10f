/**
 * `index verify` and the repair by a rebuild: the counter, blocks of ordinals, the head, and changes during
 * the comparison.
 */
import { expect, test } from '@jest/globals';
import { makeTestimonialId } from '../../../../functions/domain/testimonial-id.ts';
import {
  blockSize,
  decodeBlock,
  encodeBlock,
} from '../../../../functions/testimonials/list-index/bits/posting-codec.ts';
import type { IndexHead, IndexStore } from '../../../../functions/testimonials/list-index/index-store.ts';
import { facetPosting, ordinalsTerm } from '../../../../functions/testimonials/list-index/index-terms.ts';
import { oldGenerations } from '../../../../functions/testimonials/list-index/write/generations.ts';
import { rebuildIndex } from '../../../../functions/testimonials/list-index/write/rebuild.ts';
import { updateIndex, wholeTail } from '../../../../functions/testimonials/list-index/write/update-index.ts';
import { verifyIndex } from '../../../../functions/testimonials/list-index/write/verify.ts';
import { headMissingMs } from '../../../../functions/timing.ts';
import { position } from '../../../position.ts';
import { interceptCalls } from '../../../world/backend.ts';
import { type InMemoryBackend, inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { input, queries } from '../../../world/races.ts';
import { createWorld, type World } from '../../../world/world.ts';

test.each([
  ['createdAt', 5, 5],
  ['updatedAt', 5, 9],
] as const)('a testimonial beyond the counter on the axis %s is reported', async (axis, nth, update) => {
  const world = await createWorld(inMemoryBackend());
  for (let i = 0; i < 4; i += 1) await world.create(input);
  const [first] = await world.stored();
  if (!first) throw new Error('There is one');
  const [ordinal, updateOrdinal] = [position(nth), position(update)];
  const testimonial = { ...first.testimonial, id: makeTestimonialId(ordinal, (min) => min) };
  await world.backend.testimonials.insert('acme', { ...first, ordinal, updateOrdinal, testimonial });
  const at = axis === 'createdAt' ? ordinal : updateOrdinal;
  expect(await world.differences()).toContainEqual({ kind: 'beyond the counter', axis, at });
});

test.each([
  ['another', position(2)],
  ['none', 0],
])('a position in the order of updates with %s in the index is wrong', async (_, wrong) => {
  const world = await createWorld(inMemoryBackend());
  for (let i = 0; i < 3; i += 1) await world.create(input);
  await world.settle();
  const number = Math.floor(position(1) / blockSize);
  const ref = { posting: ordinalsTerm, chunk: number };
  const [stored] = await world.backend.index.readPostings('acme', 1, [ref]);
  if (!stored) throw new Error('There is one');
  const block = decodeBlock(stored.bytes, number);
  expect(block[position(1) % blockSize]).toBe(position(1));
  block[position(1) % blockSize] = wrong;
  const posting = { ...stored, bytes: encodeBlock(block, number) };
  expect(await world.backend.index.writePosting('acme', 1, ref, posting)).toBe(true);
  expect(await world.differences()).toEqual([{ posting: ordinalsTerm, kind: 'wrong', at: position(1) }]);
});

test('no difference is reported for changes that are indexed meanwhile', async () => {
  const world = await createWorld(inMemoryBackend());
  const { id } = await world.create(input);
  await world.create(input);
  await world.settle();
  const { index } = world.backend;
  let looks = 0;
  const meanwhile: IndexStore = {
    ...index,
    async *readPartition(organization, generation, partition) {
      if (partition.kind === 'ordinals') {
        looks += 1;
        await world.setStatus(id, looks % 2 === 1 ? 'approved' : 'pending');
        await world.settle();
      }
      yield* index.readPartition(organization, generation, partition);
    },
  };
  const differences: unknown[] = [];
  await verifyIndex({ ...world.backend, index: meanwhile, now: world.now }, 'acme', (each) =>
    differences.push(each),
  );
  expect(differences).toEqual([]);
  expect(looks).toBeGreaterThan(0);
});

/** Indexes five testimonials; one was changed, and one has a masked text. */
async function indexed(): Promise<World> {
  const world = await createWorld(inMemoryBackend());
  for (let i = 0; i < 4; i += 1) await world.create(input);
  const { id } = await world.create({ ...input, content: 'Write to jane@example.com for more' });
  await world.settle();
  await world.setStatus(id, 'approved');
  await world.settle();
  expect(await world.differences()).toEqual([]);
  return world;
}

/** Indexes everything; then neither the index nor any list differs. */
async function expectRepaired(world: World): Promise<void> {
  await world.settle();
  await world.removeOldGenerations();
  expect(await world.differences()).toEqual([]);
  for (const query of queries) expect(await world.list(query)).toEqual(await world.expected(query));
}

/** Adds two testimonials of the history to the index. */
async function withHistory(): Promise<World> {
  const world = await indexed();
  const time = '2020-01-01T00:00:00.000Z';
  for (const ordinal of [100, 101]) {
    const id = makeTestimonialId(ordinal, (min) => min);
    await world.backend.testimonials.insert(world.organization, {
      ordinal,
      updateOrdinal: ordinal,
      version: 1,
      writtenAt: world.now().toISOString(),
      testimonial: { ...input, id, status: 'pending', createdAt: time, updatedAt: time },
    });
  }
  await world.rebuild();
  await expectRepaired(world);
  return world;
}

const without =
  (...names: (keyof IndexHead)[]) =>
  (head: IndexHead) =>
    Object.fromEntries(
      Object.entries(head).filter(([name]) => !names.includes(name as keyof IndexHead)),
    ) as unknown as IndexHead; // lacks them

test.each<[string, (head: IndexHead) => IndexHead]>([
  ['epoch', (head) => ({ ...head, epoch: 0 })],
  ['hasHidden', without('hasHidden')],
  ['updated', (head) => ({ ...head, updated: head.updated - 1 })],
  ['history', without('history')],
])(
  'a head whose %s has less than the postings contain is reported, and a rebuild repairs it',
  async (field, change) => {
    const world = await withHistory();
    await world.replaceHead(change);
    expect(await world.differences()).toEqual([{ kind: 'wrong', field, at: expect.any(Number) }]);
    await world.rebuild();
    await expectRepaired(world);
  },
);

test('a head that lost the reach of an unfinished step is reported', async () => {
  const world = await indexed();
  await world.create(input);
  world.advance(60_000);
  const update = await world.begin(world.works.updateIndex()).runUntil('replaceSummary');
  update.kill();
  expect(await world.differences()).toEqual([]);
  await world.replaceHead(without('reach'));
  expect(await world.differences()).toEqual([{ kind: 'wrong', field: 'reach', at: expect.any(Number) }]);
  await world.settle();
  expect(await world.differences()).toEqual([]);
});

test('a missing head is reported after ten minutes, and its postings are removed', async () => {
  const world = await indexed();
  await world.rebuild();
  const backend = world.backend as InMemoryBackend;
  backend.items.heads.delete('acme');
  world.advance(headMissingMs);
  expect(await world.differences()).toContainEqual({ kind: 'wrong', field: 'missing', at: 0 });
  await updateIndex({ ...backend, now: world.now }, 'acme', wholeTail);
  await expectRepaired(world);
});

test('a rebuild takes another generation if its own has postings newer than the head', async () => {
  const world = await indexed();
  const rebuild = await world.begin(world.works.rebuild()).runUntil('replaceSummary');
  rebuild.kill();
  // As in a backup whose head is some seconds older than its postings.
  await world.replaceHead((head) => ({
    ...head,
    ...(head.building && { building: { ...head.building, epoch: 0, indexed: 1, until: 0 } }),
  }));
  const half = (await world.head())?.building?.generation ?? 0;
  let indexedCount = 0;
  const progress = (testimonials: number) => {
    indexedCount = testimonials;
  };
  const outcome = await rebuildIndex({ ...world.backend, now: world.now }, 'acme', { progress });
  expect(outcome).toMatchObject({ kind: 'switched', head: { generation: half + 1 } });
  expect(indexedCount).toBe(5);
  await expectRepaired(world);
});

test('removing old generations looks only at those that were not removed before, after any number of rebuilds', async () => {
  const world = await indexed();
  const rebuildAndCount = async () => {
    await world.rebuild();
    let calls = 0;
    const stores = interceptCalls(world.backend, (name, call) => {
      if (name === 'hasPostings' || name === 'deletePartition') calls += 1;
      return call();
    });
    for (let i = 0; i < 4; i += 1) {
      world.advance(60_000);
      await updateIndex({ ...stores, now: world.now }, 'acme', wholeTail);
    }
    return calls;
  };
  const first = await rebuildAndCount();
  for (let i = 0; i < 10; i += 1) expect(await rebuildAndCount()).toBeLessThanOrEqual(first);
  const head = await world.head();
  expect(head).toMatchObject({ generation: 12, oldest: 12 });
  // Only a look at all generations finds a late write.
  const late = { posting: facetPosting('createdAt', 'all'), chunk: 15 };
  await world.backend.index.writePosting('acme', 3, late, { bytes: new Uint8Array([1]), fence: 1 });
  expect(await oldGenerations(world.backend.index, 'acme', head as IndexHead)).toEqual([]);
  expect(await oldGenerations(world.backend.index, 'acme', head as IndexHead, 1)).toEqual([3]);
});

test('a rebuild takes no generation with postings from before the head was lost', async () => {
  const whole = { postings: Number.POSITIVE_INFINITY, bits: Number.POSITIVE_INFINITY };
  const backend = inMemoryBackend();
  const world = await createWorld(backend);
  const { id } = await world.create(input);
  await world.create(input);
  await world.settle();
  await world.begin(world.works.rebuild(whole)).run();
  await world.settle();
  backend.items.heads.clear();
  await world.setStatus(id, 'approved');
  await world.settle();
  await world.begin(world.works.rebuild(whole)).run();
  await expectRepaired(world);
});

test('a new head passes the generations of a lost one, so that no erased words stay in them', async () => {
  const backend = inMemoryBackend();
  const world = await createWorld(backend);
  const { id } = await world.create({ ...input, content: 'A zebra of a product' });
  await world.settle();
  for (let i = 0; i < 3; i += 1) {
    await world.rebuild();
    await world.settle();
    await world.removeOldGenerations();
  }
  backend.items.heads.clear();
  await world.settle();
  await world.erase(id);
  await world.settleForGood();
  const strays = async () => {
    const found = await verifyIndex({ ...backend, now: world.now }, world.organization, () => {});
    return found.otherGenerations;
  };
  expect(await world.head()).toMatchObject({ generation: 5 });
  expect(await strays()).toBe(0);
  expect(backend.text()).not.toContain('zebra');
});

test('the generation that a rebuild has just replaced is not reported', async () => {
  const world = await indexed();
  await world.rebuild();
  const { otherGenerations } = await verifyIndex(
    { ...world.backend, now: world.now },
    world.organization,
    () => {},
  );
  expect(otherGenerations).toBe(0);
});
