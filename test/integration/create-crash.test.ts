/** A create may stop anywhere, repeat and overlap: what a list shows is never half a testimonial, never two. */

import { randomInt } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { createTestimonial } from '../../functions/domain/create-testimonial.ts';
import type { IdempotencyKeyStore, TestimonialStore } from '../../functions/domain/stores.ts';
import { testimonialInput } from '../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../functions/domain/testimonial-order.ts';
import { foldStep } from '../../functions/list-index/fold.ts';
import { listTestimonials } from '../../functions/list-index/list-testimonials.ts';
import { idempotencyKeyStore } from '../../functions/persistence/dynamodb-idempotency-key-store.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';

const hourMs = 60 * 60 * 1000;
const body = testimonialBody({ rating: 5, tags: ['a'] });
const input = v.parse(testimonialInput, body);

type Step = 'takeOrdinal' | 'claim' | 'markChange' | 'insert';
type Moment = 'before' | 'after';

/** The process is gone: nothing after it runs. */
class Stop extends Error {}

interface Stores {
  testimonials: TestimonialStore;
  idempotencyKeys: IdempotencyKeyStore;
}

/** Stores of the client's table that stop at a step, before or after its write; `steps` records the writes. */
function stopping(api: ApiClient, at?: { step: Step; moment: Moment }): Stores & { steps: Step[] } {
  const testimonials = testimonialStore(api.table);
  const idempotencyKeys = idempotencyKeyStore(api.table);
  const steps: Step[] = [];
  const stoppable =
    <Args extends unknown[], Result>(step: Step, write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (at?.step === step && at.moment === 'before') throw new Stop();
      const result = await write(...args);
      steps.push(step);
      if (at?.step === step) throw new Stop();
      return result;
    };
  return {
    steps,
    testimonials: {
      ...testimonials,
      takeOrdinal: stoppable('takeOrdinal', testimonials.takeOrdinal),
      markChange: stoppable('markChange', testimonials.markChange),
      insert: stoppable('insert', testimonials.insert),
    },
    idempotencyKeys: { ...idempotencyKeys, claim: stoppable('claim', idempotencyKeys.claim) },
  };
}

/** Creates with those stores, by the client's clock. */
function create(api: ApiClient, stores: Stores, idempotencyKey?: string) {
  const now = () => new Date(Date.now() + api.clock.offset);
  return createTestimonial(
    { ...stores, now, randomInt },
    { organization: 'acme', input, ...(idempotencyKey !== undefined && { idempotencyKey }) },
  );
}

/**
 * What a list shows, oldest first, when neither the secondary indexes nor the list index have heard of `unheard`
 * and so of the replay that creates it.
 */
async function listedWithout(api: ApiClient, unheard: number) {
  const store = testimonialStore(api.table);
  const testimonials: TestimonialStore = {
    ...store,
    async *walk(...args) {
      for await (const page of store.walk(...args)) yield page.filter((row) => ordinalOf(row) !== unheard);
    },
  };
  const query = { filter: {}, sort: 'createdAt', order: 'asc', page: 1, limit: 25 } as const;
  const deps = { testimonials, index: indexStore(api.table), heads: new Map() };
  const { testimonials: rows, total } = await listTestimonials(deps, 'acme', query);
  return { testimonials: rows, total };
}

const moments = ['before', 'after'] as const;
const at = (steps: readonly Step[]) =>
  steps.flatMap((step) => moments.map((moment) => ({ step, moment, name: `${moment} ${step}` })));

