/**
 * The races of the list engine, one a test, on the real engine: who reads or writes first is decided by pausing
 * a store's method, and the time between by a clock of the test. The clock keeps the rules that the engine
 * builds on: a create and a list take less than 10 s.
 */

import { expect, test } from '@jest/globals';
import { changeStatus } from '../../../functions/domain/change-status.ts';
import { createTestimonial } from '../../../functions/domain/create-testimonial.ts';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import type { Status, Testimonial, TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { matcherOf } from '../../../functions/domain/testimonial-filter.ts';
import { comparison, ordinalOf } from '../../../functions/domain/testimonial-order.ts';
import {
  type FoldStep,
  foldStep,
  forgetAfterMs,
  forgetCovered,
  settledMs,
} from '../../../functions/list-index/fold.ts';
import { foldOrganization } from '../../../functions/list-index/fold-organization.ts';
import type { IndexHead, IndexStore } from '../../../functions/list-index/index-store.ts';
import { listTestimonials } from '../../../functions/list-index/list-testimonials.ts';
import { FoldStalled } from '../../../functions/list-index/posting-edits.ts';
import {
  RebuildOvertaken,
  rebuildIndex,
  removeOldGenerations,
} from '../../../functions/list-index/rebuild.ts';
import { verifyIndex } from '../../../functions/list-index/verify.ts';
import { idempotencyKeyStore } from '../../../functions/persistence/dynamodb-idempotency-key-store.ts';
import { indexStore } from '../../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../../functions/persistence/dynamodb-testimonial-store.ts';
import { createTestTable } from '../../test-table.ts';

const organization = 'acme';
const input: TestimonialInput = {
  content: 'Amazing product, we love it',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text',
  tags: ['UX'],
};

const base: ListQuery = { filter: {}, sort: 'createdAt', order: 'asc', page: 1, limit: 10 };
const approved: ListQuery = { ...base, filter: { status: 'approved' } };
const pending: ListQuery = { ...base, filter: { status: 'pending' } };
/** No secondary index has just these: the page is selected by ordinal. */
const approvedAmazing: ListQuery = { ...base, filter: { status: 'approved', search: 'amaz' } };
const ux: ListQuery = { ...base, filter: { tags: ['ux'] } };
const statusQueries = [base, approved, pending, approvedAmazing, ux];

/** Where a call waits until it is let go on. */
function gate() {
  let arrive = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const pass = async () => {
    arrive();
    await opened;
  };
  return { reached, open, pass };
}

/** The method, waiting at `pass` before its call or after it, each time. */
function pausing<Args extends unknown[], Result>(
  method: (...args: Args) => Promise<Result>,
  moment: 'before' | 'after',
  pass: () => Promise<void>,
) {
  return async (...args: Args): Promise<Result> => {
    if (moment === 'before') await pass();
    const result = await method(...args);
    if (moment === 'after') await pass();
    return result;
  };
}

interface Stores {
  testimonials: TestimonialStore;
  index: IndexStore;
}

async function service() {
  const table = await createTestTable();
  const testimonials = testimonialStore(table);
  const index = indexStore(table);
  const clock = { time: Date.parse('2026-01-15T10:00:00.000Z') };
  let random = 100_000_000_000;
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

  const wait = (milliseconds: number) => {
    clock.time += milliseconds;
  };
  const create = async (fields: Partial<TestimonialInput> = {}) => {
    const request = { organization, input: { ...input, ...fields } };
    return (await createTestimonial(deps, request)).testimonial;
  };
  const keyed = { organization, input: { ...input, content: 'Completed afterwards' }, idempotencyKey: 'k' };
  /** A create that stops between its key and its testimonial: a hole. */
  const createHalf = async () => {
    const insert = () => Promise.reject(new Error('stopped'));
    const stopping = { ...deps, testimonials: { ...testimonials, insert } };
    await expect(createTestimonial(stopping, keyed)).rejects.toThrow('stopped');
  };
  /** Its repetition, which fills the hole. */
  const completeHalf = async () => (await createTestimonial(deps, keyed)).testimonial;
  const set = (testimonial: Testimonial, status: Status) =>
    changeStatus(deps, organization, testimonial.id, status);
  const fold = (stores: Partial<Stores> = {}) => foldStep({ ...deps, ...stores }, organization, 100);
  const forget = (step: FoldStep) => forgetCovered(deps, organization, step);
  const rebuild = (stores: Partial<Stores> = {}) =>
    rebuildIndex({ ...deps, ...stores }, organization, () => {});

  const list = async (
    query: ListQuery,
    stores: Partial<Stores> & { heads?: Map<string, IndexHead> } = {},
  ) => {
    const { testimonials: rows, total } = await listTestimonials(
      { ...deps, heads: new Map(), ...stores },
      organization,
      query,
    );
    return { ids: rows.map(({ id }) => id), statuses: rows.map(({ status }) => status), total };
  };
  const stored = async () => (await Array.fromAsync(testimonials.from(organization, 0))).flat();
  /** Filter, sort and slice over the table. */
  const expected = async ({ filter, sort, order, page, limit }: ListQuery) => {
    const matching = (await stored()).filter(matcherOf(filter)).sort(comparison(sort, order));
    const rows = matching.slice((page - 1) * limit, page * limit);
    return {
      ids: rows.map(({ id }) => id),
      statuses: rows.map(({ status }) => status),
      total: matching.length,
    };
  };
  const expectRightLists = async (heads?: Map<string, IndexHead>) => {
    for (const query of statusQueries) {
      expect(await list(query, heads ? { heads } : {})).toEqual(await expected(query));
    }
  };
  const differences = async () => {
    const found: unknown[] = [];
    await verifyIndex(deps, organization, (difference) => found.push(difference));
    return found;
  };
  /** Folds all there is and forgets all changes; then nothing but the postings answers. */
  const settle = async () => {
    wait(settledMs);
    const step = await fold();
    wait(forgetAfterMs);
    await forget(step);
    expect(await testimonials.announcedChanges(organization)).toEqual([]);
  };
  const head = () => index.readHead(organization);

  return {
    ...{ table, testimonials, index, deps, clock, wait, create, createHalf, completeHalf, set, fold, forget },
    ...{ rebuild, list, expected, expectRightLists, differences, settle, head },
  };
}

/** Three testimonials in the index, of which the second is approved. */
async function serviceWithThree() {
  const s = await service();
  const first = await s.create();
  const second = await s.create();
  const third = await s.create({ content: 'Terrible service, no more' });
  await s.set(second, 'approved');
  await s.settle();
  return { ...s, first, second, third };
}

/** A sleep for several runs on one clock, which goes on only while all of them sleep. */
function sharedSleep(clock: { time: number }, runs: number) {
  const sleepers: { at: number; wake: () => void }[] = [];
  let active = runs;
  const goOn = () => {
    if (active === 0 || sleepers.length < active) return;
    sleepers.sort((a, b) => a.at - b.at);
    const next = sleepers.shift();
    clock.time = Math.max(clock.time, next?.at ?? 0);
    next?.wake();
  };
  return {
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => {
        sleepers.push({ at: clock.time + milliseconds, wake });
        goOn();
      }),
    ended: () => {
      active -= 1;
      goOn();
    },
  };
}

