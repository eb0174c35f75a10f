/**
 * Generates histories of an organization, in which every process can pause before any call, for any time, or
 * stop there.
 */
import fc from 'fast-check';
import { statuses } from '../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../functions/domain/testimonial-change.ts';
import { firstPosition } from '../../functions/domain/testimonial-order.ts';
import { termsVersion } from '../../functions/testimonials/list-index/terms-version.ts';
import { clockErrorMs } from '../../functions/timing.ts';
import { input as usual } from '../testimonials.ts';
import { input, onePageOfEach, query, tagNames } from './arbitraries.ts';
import { queries } from './queries.ts';
import { otherTerms, type World } from './world.ts';

export type Action = (world: World) => unknown;

/** Gives an action the name that a counterexample shows. */
export const named = (name: string, action: Action): Action =>
  Object.assign(action, { [fc.toStringMethod]: () => name });

const limits = fc.record({
  postings: fc.integer({ min: 1, max: 60 }),
  bits: fc.integer({ min: 1, max: 100 }),
  positions: fc.integer({ min: 1, max: 5 }),
  minTailBytes: fc.constantFrom(0, 0, 0, 600, 2000),
});
const calls = fc.oneof(
  { weight: 2, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 80 }) },
);
// Creates, changes and rebuilds may use any clock; index updates use the database's.
const anyClock = fc.constantFrom(0, 0, -3_600_000, 3_600_000, -16_000, 16_000);
const databaseClock = fc.integer({ min: -clockErrorMs, max: clockErrorMs });
const key = fc.constantFrom(undefined, undefined, undefined, 'k1', 'k2');
export const nth = fc.nat(40);
const seconds = fc.constantFrom(0.001, 1, 4, 6, 12, 17, 130, 4000);

const updateIndex = fc
  .tuple(limits, databaseClock, calls)
  .map(([bounds, offset, n]) =>
    named(`index update ${JSON.stringify(bounds)}, clock ${offset}, ${n} calls`, (world) =>
      world.start(world.works.updateIndex({ limits: bounds }), offset, n),
    ),
  );
const wholeUpdate = fc.constant(
  named('index update', (world) => world.start(world.works.updateIndex(), 0, Number.POSITIVE_INFINITY)),
);
// The calls whose order matters most.
const callNames = fc.constantFrom(
  'writePosting',
  'deletePosting',
  'replaceSummary',
  'replaceHead',
  'readPostings',
  'findMany',
);
const updateUntil = fc
  .tuple(limits, callNames)
  .map(([bounds, call]) =>
    named(`index update ${JSON.stringify(bounds)} until ${call}`, (world) =>
      world.start(world.works.updateIndex({ limits: bounds }), 0, call),
    ),
  );
const resumeUntil = fc
  .tuple(nth, callNames)
  .map(([i, call]) => named(`resume ${i} until ${call}`, (world) => world.resume(i, call)));
const wholeRebuild = fc.constant(
  named('rebuild', (world) => world.start(world.works.rebuild(), 0, Number.POSITIVE_INFINITY)),
);
const resume = fc
  .tuple(nth, calls)
  .map(([i, n]) => named(`resume ${i} for ${n} calls`, (world) => world.resume(i, n)));
const rebuild = fc
  .tuple(anyClock, calls)
  .map(([offset, n]) =>
    named(`rebuild, clock ${offset}, ${n} calls`, (world) => world.start(world.works.rebuild(), offset, n)),
  );

/** Work that changes no testimonial. */
export const indexWork = fc.oneof(
  updateIndex,
  wholeUpdate,
  updateUntil,
  rebuild,
  wholeRebuild,
  resume,
  resumeUntil,
);

/** Changes and erasures, each made to its end. */
export const changes = fc.array(
  fc.tuple(nth, fc.constantFrom(...statuses, 'erased' as const)).map(([i, to]) =>
    named(`${i} ${to}`, async (world) => {
      const chosen = await world.nth(i);
      if (chosen) await (to === 'erased' ? world.erase(chosen.id) : world.setStatus(chosen.id, to));
    }),
  ),
  { maxLength: 3 },
);

const someTags = fc.uniqueArray(fc.constantFrom(...tagNames), { maxLength: 2 });
const change: fc.Arbitrary<TestimonialChange> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ status: fc.constantFrom(...statuses) }) },
  { weight: 1, arbitrary: fc.record({ addTags: someTags, removeTags: someTags }) },
);

/** A query that a function may have met before, or a new one. */
const asked = fc.oneof(fc.constantFrom(...queries), query);
/** Two functions that stay warm. */
const warmFunction = fc.constantFrom('warm' as const, 'other' as const);

