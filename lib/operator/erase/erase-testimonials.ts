/** Erases testimonials, including all of their words in the table. Each step may be stopped and repeated. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Erased } from '../../../functions/domain/outcomes.ts';
import { type IndexDependencies, noIndex } from '../../../functions/testimonials/list-index/index-store.ts';
import {
  type PaceDependencies,
  paceOf,
  updateIndexAlongside,
} from '../../../functions/testimonials/list-index/write/await-index.ts';
import {
  oldGenerations,
  removeOldGenerations,
} from '../../../functions/testimonials/list-index/write/generations.ts';
import { eraseEach, eraseTestimonial } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { forEachAtOnce } from '../../../functions/timing.ts';
import type { Erasures } from './read-erasures.ts';

interface EraseDependencies extends IndexDependencies {
  sleep?: PaceDependencies['sleep'];
  progress: (done: number, total: number, step: 'erased' | 'cleared' | 'pacing') => void;
}

/**
 * Erases testimonials by their ids. Their words stay in the list index until `removeWords`.
 * @returns the ids by outcome; those in `unread` are also in `done`
 */
export async function eraseByIds(deps: EraseDependencies, organization: string, ids: readonly string[]) {
  const unread: string[] = [];
  const named = ids.map((id) => ({ id }));
  const { done, already, absent } = await eraseEach(deps, organization, named, {
    pace: paceOf(deps, organization),
    onOutcome: (tally, id, outcome) => {
      deps.progress(tally.done.length + tally.already.length, ids.length, 'erased');
      if (outcome.kind === 'done' && !outcome.before) unread.push(id);
    },
  });
  return { done, already, absent, unread };
}

export interface Replayed {
  organization: string;
  id: string;
  /** `already`: the backup is younger than the erasure. `absent`: it is older than the testimonial. */
  outcome: Erased['kind'];
}

/** Erases testimonials of several organizations again, after a restore, and removes their words. */
export async function replayErasures(deps: EraseDependencies, erasures: Erasures): Promise<Replayed[]> {
  const { progress } = deps;
  const all = [...erasures].flatMap(([organization, ids]) => {
    const pace = paceOf(deps, organization);
    return Array.from(ids, (id) => ({ organization, id, pace }));
  });
  const replayed: Replayed[] = [];
  await forEachAtOnce(all, async ({ organization, id, pace }) => {
    await pace(1);
    const { kind } = await eraseTestimonial(deps, organization, id);
    replayed.push({ organization, id, outcome: kind });
    progress(replayed.length, all.length, 'erased');
  });
  let cleared = 0;
  await forEachAtOnce(erasures.keys(), async (organization) => {
    await removeWords(deps, organization, deps.sleep);
    cleared += 1;
    progress(cleared, erasures.size, 'cleared');
  });
  return replayed;
}

// An index update handles only settled erasures, so the next one may be ready any second.
const updateEveryMs = 1000;

/**
 * Updates the index until it contains no word of an erased testimonial, then removes old generations. Also
 * finishes an abandoned rebuild. The index function does the same in the background.
 */
export async function removeWords(
  deps: IndexDependencies,
  organization: string,
  sleep: (milliseconds: number) => Promise<unknown> = wait,
): Promise<void> {
  while (await hasErasureTexts(deps, organization)) {
    await sleep(updateEveryMs);
    await updateIndexAlongside(deps, organization);
  }
  const head = (await deps.index.readHead(organization)) ?? noIndex;
  await removeOldGenerations(deps.index, organization, head, sleep);
}

/** True if `removeWords` has something to do. */
export async function leavesWords(deps: IndexDependencies, organization: string): Promise<boolean> {
  if (await hasErasureTexts(deps, organization)) return true;
  const head = (await deps.index.readHead(organization)) ?? noIndex;
  return (await oldGenerations(deps.index, organization, head)).length > 0;
}

async function hasErasureTexts({ testimonials }: IndexDependencies, organization: string): Promise<boolean> {
  for await (const page of testimonials.erasureTexts(organization)) if (page.length > 0) return true;
  return false;
}
