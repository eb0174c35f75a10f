/** Erases testimonials by ids, or again from a log. Each step can be stopped and repeated. */
import { setTimeout as wait } from 'node:timers/promises';
import { forEachAtOnce } from '../../../functions/concurrency.ts';
import type { EraseOutcome } from '../../../functions/domain/outcomes.ts';
import type { OpenChanges } from '../../../functions/testimonials/changes.ts';
import type { ListChanges } from '../../../functions/testimonials/list-changes.ts';
import type { Maintenance, OpenMaintenance } from '../../../functions/testimonials/maintenance.ts';
import type { Erasures } from './read-erasures.ts';

interface ErasureCallbacks {
  sleep?: ((milliseconds: number) => Promise<unknown>) | undefined;
  progress: (done: number, total: number, step: 'erased' | 'cleared' | 'pacing') => void;
}

/** Returns the pace of many erasures in an organization. */
function paceOfErasures(maintenance: Maintenance, { sleep, progress }: ErasureCallbacks) {
  return maintenance.pace({ sleep, onWait: (outstanding) => progress(outstanding, 0, 'pacing') });
}

/**
 * Erases testimonials by their ids. Their words stay in the list index until `awaitWordRemoval` removes them.
 * @returns the ids by outcome; those in `unreadable` are also in `done`
 */
export async function eraseByIds(
  { listChanges, maintenance }: { listChanges: ListChanges; maintenance: Maintenance },
  ids: readonly string[],
  callbacks: ErasureCallbacks,
) {
  const unreadable: string[] = [];
  const named = ids.map((id) => ({ id }));
  const { done, already, absent } = await listChanges.changeMany(named, 'erase', {
    pace: paceOfErasures(maintenance, callbacks),
    onOutcome: (id, outcome, tally) => {
      callbacks.progress(tally.done.length + tally.already.length, ids.length, 'erased');
      if (outcome.kind === 'done' && outcome.before === 'unreadable') unreadable.push(id);
    },
  });
  return { done, already, absent, unreadable };
}

export interface Replayed {
  organization: string;
  id: string;
  /** `already`: the backup is younger than the erasure. `absent`: it is older than the testimonial. */
  outcome: EraseOutcome['kind'];
}

/**
 * Repeats the erasures of several organizations after a restore, and removes the words of the erased
 * testimonials.
 */
export async function replayErasures(
  { changesOf, maintenanceOf }: { changesOf: OpenChanges; maintenanceOf: OpenMaintenance },
  erasures: Erasures,
  callbacks: ErasureCallbacks,
): Promise<Replayed[]> {
  const { progress, sleep = wait } = callbacks;
  const all = [...erasures].flatMap(([organization, ids]) => {
    const pace = paceOfErasures(maintenanceOf(organization), callbacks);
    return Array.from(ids, (id) => ({ organization, id, pace }));
  });
  const replayed: Replayed[] = [];
  // One by one, because a log contains few testimonials of each organization. The rebuild of all indexes that
  // follows a restore removes the words of unreadable ones.
  await forEachAtOnce(all, async ({ organization, id, pace }) => {
    await pace(1);
    const { kind } = await changesOf(organization).erase(id);
    replayed.push({ organization, id, outcome: kind });
    progress(replayed.length, all.length, 'erased');
  });
  let cleared = 0;
  await forEachAtOnce(erasures.keys(), async (organization) => {
    await maintenanceOf(organization).awaitWordRemoval(sleep);
    cleared += 1;
    progress(cleared, erasures.size, 'cleared');
  });
  return replayed;
}