/** An index store that tells when the postings of a list have been read. */
function watchingPostings(index: IndexStore) {
  const { reached, open, pass } = gate();
  open();
  return { index: { ...index, readTerm: pausing(index.readTerm, 'after', pass) }, read: reached };
}

test('a list that read postings before a fold and announced changes after it is right', async () => {
  const s = await serviceWithThree();
  await s.set(s.first, 'approved');
  s.wait(settledMs);
  const paused = gate();
  const { index, read } = watchingPostings(s.index);
  const readRecent = pausing(s.index.readRecent, 'before', paused.pass);
  const listing = s.list(approved, { index: { ...index, readRecent } });
  await Promise.all([paused.reached, read]);
  const step = await s.fold();
  expect(step.covered).toHaveLength(1);
  // As long as a list can take; the change is forgotten later.
  s.wait(forgetAfterMs - 1);
  paused.open();
  expect(await listing).toEqual(await s.expected(approved));
  s.wait(1);
  expect(await s.forget(step)).toBe(true);
  await s.expectRightLists();
});

test('a list that read announced changes before a fold and postings after it is right', async () => {
  const s = await serviceWithThree();
  await s.set(s.first, 'approved');
  await s.set(s.second, 'rejected');
  s.wait(settledMs);
  const paused = gate();
  const readTerm = pausing(s.index.readTerm, 'before', paused.pass);
  const announced = gate();
  announced.open();
  const readRecent = pausing(s.index.readRecent, 'after', announced.pass);
  const listing = s.list(approved, { index: { ...s.index, readTerm, readRecent } });
  await Promise.all([paused.reached, announced.reached]);
  expect((await s.fold()).written).toBeGreaterThan(0);
  paused.open();
  expect(await listing).toEqual(await s.expected(approved));
});

