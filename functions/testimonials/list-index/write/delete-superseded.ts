/**
 * Deletes covered change markers and replaced postings, once no running list can need them (rules 15 and 23).
 */
import { forgetAfterMs } from '../../../timing.ts';
import type { IndexDependencies, IndexHead } from '../index-store.ts';
import { removeOldGenerations } from './generations.ts';
import { mayWriteElsewhere } from './late-writes.ts';
import { replaceHeadOrStop } from './posting-edits.ts';

/**
 * Sets `seenAt` on covered changes without one, because this index update has read a head that lists them
 * (rule 15).
 */
export function markSeen(covered: IndexHead['covered'], time: number): IndexHead['covered'] {
  return covered.map((changes) => ({ seenAt: time, ...changes }));
}

/** Data that can be deleted, because no running list can need it. */
interface Superseded {
  /** Covered changes, whose markers to delete. */
  changes: IndexHead['covered'];
  /** True to delete the postings of the generations before the last rebuild. */
  removesReplaced: boolean;
}

/**
 * Chooses the data to delete: the generations before the last rebuild, and the markers of covered changes
 * unless a rebuild needs them (rule 23).
 * @returns undefined if there is nothing to delete and each entry already has its `seenAt`
 */
function findSuperseded(head: IndexHead, now: number): Superseded | undefined {
  const { covered, replaced, building } = head;
  const waiting = replaced ? [...covered, replaced] : covered;
  const isDue = ({ seenAt }: { seenAt?: number }) => seenAt !== undefined && now - seenAt >= forgetAfterMs;
  const changes = building ? [] : covered.filter(isDue);
  const removesReplaced = replaced !== undefined && isDue(replaced) && !mayWriteElsewhere(head, now);
  const isSeen = waiting.every(({ seenAt }) => seenAt !== undefined);
  return changes.length > 0 || removesReplaced || !isSeen ? { changes, removesReplaced } : undefined;
}

/**
 * Deletes the data that no running list can need, and records in the head which changes this update has seen.
 * @returns the current head
 */
export async function deleteSuperseded(
  { testimonials, index, now }: IndexDependencies,
  organization: string,
  head: IndexHead,
): Promise<IndexHead> {
  const time = now().getTime();
  const superseded = findSuperseded(head, time);
  if (!superseded) return head;
  const { changes, removesReplaced } = superseded;
  const updateOrdinals = changes.flatMap((each) => each.updateOrdinals);
  await testimonials.deleteChangeMarkers(organization, updateOrdinals);
  if (removesReplaced) await removeOldGenerations(index, organization, head);
  const { replaced, ...rest } = head;
  const kept = head.covered.filter((each) => !changes.includes(each));
  return replaceHeadOrStop(index, organization, {
    ...rest,
    ...(removesReplaced && { oldest: head.generation }),
    ...(replaced && !removesReplaced && { replaced: { seenAt: time, ...replaced } }),
    covered: markSeen(kept, time),
  });
}
