/**
 * Indexing: taking what lies in the table into the postings, in bounded steps. A step may stop anywhere, pause there
 * for any time, be repeated or run beside another, and loses nothing (docs/adr/0006).
 */

import type { TestimonialStore } from '../../domain/stores.ts';
import { forgetAfterMs, newerGivenUpMs, settledMs } from '../../timing.ts';
import {
  type IndexDependencies,
  type IndexHead,
  type IndexStore,
  noIndex,
  sumOfRows,
} from '../index-store.ts';
import { isNewer, writtenByUs } from '../terms-version.ts';
import { dueSince } from '../update-due.ts';
import { removeOldGenerations, unusedGeneration } from './generations.ts';
import { FencedOff, writeEdits } from './posting-edits.ts';
import { continueRebuild } from './rebuild.ts';
import { readWordRemoval, removeWords } from './remove-words.ts';
import { renewSummaries } from './renew-summaries.ts';
import {
  hasSettled,
  type IndexUpdateOptions,
  type Rules,
  readStep,
  type Step,
  stepLimits,
} from './update-step.ts';

export interface IndexUpdateReport {
  steps: number;
  /** Testimonials taken from the tail. */
  testimonials: number;
  /** Changes taken. */
  changes: number;
  postingsWritten: number;
  /** The rules that the postings were made by. */
  terms: string;
  /** True when a later index update has something to do: what had no time, has not settled, or is to be forgotten. */
  left: boolean;
  /** How long the oldest testimonial or change has waited that is left, in milliseconds; 0 when none is. */
  lagMs: number;
  isBeingRebuilt: boolean;
}

/** Also what would wait in the tail. */
export const takingAll: IndexUpdateOptions = { limits: { minTailBytes: 0 } };

/** The postings were made by rules that this code does not know: it would leave some out. */
export class NewerTerms extends Error {
  override name = 'NewerTerms';

  constructor(organization: string) {
    super(
      `The list index of ${organization} was made by a newer version of this service: update it with that, or rebuild it by this one.`,
    );
  }
}

/**
 * Updates the index of an organization, step after step, until nothing is left that has settled.
 * @throws {FencedOff} when another index update or a rebuild came in between: what was written holds
 * @throws {NewerTerms}
 */
export async function updateIndex(
  deps: IndexDependencies,
  organization: string,
  { until = Number.POSITIVE_INFINITY, limits: given = {} }: IndexUpdateOptions = {},
): Promise<IndexUpdateReport> {
  const { testimonials, index, now } = deps;
  const limits = { ...stepLimits, ...given };
  let head = (await index.readHead(organization)) ?? noIndex;
  if (isNewer(head.terms)) throw new NewerTerms(organization);
  const report = { steps: 0, testimonials: 0, changes: 0, postingsWritten: 0, terms: head.terms };
  if (head === noIndex) {
    if (!(await hasAny(testimonials, organization)))
      return { ...report, left: false, lagMs: 0, isBeingRebuilt: false };
    // Before any place is sealed: a load that took the first places sees that it is too late, or has a head of its own.
    const generation = await unusedGeneration(index, organization);
    head = await replaceHead(index, organization, { ...head, generation });
  }
  for (;;) {
    const time = now().getTime();
    const rules = { settledBefore: time - settledMs, limits };
    const step = await readStep({ testimonials, organization, head, rules });
    const isEmpty = step.indexed === head.indexed && step.covered.length === 0;
    if (!isEmpty) {
      const written = await writeStep(index, organization, head, step, time);
      head = written.head;
      report.steps += 1;
      report.testimonials += step.testimonials;
      report.changes += step.covered.length;
      report.postingsWritten += written.postings;
    }
    const { oldestLeft } = step;
    const hasMore = oldestLeft !== undefined && hasSettled(oldestLeft, rules);
    if (isEmpty || !hasMore || now().getTime() >= until) {
      const words = await removeErasedWords(deps, organization, head, { until, rules });
      report.postingsWritten += words.postings;
      head = await forget(deps, organization, words.head);
      const { covered, replaced, building } = head;
      const isLater = words.left || covered.length > 0 || replaced !== undefined || building !== undefined;
      const left = oldestLeft !== undefined || isLater;
      const lagMs = oldestLeft === undefined ? 0 : Math.max(0, time - Date.parse(oldestLeft));
      return { ...report, left, lagMs, isBeingRebuilt: building !== undefined };
    }
  }
}

/** Writes what a step has read: the head says so before, then postings, then summaries, then the head says what is in them. */
async function writeStep(
  index: IndexStore,
  organization: string,
  before: IndexHead,
  { edits, indexed, covered }: Step,
  time: number,
): Promise<{ head: IndexHead; postings: number }> {
  // Each step has an epoch of its own: no write of the one before that was sent twice undoes what this one writes. And only
  // once the markers are read: a list that meets its bits knows whether it has seen them all.
  const reach = Math.max(before.reach ?? 1, indexed);
  // Before a word of it: a list that meets one knows that its words are of several rules.
  const terms = writtenByUs(before.terms);
  const head = await replaceHead(index, organization, { ...before, epoch: before.epoch + 1, reach, terms });
  const postings = await writeEdits(index, organization, head, edits);
  await renewSummaries(index, organization, head.generation, edits.chunks);
  const committed = {
    ...head,
    indexed,
    updated: Math.max(head.updated, edits.highestUpdate + 1),
    covered: [...seen(head.covered, time), ...(covered.length > 0 ? [{ updateOrdinals: covered }] : [])],
    // Lists that do not see this yet see the markers of what is erased.
    ...(edits.erases && { hasErased: true }),
    // Lists that do not see this yet read from the table what it is about.
    ...(edits.hides && { hasHidden: true }),
    rows: sumOfRows(head.rows, edits.rows),
  };
  return { head: await replaceHead(index, organization, committed), postings };
}