test('a list that began before a change was forgotten and reads announced changes after that is right', async () => {
  const s = await serviceWithThree();
  await s.set(s.first, 'approved');
  s.wait(settledMs);
  const step = await s.fold();
  s.wait(forgetAfterMs);
  const paused = gate();
  const { index, read } = watchingPostings(s.index);
  const readRecent = pausing(s.index.readRecent, 'before', paused.pass);
  const listing = s.list(approved, { index: { ...index, readRecent } });
  await Promise.all([paused.reached, read]);
  expect(await s.forget(step)).toBe(true);
  paused.open();
  expect(await listing).toEqual(await s.expected(approved));
});

test.each(['before', 'after'] as const)(
  'a list whose tail was read %s a fold moved the tail into the index is right',
  async (moment) => {
    const s = await serviceWithThree();
    await s.create({ content: 'Amazing again' });
    const fifth = await s.create();
    await s.set(fifth, 'approved');
    s.wait(settledMs);
    const paused = gate();
    const readRecent = pausing(s.index.readRecent, moment === 'before' ? 'after' : 'before', paused.pass);
    const listing = s.list(approvedAmazing, { index: { ...s.index, readRecent } });
    await paused.reached;
    expect((await s.fold()).folded).toBe(2);
    paused.open();
    expect(await listing).toEqual(await s.expected(approvedAmazing));
  },
);

test('a list with a head from before several folds is right: it only has a longer tail', async () => {
  const s = await serviceWithThree();
  const heads = new Map<string, IndexHead>();
  await s.list(base, { heads });
  const old = new Map(heads);
  for (const status of ['approved', 'rejected'] as const) {
    await s.set(await s.create(), status);
    await s.set(s.third, status);
    await s.settle();
  }
  for (const query of statusQueries) {
    expect(await s.list(query, { heads: new Map(old) })).toEqual(await s.expected(query));
  }
});

test('a replayed create that fills a hole which the index has passed is listed at once and ever after', async () => {
  const s = await service();
  await s.createHalf();
  const after = await s.create();
  await s.settle();
  expect((await s.head())?.indexed).toBe(ordinalOf(after) + 1);
  await s.expectRightLists();

  const completed = await s.completeHalf();
  expect(ordinalOf(completed)).toBe(1);
  await s.expectRightLists();
  expect((await s.list(ux)).ids).toEqual([completed.id, after.id]);

  s.wait(settledMs);
  const step = await s.fold();
  await s.expectRightLists();
  s.wait(forgetAfterMs);
  expect(await s.forget(step)).toBe(true);
  await s.expectRightLists();
  expect((await s.list(ux)).ids).toEqual([completed.id, after.id]);
  expect(await s.differences()).toEqual([]);
});

test('a create that fills a hole while a fold passes it is listed at once and ever after', async () => {
  const s = await service();
  await s.createHalf();
  const after = await s.create();
  s.wait(settledMs);
  const paused = gate();
  const replacePosting = pausing(s.index.replacePosting, 'before', paused.pass);
  const folding = s.fold({ index: { ...s.index, replacePosting } });
  await paused.reached;
  const completed = await s.completeHalf();
  await s.expectRightLists();
  paused.open();
  expect((await folding).head.indexed).toBe(ordinalOf(after) + 1);
  await s.expectRightLists();
  await s.settle();
  expect((await s.list(ux)).ids).toEqual([completed.id, after.id]);
  expect(await s.differences()).toEqual([]);
});

