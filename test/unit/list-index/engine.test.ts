import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import { statuses } from '../../../functions/domain/testimonial.ts';
import { input, query } from './arbitraries.ts';
import { createWorld, type World } from './world.ts';

type Action = (world: World) => unknown;

const named = (name: string, action: Action): Action =>
  Object.assign(action, { [fc.toStringMethod]: () => name });

const limit = fc.integer({ min: 1, max: 5 });
const writes = fc.integer({ min: 0, max: 60 });
const seconds = fc.constantFrom(0.001, 1, 4, 6, 11, 16, 130);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: input.map((body) => named(`create ${JSON.stringify(body)}`, (w) => w.create(body))),
  },
  { weight: 1, arbitrary: fc.constant(named('take an ordinal only', (w) => w.takeOrdinalOnly())) },
  { weight: 1, arbitrary: input.map((body) => named('create half', (w) => w.createHalf(body))) },
  { weight: 2, arbitrary: fc.constant(named('finish the oldest half', (w) => w.finishOldest())) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.nat(40), fc.constantFrom(...statuses))
      .map(([nth, status]) => named(`${nth} ${status}`, (w) => w.setStatus(nth, status))),
  },
  { weight: 6, arbitrary: seconds.map((s) => named(`wait ${s} s`, (w) => w.advance(s * 1000))) },
  { weight: 1, arbitrary: fc.constant(named('freeze indexes', (w) => w.freezeIndexes())) },
  { weight: 5, arbitrary: limit.map((n) => named(`fold ${n}`, (w) => w.fold(n))) },
  { weight: 1, arbitrary: limit.map((n) => named(`fold ${n} twice at once`, (w) => w.foldTwiceAtOnce(n))) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(limit, writes)
      .map(([n, k]) => named(`fold ${n}, dying after ${k} writes`, (w) => w.foldDying(n, k))),
  },
  { weight: 3, arbitrary: fc.constant(named('forget', (w) => w.forgetDue())) },
  { weight: 1, arbitrary: fc.constant(named('rebuild', (w) => w.rebuild())) },
  {
    weight: 1,
    arbitrary: limit.map((n) => named(`rebuild during fold ${n}`, (w) => w.rebuildWith(() => w.fold(n)))),
  },
  { weight: 1, arbitrary: writes.map((k) => named(`rebuild, dying after ${k}`, (w) => w.rebuildDying(k))) },
  { weight: 1, arbitrary: fc.constant(named('remove old generations', (w) => w.removeOldGenerations())) },
  { weight: 1, arbitrary: fc.constant(named('remember the head', (w) => w.rememberHead())) },
);

const history = fc.array(action, { minLength: 5, maxLength: 60, size: 'max' });
const cache = fc.constantFrom('none' as const, 'warm' as const, 'stale' as const);
const lists = fc.array(fc.tuple(query, cache), { minLength: 4, maxLength: 8 });
// In the middle of a chunk, beside a border, and far up with empty chunks below.
const start = fc.constantFrom(0, 65_520, 5 * 65_536 - 10);

const runs = Number(process.env.ENGINE_RUNS ?? 200);

test('after any history every list is what the oracle says', async () => {
  await fc.assert(
    fc.asyncProperty(start, history, lists, async (lastOrdinal, actions, asked) => {
      const world = createWorld(lastOrdinal);
      for (const each of actions) await each(world);
      for (const [each, known] of asked) {
        const { listed, expected } = await world.list(each, known);
        expect(listed).toEqual(expected);
      }
    }),
    { numRuns: runs },
  );
}, 120_000);

test('a list beside a fold or a rebuild is what the oracle says', async () => {
  const beside = fc.constantFrom<[string, Action]>(
    ['fold', (w) => w.fold(3)],
    ['two folds', (w) => w.foldTwiceAtOnce(3)],
    ['rebuild', (w) => w.rebuild()],
    ['forget', (w) => w.forgetDue()],
  );
  await fc.assert(
    fc.asyncProperty(
      start,
      history,
      query,
      cache,
      beside,
      async (lastOrdinal, actions, each, known, [, work]) => {
        const world = createWorld(lastOrdinal);
        for (const earlier of actions) await earlier(world);
        const [{ listed, expected }] = await Promise.all([world.list(each, known), work(world)]);
        expect(listed).toEqual(expected);
      },
    ),
    { numRuns: runs },
  );
}, 120_000);

test('once all is folded, the index is what a new one would be', async () => {
  await fc.assert(
    fc.asyncProperty(start, history, async (lastOrdinal, actions) => {
      const world = createWorld(lastOrdinal);
      for (const each of actions) await each(world);
      world.advance(200_000);
      await world.fold(1000);
      world.advance(200_000);
      await world.forgetDue();
      await world.removeOldGenerations();
      expect(await world.differences()).toEqual([]);
    }),
    { numRuns: runs },
  );
}, 120_000);

const everything: ListQuery = { filter: {}, sort: 'createdAt', order: 'asc', page: 1, limit: 100 };

test('an organization without an index is all tail', async () => {
  const world = createWorld(0);
  await world.create({
    content: 'great product',
    author: { name: 'Jane', email: 'jane@example.com' },
    type: 'text',
  });
  const { listed, expected } = await world.list(everything, 'none');
  expect(listed).toEqual(expected);
  expect(listed.total).toBe(1);
});
