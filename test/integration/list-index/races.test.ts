/**
 * Races of the list engine on DynamoDB: reads of several pages, and items of the maximum length.
 */
import { describe, expect, test } from '@jest/globals';
import type { IndexHead } from '../../../functions/testimonials/list-index/index-store.ts';
import { settledMs } from '../../../functions/timing.ts';
import { storesOf } from '../../api-client.ts';
import { position } from '../../position.ts';
import { createTestTable } from '../../test-table.ts';
import { base, expectRightForGood, input, withThree } from '../../world/races.ts';
import { createWorld } from '../../world/world.ts';

const newWorld = async () => createWorld(storesOf(await createTestTable()));
const worldWithThree = async () => withThree(await newWorld());

describe('a list', () => {
  test('continues from the current head if its own is so old that the tail takes several reads', async () => {
    const world = await newWorld();
    const content = `Long ${'x'.repeat(9990)}`;
    await Promise.all(Array.from({ length: 220 }, () => world.create({ ...input, content })));
    await world.updateSettled();
    const head = await world.head();
    const { revision, ...rest } = head as IndexHead;
    const heads = new Map([['acme', { ...rest, revision: revision - 1, indexed: position(2) }]]);
    const query = { ...base, limit: 5 };
    const reader = world.begin(world.works.list(query, { cache: new Map(heads) }));
    await reader.run();
    expect(await world.list(query, { cache: heads })).toEqual(await world.expected(query));
    expect(heads.get('acme')).toMatchObject({ indexed: position(221) });
    // Postings, the newest megabyte and the secondary index, twice: not the two megabytes of the whole tail.
    expect(reader.calls.filter((name) => name === 'readRecent')).toHaveLength(2);
  });
});

test('two hundred creates at once get two hundred positions, in the order of createdAt', async () => {
  const world = await newWorld();
  const create = world.works.create(input);
  await Promise.all(Array.from({ length: 200 }, () => create.run(world.backend, () => new Date())));
  const stored = await world.stored();
  expect(stored.map(({ ordinal }) => ordinal)).toEqual(
    Array.from({ length: 200 }, (_, i) => position(i + 1)),
  );
  const times = stored.map(({ testimonial }) => testimonial.createdAt);
  expect(times).toEqual(times.toSorted());
  for (const page of [1, 2]) {
    const query = { ...base, limit: 100, page };
    expect(await world.list(query)).toEqual(await world.expected(query));
  }
});

describe('an index update', () => {
  test('and another at the same time have the effect of one', async () => {
    const world = await worldWithThree();
    await Promise.all(Array.from({ length: 6 }, (_, i) => world.create({ ...input, rating: 1 + (i % 5) })));
    await world.setStatus(world.first.id, 'approved');
    world.advance(settledMs + 1000);
    const outcomes = await Promise.allSettled([world.updateIndex(), world.updateIndex()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).not.toEqual([]);
    await expectRightForGood(world);
  });

  test('takes many changes in steps, and keeps each step', async () => {
    const world = await newWorld();
    const ids = [];
    for (let i = 0; i < 30; i += 1) ids.push((await world.create(input)).id);
    await world.settle();
    for (const id of ids) await world.setStatus(id, 'approved');
    world.advance(settledMs + 1000);
    const limits = { postings: 1000, bits: 10_000, positions: 7 };
    const dying = await world.begin(world.works.updateIndex({ limits })).runUntil('replaceHead');
    // Stops after the first commit, before the second.
    for (let writes = 0; writes < 2; writes += 1) {
      await dying.run(1);
      await dying.runUntil('replaceHead');
    }
    dying.kill();
    expect(await world.updateIndex({ limits })).toMatchObject({ changes: 23, steps: 4 });
    await expectRightForGood(world);
  });
});

test('an index update and a rebuild take all testimonials, even if a read returns fewer than a step takes', async () => {
  const world = await newWorld();
  // A read returns at most 1 MB.
  const content = `Long ${'x'.repeat(9990)}`;
  await Promise.all(Array.from({ length: 110 }, () => world.create({ ...input, content })));
  expect(await world.updateSettled()).toMatchObject({ testimonials: 110, steps: 1 });
  expect(await world.rebuild()).toMatchObject({ indexed: position(111) });
  expect(await world.differences()).toEqual([]);
});
