/** The laws of the list engine, after and during any history. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import { ListTookTooLong } from '../../../functions/domain/outcomes.ts';
import type { Testimonial, TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { ListMemory } from '../../../functions/testimonials/list-index/read/memory.ts';
import { clockErrorMs, requestTimeoutMs, settledMs } from '../../../functions/timing.ts';
import { runsOf } from '../../some-of.ts';
import { input, query } from '../../world/arbitraries.ts';
import {
  type Action,
  asked,
  cache,
  change,
  changes,
  episode,
  history,
  indexWork,
  lists,
  named,
  nth,
  play,
  start,
  tries,
} from '../../world/histories.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { base, queries } from '../../world/queries.ts';
import { createWorld, slowestStepMs, type World } from '../../world/world.ts';

const runs = runsOf(5);

async function played(taken: number, seed: number, actions: Action[]): Promise<World> {
  const world = await createWorld(inMemoryBackend(), { taken, tries: seed });
  await play(world, actions);
  return world;
}

/**
 * Plays a history and some changes, and ends every process except index updates and rebuilds, which change no
 * testimonial.
 */
async function changedWorld(taken: number, seed: number, actions: Action[], changed: Action[]) {
  const world = await played(taken, seed, actions);
  await play(world, changed);
  world.advance(settledMs + clockErrorMs);
  for (const each of world.paused) if (each.name !== 'index update' && each.name !== 'rebuild') each.kill();
  return world;
}

test('after any history every list equals the oracle, and once everything is indexed, the index equals a new one', async () => {
  await fc.assert(
    fc.asyncProperty(start, tries, history, lists, async (taken, seed, actions, asked) => {
      const world = await played(taken, seed, actions);
      for (const [each, known] of asked) {
        expect(await world.list(each, { cache: known })).toEqual(await world.expected(each));
      }
      const { found, expected } = await world.counts();
      expect(found).toEqual(expected);
      const ratings = await world.ratings(queries.map(({ filter }) => filter));
      expect(ratings.found).toEqual(ratings.expected);
      await world.settleForGood();
      // A late index update can have written words of a testimonial that was erased meanwhile, which no list
      // trusts.
      expect((await world.differences()).filter(({ kind }) => kind !== 'leftover')).toEqual([]);
      await world.rebuild();
      await world.removeOldGenerations();
      expect(await world.differences()).toEqual([]);
    }),
    { numRuns: runs },
  );
});

test('secondary indexes that lag for any time, and lack new rows, change no list', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(start, tries),
      history,
      history,
      lists,
      async ([taken, seed], before, after, asked) => {
        const backend = inMemoryBackend();
        const world = await createWorld(backend, { taken, tries: seed });
        await play(world, before);
        for (const each of world.paused.splice(0)) each.kill();
        await world.settle();
        backend.freeze();
        world.lags = true;
        await play(world, after);
        await world.settle();
        // A changed row has another position in the order of updates; in other orders it shows as it was.
        const isChanged = (await world.stored()).some(({ version }) => version > 1);
        for (const [each, cache] of asked) {
          if (each.sort !== 'updatedAt' && isChanged) continue;
          expect(await world.list(each, { cache })).toEqual(await world.expected(each));
        }
      },
    ),
    { numRuns: runs },
  );
});

test('a list that pauses anywhere, while index updates and rebuilds run, equals the oracle', async () => {
  const pause = fc.record({
    after: fc.integer({ min: 0, max: 6 }),
    beside: fc.array(indexWork, { minLength: 1, maxLength: 4 }),
    // A list that takes too long restarts.
    milliseconds: fc.oneof(fc.integer({ min: 0, max: requestTimeoutMs }), fc.constant(40_000)),
  });
  const pauses = fc.array(pause, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(start, tries, history),
      changes,
      fc.tuple(query, cache),
      pauses,
      async ([taken, seed, actions], changed, [asked, known], stops) => {
        const world = await changedWorld(taken, seed, actions, changed);
        const list = world.works.list(asked, { cache: known });
        const listing = world.begin(list);
        for (const { after, beside, milliseconds } of stops) {
          await listing.run(after);
          await play(world, beside);
          world.advance(milliseconds);
        }
        const refused = await listing.run().then(
          () => false,
          (error: unknown) => error instanceof ListTookTooLong,
        );
        if (!refused) expect(list.listed()).toEqual(await world.expected(asked));
      },
    ),
    { numRuns: runs },
  );
});