test('an announced create that has not been written yet when it is folded is not forgotten before it can be', async () => {
  const s = await service();
  await s.createHalf();
  await s.create();
  await s.settle();
  const paused = gate();
  const insert = pausing(s.testimonials.insert, 'before', paused.pass);
  const completing = createTestimonial(
    { ...s.deps, testimonials: { ...s.testimonials, insert } },
    { organization, input: { ...input, content: 'Completed afterwards' }, idempotencyKey: 'k' },
  );
  await paused.reached;
  // As long as the function of a create can take.
  s.wait(9999);
  expect((await s.fold()).covered).toEqual([]);
  paused.open();
  await completing;
  await s.expectRightLists();
  await s.settle();
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test('a change of status in the same millisecond as the create that fills a hole is in the index with all its words', async () => {
  const s = await service();
  await s.createHalf();
  await s.create();
  await s.settle();
  const completed = await s.completeHalf();
  await s.set(completed, 'approved');
  const announced = await s.testimonials.announcedChanges(organization);
  expect(announced.map(({ ordinal, kind }) => ({ ordinal, kind }))).toEqual([
    { ordinal: 1, kind: 'create' },
    { ordinal: 1, kind: 'status' },
  ]);
  expect(new Set(announced.map(({ time }) => time.getTime())).size).toBe(1);
  await s.expectRightLists();
  await s.settle();
  await s.expectRightLists();
  const byWord: ListQuery = { ...base, filter: { status: 'approved', search: 'afterwards completed' } };
  expect(await s.list(byWord)).toMatchObject({ ids: [completed.id], total: 1 });
  expect(await s.differences()).toEqual([]);
});

test('a fold that stalls before it reads a posting does not undo a newer one', async () => {
  const s = await serviceWithThree();
  await s.set(s.first, 'approved');
  s.wait(settledMs);
  const paused = gate();
  // It has read the row as approved, and no posting.
  const readPostings = pausing(s.index.readPostings, 'before', paused.pass);
  const stalled = s.fold({ index: { ...s.index, readPostings } });
  await paused.reached;

  await s.set(s.first, 'rejected');
  await s.settle();
  await s.expectRightLists();

  paused.open();
  await expect(stalled).rejects.toThrow(FoldStalled);
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

/**
 * A fold that has read the first testimonial as approved and waits with its writes on the wire, while that is
 * rejected and another fold, a second later, has approved the third.
 */
async function serviceWithOvertakenFold() {
  const s = await serviceWithThree();
  await s.set(s.first, 'approved');
  s.wait(1000);
  await s.set(s.third, 'approved');
  s.wait(settledMs - 1000);
  const paused = gate();
  const replacePosting = pausing(s.index.replacePosting, 'before', paused.pass);
  const overtaken = s.fold({ index: { ...s.index, replacePosting } });
  await paused.reached;
  await s.set(s.first, 'rejected');
  s.wait(1000);
  expect((await s.fold()).covered).toHaveLength(2);
  return { ...s, overtaken, goOn: paused.open };
}

test('a fold whose write was overtaken keeps the bits of the other', async () => {
  const s = await serviceWithOvertakenFold();
  s.goOn();
  await s.overtaken;
  await s.expectRightLists();
  await s.settle();
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test('a fold whose write was overtaken does not repeat it once its time is over', async () => {
  const s = await serviceWithOvertakenFold();
  s.wait(5000);
  s.goOn();
  await expect(s.overtaken).rejects.toThrow(FoldStalled);
  await s.expectRightLists();
  await s.settle();
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test('a change that took almost 10 s is not undone by a fold that read the row before it', async () => {
  const s = await serviceWithThree();
  const fourth = await s.create();
  s.wait(6000);
  const changing = gate();
  const replaceStatus = pausing(s.testimonials.replaceStatus, 'before', changing.pass);
  const change = changeStatus(
    { ...s.deps, testimonials: { ...s.testimonials, replaceStatus } },
    organization,
    fourth.id,
    'approved',
  );
  await changing.reached;
  const announcedAt = s.clock.time;

  // Reads the testimonial as pending; its writes are 5.4 s on the wire, as the tries of a call can take.
  s.wait(9700);
  const folding = gate();
  const replacePosting = pausing(s.index.replacePosting, 'before', folding.pass);
  const slow = s.fold({ index: { ...s.index, replacePosting } });
  await folding.reached;
  s.wait(200);
  changing.open();
  await change;

  s.wait(announcedAt + settledMs - s.clock.time);
  const step = await s.fold();
  expect(step.folded).toBe(1);
  s.wait(100);
  folding.open();
  await slow.catch((error: unknown) => expect(error).toBeInstanceOf(FoldStalled));
  s.wait(forgetAfterMs);
  await s.forget(step);
  // Whatever is still announced is folded and forgotten.
  await s.settle();
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test('a fold of the tail that stalls does not undo a newer one', async () => {
  const s = await serviceWithThree();
  const fourth = await s.create();
  s.wait(settledMs);
  const paused = gate();
  // It has read the row as pending.
  const readPostings = pausing(s.index.readPostings, 'before', paused.pass);
  const stalled = s.fold({ index: { ...s.index, readPostings } });
  await paused.reached;

  await s.set(fourth, 'approved');
  await s.settle();
  paused.open();
  await expect(stalled).rejects.toThrow(FoldStalled);
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test('a fold that is slow but within its time is overtaken by the next, which has the change', async () => {
  const s = await serviceWithThree();
  const fourth = await s.create();
  s.wait(settledMs);
  const paused = gate();
  const readPostings = pausing(s.index.readPostings, 'before', paused.pass);
  const slow = s.fold({ index: { ...s.index, readPostings } });
  await paused.reached;
  await s.set(fourth, 'approved');
  await s.fold();
  s.wait(5000);
  paused.open();
  // The bits say pending now; the announcement makes up for it until the next fold.
  expect(await slow).toMatchObject({ folded: 0, covered: [], more: true });
  await s.expectRightLists();
  await s.settle();
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test('a testimonial rejected between select and read is not shown as approved', async () => {
  const s = await serviceWithThree();
  const paused = gate();
  const findMany = pausing(s.testimonials.findMany, 'before', paused.pass);
  const listing = s.list(approvedAmazing, { testimonials: { ...s.testimonials, findMany } });
  await paused.reached;
  await s.set(s.second, 'rejected');
  paused.open();
  expect((await listing).ids).toEqual([]);
});

test('a testimonial that a secondary index still shows as approved is not shown once it was rejected', async () => {
  const s = await serviceWithThree();
  const before = (
    await Array.fromAsync(
      s.testimonials.walk(organization, {
        status: 'approved',
        sort: 'createdAt',
        order: 'asc',
        limit: 10,
      }),
    )
  ).flat();
  expect(before).toHaveLength(1);
  await s.set(s.second, 'rejected');
  const testimonials: TestimonialStore = {
    ...s.testimonials,
    async *walk() {
      yield before;
    },
  };
  expect(await s.list(approved, { testimonials })).toEqual({ ids: [], statuses: [], total: 0 });
  s.wait(settledMs);
  await s.fold();
  expect(await s.list(approved, { testimonials })).toEqual({ ids: [], statuses: [], total: 0 });
});

test('a row that a secondary index shows twice is listed once', async () => {
  const s = await serviceWithThree();
  const testimonials: TestimonialStore = {
    ...s.testimonials,
    async *walk(...args) {
      for await (const page of s.testimonials.walk(...args)) yield [...page, ...page];
    },
  };
  for (const query of [base, approved, pending]) {
    expect(await s.list(query, { testimonials })).toEqual(await s.expected(query));
  }
});

test('two folds at once are as one', async () => {
  const s = await serviceWithThree();
  await Promise.all(Array.from({ length: 6 }, (_, i) => s.create({ rating: 1 + (i % 5) })));
  await s.set(s.first, 'approved');
  s.wait(settledMs);
  const steps = await Promise.all([s.fold(), s.fold()]);
  expect(steps.map(({ folded }) => folded).sort()).toEqual([0, 6]);
  await s.expectRightLists();
  s.wait(forgetAfterMs);
  for (const step of steps) await s.forget(step);
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test('two runs of folding at once share the work by the lease and are both done', async () => {
  const s = await serviceWithThree();
  const last = await s.create();
  await s.set(s.third, 'approved');
  const { sleep, ended } = sharedSleep(s.clock, 2);
  const run = (owner: string) =>
    foldOrganization({ ...s.deps, owner, until: s.clock.time + 300_000, sleep }, organization, {
      ordinal: ordinalOf(last),
      changes: true,
    }).finally(ended);
  const reports = await Promise.all([run('a'), run('b')]);
  expect(reports.map(({ done }) => done)).toEqual([true, true]);
  expect(reports.reduce((sum, { folded }) => sum + folded, 0)).toBe(1);
  expect(await s.testimonials.announcedChanges(organization)).toEqual([]);
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test('a change announced and folded during a rebuild stays announced and is in the new generation after the next fold', async () => {
  const s = await serviceWithThree();
  const paused = gate();
  // All rows have been read.
  const replacePosting = pausing(s.index.replacePosting, 'before', paused.pass);
  const rebuilding = s.rebuild({ index: { ...s.index, replacePosting } });
  await paused.reached;

  await s.set(s.first, 'approved');
  const fourth = await s.create();
  s.wait(settledMs);
  const step = await s.fold();
  expect(step.covered).toHaveLength(1);
  s.wait(forgetAfterMs);
  expect(await s.forget(step)).toBe(false);
  await s.expectRightLists();

  paused.open();
  const { generation } = await rebuilding;
  expect(generation).toBe(step.head.generation + 1);
  expect(await s.forget(step)).toBe(false);
  await s.expectRightLists();

  await s.settle();
  await s.expectRightLists();
  expect((await s.list(base)).ids).toContain(fourth.id);
  await removeOldGenerations(s.deps, organization, generation, async () => {});
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test('a list with a head of the old generation is right after the switch, and after its postings are gone', async () => {
  const s = await serviceWithThree();
  const heads = new Map<string, IndexHead>();
  await s.list(base, { heads });
  const old = new Map(heads);
  const { generation } = await s.rebuild();
  expect(generation).toBe(2);
  for (const query of statusQueries) {
    expect(await s.list(query, { heads: new Map(old) })).toEqual(await s.expected(query));
  }
  await removeOldGenerations(s.deps, organization, generation, async () => {});
  for (const query of statusQueries) {
    expect(await s.list(query, { heads: new Map(old) })).toEqual(await s.expected(query));
  }
  const cached = new Map(old);
  await s.list(base, { heads: cached });
  expect(cached.get(organization)).toMatchObject({ generation: 2 });
});

test('a list in whose middle the generation switches is right', async () => {
  const s = await serviceWithThree();
  const heads = new Map<string, IndexHead>();
  await s.list(base, { heads });
  const paused = gate();
  const readRecent = pausing(s.index.readRecent, 'before', paused.pass);
  const listing = s.list(approvedAmazing, { heads, index: { ...s.index, readRecent } });
  await paused.reached;
  const { generation } = await s.rebuild();
  await removeOldGenerations(s.deps, organization, generation, async () => {});
  paused.open();
  expect(await listing).toEqual(await s.expected(approvedAmazing));
});

test('two rebuilds in a row leave a list in flight the postings of its generation', async () => {
  const s = await serviceWithThree();
  const paused = gate();
  const head = gate();
  head.open();
  const readRecent = pausing(s.index.readRecent, 'after', head.pass);
  const readTerm = pausing(s.index.readTerm, 'before', paused.pass);
  const heads = new Map<string, IndexHead>([[organization, { generation: 1, indexed: 4 }]]);
  const listing = s.list(approvedAmazing, { heads, index: { ...s.index, readRecent, readTerm } });
  // It has the head and has yet to read the postings, for which it has 10 s.
  await Promise.all([head.reached, paused.reached]);
  await s.rebuild();
  await s.rebuild();
  paused.open();
  expect(await listing).toEqual(await s.expected(approvedAmazing));
});

test('a rebuild beside another is refused', async () => {
  const s = await serviceWithThree();
  const paused = gate();
  const replacePosting = pausing(s.index.replacePosting, 'before', paused.pass);
  const first = s.rebuild({ index: { ...s.index, replacePosting } });
  await paused.reached;
  await expect(s.rebuild()).rejects.toThrow(RebuildOvertaken);
  paused.open();
  expect((await first).generation).toBe(2);
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test('a rebuild that was given up and comes back after another is refused and spoils nothing', async () => {
  const s = await serviceWithThree();
  const paused = gate();
  // It has read the first testimonial as pending, and sleeps.
  const readPostings = pausing(s.index.readPostings, 'before', paused.pass);
  const sleeper = s.rebuild({ index: { ...s.index, readPostings } });
  await paused.reached;
  await s.set(s.first, 'approved');
  s.wait(130_000);
  const { generation } = await s.rebuild();
  await s.settle();
  paused.open();
  await expect(sleeper).rejects.toThrow(RebuildOvertaken);
  expect(await s.head()).toMatchObject({ generation });
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test('a rebuild that was given up, and whose mark a fold removed, spoils nothing when it comes back after another', async () => {
  const s = await serviceWithThree();
  const paused = gate();
  // It has read the first testimonial as pending, and sleeps.
  const readPostings = pausing(s.index.readPostings, 'before', paused.pass);
  const sleeper = s.rebuild({ index: { ...s.index, readPostings } });
  await paused.reached;
  await s.set(s.first, 'approved');
  s.wait(130_000);
  // Forgets the change, and with it removes the mark of the sleeping rebuild.
  await s.settle();
  await s.rebuild();
  await s.expectRightLists();
  paused.open();
  await expect(sleeper).rejects.toThrow(RebuildOvertaken);
  await s.expectRightLists();
  expect(await s.differences()).toEqual([]);
});

test.each(['rebuild', 'fold'] as const)(
  'a create in flight while a %s reads is no hole, however long that is away after the read',
  async (reader) => {
    const s = await serviceWithThree();
    const inserting = gate();
    const insert = pausing(s.testimonials.insert, 'before', inserting.pass);
    const creating = createTestimonial(
      { ...s.deps, testimonials: { ...s.testimonials, insert } },
      { organization, input },
    );
    await inserting.reached;
    const after = await s.create();

    const reading = gate();
    const testimonials: TestimonialStore = {
      ...s.testimonials,
      async *from(...args) {
        for await (const page of s.testimonials.from(...args)) {
          await reading.pass();
          yield page;
        }
      },
    };
    const work = s[reader]({ testimonials });
    // The answer with the later testimonial and without the one in flight is there, the process suspended.
    await reading.reached;
    inserting.open();
    const { testimonial } = await creating;
    s.wait(settledMs + 1000);
    reading.open();
    await work;

    await s.settle();
    expect((await s.list(ux)).ids).toEqual(expect.arrayContaining([testimonial.id, after.id]));
    await s.expectRightLists();
    expect(await s.differences()).toEqual([]);
  },
);

test('a rebuild takes all testimonials, also when a read returns fewer than a step has', async () => {
  const s = await service();
  // A read returns at most 1 MB.
  const content = `Long ${'x'.repeat(9990)}`;
  await Promise.all(Array.from({ length: 130 }, () => s.create({ content })));
  s.wait(settledMs);
  const { indexed } = await s.rebuild();
  expect(indexed).toBe(131);
});

test('a list with a head so old that its tail takes several reads goes on from the head of now', async () => {
  const s = await service();
  const content = `Long ${'x'.repeat(9990)}`;
  // Some at a time: all at once would wait longer for a connection than a call may take.
  for (let i = 0; i < 33; i += 1) await Promise.all(Array.from({ length: 10 }, () => s.create({ content })));
  s.wait(settledMs);
  await foldStep(s.deps, organization, 1000);
  const heads = new Map<string, IndexHead>([[organization, { generation: 1, indexed: 1 }]]);
  let reads = 0;
  s.table.client.middlewareStack.add(
    (next) => (args) => {
      reads += 1;
      return next(args);
    },
    { step: 'initialize' },
  );
  const old = { ...approved, filter: {}, limit: 5 };
  expect(await s.list(old, { heads })).toEqual(await s.expected(old));
  expect(heads.get(organization)).toMatchObject({ indexed: 331 });
  reads = 0;
  await s.list(old, { heads: new Map([[organization, { generation: 1, indexed: 1 }]]) });
  // Postings, newest megabyte and walk, twice: not the four megabytes of the whole tail.
  expect(reads).toBe(6);
});

test('a fold takes all testimonials of its step, also when a read returns fewer', async () => {
  const s = await service();
  const content = `Long ${'x'.repeat(9990)}`;
  await Promise.all(Array.from({ length: 130 }, () => s.create({ content })));
  s.wait(settledMs);
  const step = await foldStep(s.deps, organization, 1000);
  expect(step).toMatchObject({ folded: 130, more: false });
});

test('what a rebuild switched to although the answer was lost is not reported as refused', async () => {
  const s = await serviceWithThree();
  // The SDK repeats a write whose answer it did not get, and the repetition finds the condition unmet.
  const replaceHead: IndexStore['replaceHead'] = async (...args) => {
    const [, , next] = args;
    const replaced = await s.index.replaceHead(...args);
    return next.building ? replaced : false;
  };
  const { generation } = await s.rebuild({ index: { ...s.index, replaceHead } });
  expect(generation).toBe(2);
  expect(await s.head()).toMatchObject({ generation: 2 });
});

test('an organization sees only its own testimonials, folded or not', async () => {
  const s = await serviceWithThree();
  const deps = { testimonials: s.testimonials, index: s.index, heads: new Map() };
  for (const query of statusQueries) {
    expect(await listTestimonials(deps, 'acme-2', query)).toMatchObject({ testimonials: [], total: 0 });
  }
});
