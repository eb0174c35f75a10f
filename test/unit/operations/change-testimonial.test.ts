import { describe, expect, test } from '@jest/globals';
import type { Status, Testimonial } from '../../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../../functions/domain/testimonial-change.ts';
import { changeTestimonial } from '../../../functions/operations/change-testimonial.ts';
import { createTestimonial } from '../../../functions/operations/create-testimonial.ts';
import { eraseTestimonial } from '../../../functions/operations/erase-testimonial.ts';
import { findTestimonial } from '../../../functions/operations/find-testimonial.ts';
import { place } from '../../place.ts';
import { input } from '../../testimonials.ts';
import type { Backend } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { Process } from '../../world/process.ts';

const start = Date.parse('2026-01-15T10:30:00.000Z');

async function serviceWithOne() {
  const backend = inMemoryBackend();
  const { testimonials } = backend;
  const deps = { ...backend, now: () => new Date(start), randomInt: () => 123_456_789_012 };
  const { testimonial } = await createTestimonial(deps, { organization: 'acme', input });
  /** What is there after a change of status that was made. */
  const change = async (status: Status, afterMs: number) => {
    const deps = { testimonials, now: () => new Date(start + afterMs) };
    const outcome = await changeTestimonial(deps, 'acme', testimonial.id, { status });
    if (outcome.kind !== 'done') throw new Error(outcome.kind);
    return outcome.testimonial;
  };
  const changeIf = ({ updatedAt }: Testimonial, status: Status) => {
    const deps = { testimonials, now: () => new Date(start) };
    return changeTestimonial(deps, 'acme', testimonial.id, { status }, { ifUpdatedAt: updatedAt });
  };
  const stored = async () => (await Array.fromAsync(testimonials.from('acme', 0))).flat();
  const markers = async () => (await Array.fromAsync(testimonials.changeMarkers('acme'))).flat();
  return { backend, testimonials, testimonial, change, changeIf, stored, markers };
}

test('takes the next place in the order of updates and raises the version', async () => {
  const { change, stored } = await serviceWithOne();
  await change('approved', 5000);
  await change('rejected', 6000);
  expect(await stored()).toMatchObject([{ ordinal: place(1), updateOrdinal: place(3), version: 3 }]);
});

test('puts a marker with what it is about to change, before it does', async () => {
  const { backend, testimonials, testimonial, markers } = await serviceWithOne();
  const process = new Process('change', backend).begin((stores) =>
    changeTestimonial({ ...stores, now: () => new Date(start + 5000) }, 'acme', testimonial.id, {
      status: 'approved',
    }),
  );
  await process.runUntil('replace');
  expect(await markers()).toEqual([
    {
      ...{ updateOrdinal: place(2), previousUpdateOrdinal: place(1), ordinal: place(1), version: 1 },
      time: '2026-01-15T10:30:05.000Z',
    },
  ]);
  expect(await testimonials.find('acme', place(1))).toMatchObject({ testimonial: { status: 'pending' } });
});

test('begins again, with another marker, when the testimonial was sealed off meanwhile', async () => {
  const { backend, testimonials, testimonial, markers } = await serviceWithOne();
  const process = new Process('change', backend).begin((stores) =>
    changeTestimonial({ ...stores, now: () => new Date(start + 5000) }, 'acme', testimonial.id, {
      status: 'approved',
    }),
  );
  await process.runUntil('replace');
  const [row] = await testimonials.findMany('acme', [place(1)]);
  if (row) expect(await testimonials.sealVersion('acme', row)).toBe(true);
  await process.run();
  expect((await markers()).map(({ version }) => version)).toEqual([1, 2]);
  expect(await testimonials.find('acme', place(1))).toMatchObject({
    testimonial: { status: 'approved' },
    version: 3,
  });
});

describe('on the condition that it is still as it was seen', () => {
  test('it is changed, and what it becomes is the next condition', async () => {
    const { testimonial, changeIf } = await serviceWithOne();
    const approved = await changeIf(testimonial, 'approved');
    expect(approved).toMatchObject({ kind: 'done', testimonial: { status: 'approved' } });
    const seen = 'testimonial' in approved ? approved.testimonial : testimonial;
    expect(await changeIf(seen, 'rejected')).toMatchObject({
      kind: 'done',
      testimonial: { status: 'rejected' },
    });
  });

  test('it is another one when it was changed and set back', async () => {
    const { testimonial, change, changeIf } = await serviceWithOne();
    await change('rejected', 5000);
    await change('pending', 6000);
    expect(await changeIf(testimonial, 'approved')).toMatchObject({ kind: 'conflict' });
  });

  test('what is as it is wanted already is no conflict: a request is repeated whose answer was lost', async () => {
    const { testimonial, changeIf, stored } = await serviceWithOne();
    await changeIf(testimonial, 'approved');
    const before = await stored();
    expect(await changeIf(testimonial, 'approved')).toEqual({
      kind: 'already',
      testimonial: before[0]?.testimonial,
    });
    expect(await stored()).toEqual(before);
  });

  test.each([
    ['sealed off', true],
    ['changed', false],
  ])('between the read and the write it was %s', async (_, isSealed) => {
    const { backend, testimonials, testimonial, change } = await serviceWithOne();
    const deps = (stores: Backend) => ({ ...stores, now: () => new Date(start + 5000) });
    const process = new Process('change', backend).begin((stores) =>
      changeTestimonial(
        deps(stores),
        'acme',
        testimonial.id,
        { status: 'approved' },
        { ifUpdatedAt: testimonial.updatedAt },
      ),
    );
    await process.runUntil('replace');
    const [row] = await testimonials.findMany('acme', [place(1)]);
    if (isSealed && row) await testimonials.sealVersion('acme', row);
    else await change('rejected', 6000);
    // A seal is no change that anybody sees.
    await process.run();
    const now = await findTestimonial(testimonials, 'acme', testimonial.id);
    expect(now?.testimonial.status).toBe(isSealed ? 'approved' : 'rejected');
  });
});

