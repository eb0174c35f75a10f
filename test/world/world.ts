/** An organization on some stores with a clock of its own, on which a history is played. */

import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { type ListQuery, matcherOf } from '../../functions/domain/list-query.ts';
import type { IfUnchanged } from '../../functions/domain/outcomes.ts';
import { IdempotencyKeyReused, NewerTerms } from '../../functions/domain/outcomes.ts';
import type { Status, Testimonial, TestimonialInput } from '../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../functions/domain/testimonial-change.ts';
import type { TestimonialFilter } from '../../functions/domain/testimonial-filter.ts';
import { firstPosition } from '../../functions/domain/testimonial-order.ts';
import { cellOf, cells } from '../../functions/testimonials/list-index/bits/summary.ts';
import { type IndexHead, noIndex } from '../../functions/testimonials/list-index/index-store.ts';
import { ListMemory } from '../../functions/testimonials/list-index/read/memory.ts';
import { parseTermsVersion, termsVersion } from '../../functions/testimonials/list-index/terms-version.ts';
import { removeOldGenerations } from '../../functions/testimonials/list-index/write/generations.ts';
import { FencedOff } from '../../functions/testimonials/list-index/write/posting-edits.ts';
import { rebuildIndex } from '../../functions/testimonials/list-index/write/rebuild.ts';
import {
  type IndexUpdateReport,
  updateIndex,
  wholeTail,
} from '../../functions/testimonials/list-index/write/update-index.ts';
import type { IndexUpdateOptions } from '../../functions/testimonials/list-index/write/update-step.ts';
import { type Difference, verifyIndex } from '../../functions/testimonials/list-index/write/verify.ts';
import { changeTestimonial } from '../../functions/testimonials/operations/change-testimonial.ts';
import {
  countRatings,
  countTestimonials,
} from '../../functions/testimonials/operations/count-testimonials.ts';
import {
  type CreateOptions,
  createTestimonial,
} from '../../functions/testimonials/operations/create-testimonial.ts';
import { eraseTestimonial } from '../../functions/testimonials/operations/erase-testimonial.ts';
import { listTestimonials } from '../../functions/testimonials/operations/list-testimonials.ts';
import { clockErrorMs, forgetAfterMs, settledMs } from '../../functions/timing.ts';
import { oracle } from '../../lib/check/contract/oracle.ts';
import type { Backend } from './backend.ts';
import { memoryWithHeads } from './known-heads.ts';
import { type Misplaced, misplaced } from './positions.ts';
import { Process } from './process.ts';
import { fatesOf, type LateTry, type Tries, withTries } from './tries.ts';

/** A step of an index update is written within this time (`updatesAtOnce` in timing.ts). */
export const slowestStepMs = 40_000;

// Few, so that a rebuild has several steps.
const smallSteps = { postings: Number.POSITIVE_INFINITY, bits: 40 };

// The report on an index that only a newer version can update.
const nothingTakenUp: IndexUpdateReport = {
  steps: 0,
  testimonials: 0,
  changes: 0,
  postingsWritten: 0,
  lagMs: 0,
  hasMore: true,
  isBeingRebuilt: false,
};

/** The rules of other versions. */
const { rules, texts, unicode } = parseTermsVersion(termsVersion);
export const otherTerms = {
  older: `${rules - 1}.${texts}/${unicode}`,
  newer: `${rules + 1}.${rules + 1}/${unicode}`,
};

/** By default an index update also indexes a short tail. */
function takingUpAll(options: IndexUpdateOptions): IndexUpdateOptions {
  return { ...options, limits: { ...wholeTail.limits, ...options.limits } };
}

/** The work of the service on given stores, with a given clock. */
export interface Work {
  name: 'create' | 'change' | 'erase' | 'index update' | 'rebuild' | 'load' | 'list' | 'upload' | 'stream';
  run: (stores: Backend, now: () => Date) => Promise<unknown>;
}

/**
 * Which memory a list uses: none, one with an old head, that of a warm function (`warm`, `other`), given
 * heads, or a given `ListMemory`.
 */
type Cache = 'none' | 'old' | 'warm' | 'other' | Map<string, IndexHead> | ListMemory;

export type World = ReturnType<typeof worldOf>;

/**
 * @param taken the number of positions taken before, to play at the border of a chunk
 * @param tries a seed for writes that are sent more than once; if absent, each is sent once
 * @param isBounded true for times as they are in a deployment: clocks are a few seconds off, a late try
 * arrives within seconds or is lost, and a process that was paused for longer than a step takes goes on to
 * its end
 */
