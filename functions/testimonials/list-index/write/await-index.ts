/** Waits for the list index to catch up with many creates or changes, so that lists stay cheap. */
import { setTimeout as wait } from 'node:timers/promises';
import { batchingWindowMs, indexTurnMs } from '../../../timing.ts';
import { type IndexDependencies, noIndex } from '../index-store.ts';
import { isBehind } from '../update-due.ts';
import type { Indexing } from './indexing.ts';

// The time between two reads of the index head.
const checkMs = 1000;
// A running index function changes the head within two batching windows and one turn.
const indexFunctionMs = 2 * batchingWindowMs + indexTurnMs;

// A tail of this length is always worth an index update.
const longTail = 100;

interface WaitDependencies extends IndexDependencies {
  sleep?: ((milliseconds: number) => Promise<unknown>) | undefined;
  /** Absent in a process that leaves updates to the index function. */
  indexing?: Indexing | undefined;
}

interface AwaitDependencies extends WaitDependencies {
  /** Called with the number of testimonials indexed. */
  progress: (done: number, step: 'indexed') => void;
}

/**
 * Waits until the tail that contains these positions is too short for an index update. If no index function
 * runs, it updates the index itself if it may.
 * @param blocks of positions, in any order
 */
export async function awaitIndex(
  deps: AwaitDependencies,
  organization: string,
  blocks: readonly { ordinal: number; count: number }[],
): Promise<void> {
  const { testimonials, index } = deps;
  const from = Math.min(...blocks.map(({ ordinal }) => ordinal));
  const to = Math.max(...blocks.map(({ ordinal, count }) => ordinal + count - 1));
  await whileBehind(deps, organization, async (indexed) => {
    if (indexed > from) deps.progress(indexed - from, 'indexed');
    if (to < indexed) return false;
    const tail = testimonials.from(organization, indexed, { limit: longTail });
    const { value: page = [] } = await tail.next();
    return page.length >= longTail || isBehind(await index.readRecent(organization, indexed));
  });
}

/** Waits while an index is behind. If no index function runs, it updates the index itself if it may. */
async function whileBehind(
  deps: WaitDependencies,
  organization: string,
  isIndexBehind: (indexed: number) => Promise<boolean>,
): Promise<void> {
  const { index, sleep = wait, indexing } = deps;
  let head = await index.readHead(organization);
  for (let quietMs = 0; await isIndexBehind((head ?? noIndex).indexed); quietMs += checkMs) {
    await sleep(checkMs);
    if (quietMs >= indexFunctionMs) await indexing?.update(deps, organization);
    const current = await index.readHead(organization);
    if (!current || current.revision === head?.revision) continue;
    head = current;
    quietMs = 0;
  }
}

/**
 * A command pauses above this number of change markers. That many markers without texts fit into one page of
 * a query, 1 MB.
 */
export const maxOutstanding = 4000;

// A check reads the markers of all outstanding changes, so it must not follow each change.
const changesPerCheck = 250;

export interface PaceDependencies extends WaitDependencies {
  /** Called with the number of change markers, at each check during a pause. */
  progress: (outstanding: number, total: 0, step: 'pacing') => void;
}

/**
 * Returns a function to await before each block of changes; it takes their number. If there are more change
 * markers than `maxOutstanding`, it waits until at most half as many are left.
 */
export function paceOf(deps: PaceDependencies, organization: string): (changes: number) => Promise<void> {
  const letIndexCatchUp = async () => {
    let limit = maxOutstanding;
    await whileBehind(deps, organization, async () => {
      let outstanding = 0;
      for await (const page of deps.testimonials.changeMarkers(organization)) outstanding += page.length;
      if (outstanding <= limit) return false;
      limit = maxOutstanding / 2;
      deps.progress(outstanding, 0, 'pacing');
      return true;
    });
  };
  let started = 0;
  let nextCheck = 0;
  let isFree = Promise.resolve();
  return (changes) => {
    if (started >= nextCheck) {
      isFree = isFree.then(letIndexCatchUp);
      nextCheck = started + changesPerCheck;
    }
    started += changes;
    return isFree;
  };
}
