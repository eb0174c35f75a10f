/**
 * The laws of test/unit/list-index/engine.test.ts on the real engine: fewer histories, real keys and bytes,
 * items of the maximum length, and reads of several pages.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { IndexHead } from '../../../functions/testimonials/list-index/index-store.ts';
import { storesOf } from '../../api-client.ts';
import { position } from '../../position.ts';
import { runsOf } from '../../some-of.ts';
import { createTestTable } from '../../test-table.ts';
import { input } from '../../testimonials.ts';
import { history, lists, play, start } from '../../world/histories.ts';
import { base } from '../../world/queries.ts';
import { createWorld } from '../../world/world.ts';

const runs = runsOf(1);

test('after any history every list equals the oracle, and so does the index once everything is indexed', async () => {
  // One table for all runs: organizations must not mix either.
  const backend = storesOf(await createTestTable());
  let run = 0;
  await fc.assert(
    fc.asyncProperty(start, history, lists, async (taken, actions, asked) => {
      run += 1;
      const world = await createWorld(backend, { organization: `acme-${run}`, taken });
      const expectRight = async () => {
        for (const [each, cache] of asked) {
          expect(await world.list(each, { cache })).toEqual(await world.expected(each));
        }
      };
      await play(world, actions);
      await expectRight();
      await world.settleForGood();
      await expectRight();
      expect((await world.differences()).filter(({ kind }) => kind !== 'leftover')).toEqual([]);
    }),
    { numRuns: runs, endOnFailure: true },
  );
});

const newWorld = async () => createWorld(storesOf(await createTestTable()));

test('a tag with any characters, and the longest tag and word are found', async () => {
  const world = await newWorld();
  // Letters of four bytes.
  const longest = { tag: '𐐨'.repeat(50), word: '𐐨'.repeat(200) };
  const hashes = ['#', '1#2', '#0000001', '##WORD#1#a'];
  const tags = [...hashes, 'a b', '\ttab', 'größe', '👍🏽', "it's", '"', '%', '~', longest.tag];
  for (const tag of tags) await world.create({ ...input, content: longest.word, tags: [tag] });
  await world.settle();
  for (const tag of tags) {
    const { total } = await world.list({ ...base, filter: { tags: [tag], search: longest.word } });
    expect({ tag, total }).toEqual({ tag, total: 1 });
  }
  expect(await world.differences()).toEqual([]);
});

// A read returns at most 1 MB.
const long = { ...input, content: `Long ${'x'.repeat(9990)}` };

test('a list continues from the current head if its own is so old that the tail takes several reads', async () => {
  const world = await newWorld();
  await Promise.all(Array.from({ length: 220 }, () => world.create(long)));
  await world.updateSettled();
  const { revision, ...rest } = (await world.head()) as IndexHead; // it has just been written
  const heads = new Map([['acme', { ...rest, revision: revision - 1, indexed: position(2) }]]);
  const query = { ...base, limit: 5 };
  const reader = world.begin(world.works.list(query, { cache: new Map(heads) }));
  await reader.run();
  expect(await world.list(query, { cache: heads })).toEqual(await world.expected(query));
  expect(heads.get('acme')).toMatchObject({ indexed: position(221) });
  // Postings, the newest megabyte and the secondary index, twice: not the two megabytes of the whole tail.
  expect(reader.calls.filter((name) => name === 'readRecent')).toHaveLength(2);
});

test('an index update and a rebuild take all testimonials, even if a read returns fewer than a step takes', async () => {
  const world = await newWorld();
  await Promise.all(Array.from({ length: 110 }, () => world.create(long)));
  expect(await world.updateSettled()).toMatchObject({ testimonials: 110, steps: 1 });
  expect(await world.rebuild()).toMatchObject({ indexed: position(111) });
  expect(await world.differences()).toEqual([]);
});
