/** The laws of the list engine, after and during any history. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ListTookTooLong } from '../../../functions/domain/outcomes.ts';
import type { Testimonial, TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { clockErrorMs, requestTimeoutMs, settledMs } from '../../../functions/timing.ts';
import { runsOf } from '../../some-of.ts';
import { input, query } from '../../world/arbitraries.ts';
import {
  type Action,
  cache,
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
import { queries } from '../../world/queries.ts';
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
