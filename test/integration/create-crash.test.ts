/** A create may stop anywhere, repeat and overlap: what a list shows is never half a testimonial, never two. */

import { randomInt } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { testimonialInput } from '../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { takingAll, updateIndex } from '../../functions/list-index/write/update-index.ts';
import { createTestimonial } from '../../functions/operations/create-testimonial.ts';
import { type ApiClient, createApiClient, storesOf, testimonialBody } from '../api-client.ts';
import { place } from '../place.ts';
import { Process } from '../world/process.ts';

const hourMs = 60 * 60 * 1000;
const body = testimonialBody({ rating: 5, tags: ['a'] });
const input = v.parse(testimonialInput, body);

type Step = 'takeOrdinals' | 'claim' | 'insert';

/** A create by the client's clock on the stores of its table, as a process that can stop at any step. */
function create(api: ApiClient, idempotencyKey?: string): Process {
  const now = () => new Date(Date.now() + api.clock.offset);
  return new Process('create', storesOf(api.table)).begin((stores) =>
    createTestimonial(
      { ...stores, now, randomInt },
      { organization: 'acme', input, ...(idempotencyKey !== undefined && { idempotencyKey }) },
    ),
  );
}

/** A create that is gone before or after a step: nothing after it runs. */
async function stopped(
  api: ApiClient,
  { step, moment }: { step: Step; moment: (typeof moments)[number] },
  idempotencyKey?: string,
): Promise<void> {
  const process = await create(api, idempotencyKey).runUntil(step);
  if (moment === 'after') await process.run(1);
  expect(process.calls.includes(step)).toBe(moment === 'after');
  process.kill();
}

const moments = ['before', 'after'] as const;
const at = (steps: readonly Step[]) =>
  steps.flatMap((step) => moments.map((moment) => ({ step, moment, name: `${moment} ${step}` })));

describe('a create stopped', () => {
  test.each(at(['takeOrdinals', 'insert']))('$name, without a key, leaves one or none', async (stop) => {
    const api = await createApiClient();
    await stopped(api, stop);

    const written = stop.name === 'after insert' ? 1 : 0;
    const { body: listed } = await api.list();
    expect(listed.pagination.total).toBe(written);
    expect(listed.testimonials).toHaveLength(written);
    for (const testimonial of listed.testimonials) expect(testimonial).toMatchObject(body);

    const later = await api.create(testimonialBody({ content: 'The service goes on' }));
    expect(later.status).toBe(201);
    expect((await api.list()).body.pagination.total).toBe(written + 1);
  });

  test.each(at(['takeOrdinals', 'claim', 'insert']))(
    '$name is made exactly once by a retry with the same key',
    async (stop) => {
      const api = await createApiClient();
      await stopped(api, stop, 'k');
      const { body: afterStop } = await api.list();
      expect(afterStop.pagination.total).toBe(stop.name === 'after insert' ? 1 : 0);

      const retried = await api.create(body, { 'idempotency-key': 'k' });
      const again = await api.create(body, { 'idempotency-key': 'k' });
      expect(retried.status).toBe(201);
      expect(retried.body).toMatchObject({ ...body, status: 'pending' });
      expect(again.body).toEqual(retried.body);
      expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });

      const { body: listed } = await api.list();
      expect(listed.testimonials).toEqual([retried.body]);
      expect(listed.pagination.total).toBe(1);
    },
  );

  test.each(at(['takeOrdinals', 'claim', 'insert']))(
    '$name and its retry with another body are one testimonial or one refusal, never two',
    async (stop) => {
      const api = await createApiClient();
      await stopped(api, stop, 'k');
      const claimed = stop.step === 'insert' || stop.name === 'after claim';
      const other = await api.create(testimonialBody({ rating: 1 }), { 'idempotency-key': 'k' });
      expect(other.status).toBe(claimed ? 422 : 201);
      const same = await api.create(body, { 'idempotency-key': 'k' });
      expect(same.status).toBe(claimed ? 201 : 422);
      expect((await api.list()).body.pagination.total).toBe(1);
    },
  );
});

test('a free place in the order is harmless to every page before and after it', async () => {
  const api = await createApiClient();
  const first = await api.create(body);
  for (let free = 0; free < 3; free += 1) {
    await stopped(api, { step: 'insert', moment: 'before' });
  }
  const last = await api.create(body);
  expect(ordinalOf(last.body.id)).toBe(place(5));

  const pages = await Promise.all([1, 2, 3].map((page) => api.list(`order=asc&limit=1&page=${page}`)));
  expect(pages.map(({ body: page }) => page.testimonials.map(({ id }: { id: string }) => id))).toEqual([
    [first.body.id],
    [last.body.id],
    [],
  ]);
  expect(pages.map(({ body: page }) => page.pagination.total)).toEqual([2, 2, 2]);
});

