/** Doing erasures again on a table that was restored from a backup: what was erased since is back in it. */
import { forEachAtOnce } from '../../../functions/concurrency.ts';
import type { IndexDependencies } from '../../../functions/list-index/write/update-index.ts';
import type { Erased } from '../../../functions/operations/attempts.ts';
import { eraseTestimonial } from '../../../functions/operations/erase-testimonial.ts';
import { paceOf } from '../load/pace.ts';
import { awaitErased } from './await-erased.ts';
import type { Erasures } from './read-erasures.ts';

export interface ReplayDependencies extends IndexDependencies {
  sleep?: ((milliseconds: number) => Promise<unknown>) | undefined;
  /**
   * Told how many testimonials are done, then how many organizations have no word of them any more; while it waits, how many changes
   * are outstanding.
   */
  progress: (done: number, total: number, step: 'erased' | 'cleared' | 'pacing') => void;
}

export interface Replayed {
  organization: string;
  id: string;
  /** `already`: the backup was made after the erasure, or this was run before. `absent`: it was made before the create. */
  outcome: Erased['kind'];
}

/**
 * Erases what is there of some testimonials, then sees each of their organizations through. It can be stopped anywhere, and
 * be repeated.
 */
export async function replayErasures(deps: ReplayDependencies, erasures: Erasures): Promise<Replayed[]> {
  const { progress } = deps;
  const all = [...erasures].flatMap(([organization, ids]) => {
    const pace = paceOf(deps, organization);
    return Array.from(ids, (id) => ({ organization, id, pace }));
  });
  const replayed: Replayed[] = [];
  await forEachAtOnce(all, async ({ organization, id, pace }) => {
    await pace();
    const { kind } = await eraseTestimonial(deps, organization, id);
    replayed.push({ organization, id, outcome: kind });
    progress(replayed.length, all.length, 'erased');
  });
  let cleared = 0;
  await forEachAtOnce(erasures.keys(), async (organization) => {
    await awaitErased(deps, organization, deps.sleep);
    cleared += 1;
    progress(cleared, erasures.size, 'cleared');
  });
  return replayed;
}