/** Anything that may happen next. */
export const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(input, key, anyClock, calls)
      .map(([body, k, offset, n]) =>
        named(`create ${JSON.stringify(body)} ${k}, clock ${offset}, ${n} calls`, (world) =>
          world.start(
            world.works.create(world.bodyOf(k, body), k === undefined ? {} : { idempotencyKey: k }),
            offset,
            n,
          ),
        ),
      ),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(nth, change, fc.boolean(), anyClock, calls).map(([i, made, isSure, offset, n]) =>
      named(
        `${i} ${JSON.stringify(made)}${isSure ? '' : ' if as seen'}, clock ${offset}, ${n} calls`,
        async (world) => {
          const chosen = await world.nth(i);
          if (!chosen) return;
          const condition = isSure ? {} : { ifUpdatedAt: chosen.updatedAt };
          await world.start(world.works.change(chosen.id, made, condition), offset, n);
        },
      ),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(nth, anyClock, calls).map(([i, offset, n]) =>
      named(`erase ${i}, clock ${offset}, ${n} calls`, async (world) => {
        const chosen = await world.nth(i);
        if (chosen) await world.start(world.works.erase(chosen.id), offset, n);
      }),
    ),
  },
  { weight: 6, arbitrary: seconds.map((s) => named(`wait ${s} s`, (world) => world.advance(s * 1000))) },
  { weight: 5, arbitrary: updateIndex },
  { weight: 3, arbitrary: wholeUpdate },
  { weight: 3, arbitrary: updateUntil },
  { weight: 4, arbitrary: resume },
  { weight: 3, arbitrary: resumeUntil },
  { weight: 1, arbitrary: nth.map((i) => named(`kill ${i}`, (world) => world.kill(i))) },
  {
    weight: 3,
    arbitrary: nth.map((i) => named(`a late try arrives: ${i}`, (world) => world.arrive(i))),
  },
  { weight: 1, arbitrary: rebuild },
  { weight: 1, arbitrary: wholeRebuild },
  {
    weight: 1,
    arbitrary: fc.constant(
      named('remove old generations', async (world) => {
        // A rebuild waits for the life of a list before it removes them.
        if (world.paused.length === 0) await world.removeOldGenerations();
      }),
    ),
  },
  { weight: 1, arbitrary: fc.constant(named('remember the head', (world) => world.rememberHead())) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.array(asked, { minLength: 1, maxLength: 4 }), warmFunction, fc.boolean())
      .map(([some, function_, atOnce]) =>
        named(
          `the ${function_} function lists ${JSON.stringify(some)}${atOnce ? ' at once' : ''}`,
          async (world) => {
            if (atOnce) await Promise.all(some.map((each) => world.expectRight(each, function_)));
            else for (const each of some) await world.expectRight(each, function_);
          },
        ),
      ),
  },
  { weight: 2, arbitrary: fc.constant(named('markers are forgotten', (world) => world.forgetMarkers())) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(termsVersion, ...Object.values(otherTerms)), fc.integer({ min: 2, max: 30 }))
      .map(([terms, n]) =>
        named(`a version with the terms ${terms} leaves a rebuild after ${n} calls`, (world) =>
          world.leaveRebuild(terms, n),
        ),
      ),
  },
);

/**
 * Creates and erases a first testimonial, as someone does who tries the service: the order of updates has
 * only empty positions.
 */
const oneErased = named('the first testimonial is created, and erased for good', async (world) => {
  const { id } = await world.create(usual);
  await world.erase(id);
  await world.settle();
});

export const history = fc
  .tuple(
    fc.constantFrom<Action[]>([], [], [oneErased]),
    fc.array(action, { minLength: 5, maxLength: 60, size: 'max' }),
  )
  .map(([beginning, actions]) => [...beginning, ...actions]);

/** A part of a history. */
export const episode = fc.array(action, { maxLength: 20, size: 'max' });

/** The head that a list begins with: the current one, an earlier one, or an old one. */
export const cache = fc.constantFrom('none' as const, 'warm' as const, 'other' as const, 'old' as const);

/** Random queries, and one of each kind. */
export const lists = fc
  .tuple(fc.array(fc.tuple(query, cache), { minLength: 2, maxLength: 4 }), onePageOfEach, cache)
  .map(([some, each, known]) => [...some, ...each.map((asked) => [asked, known] as const)]);

/**
 * The number of positions taken before: none, near a chunk border, far up with empty chunks below, and just
 * before the next 64 chunks that are summed up.
 */
export const start = fc.constantFrom(0, 65_521, 5 * 65_536 - 9, 64 * 65_536 - firstPosition - 9);

/** A seed for the fates of the tries of writes. */
export const tries = fc.nat();

export async function play(world: World, actions: Action[]): Promise<void> {
  for (const each of actions) await each(world);
}
