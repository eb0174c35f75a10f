/** The extent of a step and of an index update, and the words of erasures. */
import { describe, expect, test } from '@jest/globals';
import type { TestimonialInput } from '../../../../functions/domain/testimonial.ts';
import { makeTestimonialId } from '../../../../functions/domain/testimonial-id.ts';
import { minTailBytes } from '../../../../functions/testimonials/list-index/update-due.ts';
import type { IndexUpdateReport } from '../../../../functions/testimonials/list-index/write/update-index.ts';
import type { StepLimits } from '../../../../functions/testimonials/list-index/write/update-step.ts';
import { longestStepMs, settledMs } from '../../../../functions/timing.ts';
import { position } from '../../../position.ts';
import { input } from '../../../testimonials.ts';
import { type InMemoryBackend, inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { createWorld, type World } from '../../../world/world.ts';

/** Returns a text with so many words that no other text has. */
let texts = 0;
function differentWords(count: number): TestimonialInput {
  texts += 1;
  return { ...input, content: Array.from({ length: count }, (_, i) => `w${texts}x${i}`).join(' ') };
}

const textIn = (world: World) => (world.backend as InMemoryBackend).text();

async function worldWith(inputs: TestimonialInput[]): Promise<World> {
  const world = await createWorld(inMemoryBackend());
  for (const each of inputs) await world.create(each);
  world.advance(settledMs);
  return world;
}

async function indexed(inputs: TestimonialInput[]): Promise<World> {
  const world = await worldWith(inputs);
  await world.updateIndex();
  return world;
}

test.each<[string, TestimonialInput[], Partial<StepLimits>, Partial<IndexUpdateReport>]>([
  [
    'ends with the testimonial that reaches the limit of postings',
    [differentWords(10), differentWords(10), differentWords(10), input],
    { postings: 35 },
    { steps: 2, testimonials: 4 },
  ],
  [
    // 27 bits each, in the same postings.
    'ends with the testimonial that reaches the limit of bits',
    Array(10).fill(input),
    { bits: 75 },
    { steps: 4, testimonials: 10 },
  ],
  [
    'indexes at least one testimonial, however long it is',
    [differentWords(50), differentWords(50)],
    { postings: 1 },
    { steps: 2, testimonials: 2 },
  ],
])('a step %s', async (_, inputs, limits, report) => {
  const world = await worldWith(inputs);
  expect(await world.updateIndex({ limits })).toMatchObject(report);
});

test('a step seals a limited number of free positions', async () => {
  const world = await worldWith([input]);
  await world.backend.testimonials.reserveOrdinals('acme', world.now(), 10);
  await world.create(input);
  world.advance(settledMs);
  expect(await world.updateIndex({ limits: { positions: 4 } })).toMatchObject({ steps: 3, testimonials: 2 });
  expect(await world.head()).toMatchObject({ indexed: position(13) });
});

test('no step begins after the end of its turn, and the report says that there is more to do', async () => {
  const world = await worldWith([input, input, input]);
  const { writePosting } = world.backend.index;
  world.backend.index.writePosting = (...args) => {
    world.advance(1);
    return writePosting(...args);
  };
  const options = { limits: { postings: 1 }, until: world.clock.time + 1 };
  expect(await world.updateIndex(options)).toMatchObject({ steps: 1, testimonials: 1, hasMore: true });
  expect(await world.updateIndex({ limits: { postings: 1 } })).toMatchObject({
    steps: 2,
    testimonials: 2,
    hasMore: false,
  });
});

test('a posting is written once for all the testimonials of a step', async () => {
  const together = await worldWith(Array(100).fill(input));
  const apart = await worldWith(Array(100).fill(input));
  const { postingsWritten } = await together.updateIndex();
  expect((await apart.updateIndex({ limits: { bits: 1 } })).postingsWritten).toBeGreaterThan(
    50 * postingsWritten,
  );
});

test('covered changes with markers are limited, and the others are indexed once markers are deleted', async () => {
  const world = await worldWith(Array(3).fill(input));
  await world.settle();
  for (let round = 0; round < 1700; round += 1) {
    for (let ordinal = 1; ordinal <= 3; ordinal += 1) {
      const { updateOrdinal, time } = await world.backend.testimonials.reserveUpdateOrdinal(
        'acme',
        world.now(),
      );
      await world.backend.testimonials.putChangeMarkers('acme', [
        { updateOrdinal, previousUpdateOrdinal: ordinal, ordinal, version: 0, time },
      ]);
    }
  }
  world.advance(settledMs);
  expect(await world.updateIndex()).toMatchObject({ changes: 5000, hasMore: true });
  expect((await world.head())?.covered.flatMap(({ updateOrdinals }) => updateOrdinals)).toHaveLength(5000);
  await world.settle();
  expect(await world.settle()).toMatchObject({ hasMore: false });
  expect(await world.markers()).toEqual([]);
});

test('changes of a short tail do not displace changes of indexed testimonials', async () => {
  const world = await indexed([input]);
  const { id } = await world.create(input);
  for (const status of ['approved', 'rejected'] as const) await world.setStatus(id, status);
  await world.setStatus((await world.nth(0))?.id ?? '', 'approved');
  world.advance(settledMs + 1000);
  const limits = { positions: 1, minTailBytes };
  expect(await world.updateIndex({ limits })).toMatchObject({ testimonials: 0, changes: 1, lagMs: 0 });
});

test('a settled change stays with a later, unsettled change of the same testimonial', async () => {
  const world = await indexed([input]);
  const { id = '' } = (await world.nth(0)) ?? {};
  await world.setStatus(id, 'approved');
  world.advance(settledMs);
  await world.setStatus(id, 'rejected');
  expect(await world.updateIndex()).toMatchObject({ changes: 0, hasMore: true });
  world.advance(settledMs);
  expect(await world.updateIndex()).toMatchObject({ changes: 2 });
  expect(await world.differences()).toEqual([]);
});

describe('erasures', () => {
  const withText = (text: string) => ({ ...input, content: text });

  async function worldWithErased(count: number) {
    const inputs = Array.from({ length: count }, (_, i) => withText(`gone${i} gone`));
    const world = await indexed([...inputs, input]);
    const all = await world.stored();
    for (const { testimonial } of all.slice(0, count)) await world.erase(testimonial.id);
    return world;
  }

  test('are covered together, and their words removed in batches, at least one batch (rule 27)', async () => {
    const world = await worldWithErased(5);
    const texts = async () =>
      (await Array.fromAsync(world.backend.testimonials.erasureTexts('acme'))).flat().length;
    expect(await texts()).toBe(5);
    world.advance(settledMs);
    const limits = { postings: 1 };
    expect(await world.updateIndex({ limits, until: world.clock.time })).toMatchObject({
      steps: 1,
      changes: 5,
      hasMore: true,
    });
    expect(await texts()).toBe(4);
    expect(await world.differences()).toEqual([]);
    await world.updateIndex({ limits });
    expect(await texts()).toBe(0);
    expect(await world.differences()).toEqual([]);
  });

  test('have their words removed once they have settled: until then a step may be writing them', async () => {
    const world = await worldWithErased(1);
    world.advance(settledMs - 1);
    expect(await world.updateIndex()).toMatchObject({ hasMore: true });
    expect(textIn(world)).toContain('gone0');
    world.advance(1);
    await world.updateIndex();
    expect((await Array.fromAsync(world.backend.testimonials.erasureTexts('acme'))).flat()).toEqual([]);
    expect(textIn(world)).not.toContain('gone0');
  });

  test('that were announced and not made keep their texts until they are sealed (rule 27)', async () => {
    const world = await indexed([withText('gone gone')]);
    const { id = '' } = (await world.nth(0)) ?? {};
    const eraser = await world.begin(world.works.erase(id)).runUntil('erase');
    await world.updateIndex();
    expect(textIn(world)).toContain('"texts"');
    await world.updateSettled();
    expect(textIn(world)).not.toContain('"texts"');
    // The step has raised the version, so the erasure can no longer be made.
    expect(await world.stored()).toMatchObject([{ version: 2 }]);
    expect(await world.differences()).toEqual([]);
    // It retries with new texts.
    await eraser.run();
    expect(await world.stored()).toEqual([]);
    await world.settleForGood();
    expect(textIn(world)).not.toContain('gone');
    expect(await world.differences()).toEqual([]);
  });

  /** A process that is paused before it erases a testimonial; an index update covers another change first. */
  async function worldWithEraser() {
    const world = await indexed([input, withText('gone gone')]);
    const [first, second] = await world.stored();
    await world.setStatus(first?.testimonial.id ?? '', 'approved');
    const eraser = await world.begin(world.works.erase(second?.testimonial.id ?? '')).runUntil('erase');
    world.advance(settledMs + 1000);
    const takesOne = { limits: { positions: 1 }, until: world.clock.time };
    const update = world.begin(world.works.updateIndex(takesOne));
    const expectGone = async () => {
      expect(await world.stored()).toHaveLength(1);
      await world.settleForGood();
      expect(textIn(world)).not.toContain('gone');
      expect(await world.differences()).toEqual([]);
    };
    return { world, eraser, update, expectGone };
  }

  test('that were announced and not made are sealed before their texts are deleted, although a later step covers their markers', async () => {
    const { world, eraser, update, expectGone } = await worldWithEraser();
    await update.run();
    expect(textIn(world)).not.toContain('"texts"');
    await eraser.run();
    await expectGone();
  });

  test.each([[['find']], [['find', 'sealVersion']]])(
    'that are made just before they would be sealed have their words removed: before %j',
    async (calls) => {
      const { eraser, update, expectGone } = await worldWithEraser();
      for (const call of calls) expect((await update.runUntil(call)).hasEnded).toBe(false);
      await eraser.run();
      await update.run();
      await expectGone();
    },
  );

  test('of testimonials that were never indexed write no posting', async () => {
    const world = await indexed([input]);
    const { id } = await world.create(withText('gone gone'));
    await world.erase(id);
    world.advance(settledMs);
    expect(await world.updateIndex({ limits: { minTailBytes } })).toMatchObject({
      steps: 0,
      postingsWritten: 0,
    });
    expect(textIn(world)).not.toContain('gone');
  });

  test('of testimonials that a step wrote before it died have their words removed (rule 46)', async () => {
    const world = await indexed([input]);
    const { id } = await world.create(withText('gone gone'));
    world.advance(settledMs + 1000);
    const dying = await world.begin(world.works.updateIndex()).runUntil('writePosting');
    await dying.runUntil('replaceHead');
    dying.kill();
    expect(textIn(world)).toContain('gone');
    await world.erase(id);
    // Until the step could no longer write, the texts stay.
    world.advance(longestStepMs - settledMs - 1);
    expect(await world.updateIndex()).toMatchObject({ hasMore: true });
    world.advance(settledMs + 1);
    await world.updateIndex();
    expect(textIn(world)).not.toContain('gone');
    await world.settleForGood();
    expect(await world.differences()).toEqual([]);
  });

  test('wait for the end of a rebuild, whose generation may also contain their words (rule 27)', async () => {
    const world = await worldWithErased(1);
    const rebuild = await world.begin(world.works.rebuild()).runUntil('writePosting');
    world.advance(settledMs);
    await world.updateIndex();
    expect(textIn(world)).toContain('gone0');
    await rebuild.run();
    await world.settleForGood();
    expect(textIn(world)).not.toContain('gone0');
  });

  test('do not wait for a long tail', async () => {
    const world = await worldWithErased(1);
    for (let i = 0; i < 5; i += 1) await world.create(differentWords(50));
    world.advance(settledMs);
    const options = { limits: { postings: 50 }, until: world.clock.time };
    expect(await world.updateIndex(options)).toMatchObject({
      steps: 1,
      testimonials: 1,
      changes: 1,
      hasMore: true,
    });
  });

  test('pass no unsettled position', async () => {
    const world = await indexed([input]);
    const { id } = await world.create(input);
    await world.erase(id);
    world.advance(settledMs - 1);
    const { ordinal } = await world.backend.testimonials.reserveOrdinals('acme', world.now());
    const after = await world.create(input);
    await world.setStatus(after.id, 'approved');
    await world.erase(after.id);
    await world.create(input);
    world.advance(1);
    expect(await world.updateIndex()).toMatchObject({ changes: 1 });
    expect(await world.head()).toMatchObject({ indexed: ordinal });
  });
});

/** A world in which `arrive` stores a testimonial late, at the position before the last. */
async function worldWithLate() {
  const world = await worldWith([input]);
  const { testimonials } = world.backend;
  const { ordinal, updateOrdinal } = await testimonials.reserveOrdinals('acme', world.now());
  const { id } = await world.create(input);
  const [stored] = await world.stored();
  if (!stored) throw new Error('There is one');
  const arrive = async () => {
    const writtenAt = world.now().toISOString();
    const testimonial = { ...stored.testimonial, id: makeTestimonialId(ordinal, () => 123_456_789_012) };
    await testimonials.insert('acme', { ...stored, testimonial, ordinal, updateOrdinal, writtenAt });
  };
  return { world, testimonials, ordinal, id, arrive };
}

test('a late testimonial at an earlier position delays those after it', async () => {
  const { world, ordinal, id, arrive } = await worldWithLate();
  await world.setStatus(id, 'approved');
  world.advance(settledMs + 1000);
  await arrive();
  expect(await world.updateIndex()).toMatchObject({ testimonials: 1, changes: 0, hasMore: true });
  expect(await world.head()).toMatchObject({ indexed: ordinal });
  // The testimonial after it counts as unread, not as erased.
  expect(await world.head()).not.toHaveProperty('hasErased');
  world.advance(settledMs);
  expect(await world.updateIndex()).toMatchObject({ testimonials: 2, changes: 1 });
  expect(await world.differences()).toEqual([]);
});

test('a testimonial that is stored just before its position is sealed waits for the next update', async () => {
  const { world, testimonials, arrive } = await worldWithLate();
  world.advance(settledMs + 1000);
  const { sealPosition } = testimonials;
  testimonials.sealPosition = async (...args) => {
    await arrive();
    return sealPosition(...args);
  };
  expect(await world.updateIndex()).toMatchObject({ testimonials: 1, hasMore: true });
  world.advance(settledMs);
  expect(await world.updateIndex()).toMatchObject({ testimonials: 2, hasMore: false });
  expect(await world.differences()).toEqual([]);
});

test('a text of 2000 different letters without spaces costs two writes per letter, and its erasure as many calls', async () => {
  const content = Array.from({ length: 2000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
  const world = await worldWith([{ ...input, content }]);
  const updateIndex = await world.begin(world.works.updateIndex()).run();
  expect(updateIndex.calls.filter((call) => call === 'writePosting').length).toBeLessThan(4200);
  const [stored] = await world.stored();
  await world.erase(stored?.testimonial.id ?? '');
  world.advance(settledMs + 1000);
  const erasure = await world.begin(world.works.updateIndex()).run();
  expect(erasure.calls.length).toBeLessThan(5000);
  expect(await world.differences()).toEqual([]);
});
