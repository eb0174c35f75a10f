/**
 * Races of the list engine on DynamoDB: reads of several pages, and items of the maximum length.
 */
import { describe, expect, test } from '@jest/globals';
import type { IndexHead } from '../../../functions/testimonials/list-index/index-store.ts';
import { storesOf } from '../../api-client.ts';
import { position } from '../../position.ts';
import { createTestTable } from '../../test-table.ts';
import { base, input } from '../../world/races.ts';
import { createWorld } from '../../world/world.ts';

const newWorld = async () => createWorld(storesOf(await createTestTable()));

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

test('an index update and a rebuild take all testimonials, even if a read returns fewer than a step takes', async () => {
  const world = await newWorld();
  // A read returns at most 1 MB.
  const content = `Long ${'x'.repeat(9990)}`;
  await Promise.all(Array.from({ length: 110 }, () => world.create({ ...input, content })));
  expect(await world.updateSettled()).toMatchObject({ testimonials: 110, steps: 1 });
  expect(await world.rebuild()).toMatchObject({ indexed: position(111) });
  expect(await world.differences()).toEqual([]);
});