/**
 * Removes the words of erased testimonials, batch after batch: at least one, and until the time is over. Not during a rebuild, whose
 * generation may have them too.
 */
async function removeErasedWords(
  { testimonials, index, now }: IndexDependencies,
  organization: string,
  before: IndexHead,
  { until, rules }: { until: number; rules: Rules },
): Promise<{ head: IndexHead; postings: number; left: boolean }> {
  if (before.building) return { head: before, postings: 0, left: true };
  for (let head = before, postings = 0; ; ) {
    const source = { testimonials, index, organization, head };
    const removal = await readWordRemoval({ ...source, rules });
    if (removal.done.length === 0) return { head, postings, left: removal.left };
    // An epoch of its own, as each step has: no step that had read the testimonials writes their words afterwards. Also where there
    // is nothing to write: a step that began since has perhaps words of them.
    head = await replaceHead(index, organization, { ...head, epoch: head.epoch + 1 });
    postings += await removeWords({ ...source, head }, removal);
    if (!removal.left || now().getTime() >= until) return { head, postings, left: removal.left };
  }
}

/** Covered changes, of which those that are in the head are known to be covered at `time`. */
function seen(covered: IndexHead['covered'], time: number): IndexHead['covered'] {
  return covered.map((each) => ({ seenAt: time, ...each }));
}

/**
 * Deletes the items that no running list can need: the markers of covered changes, unless a rebuild needs them, and the generations
 * before that of the last rebuild.
 */
async function forget(
  { testimonials, index, now }: IndexDependencies,
  organization: string,
  head: IndexHead,
): Promise<IndexHead> {
  const { covered, replaced, building } = head;
  const time = now().getTime();
  const isDue = ({ seenAt = time }: { seenAt?: number }) => time - seenAt >= forgetAfterMs;
  // The generation that a rebuild makes does not have them: they stay for an update after it.
  const forgotten = building ? [] : covered.filter(isDue);
  const isRemoved = replaced !== undefined && isDue(replaced);
  const isSeen = [...covered, ...(replaced ? [replaced] : [])].every(({ seenAt }) => seenAt !== undefined);
  if (forgotten.length === 0 && !isRemoved && isSeen) return head;
  const updateOrdinals = forgotten.flatMap((each) => each.updateOrdinals);
  await testimonials.deleteChangeMarkers(organization, updateOrdinals);
  if (isRemoved) await removeOldGenerations(index, organization, head, async () => {});
  const { replaced: _, ...rest } = head;
  return replaceHead(index, organization, {
    ...rest,
    ...(replaced && (isRemoved ? { oldest: head.generation } : { replaced: { seenAt: time, ...replaced } })),
    covered: seen(
      covered.filter((each) => !forgotten.includes(each)),
      time,
    ),
  });
}

async function hasAny(testimonials: TestimonialStore, organization: string): Promise<boolean> {
  for await (const page of testimonials.from(organization, 0, { limit: 1 })) if (page.length > 0) return true;
  // There are only markers of what was erased before it was indexed.
  for await (const page of testimonials.changeMarkers(organization)) if (page.length > 0) return true;
  return false;
}

async function replaceHead(index: IndexStore, organization: string, next: IndexHead): Promise<IndexHead> {
  const head = await index.replaceHead(organization, next);
  if (!head) throw new FencedOff(`Another index update of ${organization} has begun, or a rebuild`);
  return head;
}

/**
 * Updates the index by what is worth it, and goes on with a rebuild that was left: while there is one, no change marker is deleted.
 * @throws {FencedOff} when another index update or a rebuild came in between: what was written holds
 * @throws {NewerTerms} when only a newer version can update the index; once none has for long, the index is being made anew by this one
 */
export async function keepIndex(
  deps: IndexDependencies,
  organization: string,
  options: IndexUpdateOptions = {},
): Promise<IndexUpdateReport> {
  try {
    const report = await updateIndex(deps, organization, options);
    if (report.isBeingRebuilt) await continueRebuild(deps, organization, options);
    return report;
  } catch (error) {
    if (error instanceof NewerTerms) await replaceNewer(deps, organization, options);
    throw error;
  }
}

/** Makes an index of a newer version anew, once an update of it has been due for so long that none is coming. */
async function replaceNewer(deps: IndexDependencies, organization: string, options: IndexUpdateOptions) {
  const head = (await deps.index.readHead(organization)) ?? noIndex;
  const since = dueSince(head, await deps.index.readRecent(organization, head.indexed));
  const isAbandoned = since !== undefined && deps.now().getTime() - Date.parse(since) >= newerGivenUpMs;
  await continueRebuild(deps, organization, { ...options, begins: isAbandoned && !head.building });
}
