/** The oracle's law of test/unit/list-index/engine.test.ts on the real engine: fewer histories, real keys and bytes. */

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { changeStatus } from '../../../functions/domain/change-status.ts';
import { createTestimonial } from '../../../functions/domain/create-testimonial.ts';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import { type Status, statuses, type TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-order.ts';
import {
  type FoldStep,
  foldStep,
  forgetAfterMs,
  forgetCovered,
  settledMs,
} from '../../../functions/list-index/fold.ts';
import type { IndexHead } from '../../../functions/list-index/index-store.ts';
import { listTestimonials } from '../../../functions/list-index/list-testimonials.ts';
import { rebuildIndex, removeOldGenerations } from '../../../functions/list-index/rebuild.ts';
import { verifyIndex } from '../../../functions/list-index/verify.ts';
import type { Table } from '../../../functions/persistence/document-client.ts';
import { idempotencyKeyStore } from '../../../functions/persistence/dynamodb-idempotency-key-store.ts';
import { indexStore } from '../../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../../functions/persistence/dynamodb-testimonial-store.ts';
import { counterKey } from '../../../functions/persistence/keys.ts';
import { createTestTable } from '../../test-table.ts';
import { input, query } from '../../unit/list-index/arbitraries.ts';
import { oracle } from '../../unit/list-index/oracle.ts';

/** An organization on a table, with a clock of its own. */
async function organizationOn(table: Table, organization: string, lastOrdinal: number) {
  const testimonials = testimonialStore(table);
  const index = indexStore(table);
  const start = new Date('2026-01-15T10:00:00.000Z');
  const clock = { time: start.getTime() };
  let random = 100_000_000_000;
  let lastKey = 0;
  const deps = {
    testimonials,
    index,
    idempotencyKeys: idempotencyKeyStore(table),
    now: () => new Date(clock.time),
    randomInt: () => {
      random += 1;
      return random;
    },
  };
  const unfinished: { key: string; input: TestimonialInput }[] = [];
  const toForget: { step: FoldStep; at: number }[] = [];
  const heads = new Map<string, IndexHead>();
  let old = new Map<string, IndexHead>();

  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: counterKey(organization),
      UpdateExpression: 'SET lastOrdinal = :last, lastCreatedAt = :start',
      ExpressionAttributeValues: { ':last': lastOrdinal, ':start': start.toISOString() },
    }),
  );

  const stored = async () => (await Array.fromAsync(testimonials.from(organization, 0))).flat();
  const fold = async (limit: number) => {
    const step = await foldStep(deps, organization, limit);
    if (step.covered.length > 0) toForget.push({ step, at: clock.time + forgetAfterMs });
    return step;
  };
  const forgetDue = async () => {
    for (const each of toForget.filter(({ at }) => at <= clock.time)) {
      await forgetCovered(deps, organization, each.step);
      toForget.splice(toForget.indexOf(each), 1);
    }
  };
  const rebuild = async () => {
    const { generation } = await rebuildIndex(deps, organization, () => {});
    await removeOldGenerations(deps, organization, generation, async (milliseconds) => {
      clock.time += milliseconds;
    });
  };

  return {
    create: async (body: TestimonialInput) =>
      (await createTestimonial(deps, { organization, input: body })).testimonial,
    /** A create that stops between its key and its testimonial. */
    async createHalf(body: TestimonialInput) {
      lastKey += 1;
      const key = String(lastKey);
      const insert = () => Promise.reject(new Error('stopped'));
      const stopping = { ...deps, testimonials: { ...testimonials, insert } };
      const request = { organization, input: body, idempotencyKey: key };
      await expect(createTestimonial(stopping, request)).rejects.toThrow('stopped');
      unfinished.push({ key, input: body });
    },
    /** Its repetition, which fills the hole. */
    async finishOldest() {
      const oldest = unfinished.shift();
      if (!oldest) return;
      await createTestimonial(deps, { organization, input: oldest.input, idempotencyKey: oldest.key });
    },
    async setStatus(nth: number, status: Status) {
      const all = await stored();
      const chosen = all[nth % Math.max(all.length, 1)];
      if (chosen) await changeStatus(deps, organization, chosen.id, status);
    },
    wait: async (milliseconds: number) => {
      clock.time += milliseconds;
    },
    fold,
    forgetDue,
    rebuild,
    async rememberHead() {
      const head = await index.readHead(organization);
      old = new Map(head ? [[organization, head]] : []);
    },
    async list(asked: ListQuery, cache: 'none' | 'warm' | 'old') {
      const known = { none: new Map(), warm: heads, old: new Map(old) }[cache];
      const { testimonials: rows, total } = await listTestimonials(
        { testimonials, index, heads: known },
        organization,
        asked,
      );
      return { testimonials: rows, total };
    },
    expected: async (asked: ListQuery) => oracle(await stored(), asked),
    /** Folds all there is and forgets all changes. */
    async settle() {
      clock.time += settledMs;
      let step = await fold(1000);
      while (step.more) step = await fold(1000);
      clock.time += forgetAfterMs;
      await forgetDue();
      expect(await testimonials.announcedChanges(organization)).toEqual([]);
    },
    async differences() {
      const found: unknown[] = [];
      await verifyIndex(deps, organization, (difference) => found.push(difference));
      return found;
    },
  };
}

