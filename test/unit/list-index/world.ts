/** A service in memory with a clock of its own, on which a generated history is played. */
import { changeStatus } from '../../../functions/domain/change-status.ts';
import { createTestimonial } from '../../../functions/domain/create-testimonial.ts';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import type { Status, TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { type FoldStep, foldStep, forgetAfterMs, forgetCovered } from '../../../functions/list-index/fold.ts';
import type { IndexHead } from '../../../functions/list-index/index-store.ts';
import { listTestimonials } from '../../../functions/list-index/list-testimonials.ts';
import { rebuildIndex, removeOldGenerations } from '../../../functions/list-index/rebuild.ts';
import { verifyIndex } from '../../../functions/list-index/verify.ts';
import { inMemoryIndex } from '../../in-memory-index.ts';
import { inMemoryStores } from '../../in-memory-stores.ts';
import { oracle } from './oracle.ts';

const organization = 'acme';

// Secondary indexes trail the table by less than what a fold waits beyond the time of a function.
const longestLagMs = 5000;

export type World = ReturnType<typeof createWorld>;

/** @param lastOrdinal where the counter stands, to play beside the border of a chunk */
export function createWorld(lastOrdinal: number) {
  const stores = inMemoryStores(lastOrdinal);
  const memory = inMemoryIndex(stores.testimonials);
  const { testimonials, idempotencyKeys } = stores;
  const { index } = memory;
  let clock = Date.parse('2026-01-15T10:00:00.000Z');
  let frozenAt: number | undefined;
  let randomState = 1;
  let lastKey = 0;
  const unfinished: { key: string; input: TestimonialInput; at: number }[] = [];
  const toForget: { step: FoldStep; at: number }[] = [];
  const heads = new Map<string, IndexHead>();
  let oldHead: IndexHead | undefined;

  const now = () => new Date(clock);
  const deps = { testimonials, idempotencyKeys, index, now, randomInt: pseudoRandom };
  function pseudoRandom(min: number, max: number): number {
    randomState = (randomState * 48_271) % 2_147_483_647;
    return min + (randomState % (max - min));
  }

  const fold = async (limit: number) => {
    const step = await foldStep(deps, organization, limit);
    if (step.covered.length > 0) toForget.push({ step, at: clock + forgetAfterMs });
  };
  /** Lets the n-th write from now on fail, as when the process dies there. */
  const dyingAfter = async (writes: number, work: () => Promise<unknown>) => {
    let left = writes;
    memory.beforeWrite = () => {
      left -= 1;
      if (left < 0) throw new Error('the process died');
    };
    await work().catch(unless((error) => error.message === 'the process died' || isOvertaken(error)));
    memory.beforeWrite = () => {};
  };

  return {
    stored: () => stores.stored(organization),
    create: (input: TestimonialInput) => createTestimonial(deps, { organization, input }),
    takeOrdinalOnly: () => testimonials.takeOrdinal(organization, now()),
    /** A create that stops between its key and its testimonial. */
    async createHalf(input: TestimonialInput) {
      lastKey += 1;
      const key = String(lastKey);
      const insert = () => Promise.reject(new Error('the process died'));
      const dying = { ...deps, testimonials: { ...testimonials, insert } };
      await createTestimonial(dying, { organization, input, idempotencyKey: key }).catch(() => {});
      unfinished.push({ key, input, at: clock });
    },
    /** Its repetition, which fills the hole. */
    async finishOldest() {
      const [oldest] = unfinished.splice(0, 1);
      if (!oldest) return;
      await createTestimonial(deps, { organization, input: oldest.input, idempotencyKey: oldest.key });
    },
    async setStatus(nth: number, status: Status) {
      const all = stores.stored(organization);
      const chosen = all[nth % Math.max(all.length, 1)];
      if (chosen) await changeStatus(deps, organization, chosen.id, status);
    },
    advance(milliseconds: number) {
      clock += milliseconds;
      if (frozenAt !== undefined && clock - frozenAt > longestLagMs) {
        frozenAt = undefined;
        stores.thawIndexes();
      }
    },
    /** The secondary indexes stand still, until time goes on. */
    freezeIndexes() {
      frozenAt ??= clock;
      stores.freezeIndexes();
    },
    fold,
    foldTwiceAtOnce: (limit: number) => Promise.all([fold(limit), fold(limit)]),
    foldDying: (limit: number, writes: number) => dyingAfter(writes, () => fold(limit)),
    async forgetDue() {
      for (const each of toForget.filter(({ at }) => at <= clock)) {
        await forgetCovered(deps, organization, each.step);
        toForget.splice(toForget.indexOf(each), 1);
      }
    },
    async rebuild() {
      await rebuildIndex(deps, organization, () => {}).catch(unless(isOvertaken));
    },
    async rebuildWith(during: () => Promise<unknown>) {
      await Promise.all([this.rebuild(), during()]);
    },
    rebuildDying: (writes: number) => dyingAfter(writes, () => rebuildIndex(deps, organization, () => {})),
    async removeOldGenerations() {
      const head = await index.readHead(organization);
      if (head) await removeOldGenerations(deps, organization, head.generation, async () => {});
    },
    async rememberHead() {
      oldHead = await index.readHead(organization);
    },
    /** Lists with a head met now, before, or long ago, and with what the oracle says beside it. */
    async list(query: ListQuery, cache: 'none' | 'warm' | 'stale') {
      const known = {
        none: new Map(),
        warm: heads,
        stale: oldHead ? new Map([[organization, oldHead]]) : heads,
      };
      const { testimonials: rows, total } = await listTestimonials(
        { testimonials, index, heads: known[cache] },
        organization,
        query,
      );
      return { listed: { testimonials: rows, total }, expected: oracle(stores.stored(organization), query) };
    },
    async differences() {
      const found: unknown[] = [];
      await verifyIndex(deps, organization, (difference) => found.push(difference));
      return found;
    },
  };
}

function unless(expected: (error: Error) => boolean) {
  return (error: unknown) => {
    if (!(error instanceof Error && expected(error))) throw error;
  };
}

function isOvertaken(error: Error): boolean {
  return error.name === 'RebuildOvertaken';
}
