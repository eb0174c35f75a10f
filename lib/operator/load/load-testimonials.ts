/** Storing many testimonials at once, and seeing to it that lists cost afterwards what they should. */
import { setTimeout as wait } from 'node:timers/promises';
import type { CounterValue, LoadStart } from '../../../functions/domain/stores.ts';
import {
  type IndexDependencies,
  type IndexHead,
  noIndex,
} from '../../../functions/list-index/index-store.ts';
import { isBehind } from '../../../functions/list-index/update-due.ts';
import { removeOldGenerations } from '../../../functions/list-index/write/generations.ts';
import { FencedOff } from '../../../functions/list-index/write/posting-edits.ts';
import { RebuildSuperseded, rebuildIndex } from '../../../functions/list-index/write/rebuild.ts';
import { keepIndex } from '../../../functions/list-index/write/update-index.ts';
import type { IndexUpdateOptions } from '../../../functions/list-index/write/update-step.ts';
import { batchingWindowMs, indexTurnMs } from '../../../functions/timing.ts';

export interface LoadDependencies extends IndexDependencies {
  /** Told how many testimonials are stored, and then how many of them are indexed. */
  progress: (done: number, step: 'stored' | 'indexed') => void;
  /** Told once when somebody else's rebuild has to end first. */
  waiting?: () => void;
  sleep?: ((milliseconds: number) => Promise<unknown>) | undefined;
  /** Does work that whoever stops the program lets come to an end; its signal aborts then. */
  letEnd?: <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;
}

type Stores = Pick<IndexDependencies, 'testimonials' | 'index'>;

/**
 * Whether nothing was ever stored for an organization.
 * @param load that may have begun, and is nothing yet
 */
export async function isEmpty(
  { testimonials, index }: Stores,
  organization: string,
  load: string,
): Promise<boolean> {
  const head = await index.readHead(organization);
  if (head) return head.load === load && (await testimonials.readCounter(organization))?.load === load;
  for await (const page of testimonials.from(organization, 0, { limit: 1 }))
    if (page.length > 0) return false;
  return true;
}

/**
 * What was counted for an organization where all that was ever stored is erased, and nothing that was begun can arrive: the index
 * has passed every place that was given. Undefined where there is something, or may be.
 */
export async function emptied(
  { testimonials, index }: Stores,
  organization: string,
): Promise<CounterValue | undefined> {
  // What changes from here on is counted.
  const counted = await testimonials.readCounter(organization);
  const head = await index.readHead(organization);
  if (!counted || !head || head.load !== undefined || head.indexed <= counted.ordinal) return undefined;
  for await (const page of testimonials.from(organization, 0, { limit: pageLength }))
    if (page.length > 0) return undefined;
  return counted;
}

// Places read at once: any may be those of erased testimonials.
const pageLength = 1000;

/**
 * Begins a load into an organization that never had a testimonial, or goes on with it. The places up to its last are
 * its own, in both orders, and the list index passes them before they are taken: they can be filled in any order and by
 * several tries, and lists do not have them before `endLoad`.
 * @returns false when the organization had testimonials, or has another load
 */
export async function beginLoad(
  { testimonials, index }: Stores,
  organization: string,
  first: LoadStart,
): Promise<boolean> {
  if (!(await testimonials.beginCounting(organization, first))) return false;
  const head = await index.readHead(organization);
  if (head) return head.load === first.load;
  const next = first.last + 1;
  const passed = { ...noIndex, indexed: next, updated: next, load: first.load };
  if (await index.replaceHead(organization, passed)) return true;
  return (await index.readHead(organization))?.load === first.load;
}

/**
 * Marks an organization whose load stores testimonials that are in no list before `endLoad`. It waits for a rebuild that is
 * under way, which would show a part of them.
 * @returns false when another load has marked it
 */
export async function markLoad(deps: LoadDependencies, organization: string, load: string): Promise<boolean> {
  const { index } = deps;
  for (;;) {
    const head = await index.readHead(organization);
    if (head?.load !== undefined) return head.load === load;
    if (head?.building) await rebuildWhenFree(deps, organization);
    else if (await index.replaceHead(organization, { ...(head ?? noIndex), load })) return true;
  }
}

/** Notes in the head that an import or its undo has ended, and takes the import's mark away. */
export async function noteEnd({ index }: Stores, organization: string, load: string): Promise<void> {
  for (;;) {
    const { load: marked, ...head } = (await index.readHead(organization)) ?? noIndex;
    const others = marked === undefined || marked === load ? {} : { load: marked };
    const next = { ...head, ...others, imports: (head.imports ?? 0) + 1 };
    if (await index.replaceHead(organization, next)) return;
  }
}