type Organization = Awaited<ReturnType<typeof organizationOn>>;
type Action = (organization: Organization) => Promise<unknown>;

const named = (name: string, action: Action): Action =>
  Object.assign(action, { [fc.toStringMethod]: () => name });

const limit = fc.integer({ min: 1, max: 6 });
const seconds = fc.constantFrom(0.001, 1, 11, 16);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 9,
    arbitrary: input.map((body) => named(`create ${JSON.stringify(body)}`, (o) => o.create(body))),
  },
  { weight: 1, arbitrary: input.map((body) => named('create half', (o) => o.createHalf(body))) },
  { weight: 2, arbitrary: fc.constant(named('finish the oldest half', (o) => o.finishOldest())) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat(40), fc.constantFrom(...statuses))
      .map(([nth, status]) => named(`${nth} ${status}`, (o) => o.setStatus(nth, status))),
  },
  { weight: 5, arbitrary: seconds.map((s) => named(`wait ${s} s`, (o) => o.wait(s * 1000))) },
  { weight: 4, arbitrary: limit.map((n) => named(`fold ${n}`, (o) => o.fold(n))) },
  { weight: 2, arbitrary: fc.constant(named('forget', (o) => o.forgetDue())) },
  { weight: 1, arbitrary: fc.constant(named('rebuild', (o) => o.rebuild())) },
  { weight: 1, arbitrary: fc.constant(named('remember the head', (o) => o.rememberHead())) },
);
const history = fc.array(action, { minLength: 15, maxLength: 50, size: 'max' });
const lists = fc.array(fc.tuple(query, fc.constantFrom('none' as const, 'warm' as const, 'old' as const)), {
  minLength: 6,
  maxLength: 8,
});
// At the beginning, before the border of a chunk, and far up with empty chunks below.
const starts = fc.constantFrom(0, 65_520, 5 * 65_536 - 10);

test('after any history every list is what the oracle says, and so is the index once all is folded', async () => {
  // One table for all: organizations must not mix either.
  const table = await createTestTable();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(starts, history, lists, async (lastOrdinal, actions, asked) => {
      run += 1;
      const organization = await organizationOn(table, `acme-${run}`, lastOrdinal);
      for (const each of actions) await each(organization);
      for (const [each, cache] of asked) {
        expect(await organization.list(each, cache)).toEqual(await organization.expected(each));
      }
      await organization.settle();
      for (const [each, cache] of asked) {
        expect(await organization.list(each, cache)).toEqual(await organization.expected(each));
      }
      expect(await organization.differences()).toEqual([]);
    }),
    { numRuns: 15, endOnFailure: true },
  );
}, 120_000);

const everything: ListQuery = { filter: {}, sort: 'createdAt', order: 'asc', page: 1, limit: 100 };
const body: TestimonialInput = {
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text',
};

test('the page of a deep, filtered list goes on across the border of a chunk', async () => {
  const organization = await organizationOn(await createTestTable(), 'acme', 65_530);
  for (let i = 0; i < 12; i += 1) await organization.create({ ...body, rating: 1 + (i % 5) });
  await organization.settle();
  for (const sort of ['createdAt', 'rating', 'updatedAt'] as const) {
    for (const order of ['asc', 'desc'] as const) {
      for (const page of [1, 2, 3, 4, 5]) {
        const asked: ListQuery = { filter: { search: 'amaz' }, sort, order, page, limit: 3 };
        expect(await organization.list(asked, 'none')).toEqual(await organization.expected(asked));
      }
    }
  }
});

test('a tag is found whatever characters it has', async () => {
  const organization = await organizationOn(await createTestTable(), 'acme', 0);
  const tags = [
    '#',
    '1#2',
    '#0000001',
    'a b',
    '\ttab',
    'größe',
    '👍🏽',
    '##WORD#1#a',
    "it's",
    '"',
    '%',
    '~',
    '𐐨',
  ];
  for (const tag of tags) await organization.create({ ...body, tags: [tag] });
  await organization.settle();
  for (const tag of tags) {
    const asked: ListQuery = { ...everything, filter: { tags: [tag] } };
    expect(await organization.list(asked, 'none')).toEqual(await organization.expected(asked));
    expect((await organization.list(asked, 'none')).total).toBe(1);
  }
  expect(await organization.differences()).toEqual([]);
});

test('the longest tag and the longest word can be folded and found', async () => {
  const organization = await organizationOn(await createTestTable(), 'acme', 0);
  // Letters of four bytes.
  const tag = '𐐨'.repeat(50);
  const word = '𐐨'.repeat(200);
  await organization.create({ ...body, content: word, tags: [tag] });
  await organization.settle();
  const asked: ListQuery = { ...everything, filter: { tags: [tag], search: word } };
  expect((await organization.list(asked, 'none')).total).toBe(1);
});

test('an organization with a billion ordinals and more has lists', async () => {
  // As far as twelve digits of the sort key go.
  const organization = await organizationOn(await createTestTable(), 'acme', 70_000_000_000);
  const created = await organization.create({ ...body, tags: ['a'] });
  expect(ordinalOf(created)).toBe(70_000_000_001);
  await organization.settle();
  const asked: ListQuery = { ...everything, filter: { tags: ['a'] } };
  expect((await organization.list(asked, 'none')).total).toBe(1);
});