export async function createWorld(
  backend: Backend,
  {
    organization = 'acme',
    taken = 0,
    tries,
    isBounded = false,
  }: { organization?: string; taken?: number; tries?: number; isBounded?: boolean } = {},
): Promise<World> {
  const clock = { time: Date.parse('2026-01-15T10:00:00.000Z') };
  const { stores, late } =
    tries === undefined
      ? { stores: backend, late: [] }
      : withTries(backend, fatesOf(tries), [], () => clock.time);
  const world = worldOf(stores, late, organization, clock, isBounded);
  if (taken > 0) {
    await backend.testimonials.reserveOrdinals(organization, world.now(), taken);
    await backend.index.replaceHead(organization, { ...noIndex, indexed: firstPosition + taken });
  }
  return world;
}

function worldOf(
  backend: Backend,
  late: Tries['late'],
  organization: string,
  clock: { time: number },
  isBounded: boolean,
) {
  const now = () => new Date(clock.time);
  const paused: Process[] = [];
  /** The memories of two warm functions. */
  const warm = { warm: new ListMemory(), other: new ListMemory() };
  let oldHead: IndexHead | undefined;
  let random = 100_000_000_000;
  const randomInt = () => {
    random += 1;
    return random;
  };

  const stored = async () => (await Array.fromAsync(backend.testimonials.from(organization, 0))).flat();
  const nth = async (number: number): Promise<Testimonial | undefined> => {
    const all = await stored();
    return all[number % Math.max(all.length, 1)]?.testimonial;
  };

  /** Returns the operations of the service on given stores, with a given clock. */
  const on = (stores: Backend, clockOf: () => Date) => {
    const deps = { ...stores, now: clockOf, randomInt };
    return {
      create: (input: TestimonialInput, options: CreateOptions = {}) =>
        createTestimonial(deps, { organization, input, ...options }),
      change: (id: string, change: TestimonialChange, condition?: IfUnchanged) =>
        changeTestimonial(deps, organization, id, change, condition),
      erase: (id: string, condition?: IfUnchanged) => eraseTestimonial(deps, organization, id, condition),
      updateIndex: (options: IndexUpdateOptions) => updateIndex(deps, organization, takingUpAll(options)),
      rebuild: (limits = smallSteps) => rebuildIndex(deps, organization, { limits }),
    };
  };
  const own = on(backend, now);

  /** @param expected the errors that other works may cause */
  const work = (
    name: Work['name'],
    run: (operations: typeof own) => Promise<unknown>,
    ...expected: Parameters<typeof unless>
  ): Work => ({ name, run: (stores, clockOf) => run(on(stores, clockOf)).catch(unless(...expected)) });
  const change = (...args: Parameters<typeof own.change>) =>
    work('change', (operations) => operations.change(...args));

  /** The works that a process can do. */
  const works = {
    list: (query: ListQuery, cache?: Parameters<typeof list>[1]): Work & { listed: () => unknown } => {
      let listed: unknown;
      return {
        name: 'list',
        listed: () => listed,
        run: async (stores) => {
          listed = await list(query, { ...cache, stores });
        },
      };
    },
    create: (...args: Parameters<typeof own.create>) =>
      work('create', (operations) => operations.create(...args), IdempotencyKeyReused),
    change,
    setStatus: (id: string, status: Status) => change(id, { status }),
    erase: (id: string) => work('erase', (operations) => operations.erase(id)),
    updateIndex: (options: IndexUpdateOptions = {}) =>
      work('index update', (operations) => operations.updateIndex(options), FencedOff, NewerTerms),
    rebuild: (limits?: typeof smallSteps) => work('rebuild', (operations) => operations.rebuild(limits)),
  };

  /** When each process began. */
  const began = new WeakMap<Process, number>();
  /** A process that is paused before its first call; its clock is off by so many milliseconds. */
  const begin = (work: Work, clockOffset = 0) => {
    const offset = isBounded ? Math.max(-clockErrorMs, Math.min(clockErrorMs, clockOffset)) : clockOffset;
    const process = new Process(work.name, backend).begin((stores) =>
      work.run(stores, () => new Date(clock.time + offset)),
    );
    began.set(process, clock.time);
    return process;
  };
  const isOld = (process: Process) => clock.time - (began.get(process) ?? clock.time) > slowestStepMs;
  /** Lets a late try arrive, unless it is lost. */
  const arrive = async (one?: LateTry) => {
    if (one && !(isBounded && clock.time - one.sentAt >= settledMs)) await one.arrive();
  };

  const memoryOf = (cache: Cache) => {
    if (cache instanceof ListMemory) return cache;
    if (cache === 'warm' || cache === 'other') return warm[cache];
    if (cache instanceof Map) return memoryWithHeads(cache);
    return memoryWithHeads(cache === 'old' && oldHead ? [[organization, oldHead]] : []);
  };

  const list = async (
    query: ListQuery,
    { cache = 'none', stores = backend }: { cache?: Cache; stores?: Backend } = {},
  ) => {
    const memory = memoryOf(cache);
    const { testimonials, total } = await listTestimonials(
      { ...stores, memory, clock: () => clock.time },
      organization,
      query,
    );
    const { head } = memory.get(organization);
    if (cache instanceof Map && head) cache.set(organization, head);
    return { testimonials, total };
  };
  /**
   * Updates the index as the index function does: repeats an update that was fenced off, and continues an
   * unfinished rebuild.
   */
  const updateOnce = async (options: IndexUpdateOptions = {}): Promise<IndexUpdateReport> => {
    for (let fencedOff = 0; ; fencedOff += 1) {
      try {
        return await own.updateIndex(options);
      } catch (error) {
        if (error instanceof NewerTerms) return nothingTakenUp;
        unless(FencedOff)(error);
        // Two that begin again at once fence each other off again.
        await wait(Math.random() * Math.min(2 ** fencedOff, 1000));
      }
    }
  };

  const bodies = new Map<string, TestimonialInput>();

  return {
    organization,
    backend,
    clock,
    now,
    on,
    works,
    begin,
    paused,
    list,
    updateIndex: updateOnce,
    /** The one body that an idempotency key stands for. */
    bodyOf(key: string | undefined, body: TestimonialInput): TestimonialInput {
      if (key === undefined) return body;
      const first = bodies.get(key) ?? body;
      bodies.set(key, first);
      return first;
    },

    create: async (...args: Parameters<typeof own.create>) => (await own.create(...args)).testimonial,
    /** These return whether anything was written. */
    erase: async (id: string) => (await own.erase(id)).kind === 'done',
    change: async (id: string, change: TestimonialChange) => (await own.change(id, change)).kind === 'done',
    setStatus: async (id: string, status: Status) => (await own.change(id, { status })).kind === 'done',
    nth,
    stored,
    /**
     * How many testimonials each cell of a summary counts, in all and before some times, as the index says
     * and as the table does.
     */
    async counts() {
      const all = await stored();
      const cellsOf = (counted: typeof all) =>
        cells.map((_, i) => counted.filter(({ testimonial }) => cellOf(testimonial) === i).length);
      const times = [...new Set(all.map(({ testimonial }) => Date.parse(testimonial.createdAt)))];
      // Each at the time of a testimonial or between two.
      const asked = times
        .filter((_, i) => i % Math.ceil(times.length / 12) === 0)
        .map((time, i) => time + (i % 2));
      const isBefore = (time: number) =>
        all.filter(({ testimonial }) => Date.parse(testimonial.createdAt) < time);
      return {
        found: await countTestimonials({ ...backend, memory: new ListMemory() }, organization, asked),
        expected: [all, ...asked.map(isBefore)].map(cellsOf),
      };
    },
    /** Counts the testimonials of each rating that match some filters, by the index and by the table. */
    async ratings(filters: readonly TestimonialFilter[]) {
      const all = (await stored()).map(({ testimonial }) => testimonial);
      const ratingsOf = (filter: TestimonialFilter) => {
        const matching = all.filter(matcherOf(filter));
        return [0, 1, 2, 3, 4, 5].map(
          (stars) => matching.filter(({ rating = 0 }) => rating === stars).length,
        );
      };
      return {
        found: await countRatings({ ...backend, memory: new ListMemory() }, organization, filters),
        expected: filters.map(ratingsOf),
      };
    },
    /** True if secondary indexes lag, so that lists may show an earlier version of a row. */
    lags: false,
    /** Expects a list to be right. */
    async expectRight(query: ListQuery, cache: Cache) {
      if (this.lags) return void (await list(query, { cache }));
      const expected = { query, ...oracle(await stored(), query) };
      assert.deepEqual({ query, ...(await list(query, { cache })) }, expected);
    },
    /** Returns the right list. */
    expected: async (query: ListQuery) => oracle(await stored(), query),
    advance(milliseconds: number) {
      clock.time += milliseconds;
    },
    /** Updates the index once everything written so far has settled. */
    updateSettled(options?: IndexUpdateOptions) {
      // The time of a change can be a millisecond or so ahead.
      clock.time += settledMs + 1000;
      return updateOnce(options);
    },

    /** Runs work for so many calls, or until it is about to make one, and keeps the rest paused. */
    async start(work: Work, clockOffset: number, calls: number | string) {
      const process = await runOn(begin(work, clockOffset), calls);
      if (!process.hasEnded) paused.push(process);
    },
    /** Continues a paused process for so many calls, or until it is about to make one. */
    async resume(number: number, calls: number | string) {
      const [process] = paused.splice(number % Math.max(paused.length, 1), 1);
      if (process && isBounded && isOld(process)) return void (await process.run());
      // Continues past the call before which it waits, because that may have the same name.
      await process?.run(1);
      if (process && !process.hasEnded && !(await runOn(process, calls)).hasEnded) paused.push(process);
    },
    kill(number: number) {
      paused.splice(number % Math.max(paused.length, 1), 1)[0]?.kill();
    },

    /** Lets one of the tries arrive that are still on their way. */
    async arrive(number: number) {
      await arrive(late.splice(number % Math.max(late.length, 1), 1)[0]);
    },
    /** Continues all paused processes to their end. */
    async resumeAll() {
      for (const each of paused.splice(0)) await each.run();
    },

    /** Replaces the head, as another process would. */
    async replaceHead(change: (head: IndexHead) => IndexHead) {
      const head = await backend.index.readHead(organization);
      if (head) await backend.index.replaceHead(organization, change(head));
    },
    /** Leaves a rebuild of another version, after so many calls. */
    async leaveRebuild(terms: string, calls: number) {
      const before = (await backend.index.readHead(organization))?.building;
      const process = await begin(works.rebuild()).run(calls);
      process.kill();
      await this.replaceHead((head) => {
        const { building } = head;
        if (!building || before?.generation === building.generation) return head;
        return { ...head, building: { ...building, terms, until: clock.time } };
      });
    },
    /** Rebuilds the index, and returns its head; undefined if nothing was ever indexed. */
    async rebuild() {
      const outcome = await own.rebuild();
      assert.notEqual(outcome.kind, 'held by another');
      return outcome.kind === 'switched' ? outcome.head : undefined;
    },
    async removeOldGenerations() {
      const head = await backend.index.readHead(organization);
      if (!head) return;
      const sleep = async (milliseconds: number) => {
        clock.time += milliseconds;
      };
      await removeOldGenerations(backend.index, organization, head, { sleep });
    },
    head: () => backend.index.readHead(organization),
    markers: async () => (await Array.fromAsync(backend.testimonials.changeMarkers(organization))).flat(),
    async rememberHead() {
      oldHead = await backend.index.readHead(organization);
    },
    /** Indexes everything and deletes all markers: then lists read only the postings. */
    async settle() {
      let report = await this.updateSettled();
      // Covered markers may be deleted by then.
      for (let indexUpdates = 0; report.hasMore && indexUpdates < 12; indexUpdates += 1) {
        clock.time += forgetAfterMs;
        report = await updateOnce();
      }
      return report;
    },
    /** Indexes everything that has settled, and deletes its markers as soon as allowed. */
    async forgetMarkers() {
      await this.updateSettled();
      clock.time += forgetAfterMs;
      await updateOnce();
    },
    /**
     * Ends paused processes, and indexes everything by any of the clocks used: no index update, marker or old
     * generation is left.
     */
    async settleForGood() {
      for (const each of paused.splice(0)) each.kill();
      for (const each of late.splice(0).reverse()) await arrive(each);
      const longestClockOffsetMs = 3 * 3_600_000;
      clock.time += longestClockOffsetMs;
      await this.settle();
      const report = await this.settle();
      assert.deepEqual({ hasMore: report.hasMore, lagMs: report.lagMs }, { hasMore: false, lagMs: 0 });
      assert.deepEqual(await this.markers(), []);
      await this.removeOldGenerations();
    },
    async differences() {
      const differences: (Difference | Misplaced)[] = misplaced(await stored());
      await verifyIndex({ ...backend, now }, organization, (difference) => differences.push(difference));
      return differences;
    },
  };
}

function runOn(process: Process, calls: number | string): Promise<Process> {
  return typeof calls === 'string' ? process.runUntil(calls) : process.run(calls);
}

function unless(...expected: (new (...args: never[]) => Error)[]) {
  return (error: unknown) => {
    if (!expected.some((each) => error instanceof each)) throw error;
  };
}