/** The number of a generation that has all that is stored by now: none before was begun late enough. */
export async function generationAfter({ index }: Stores, organization: string): Promise<number> {
  const { generation, building } = (await index.readHead(organization)) ?? noIndex;
  return Math.max(generation, building?.generation ?? 0) + 1;
}

/**
 * Shows what a load has stored, all at once: the index is built, and lists have it.
 * @param generation the first that has all of it
 */
export async function endLoad(
  deps: LoadDependencies,
  organization: string,
  generation: number,
): Promise<void> {
  const { index, sleep = wait } = deps;
  let head = await index.readHead(organization);
  while (head && head.generation < generation) head = await rebuildWhenFree(deps, organization);
  // What the index function made of creates meanwhile.
  await removeOldGenerations(index, organization, head ?? noIndex, sleep);
}

/** Rebuilds, or ends the rebuild that was left, once nobody else is at one. */
async function rebuildWhenFree(deps: LoadDependencies, organization: string): Promise<IndexHead | undefined> {
  const { progress, waiting = () => {}, sleep = wait, letEnd = untilItsEnd } = deps;
  const indexed = (testimonials: number) => progress(testimonials, 'indexed');
  for (let isWaiting = false; ; isWaiting = true) {
    progress(0, 'indexed');
    try {
      return await letEnd((signal) => rebuildIndex(deps, organization, { progress: indexed, signal }));
    } catch (error) {
      if (!(error instanceof RebuildSuperseded)) throw error;
      // One that was killed just now counts as given up after a while; one that runs may have begun too early.
      if (!isWaiting) waiting();
      await sleep(lookMs);
    }
  }
}

/** Nobody stops it. */
export function untilItsEnd<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  return work(new AbortController().signal);
}

// Between two looks at how far the index function is.
const lookMs = 1000;
// Within that time it shows life, if there is one: a batching window, a turn, and the step after.
const indexFunctionMs = 2 * batchingWindowMs + indexTurnMs;

// More testimonials than that do not wait in the tail: they are worth an update of the index.
const mostWaiting = 100;

/**
 * Waits until of the testimonials at some places no more are beside the index than may wait there; updates the index itself where
 * nobody else does.
 * @param blocks of places, in no order
 */
export async function awaitIndex(
  deps: LoadDependencies,
  organization: string,
  blocks: readonly { ordinal: number; count: number }[],
): Promise<void> {
  const from = Math.min(...blocks.map(({ ordinal }) => ordinal));
  const to = Math.max(...blocks.map(({ ordinal, count }) => ordinal + count - 1));
  await whileBehind(deps, organization, async (head) => {
    if (head.indexed > from) deps.progress(head.indexed - from, 'indexed');
    return isWaiting(deps, organization, head, to);
  });
}

/** Waits while an index is behind; updates it where nobody else does. */
export async function whileBehind(
  deps: IndexDependencies & Pick<LoadDependencies, 'sleep'>,
  organization: string,
  isBehind: (head: IndexHead) => Promise<boolean>,
): Promise<void> {
  const { index, sleep = wait } = deps;
  let head = await index.readHead(organization);
  for (let quietMs = 0; await isBehind(head ?? noIndex); quietMs += lookMs) {
    await sleep(lookMs);
    if (quietMs >= indexFunctionMs) await updateIndexBeside(deps, organization);
    const current = await index.readHead(organization);
    if (!current || current.revision === head?.revision) continue;
    head = current;
    quietMs = 0;
  }
}

/** Whether more testimonials up to a place are beside the index than may wait there. Places that are free do not count. */
async function isWaiting(
  { testimonials, index }: LoadDependencies,
  organization: string,
  { indexed }: Pick<IndexHead, 'indexed'>,
  to: number,
): Promise<boolean> {
  if (to < indexed) return false;
  let waiting = 0;
  for await (const page of testimonials.from(organization, indexed, { limit: mostWaiting })) {
    waiting += page.filter(({ ordinal }) => ordinal <= to).length;
    if (waiting >= mostWaiting) return true;
    if (page.some(({ ordinal }) => ordinal > to)) break;
  }
  return isBehind(await index.readRecent(organization, indexed));
}

/** Does what the index function does, which may be at it. */
export async function updateIndexBeside(
  deps: IndexDependencies,
  organization: string,
  options?: IndexUpdateOptions,
): Promise<void> {
  await keepIndex(deps, organization, options).catch((error: unknown) => {
    if (!(error instanceof FencedOff)) throw error;
  });
}