test('functions that were warm before the head moved give right lists for new queries, also for several at once (rule 16)', async () => {
  // First pages of short words, which are not empty.
  const question = fc
    .oneof(asked, fc.tuple(asked, fc.constantFrom('a', 'g', 'j', 'am', 'gr', 'jane', 'amaz')))
    .map((each) => (Array.isArray(each) ? { ...each[0], filter: { search: each[1] } } : each))
    .map((each): ListQuery => ({ ...each, page: Math.min(each.page, 2) }));
  const questions = fc.array(question, { minLength: 1, maxLength: 3 });
  const move = fc.record({
    before: questions,
    changes: fc.array(
      fc.tuple(nth, fc.oneof({ weight: 19, arbitrary: change }, fc.constant('erase' as const))),
      {
        minLength: 2,
        maxLength: 8,
      },
    ),
    created: fc.array(input, { maxLength: 2 }),
    /** True if everything is indexed and no marker remains. */
    isForgotten: fc.constantFrom(true, true, true, false),
    /**
     * The queries that each function gets at once; the first one pauses after so many calls while the index
     * moves.
     */
    after: fc.array(
      fc.tuple(fc.array(question, { minLength: 1, maxLength: 3 }), fc.option(fc.integer({ min: 0, max: 4 }))),
      { minLength: 6, maxLength: 12, size: 'max' },
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      start,
      fc.array(input, { minLength: 15, maxLength: 30, size: 'max' }),
      fc.array(move, { minLength: 1, maxLength: 3, size: 'max' }),
      async (taken, inputs, moves) => {
        const world = await createWorld(inMemoryBackend(), { taken });
        for (const each of inputs) await world.create(each);
        await world.forgetMarkers();
        for (const { before, changes: made, created, isForgotten, after } of moves) {
          const functions = after.map(() => new ListMemory());
          for (const memory of functions) for (const each of before) await world.expectRight(each, memory);
          for (const [i, each] of made) {
            const { id = '' } = (await world.nth(i)) ?? {};
            await (each === 'erase' ? world.erase(id) : world.change(id, each));
          }
          for (const each of created) await world.create(each);
          const lists = after.map(([[first = base], calls], i) => {
            const list = world.works.list(first, { cache: functions[i] ?? new ListMemory() });
            return { first, list, process: world.begin(list), calls };
          });
          for (const { process, calls } of lists) if (calls !== null) await process.run(calls);
          if (isForgotten) await world.forgetMarkers();
          for (const [i, { first, list, process }] of lists.entries()) {
            const others = after[i]?.[0].slice(1) ?? [];
            const cache = functions[i] ?? 'none';
            await Promise.all([process.run(), ...others.map((each) => world.expectRight(each, cache))]);
            expect({ first, ...(list.listed() as object) }).toEqual({
              first,
              ...(await world.expected(first)),
            });
            for (const each of [...before, ...others]) await world.expectRight(each, cache);
          }
        }
      },
    ),
    { numRuns: 2 * runs },
  );
});

test('a list during an erasure equals the list before or after it, or lacks the erased row', async () => {
  const besides = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.array(indexWork, { maxLength: 3 })), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(start, tries, history),
      changes,
      fc.tuple(nth, fc.integer({ min: 0, max: 6 })),
      fc.tuple(query, cache),
      besides,
      async ([taken, seed, actions], changed, [chosen, calls], [asked, known], stops) => {
        const world = await changedWorld(taken, seed, actions, changed);
        const id = (await world.nth(chosen))?.id ?? '';
        const before = await world.expected(asked);

        const list = world.works.list(asked, { cache: known });
        const listing = world.begin(list);
        const eraser = world.begin(world.works.erase(id));
        for (const [n, beside] of stops) {
          await listing.run(n);
          await eraser.run(calls);
          await play(world, beside);
        }
        await eraser.run();
        await listing.run();
        const after = await world.expected(asked);
        const lacking = { ...before, testimonials: before.testimonials.filter((each) => each.id !== id) };
        expect([before, lacking, after]).toContainEqual(list.listed());
      },
    ),
    { numRuns: runs },
  );
});

/** Testimonials to erase, with words and a tag of their own; no other has their first letters either. */
const toErase: TestimonialInput[] = ['жираф', 'ωmega'].map((word) => ({
  content: `A ${word} of a product`,
  author: { name: `${word} ${word}ски`, email: 'jane@example.com' },
  type: 'text',
  tags: [`${word} tag`],
}));

/**
 * Plays an episode before testimonials are created, one until each is erased, and one afterwards. Expects
 * that nothing of them remains in any item, neither a word nor a beginning, and that no posting has a bit of
 * them.
 */
async function expectErased(
  world: World,
  text: () => string,
  [before, meanwhile, after]: readonly [Action[], Action[], Action[]],
) {
  await play(world, before);
  const created: Testimonial[] = [];
  for (const each of toErase) created.push(await world.create(each));
  await play(world, meanwhile);
  for (const { id } of created) await world.start(world.works.erase(id), 0, Number.POSITIVE_INFINITY);
  await play(world, after);
  // One may have been created again, or its erasure may have paused.
  for (const { id } of created) await world.erase(id);
  await world.settleForGood();
  expect(await world.differences()).toEqual([]);
  expect(text().match(/[жω]\S*/gi)).toBeNull();
}

const slowly = fc.constantFrom(0, 1000, 5000, settledMs, settledMs + 1000, 24_000, slowestStepMs);
/** Index updates that take from nothing to 40 s, beside erasures, rebuilds and each other. */
const focused = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: indexWork },
    {
      weight: 3,
      arbitrary: slowly.map((ms) => named(`wait ${ms} ms`, (world) => world.advance(ms))),
    },
    { weight: 2, arbitrary: nth.map((i) => named(`kill ${i}`, (world) => world.kill(i))) },
    { weight: 1, arbitrary: nth.map((i) => named(`a late try arrives: ${i}`, (world) => world.arrive(i))) },
    { weight: 1, arbitrary: input.map((each) => named('create', (world) => world.create(each))) },
    {
      weight: 3,
      arbitrary: fc.tuple(nth, fc.constantFrom('approved', 'erased')).map(([i, to]) =>
        named(`${i} ${to}`, async (world) => {
          const chosen = await world.nth(i);
          if (chosen)
            await (to === 'erased' ? world.erase(chosen.id) : world.setStatus(chosen.id, 'approved'));
        }),
      ),
    },
  ),
  { maxLength: 16, size: 'max' },
);

test.each([
  ['any history', episode],
  ['slow steps, rebuilds and removals that overlap', focused],
])('nothing of an erased testimonial remains after %s (rule 46)', async (_, part) => {
  await fc.assert(
    fc.asyncProperty(start, tries, fc.tuple(part, part, part), async (taken, seed, parts) => {
      const backend = inMemoryBackend();
      const world = await createWorld(backend, { taken, tries: seed, isBounded: true });
      await expectErased(world, backend.text, parts);
    }),
    { numRuns: 4 * runs },
  );
});
