import { describe, expect, test } from '@jest/globals';
import { type Status, statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import {
  changeTestimonial,
  stillAs,
  TestimonialChanged,
} from '../../../functions/operations/change-testimonial.ts';
import { createTestimonial } from '../../../functions/operations/create-testimonial.ts';
import { findTestimonial, TestimonialNotFound } from '../../../functions/operations/find-testimonial.ts';
import { place } from '../../place.ts';
import type { Backend } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { Process } from '../../world/process.ts';

const start = Date.parse('2026-01-15T10:30:00.000Z');
const input = {
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text' as const,
};

async function serviceWithOne() {
  const backend = inMemoryBackend();
  const { testimonials } = backend;
  const deps = { ...backend, now: () => new Date(start), randomInt: () => 123_456_789_012 };
  const { testimonial } = await createTestimonial(deps, { organization: 'acme', input });
  const change = (status: (typeof statuses)[number], afterMs: number, id = testimonial.id) =>
    changeTestimonial({ testimonials, now: () => new Date(start + afterMs) }, 'acme', id, { status });
  const changeIf = (onlyIf: (current: Testimonial) => boolean, status: Status) =>
    changeTestimonial(
      { testimonials, now: () => new Date(start) },
      'acme',
      testimonial.id,
      { status },
      onlyIf,
    );
  const stored = async () => (await Array.fromAsync(testimonials.from('acme', 0))).flat();
  const markers = async () => (await Array.fromAsync(testimonials.changeMarkers('acme'))).flat();
  return { backend, testimonials, testimonial, change, changeIf, stored, markers };
}

test('sets the status and the time of the update and changes nothing else that a client sees', async () => {
  const { testimonial, change, stored } = await serviceWithOne();
  const changed = await change('approved', 5000);
  expect(changed).toEqual({ ...testimonial, status: 'approved', updatedAt: '2026-01-15T10:30:05.000Z' });
  expect((await stored()).map((each) => each.testimonial)).toEqual([changed]);
});

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
    const approved = await changeIf(stillAs(testimonial), 'approved');
    expect(await changeIf(stillAs(approved), 'rejected')).toMatchObject({ status: 'rejected' });
  });

  test('what somebody else changed stays as it is, and nothing is written', async () => {
    const { testimonial, change, changeIf, stored, markers } = await serviceWithOne();
    const rejected = await change('rejected', 5000);
    const before = { stored: await stored(), markers: await markers() };
    const refused = changeIf(stillAs(testimonial), 'approved');
    await expect(refused).rejects.toThrow(TestimonialChanged);
    await expect(refused).rejects.toMatchObject({ testimonial: rejected });
    expect({ stored: await stored(), markers: await markers() }).toEqual(before);
  });

  test('it is another one when it was changed and set back', async () => {
    const { testimonial, change, changeIf } = await serviceWithOne();
    await change('rejected', 5000);
    await change('pending', 6000);
    await expect(changeIf(stillAs(testimonial), 'approved')).rejects.toThrow(TestimonialChanged);
  });

  test.each([
    ['sealed off', true],
    ['changed', false],
  ])('between the read and the write it was %s', async (_, isSealed) => {
    const { backend, testimonials, testimonial, change } = await serviceWithOne();
    const deps = (stores: Backend) => ({ ...stores, now: () => new Date(start + 5000) });
    const process = new Process('change', backend).begin((stores) =>
      changeTestimonial(deps(stores), 'acme', testimonial.id, { status: 'approved' }, stillAs(testimonial)),
    );
    await process.runUntil('replace');
    const [row] = await testimonials.findMany('acme', [place(1)]);
    if (isSealed && row) await testimonials.sealVersion('acme', row);
    else await change('rejected', 6000);
    // A seal is no change that anybody sees.
    if (isSealed) await process.run();
    else await expect(process.run()).rejects.toThrow(TestimonialChanged);
    const { testimonial: now } = await findTestimonial(testimonials, 'acme', testimonial.id);
    expect(now.status).toBe(isSealed ? 'approved' : 'rejected');
  });

  test('of any number at once, one is made', async () => {
    const { testimonial, changeIf, stored } = await serviceWithOne();
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => changeIf(stillAs(testimonial), n % 2 ? 'approved' : 'rejected')),
    );
    const made = results.filter(({ status }) => status === 'fulfilled');
    expect(made).toEqual([{ status: 'fulfilled', value: (await stored())[0]?.testimonial }]);
  });
});

test('any status may follow any other', async () => {
  const { change } = await serviceWithOne();
  for (const from of statuses) {
    for (const to of statuses) {
      await change(from, 0);
      expect((await change(to, 0)).status).toBe(to);
    }
  }
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

test('concurrent changes are all made, one after the other', async () => {
  const { change, stored } = await serviceWithOne();
  const changes = await Promise.all(
    Array.from({ length: 10 }, (_, n) => change(n % 2 ? 'approved' : 'rejected', 0)),
  );
  const [row] = await stored();
  expect(row?.version).toBe(11);
  expect(changes).toContainEqual(row?.testimonial);
});

test.each([
  ['a malformed id', 'nonsense'],
  ['an ordinal that does not exist', `test_123456789012${place(2)}`],
  ['the right ordinal with other random digits', `test_999999999999${place(1)}`],
])('finds nothing by %s and writes nothing', async (_, id) => {
  const { change, markers, testimonials } = await serviceWithOne();
  await expect(change('approved', 0, id)).rejects.toThrow(TestimonialNotFound);
  expect(await markers()).toEqual([]);
  expect(await testimonials.takeUpdateOrdinal('acme', new Date(start))).toMatchObject({
    updateOrdinal: place(2),
  });
});

test('an organization cannot reach the testimonial of another', async () => {
  const { testimonials, testimonial } = await serviceWithOne();
  await expect(findTestimonial(testimonials, 'other', testimonial.id)).rejects.toThrow(TestimonialNotFound);
  expect(await findTestimonial(testimonials, 'acme', testimonial.id)).toMatchObject({ testimonial });
});