describe('a key whose testimonial was left unwritten', () => {
  /** A client whose organization has such a key `k`, left an hour ago, and a testimonial created right after. */
  async function clientWithKeyLeft() {
    const api = await createApiClient();
    api.clock.offset = -hourMs;
    await stopped(api, { step: 'claim', moment: 'after' }, 'k');
    const { body: next } = await api.create(testimonialBody({ content: 'Created right after', tags: [] }));
    api.clock.offset = 0;
    return { ...api, next };
  }

  test('is completed by a replay, in its place in the order', async () => {
    const api = await clientWithKeyLeft();
    const { body: completed, headers } = await api.create(body, { 'idempotency-key': 'k' });
    expect(headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(completed).toMatchObject({ ...body, status: 'pending' });
    expect(Date.now() - Date.parse(completed.createdAt)).toBeGreaterThan(hourMs - 1);
    const { body: listed } = await api.list('order=asc');
    expect(listed.testimonials).toEqual([completed, api.next]);
  });

  test('is created anew by a replay, at its time, once the list index has passed its place', async () => {
    const api = await clientWithKeyLeft();
    await updateIndex({ ...storesOf(api.table), now: () => new Date() }, 'acme', takingAll);
    const { body: completed } = await api.create(body, { 'idempotency-key': 'k' });
    expect(completed).toMatchObject({ ...body, status: 'pending' });
    expect(completed.createdAt > api.next.createdAt).toBe(true);
    const { body: listed } = await api.list('order=asc');
    expect(listed.testimonials).toEqual([api.next, completed]);
  });

  test.each(at(['takeOrdinals', 'claim', 'insert']))(
    'is completed once by the next replay when one stopped $name',
    async (stop) => {
      const api = await clientWithKeyLeft();
      await updateIndex({ ...storesOf(api.table), now: () => new Date() }, 'acme', takingAll);
      const process = create(api, 'k');
      // It finds its place sealed first.
      if (stop.step === 'insert') await process.runUntil('claim');
      await process.runUntil(stop.step);
      if (stop.moment === 'after') await process.run(1);
      process.kill();

      const answers = await Promise.all(
        Array.from({ length: 5 }, () => api.create(body, { 'idempotency-key': 'k' })),
      );
      for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
      const { body: listed } = await api.list('order=asc');
      expect(listed.testimonials).toEqual([api.next, answers[0]?.body]);
      expect(listed.pagination.total).toBe(2);
    },
  );

  test('makes no difference to a list before its replay', async () => {
    const api = await clientWithKeyLeft();
    const { body: listed } = await api.list();
    expect(listed.pagination.total).toBe(1);
    expect(listed.testimonials).toHaveLength(1);
  });
});

test('200 concurrent creates give 200 distinct ordinals with createdAt in ordinal order', async () => {
  const api = await createApiClient();
  const answers = await Promise.all(Array.from({ length: 200 }, () => api.create(body)));
  expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  const created = answers.map((answer) => answer.body).sort((a, b) => ordinalOf(a.id) - ordinalOf(b.id));
  expect(created.map(({ id }) => ordinalOf(id))).toEqual(
    Array.from({ length: 200 }, (_, index) => place(index + 1)),
  );
  const times = created.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted());
  const pages = await Promise.all([1, 2].map((page) => api.list(`order=asc&limit=100&page=${page}`)));
  expect(
    pages.flatMap(({ body: page }) => page.testimonials.map(({ id }: { id: string }) => ordinalOf(id))),
  ).toEqual(created.map(({ id }) => ordinalOf(id)));
});

test('the clock going back does not take createdAt back', async () => {
  const api = await createApiClient();
  const offsets = [0, hourMs, 0, -hourMs, 2 * hourMs, hourMs];
  const times: string[] = [];
  for (const offset of offsets) {
    api.clock.offset = offset;
    times.push((await api.create(body)).body.createdAt);
  }
  expect(times).toEqual(times.toSorted());
  expect([times[2], times[3], times[5]]).toEqual([times[1], times[1], times[4]]);

  api.clock.offset = 0;
  const { body: listed } = await api.list('order=asc');
  expect(listed.testimonials.map(({ id }: { id: string }) => ordinalOf(id))).toEqual(
    [1, 2, 3, 4, 5, 6].map(place),
  );
});