describe('a create stopped', () => {
  test.each(at(['takeOrdinal', 'insert']))('$name, without a key, leaves one or none', async (stop) => {
    const api = await createApiClient();
    await expect(create(api, stopping(api, stop))).rejects.toThrow(Stop);

    const written = stop.name === 'after insert' ? 1 : 0;
    const { body: listed } = await api.list();
    expect(listed.pagination.total).toBe(written);
    expect(listed.testimonials).toHaveLength(written);
    for (const testimonial of listed.testimonials) expect(testimonial).toMatchObject(body);

    const later = await api.create(testimonialBody({ content: 'The service goes on' }));
    expect(later.status).toBe(201);
    expect((await api.list()).body.pagination.total).toBe(written + 1);
  });

  test.each(at(['takeOrdinal', 'claim', 'insert']))(
    '$name is made exactly once by a retry with the same key',
    async (stop) => {
      const api = await createApiClient();
      await expect(create(api, stopping(api, stop), 'k')).rejects.toThrow(Stop);
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

  test.each(at(['takeOrdinal', 'claim', 'insert']))(
    '$name and its retry with another body are one testimonial or one refusal, never two',
    async (stop) => {
      const api = await createApiClient();
      await expect(create(api, stopping(api, stop), 'k')).rejects.toThrow(Stop);
      const claimed = stop.step === 'insert' || stop.name === 'after claim';
      const other = await api.create(testimonialBody({ rating: 1 }), { 'idempotency-key': 'k' });
      expect(other.status).toBe(claimed ? 422 : 201);
      const same = await api.create(body, { 'idempotency-key': 'k' });
      expect(same.status).toBe(claimed ? 201 : 422);
      expect((await api.list()).body.pagination.total).toBe(1);
    },
  );
});

test('a hole in the ordinals is harmless to every page before and after it', async () => {
  const api = await createApiClient();
  const first = await api.create(body);
  for (let hole = 0; hole < 3; hole += 1) {
    const stop = { step: 'insert', moment: 'before' } as const;
    await expect(create(api, stopping(api, stop))).rejects.toThrow(Stop);
  }
  const last = await api.create(body);
  expect(ordinalOf(last.body)).toBe(5);

  const pages = await Promise.all([1, 2, 3].map((page) => api.list(`order=asc&limit=1&page=${page}`)));
  expect(pages.map(({ body: page }) => page.testimonials.map(({ id }: { id: string }) => id))).toEqual([
    [first.body.id],
    [last.body.id],
    [],
  ]);
  expect(pages.map(({ body: page }) => page.pagination.total)).toEqual([2, 2, 2]);
});

describe('a key whose testimonial was left unwritten', () => {
  /** A client whose organization has such a key `k`, left an hour ago; the list index has passed its ordinal. */
  async function clientWithKeyLeft() {
    const api = await createApiClient();
    api.clock.offset = -hourMs;
    await expect(create(api, stopping(api, { step: 'claim', moment: 'after' }), 'k')).rejects.toThrow(Stop);
    const { body: next } = await api.create(testimonialBody({ content: 'Created right after', tags: [] }));
    api.clock.offset = 0;
    const folding = { testimonials: testimonialStore(api.table), index: indexStore(api.table) };
    const { head } = await foldStep({ ...folding, now: () => new Date() }, 'acme', 10);
    expect(head.indexed).toBe(ordinalOf(next) + 1);
    return { ...api, next };
  }

  test('is completed by the replay, the change marker first', async () => {
    const api = await clientWithKeyLeft();
    const stores = stopping(api);
    const { testimonial, replayed } = await create(api, stores, 'k');
    expect(replayed).toBe(true);
    expect(stores.steps).toEqual(['markChange', 'insert']);
    expect(testimonial).toMatchObject({ ...body, status: 'pending' });
    expect(ordinalOf(testimonial)).toBe(1);
    expect(testimonial.updatedAt).toBe(testimonial.createdAt);
  });

  test('is in the very next list although its createdAt is old and no index has it', async () => {
    const api = await clientWithKeyLeft();
    const { body: completed } = await api.create(body, { 'idempotency-key': 'k' });
    expect(Date.now() - Date.parse(completed.createdAt)).toBeGreaterThan(hourMs - 1);
    expect(await listedWithout(api, 1)).toEqual({ testimonials: [completed, api.next], total: 2 });
  });

  test('is in its place in the order, before what was created after it', async () => {
    const api = await clientWithKeyLeft();
    const { body: completed } = await api.create(body, { 'idempotency-key': 'k' });
    const { body: listed } = await api.list('order=asc');
    expect(listed.testimonials[0]).toEqual(completed);
    expect(listed.pagination.total).toBe(2);
  });

  test.each(at(['markChange', 'insert']))(
    'is completed once by the next replay when one stopped $name',
    async (stop) => {
      const api = await clientWithKeyLeft();
      await expect(create(api, stopping(api, stop), 'k')).rejects.toThrow(Stop);
      const written = stop.name === 'after insert' ? 1 : 0;
      expect((await listedWithout(api, 1)).total).toBe(1 + written);

      const answers = await Promise.all(
        Array.from({ length: 5 }, () => api.create(body, { 'idempotency-key': 'k' })),
      );
      for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
      expect(await listedWithout(api, 1)).toEqual({
        testimonials: [answers[0]?.body, api.next],
        total: 2,
      });
      expect((await api.list()).body.pagination.total).toBe(2);
    },
  );

  test('makes no difference to a list before its replay', async () => {
    const api = await clientWithKeyLeft();
    const { body: listed } = await api.list();
    expect(listed.pagination.total).toBe(1);
    expect(listed.testimonials).toHaveLength(1);
  });
});

test('concurrent creates with the same key give one testimonial, answered to all', async () => {
  const api = await createApiClient();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => api.create(body, { 'idempotency-key': 'k' })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
  for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
  expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
  const { body: listed } = await api.list();
  expect(listed.testimonials).toEqual([{ ...answers[0]?.body, tags: ['a'] }]);
  expect(listed.pagination.total).toBe(1);
});

test('200 concurrent creates give 200 distinct ordinals with createdAt in ordinal order', async () => {
  const api = await createApiClient();
  const answers = await Promise.all(Array.from({ length: 200 }, () => api.create(body)));
  expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  const created = answers.map((answer) => answer.body).sort((a, b) => ordinalOf(a) - ordinalOf(b));
  expect(created.map(ordinalOf)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  const times = created.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted());
  const pages = await Promise.all([1, 2].map((page) => api.list(`order=asc&limit=100&page=${page}`)));
  expect(pages.flatMap(({ body: page }) => page.testimonials.map(ordinalOf))).toEqual(created.map(ordinalOf));
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
  expect(listed.testimonials.map(ordinalOf)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('a key is free again 24 hours after its first use', async () => {
  const api = await createApiClient();
  const first = await api.create(body, { 'idempotency-key': 'k' });
  api.clock.offset = 24 * hourMs - 10_000;
  expect((await api.create(body, { 'idempotency-key': 'k' })).body).toEqual(first.body);
  api.clock.offset = 24 * hourMs + 10_000;
  const renewed = await api.create(testimonialBody({ rating: 1 }), { 'idempotency-key': 'k' });
  expect(renewed.status).toBe(201);
  expect(renewed.headers['idempotent-replayed']).toBeUndefined();
  expect((await api.list()).body.pagination.total).toBe(2);
});
