/**
 * The laws of test/unit/list-index/engine.test.ts on the real engine: fewer histories, real keys and bytes.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import { storesOf } from '../../api-client.ts';
import { runsOf } from '../../some-of.ts';
import { createTestTable } from '../../test-table.ts';
import { input } from '../../testimonials.ts';
import { history, lists, play, start } from '../../world/histories.ts';
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

const everything: ListQuery = { filter: {}, sort: 'createdAt', order: 'asc', page: 1, limit: 100 };
const newWorld = async () => createWorld(storesOf(await createTestTable()));

test('a tag with any characters is found', async () => {
  const world = await newWorld();
  const tags = [
    '#',
    '1#2',
    '#0000001',
    'a b',
    '\ttab',
    'größe',
    '👍🏽',
    '##WORD#1#a',
    "it's",
    '"',
    '%',
    '~',
    '𐐨',
  ];
  for (const tag of tags) await world.create({ ...input, tags: [tag] });
  await world.settle();
  for (const tag of tags) {
    const asked: ListQuery = { ...everything, filter: { tags: [tag] } };
    expect(await world.list(asked)).toEqual(await world.expected(asked));
    expect((await world.list(asked)).total).toBe(1);
  }
  expect(await world.differences()).toEqual([]);
});

test('the longest tag and the longest word can be indexed and found', async () => {
  const world = await newWorld();
  // Letters of four bytes.
  const tag = '𐐨'.repeat(50);
  const word = '𐐨'.repeat(200);
  await world.create({ ...input, content: word, tags: [tag] });
  await world.settle();
  const asked: ListQuery = { ...everything, filter: { tags: [tag], search: word } };
  expect((await world.list(asked)).total).toBe(1);
});
