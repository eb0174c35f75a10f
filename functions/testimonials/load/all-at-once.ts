/** Hides the testimonials of a load from lists, and shows all of them at once at the end. */
import { setTimeout as wait } from 'node:timers/promises';
import type { WorkCallbacks } from '../../domain/loads.ts';
import { type IndexDependencies, type IndexHead, noIndex } from '../list-index/index-store.ts';
import { beginRebuild } from '../list-index/write/acquire-rebuild.ts';
import { removeOldGenerations } from '../list-index/write/generations.ts';
import type { Indexing } from '../list-index/write/indexing.ts';
import type { LoadStart } from '../model/testimonial-store.ts';

export interface ShowDependencies extends IndexDependencies, Omit<WorkCallbacks, 'progress'> {
  /** Absent in a process that leaves rebuilds to the index function. */
  indexing?: Indexing | undefined;
  /** Called with the number of testimonials stored, and later with the number indexed. */
  progress: (done: number, phase: 'stored' | 'indexed') => void;
}

/** Returns a progress callback that knows the total and never reports more than the total. */
export function withTotal(progress: WorkCallbacks['progress'], count: number): ShowDependencies['progress'] {
  return (done, phase) => progress(Math.min(done, count), count, phase);
}

type Stores = Pick<IndexDependencies, 'testimonials' | 'index'>;

/**
 * True if an organization never had a testimonial, except those of this load.
 * @param load the id of this load, which may already have begun
 */
export async function isFirstLoad({ testimonials, index }: Stores, organization: string, load: string) {
  const head = await index.readHead(organization);
  if (head) return head.load === load && (await testimonials.readCounter(organization))?.load === load;
  return hasNone(testimonials, organization);
}

/**
 * Returns the counter of an organization if all of its testimonials are erased and the index has passed every
 * reserved position. No unfinished create can then still arrive.
 */
export async function counterIfErased({ testimonials, index }: Stores, organization: string) {
  // Read first, because a later change raises the counter.
  const counter = await testimonials.readCounter(organization);
  const head = await index.readHead(organization);
  if (!counter || !head || head.load !== undefined || head.indexed <= counter.ordinal) return undefined;
  return (await hasNone(testimonials, organization)) ? counter : undefined;
}

async function hasNone(testimonials: Stores['testimonials'], organization: string): Promise<boolean> {
  // Erased testimonials leave items behind, which pages omit.
  for await (const page of testimonials.from(organization, 0)) if (page.length > 0) return false;
  return true;
}

/**
 * Begins or continues a load into an organization that never had a testimonial. The load owns all positions
 * up to its last, on both axes. The index head moves past them first, so the load can fill them in any order
 * and by several processes, and lists hide them until `showLoad`.
 * @returns false if the organization had testimonials, or has another load
 */
export async function hideFirstLoad({ testimonials, index }: Stores, organization: string, first: LoadStart) {
  if (!(await testimonials.beginCounting(organization, first))) return false;
  const head = await index.readHead(organization);
  if (head) return head.load === first.load;
  const next = first.last + 1;
  const headBehindLoad = { ...noIndex, indexed: next, updated: next, load: first.load };
  if (await index.replaceHead(organization, headBehindLoad)) return true;
  return (await index.readHead(organization))?.load === first.load;
}

/**
 * Hides a load: lists do not show it until `showLoad`. Finishes any running rebuild first, because it would
 * expose part of the load.
 * @returns false if another load is hidden
 */
export async function hideLoad(deps: ShowDependencies, organization: string, load: string): Promise<boolean> {
  const { index } = deps;
  for (;;) {
    const head = await index.readHead(organization);
    if (head?.load !== undefined) return head.load === load;
    if (head?.building) await rebuildWhenFree(deps, organization);
    else if (await index.replaceHead(organization, { ...(head ?? noIndex), load })) return true;
  }
}

/** Records in the head that a load or its undo has ended, and that this load is no longer hidden. */
export async function recordEnd({ index }: Stores, organization: string, load: string): Promise<void> {
  for (;;) {
    const { load: hidden, ...head } = (await index.readHead(organization)) ?? noIndex;
    const otherHidden = hidden !== undefined && hidden !== load && { load: hidden };
    const next = { ...head, ...otherHidden, imports: (head.imports ?? 0) + 1 };
    if (await index.replaceHead(organization, next)) return;
  }
}

/** Returns the first generation that is certain to contain everything stored so far. */
export async function generationAfter({ index }: Stores, organization: string): Promise<number> {
  const { generation, building } = (await index.readHead(organization)) ?? noIndex;
  return Math.max(generation, building?.generation ?? 0) + 1;
}

/**
 * Builds the index, so that lists show all testimonials of a load at once.
 * @param generation the first that contains all of them, by default the first that is certain to contain
 * everything stored so far
 */
export async function showLoad(deps: ShowDependencies, organization: string, generation?: number) {
  const { index, sleep = wait } = deps;
  const complete = generation ?? (await generationAfter(deps, organization));
  let head = await index.readHead(organization);
  while (head && head.generation < complete) head = await rebuildWhenFree(deps, organization);
  // The index function removes them as well.
  if (!deps.indexing) return;
  await removeOldGenerations(index, organization, head ?? noIndex, { sleep });
}

// The time between two attempts to rebuild while another process does.
const retryMs = 1000;

/** Rebuilds the index, or finishes an abandoned rebuild, once no other process is working on it. */
async function rebuildWhenFree(deps: ShowDependencies, organization: string): Promise<IndexHead | undefined> {
  const { progress, onOtherRebuild = () => {}, sleep = wait, runStoppable = runToEnd, indexing } = deps;
  if (!indexing) {
    progress(0, 'indexed');
    const head = await deps.index.readHead(organization);
    if (!head?.building) await beginRebuild(deps, organization);
    await sleep(retryMs);
    return deps.index.readHead(organization);
  }
  const indexed = (testimonials: number) => progress(testimonials, 'indexed');
  for (let isFirst = true; ; isFirst = false) {
    progress(0, 'indexed');
    const outcome = await runStoppable((signal) =>
      indexing.rebuild(deps, organization, { progress: indexed, signal }),
    );
    // A rebuild that was stopped never gets here, because `runStoppable` rejects.
    if (outcome.kind === 'switched') return outcome.head;
    if (outcome.kind === 'nothing') return undefined;
    // A killed rebuild counts as abandoned only after a while, and a running one may have begun before the
    // load ended.
    if (isFirst) onOtherRebuild();
    await sleep(retryMs);
  }
}

/** Runs work without stopping it at a signal. */
export function runToEnd<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  return work(new AbortController().signal);
}
