/** Storing many testimonials at once, and seeing to it that lists cost afterwards what they should. */
import { setTimeout as wait } from 'node:timers/promises';
import { type IndexHead, noIndex } from '../../../functions/list-index/index-store.ts';
import { isBehind } from '../../../functions/list-index/waiting.ts';
import type { FoldDependencies, FoldOptions } from '../../../functions/list-index/write/fold.ts';
import { removeOldGenerations } from '../../../functions/list-index/write/generations.ts';
import { keepIndex } from '../../../functions/list-index/write/keep-index.ts';
import { FencedOff } from '../../../functions/list-index/write/posting-edits.ts';
import { RebuildSuperseded, rebuildIndex } from '../../../functions/list-index/write/rebuild.ts';
import { batchingWindowMs, foldTurnMs } from '../../../functions/timing.ts';

export interface LoadDependencies extends FoldDependencies {
  /** Told how many testimonials are stored, and then how many of them are indexed. */
  progress: (done: number, step: 'stored' | 'indexed') => void;
  /** Told once when somebody else's rebuild has to end first. */
  waiting?: () => void;
  sleep?: ((milliseconds: number) => Promise<unknown>) | undefined;
}

/** Whether nothing was ever stored for an organization, but for a load that has not ended. */
export async function isEmpty(
  { testimonials, index }: Pick<FoldDependencies, 'testimonials' | 'index'>,
  organization: string,
): Promise<boolean> {
  const head = await index.readHead(organization);
  if (head) return head.isLoading === true;
  for await (const page of testimonials.from(organization, 0, { limit: 1 }))
    if (page.length > 0) return false;
  return true;
}

/**
 * Begins a load into an organization that never had a testimonial, or goes on with it. The places from 1 to `last` are
 * its own, in both orders, and the list index passes them before they are taken: they can be filled in any order and by
 * several tries, and lists do not have them before `endLoad`.
 * @param name of the load: no other one gets its places
 * @param time of the load, ISO 8601: no testimonial is created earlier from then on
 * @returns false when the organization had testimonials, or has another load
 */
export async function beginLoad(
  { testimonials, index }: Pick<FoldDependencies, 'testimonials' | 'index'>,
  organization: string,
  { last, time, name }: { last: number; time: string; name: string },
): Promise<boolean> {
  if (!(await testimonials.beginCounting(organization, last, time, name))) return false;
  const head = await index.readHead(organization);
  if (head) return head.isLoading === true;
  const passed = { ...noIndex, indexed: last + 1, updated: last + 1, isLoading: true };
  if (await index.replaceHead(organization, passed)) return true;
  return (await index.readHead(organization))?.isLoading === true;
}

/** Marks an organization whose load goes on: what it stores is in no list before `endLoad`. */
export async function markLoading(
  { index }: Pick<FoldDependencies, 'index'>,
  organization: string,
): Promise<void> {
  for (;;) {
    const head = await index.readHead(organization);
    if (!head || head.isLoading) return;
    if (await index.replaceHead(organization, { ...head, isLoading: true })) return;
  }
}

/** Shows what a load has stored, all at once: the index is built, and lists have it. */
export async function endLoad(deps: LoadDependencies, organization: string): Promise<void> {
  const { index, progress, waiting = () => {}, sleep = wait } = deps;
  let isWaiting = false;
  for (let head: IndexHead | undefined; !head; ) {
    progress(0, 'indexed');
    try {
      head = await rebuildIndex(deps, organization, (testimonials) => progress(testimonials, 'indexed'));
      // What the index function made of creates meanwhile.
      await removeOldGenerations(index, organization, head ?? noIndex, sleep);
    } catch (error) {
      if (!(error instanceof RebuildSuperseded)) throw error;
      // One that was stopped just now counts as given up after a while; one that runs may have begun too early.
      if (!isWaiting) waiting();
      isWaiting = true;
      await sleep(lookMs);
    }
  }
}

// Between two looks at how far the index function is.
const lookMs = 1000;
// Within that time it shows life, if there is one: a batching window, a turn, and the step after.
const indexFunctionMs = 2 * batchingWindowMs + foldTurnMs;

// More testimonials than that do not wait in the tail: they are worth an update of the index.
const mostWaiting = 100;

/**
 * Waits until of the testimonials from one place to another no more are beside the index than may wait there; folds them
 * itself where nobody else does.
 */
export async function awaitIndex(
  deps: LoadDependencies,
  organization: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const { index, progress, sleep = wait } = deps;
  let head = await index.readHead(organization);
  const isLeft = async () => {
    const { indexed } = head ?? noIndex;
    if (to - indexed >= mostWaiting) return true;
    return to >= indexed && isBehind(await index.readRecent(organization, indexed));
  };
  for (let quietMs = 0; await isLeft(); quietMs += lookMs) {
    await sleep(lookMs);
    if (quietMs >= indexFunctionMs) await foldBeside(deps, organization);
    const current = await index.readHead(organization);
    if (!current || current.revision === head?.revision) continue;
    if (current.indexed !== head?.indexed) progress(Math.max(0, current.indexed - from), 'indexed');
    head = current;
    quietMs = 0;
  }
}

/** Does what the index function does, which may be at it. */
export async function foldBeside(
  deps: FoldDependencies,
  organization: string,
  options?: FoldOptions,
): Promise<void> {
  await keepIndex(deps, organization, options).catch((error: unknown) => {
    if (!(error instanceof FencedOff)) throw error;
  });
}

/** Calls `progress` with a count that each call of the result raises. */
export function counting(progress: LoadDependencies['progress']): () => void {
  let stored = 0;
  return () => {
    stored += 1;
    progress(stored, 'stored');
  };
}