describe('a change that changes nothing', () => {
  test.each<TestimonialChange>([{ status: 'pending' }, { removeTags: ['absent'] }])(
    '%j leaves updatedAt as it is, and writes nothing',
    async (change) => {
      const { testimonials, testimonial, stored, markers } = await serviceWithOne();
      const before = await stored();
      const deps = { testimonials, now: () => new Date(start + 5000) };
      expect(await changeTestimonial(deps, 'acme', testimonial.id, change)).toEqual({
        kind: 'already',
        testimonial,
      });
      expect(await stored()).toEqual(before);
      expect(await markers()).toEqual([]);
      expect(await testimonials.takeUpdateOrdinal('acme', new Date(start))).toMatchObject({
        updateOrdinal: place(2),
      });
    },
  );
});

test('more than twenty tags are not written', async () => {
  const { testimonials, testimonial, stored } = await serviceWithOne();
  const deps = { testimonials, now: () => new Date(start + 5000) };
  const addTags = Array.from({ length: 21 }, (_, n) => `tag-${n}`);
  const before = await stored();
  expect(await changeTestimonial(deps, 'acme', testimonial.id, { addTags })).toEqual({ kind: 'tooManyTags' });
  expect(await stored()).toEqual(before);
});

test.each([0, -60_000])('moves updatedAt forward when the clock is %d ms behind', async (behind) => {
  const { change } = await serviceWithOne();
  const first = await change('approved', behind);
  const second = await change('rejected', behind);
  expect([first.updatedAt, second.updatedAt]).toEqual([
    '2026-01-15T10:30:00.001Z',
    '2026-01-15T10:30:00.002Z',
  ]);
});

test('concurrent changes are made one after the other, those that change something', async () => {
  const { testimonials, testimonial, stored } = await serviceWithOne();
  const deps = { testimonials, now: () => new Date(start) };
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      changeTestimonial(deps, 'acme', testimonial.id, { addTags: [`tag-${n}`] }),
    ),
  );
  const [row] = await stored();
  expect(row?.version).toBe(11);
  expect(outcomes).toContainEqual({
    kind: 'done',
    before: expect.objectContaining({ id: row?.testimonial.id }),
    testimonial: row?.testimonial,
  });
});

test.each([
  ['a malformed id', 'nonsense'],
  ['an ordinal that does not exist', `test_123456789012${place(2)}`],
  ['the right ordinal with other random digits', `test_999999999999${place(1)}`],
])('finds nothing by %s and writes nothing', async (_, id) => {
  const { markers, testimonials } = await serviceWithOne();
  const deps = { testimonials, now: () => new Date(start) };
  expect(await changeTestimonial(deps, 'acme', id, { status: 'approved' })).toEqual({ kind: 'absent' });
  expect(await eraseTestimonial(deps, 'acme', id)).toEqual({ kind: 'absent' });
  expect(await markers()).toEqual([]);
  expect(await testimonials.takeUpdateOrdinal('acme', new Date(start))).toMatchObject({
    updateOrdinal: place(2),
  });
});

describe('an erasure', () => {
  test('is made once, and is told so when it is repeated, also on a condition', async () => {
    const { testimonials, testimonial, stored } = await serviceWithOne();
    const deps = { testimonials, now: () => new Date(start) };
    const erase = () =>
      eraseTestimonial(deps, 'acme', testimonial.id, { ifUpdatedAt: testimonial.updatedAt });
    expect(await erase()).toEqual({ kind: 'done', before: testimonial });
    expect(await erase()).toEqual({ kind: 'already' });
    expect(await stored()).toEqual([]);
    expect(await changeTestimonial(deps, 'acme', testimonial.id, { status: 'approved' })).toEqual({
      kind: 'absent',
    });
  });

  test('leaves alone what somebody else changed since it was seen', async () => {
    const { testimonials, testimonial, change, markers } = await serviceWithOne();
    const rejected = await change('rejected', 5000);
    const before = await markers();
    const deps = { testimonials, now: () => new Date(start) };
    const condition = { ifUpdatedAt: testimonial.updatedAt };
    expect(await eraseTestimonial(deps, 'acme', testimonial.id, condition)).toEqual({
      kind: 'conflict',
      testimonial: rejected,
    });
    expect(await markers()).toEqual(before);
  });
});
