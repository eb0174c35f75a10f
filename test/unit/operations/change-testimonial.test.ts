import { describe, expect, test } from '@jest/globals';
import type { IfUnchanged } from '../../../functions/domain/outcomes.ts';
import { position } from '../../position.ts';
import { input, markerOf } from '../../testimonials.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { createWorld } from '../../world/world.ts';

const approved = { status: 'approved' } as const;
const rejected = { status: 'rejected' } as const;

/** An organization with a testimonial that was created five seconds ago. */
async function worldWithOne() {
  const world = await createWorld(inMemoryBackend());
  const { id, updatedAt } = await world.create(input);
  world.advance(5000);
  const { testimonials } = world.backend;
  /** Begins a change to approved and pauses it before it writes the testimonial. */
  const pausedChange = (condition?: IfUnchanged) =>
    world.begin(world.works.change(id, approved, condition)).runUntil('writeChange');
  const seal = async () => {
    const [row] = await testimonials.findMany('acme', [position(1)]);
    expect(row && (await testimonials.sealVersion('acme', row))).toBe(true);
  };
  const { change, erase } = world.on(world.backend, world.now);
  return { ...world, testimonials, id, updatedAt, change, erase, pausedChange, seal };
}

test.each([0, -60_000])(
  'a change moves updatedAt forward even if the clock is %d ms behind',
  async (behind) => {
    const { id, updatedAt, clock, change, stored } = await worldWithOne();
    clock.time = Date.parse(updatedAt) + behind;
    const times: unknown[] = [];
    for (const each of [approved, rejected]) {
      await change(id, each);
      times.push((await stored())[0]?.testimonial.updatedAt);
    }
    expect(times).toEqual(['2026-01-15T10:00:00.001Z', '2026-01-15T10:00:00.002Z']);
  },
);

test('a change writes its marker first (rule 3)', async () => {
  const { testimonials, pausedChange, markers } = await worldWithOne();
  await pausedChange();
  expect(await markers()).toEqual([markerOf(position(2), position(1), { time: '2026-01-15T10:00:05.000Z' })]);
  expect(await testimonials.find('acme', position(1))).toMatchObject({ testimonial: { status: 'pending' } });
});

test('a change starts again with a new marker if the testimonial was sealed', async () => {
  const { testimonials, pausedChange, seal, markers } = await worldWithOne();
  const process = await pausedChange();
  await seal();
  await process.run();
  expect((await markers()).map(({ version }) => version)).toEqual([1, 2]);
  expect(await testimonials.find('acme', position(1))).toMatchObject({ testimonial: approved, version: 3 });
});

test.each([
  ['nobody', 2, 'approved'],
  ['someone else', 3, 'rejected'],
])(
  'a change succeeds although its response was lost and %s changed the testimonial since',
  async (...row) => {
    const [who, version, status] = row;
    const { testimonials, id, change, stored } = await worldWithOne();
    const { writeChange } = testimonials;
    // The write succeeds, another person may reject the testimonial, and the SDK's retry fails.
    testimonials.writeChange = async (...args) => {
      expect(await writeChange(...args)).toBe(true);
      testimonials.writeChange = writeChange;
      if (who === 'someone else') await change(id, rejected);
      return writeChange(...args);
    };
    expect(await change(id, approved)).toMatchObject({
      kind: 'done',
      before: { status: 'pending' },
      testimonial: approved,
    });
    expect(await stored()).toMatchObject([{ version, testimonial: { status } }]);
  },
);

describe('a change with ifUpdatedAt', () => {
  test('is a conflict even if the status was changed and changed back', async () => {
    const { id, updatedAt, change } = await worldWithOne();
    await change(id, rejected);
    await change(id, { status: 'pending' });
    expect(await change(id, approved, { ifUpdatedAt: updatedAt })).toMatchObject({ kind: 'conflict' });
  });

  test.each([
    ['sealed off', true],
    ['changed', false],
  ])('between its read and its write the testimonial was %s', async (_, isSealed) => {
    const { id, updatedAt, pausedChange, seal, change, stored } = await worldWithOne();
    const process = await pausedChange({ ifUpdatedAt: updatedAt });
    // A seal does not change updatedAt.
    await (isSealed ? seal() : change(id, rejected));
    await process.run();
    expect(await stored()).toMatchObject([{ testimonial: isSealed ? approved : rejected }]);
  });
});

test.each([
  ['a malformed id', 'nonsense'],
  ['an ordinal that does not exist', `test_123456789012${position(2)}`],
  ['the right ordinal with other random digits', `test_999999999999${position(1)}`],
])('%s is absent, and nothing is written', async (_, id) => {
  const { testimonials, now, change, erase, markers } = await worldWithOne();
  expect(await change(id, approved)).toEqual({ kind: 'absent' });
  expect(await erase(id)).toEqual({ kind: 'absent' });
  expect(await markers()).toEqual([]);
  expect(await testimonials.reserveUpdateOrdinal('acme', now())).toMatchObject({
    updateOrdinal: position(2),
  });
});

describe('an erasure', () => {
  test('happens once, and a repetition reports that, even with ifUpdatedAt', async () => {
    const { id, updatedAt, change, erase, stored } = await worldWithOne();
    const [before] = (await stored()).map(({ testimonial }) => testimonial);
    const condition = { ifUpdatedAt: updatedAt };
    expect(await erase(id, condition)).toEqual({ kind: 'done', before });
    expect(await erase(id, condition)).toEqual({ kind: 'already' });
    expect(await stored()).toEqual([]);
    expect(await change(id, approved)).toEqual({ kind: 'absent' });
  });

  test('leaves a testimonial that has changed since ifUpdatedAt', async () => {
    const { id, updatedAt, change, erase, stored, markers } = await worldWithOne();
    await change(id, rejected);
    const [before, testimonial] = [await markers(), (await stored())[0]?.testimonial];
    expect(await erase(id, { ifUpdatedAt: updatedAt })).toEqual({ kind: 'conflict', testimonial });
    expect(testimonial).toMatchObject(rejected);
    expect(await markers()).toEqual(before);
  });
});
