import { describe, expect, test } from '@jest/globals';
import type { IfUnchanged } from '../../../functions/domain/outcomes.ts';
import type { Status } from '../../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../../functions/domain/testimonial-change.ts';
import { changeTestimonial } from '../../../functions/testimonials/operations/change-testimonial.ts';
import { createTestimonial } from '../../../functions/testimonials/operations/create-testimonial.ts';
import { eraseTestimonial } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { position } from '../../position.ts';
import { input, markerOf } from '../../testimonials.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { Process } from '../../world/process.ts';

const start = Date.parse('2026-01-15T10:30:00.000Z');

async function serviceWithOne() {
  const backend = inMemoryBackend();
  const { testimonials } = backend;
  const deps = { ...backend, now: () => new Date(start), randomInt: () => 123_456_789_012 };
  const { testimonial } = await createTestimonial(deps, { organization: 'acme', input });
  const at = (afterMs: number) => ({ testimonials, now: () => new Date(start + afterMs) });
  /** Makes a change some time after the create. */
  const attempt = (
    change: TestimonialChange,
    { afterMs = 5000, id = testimonial.id, ...condition }: Attempt = {},
  ) => changeTestimonial(at(afterMs), 'acme', id, change, condition);
  /** Returns the testimonial after a successful change of status. */
  const change = async (status: Status, afterMs: number) => {
    const outcome = await attempt({ status }, { afterMs });
    if (outcome.kind !== 'done') throw new Error(outcome.kind);
    return outcome.testimonial;
  };
  /** Begins a change to approved and pauses it before it writes the testimonial. */
  const pausedChange = (condition: IfUnchanged = {}) => {
    const to = { status: 'approved' } as const;
    return new Process('change', backend)
      .begin((stores) => changeTestimonial({ ...at(5000), ...stores }, 'acme', testimonial.id, to, condition))
      .runUntil('writeChange');
  };
  const seal = async () => {
    const [row] = await testimonials.findMany('acme', [position(1)]);
    expect(row && (await testimonials.sealVersion('acme', row))).toBe(true);
  };
  const erase = (condition?: IfUnchanged, id = testimonial.id) =>
    eraseTestimonial(at(0), 'acme', id, condition);
  const stored = async () => (await Array.fromAsync(testimonials.from('acme', 0))).flat();
  const markers = async () => (await Array.fromAsync(testimonials.changeMarkers('acme'))).flat();
  const nextUpdate = async () =>
    (await testimonials.reserveUpdateOrdinal('acme', new Date(start))).updateOrdinal;
  const made = { testimonials, testimonial, attempt, change, pausedChange, seal, erase };
  return { ...made, stored, markers, nextUpdate };
}

type Attempt = IfUnchanged & { afterMs?: number; id?: string };

test.each([0, -60_000])(
  'a change moves updatedAt forward even if the clock is %d ms behind',
  async (behind) => {
    const { change } = await serviceWithOne();
    const first = await change('approved', behind);
    const second = await change('rejected', behind);
    expect([first.updatedAt, second.updatedAt]).toEqual([
      '2026-01-15T10:30:00.001Z',
      '2026-01-15T10:30:00.002Z',
    ]);
  },
);

test('a change writes its marker first (rule 3)', async () => {
  const { testimonials, pausedChange, markers } = await serviceWithOne();
  await pausedChange();
  expect(await markers()).toEqual([markerOf(position(2), position(1), { time: '2026-01-15T10:30:05.000Z' })]);
  expect(await testimonials.find('acme', position(1))).toMatchObject({ testimonial: { status: 'pending' } });
});

test('a change starts again with a new marker if the testimonial was sealed', async () => {
  const { testimonials, pausedChange, seal, markers } = await serviceWithOne();
  const process = await pausedChange();
  await seal();
  await process.run();
  expect((await markers()).map(({ version }) => version)).toEqual([1, 2]);
  expect(await testimonials.find('acme', position(1))).toMatchObject({
    testimonial: { status: 'approved' },
    version: 3,
  });
});

test.each([
  ['nobody', 2, 'approved'],
  ['someone else', 3, 'rejected'],
])(
  'a change succeeds although its response was lost and %s changed the testimonial since',
  async (...row) => {
    const [who, version, status] = row;
    const { testimonials, attempt, change, stored } = await serviceWithOne();
    const { writeChange } = testimonials;
    // The write succeeds, another person may reject the testimonial, and the SDK's retry fails.
    testimonials.writeChange = async (...args) => {
      expect(await writeChange(...args)).toBe(true);
      testimonials.writeChange = writeChange;
      if (who === 'someone else') await change('rejected', 6000);
      return writeChange(...args);
    };
    expect(await attempt({ status: 'approved' })).toMatchObject({
      kind: 'done',
      before: { status: 'pending' },
      testimonial: { status: 'approved' },
    });
    expect(await stored()).toMatchObject([{ version, testimonial: { status } }]);
  },
);

describe('a change with ifUpdatedAt', () => {
  test('is a conflict even if the status was changed and changed back', async () => {
    const { testimonial, attempt, change } = await serviceWithOne();
    await change('rejected', 5000);
    await change('pending', 6000);
    const outcome = await attempt({ status: 'approved' }, { ifUpdatedAt: testimonial.updatedAt });
    expect(outcome).toMatchObject({ kind: 'conflict' });
  });

  test.each([
    ['sealed off', true],
    ['changed', false],
  ])('between its read and its write the testimonial was %s', async (_, isSealed) => {
    const { testimonial, pausedChange, seal, change, stored } = await serviceWithOne();
    const process = await pausedChange({ ifUpdatedAt: testimonial.updatedAt });
    // A seal does not change updatedAt.
    await (isSealed ? seal() : change('rejected', 6000));
    await process.run();
    const [now] = await stored();
    expect(now?.testimonial.status).toBe(isSealed ? 'approved' : 'rejected');
  });
});

test.each([
  ['a malformed id', 'nonsense'],
  ['an ordinal that does not exist', `test_123456789012${position(2)}`],
  ['the right ordinal with other random digits', `test_999999999999${position(1)}`],
])('%s is absent, and nothing is written', async (_, id) => {
  const { attempt, erase, markers, nextUpdate } = await serviceWithOne();
  expect(await attempt({ status: 'approved' }, { id })).toEqual({ kind: 'absent' });
  expect(await erase({}, id)).toEqual({ kind: 'absent' });
  expect(await markers()).toEqual([]);
  expect(await nextUpdate()).toBe(position(2));
});

describe('an erasure', () => {
  test('happens once, and a repetition reports that, even with ifUpdatedAt', async () => {
    const { testimonial, attempt, erase, stored } = await serviceWithOne();
    const condition = { ifUpdatedAt: testimonial.updatedAt };
    expect(await erase(condition)).toEqual({ kind: 'done', before: testimonial });
    expect(await erase(condition)).toEqual({ kind: 'already' });
    expect(await stored()).toEqual([]);
    expect(await attempt({ status: 'approved' })).toEqual({ kind: 'absent' });
  });

  test('leaves a testimonial that has changed since ifUpdatedAt', async () => {
    const { testimonial, change, erase, markers } = await serviceWithOne();
    const rejected = await change('rejected', 5000);
    const before = await markers();
    const outcome = await erase({ ifUpdatedAt: testimonial.updatedAt });
    expect(outcome).toEqual({ kind: 'conflict', testimonial: rejected });
    expect(await markers()).toEqual(before);
  });
});
