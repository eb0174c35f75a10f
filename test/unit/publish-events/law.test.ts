/**
 * The stream may deliver its records late, repeatedly and out of order. Still no event is false, the last
 * state of each testimonial is published, and every repetition has the identity of its first event.
 */
import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import type { TestimonialEvent } from '../../../functions/publish-events/event.ts';
import { runsOf } from '../../some-of.ts';
import { input } from '../../world/arbitraries.ts';
import { fates, idOf, SimulatedPublisher } from '../../world/courier.ts';
import { type Action, action, nth, start, tries } from '../../world/histories.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { createWorld, type World } from '../../world/world.ts';

const runs = runsOf(40);

interface Stage {
  world: World;
  courier: SimulatedPublisher;
}
type Step = (stage: Stage) => unknown;
const named = (name: string, step: Step): Step => Object.assign(step, { [fc.toStringMethod]: () => name });

const course = fc.record({
  calls: fc.constantFrom(0, 1, 2, 3, 100, 100, 100),
  fate: fc.constantFrom(...fates),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: action.map((made: Action) => named(fc.stringify(made), ({ world }) => made(world))),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 12 }), fc.boolean(), course)
      .map(([count, newestFirst, how]) =>
        named(`deliver ${count} ${newestFirst ? 'newest' : 'oldest'} ${JSON.stringify(how)}`, ({ courier }) =>
          courier.deliverDue(count, newestFirst, how),
        ),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.array(nth, { minLength: 1, maxLength: 12 }), course)
      .map(([numbers, how]) =>
        named(`deliver again ${numbers} ${JSON.stringify(how)}`, ({ courier }) =>
          courier.deliver(numbers, how),
        ),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(nth, course)
      .map(([i, how]) =>
        named(`go on telling ${i} ${JSON.stringify(how)}`, ({ courier }) => courier.resume(i, how)),
      ),
  },
  { weight: 1, arbitrary: nth.map((i) => named(`stop telling ${i}`, ({ courier }) => courier.kill(i))) },
  {
    weight: 1,
    arbitrary: nth.map((i) =>
      named(`seal the version of ${i}`, async ({ world }) => {
        // As an index update does if an announced change is still missing.
        const all = await world.stored();
        const chosen = all[i % Math.max(all.length, 1)];
        if (chosen) await world.backend.testimonials.sealVersion(world.organization, chosen);
      }),
    ),
  },
  { weight: 1, arbitrary: input.map((made) => named('load one', ({ world }) => loadOne(world, made))) },
);

async function loadOne(
  { backend, organization, now }: World,
  made: typeof input extends fc.Arbitrary<infer T> ? T : never,
) {
  const { ordinal, updateOrdinal, time } = await backend.testimonials.reserveOrdinals(organization, now());
  const testimonial = {
    ...made,
    id: `test_900000000000${ordinal}`,
    status: 'pending' as const,
    createdAt: time,
    updatedAt: time,
  };
  await backend.testimonials.insert(organization, {
    testimonial,
    ordinal,
    updateOrdinal,
    version: 1,
    isLoaded: true as const,
    writtenAt: time,
  });
}

test('no event is false, no last state is lost, and every repetition is recognizable', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }),
      start,
      fc.option(tries, { nil: undefined }),
      fc.boolean(),
      async (steps, taken, seed, newestFirst) => {
        const backend = inMemoryBackend();
        const courier = new SimulatedPublisher(backend, 'acme');
        const world = await createWorld(backend, { taken, ...(seed !== undefined && { tries: seed }) });
        for (const each of steps) await each({ world, courier });
        await world.resumeAll();
        await courier.settle(newestFirst);
        courier.assertNothingFalse();
        expectLastStates(courier);
        expectKnownRepetitions(courier.published);
      },
    ),
    { numRuns: runs, endOnFailure: process.env.RUNS !== undefined },
  );
});

/** A consumer that keeps the event with the highest update has the current state of each testimonial. */
function expectLastStates({ published, states }: SimulatedPublisher) {
  for (const places of states.values()) {
    const last = places.at(-1);
    if (last === undefined || last === 'sealed') continue;
    const ofThis = published.filter(({ detail }) => 'id' in detail && detail.id === idOf(last));
    if ('erased' in last) {
      assert.ok(
        ofThis.some(({ name }) => name === 'testimonial.erased'),
        'an erasure is lost',
      );
      continue;
    }
    const isCreatedHere = last.isLoaded === undefined;
    assert.equal(
      ofThis.some(({ name }) => name === 'testimonial.created'),
      isCreatedHere,
      'a creation is lost, or published for a load',
    );
    if (!isCreatedHere && last.change === undefined) continue;
    const newest = ofThis.reduce((a, b) => (updateOf(b) > updateOf(a) ? b : a));
    assert.equal(updateOf(newest), last.updateOrdinal, 'a last state is lost');
    assert.ok('status' in newest.detail && newest.detail.status === last.testimonial.status);
    const isChangeTold = ofThis.some(
      (each) => each.name !== 'testimonial.created' && updateOf(each) === last.updateOrdinal,
    );
    assert.equal(isChangeTold, last.change !== undefined, 'a last change is lost');
  }
}

/** Events have the same identity if and only if they are repetitions. */
function expectKnownRepetitions(told: readonly TestimonialEvent[]) {
  const isCreation = ({ name }: TestimonialEvent) => name === 'testimonial.created';
  // A creation is published with the current state.
  const factOf = (event: TestimonialEvent) =>
    isCreation(event) && 'id' in event.detail
      ? JSON.stringify([event.name, event.detail.organization, event.detail.id])
      : JSON.stringify({ ...event, detail: { ...event.detail, identity: '' } });
  const identities = new Set(told.map(({ detail }) => detail.identity));
  const facts = new Set(told.map(factOf));
  const both = new Set(told.map((event) => `${event.detail.identity} ${factOf(event)}`));
  assert.deepEqual([identities.size, facts.size], [both.size, both.size]);
}

function updateOf({ detail }: TestimonialEvent): number {
  return 'update' in detail ? detail.update : 0;
}
