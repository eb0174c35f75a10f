/**
 * Updates the list index: adds settled creates, changes and erasures to the postings, step by step. A step
 * can stop anywhere, pause for any time, be repeated, or run alongside another step without losing anything
 * (docs/protocol.md).
 */

import { NewerTerms } from '../../../domain/outcomes.ts';
import { newerVersionGraceMs } from '../../../timing.ts';
import type { TestimonialStore } from '../../model/testimonial-store.ts';
import { type IndexDependencies, type IndexHead, noIndex, reachOf, sumOfSizes } from '../index-store.ts';
import { isNewer, termsVersion, writtenByUs } from '../terms-version.ts';
import { dueSince } from '../update-due.ts';
import { deleteSuperseded, markSeen } from './delete-superseded.ts';
import { unusedGeneration } from './generations.ts';
import { cleanUpAfterFailure, stepsAfterBegin, stepsAfterEnd } from './late-writes.ts';
import { replaceHeadOrStop, writeEdits } from './posting-edits.ts';
import { continueRebuild } from './rebuild.ts';
import { removeErasedWords } from './remove-words.ts';
import { renewSummaries } from './renew-summaries.ts';
import {
  hasSettled,
  type IndexUpdateOptions,
  readStep,
  type Step,
  type StepBounds,
  stepLimits,
} from './update-step.ts';

export interface IndexUpdateReport {
  steps: number;
  /** The number of testimonials indexed from the tail. */
  testimonials: number;
  /** The number of changes indexed. */
  changes: number;
  postingsWritten: number;
  /** Set if the postings were built with the rules of another version. */
  hasOtherTerms?: true;
  /** True if there is work for a later index update. */
  hasMore: boolean;
  /**
   * The age of the oldest testimonial or change that is due for indexing, in milliseconds; 0 if nothing is
   * due.
   */
  lagMs: number;
  isBeingRebuilt: boolean;
}

/** The options of an update that also indexes a tail that is otherwise too short. */
export const wholeTail: IndexUpdateOptions = { limits: { minTailBytes: 0 } };

/**
 * Updates the index of an organization. Also continues an unfinished rebuild, because markers are kept until
 * it is done.
 * @throws {FencedOff} if another update or rebuild took over; steps already committed stay
 * @throws {NewerTerms} if only a newer version can update the index. After ten minutes without an update,
 * this version rebuilds it
 */
export async function updateIndex(
  deps: IndexDependencies,
  organization: string,
  options: IndexUpdateOptions = {},
): Promise<IndexUpdateReport> {
  try {
    const report = await updateInSteps(deps, organization, options);
    if (report.isBeingRebuilt) await continueRebuild(deps, organization, options);
    return report;
  } catch (error) {
    // Rethrown afterwards, because the caller must know that this version could not update the index.
    if (error instanceof NewerTerms) await continueOrRebuildAbandoned(deps, organization, options);
    throw error;
  }
}

/**
 * Rebuilds an index that a newer version made, if an update has been due for so long that the newer version
 * is gone. Otherwise only continues an unfinished rebuild.
 */
async function continueOrRebuildAbandoned(
  deps: IndexDependencies,
  organization: string,
  options: IndexUpdateOptions,
) {
  const head = (await deps.index.readHead(organization)) ?? noIndex;
  const since = dueSince(head, await deps.index.readRecent(organization, head.indexed));
  const isAbandoned = since !== undefined && deps.now().getTime() - Date.parse(since) >= newerVersionGraceMs;
  // An unfinished rebuild still waits for the newer version (rule 37).
  await continueRebuild(deps, organization, { ...options, isRequested: isAbandoned && !head.building });
}

/**
 * Updates the index of an organization, step after step, until everything settled is indexed.
 * @throws {FencedOff} if another update or rebuild took over; steps already committed stay
 * @throws {NewerTerms} if only a newer version can update the index
 */
async function updateInSteps(
  deps: IndexDependencies,
  organization: string,
  { until = Number.POSITIVE_INFINITY, limits = {} }: IndexUpdateOptions = {},
): Promise<IndexUpdateReport> {
  const { testimonials, index, now } = deps;
  let head = (await index.readHead(organization)) ?? noIndex;
  if (isNewer(head.terms)) throw new NewerTerms(organization);
  const report = {
    steps: 0,
    testimonials: 0,
    changes: 0,
    postingsWritten: 0,
    ...(head.terms !== termsVersion && { hasOtherTerms: true as const }),
  };
  if (head === noIndex) {
    if (!(await hasAny(testimonials, organization)))
      return { ...report, hasMore: false, lagMs: 0, isBeingRebuilt: false };
    // Before any position is sealed (rule 26).
    const generation = await unusedGeneration(index, organization);
    head = await replaceHeadOrStop(index, organization, { ...head, generation });
  }
  let bounds: StepBounds;
  let oldestSkipped: string | undefined;
  do {
    bounds = { since: now().getTime(), limits: { ...stepLimits, ...limits } };
    const step = await readStep({ testimonials, organization, head, bounds });
    ({ oldestSkipped } = step);
    if (step.indexed === head.indexed && step.covered.length === 0) break;
    const written = await writeStep(deps, organization, head, step, bounds.since);
    head = written.head;
    report.steps += 1;
    report.testimonials += step.indexedFromTail;
    report.changes += step.covered.length;
    report.postingsWritten += written.postings;
  } while (oldestSkipped !== undefined && hasSettled(oldestSkipped, bounds) && now().getTime() < until);

  const words = await removeErasedWords(deps, organization, head, { until, bounds });
  report.postingsWritten += words.postings;
  const { covered, replaced, building } = await deleteSuperseded(deps, organization, words.head);
  const hasLaterWork =
    words.hasMore || covered.length > 0 || replaced !== undefined || building !== undefined;
  return {
    ...report,
    hasMore: oldestSkipped !== undefined || hasLaterWork,
    lagMs: oldestSkipped === undefined ? 0 : Math.max(0, bounds.since - Date.parse(oldestSkipped)),
    isBeingRebuilt: building !== undefined,
  };
}

/**
 * Writes a step: announces it in the head, then writes postings and summaries, then commits it in the head.
 * @param since when the step began to read, after it knew `before`; the covered changes of `before` count as
 * seen at that time
 */
async function writeStep(
  deps: IndexDependencies,
  organization: string,
  before: IndexHead,
  { edits, indexed, covered }: Step,
  since: number,
): Promise<{ head: IndexHead; postings: number }> {
  const { index, now } = deps;
  const { generation } = before;
  // Each step has its own epoch, raised after the markers are read. So postings refuse a late write of an
  // earlier step (rule 10), and a list that reads bits of this step knows whether it has seen all markers
  // (rule 7).
  const epoch = before.epoch + 1;
  const head = await replaceHeadOrStop(index, organization, {
    ...before,
    epoch,
    reach: Math.max(reachOf(before), indexed),
    // Set before the first word is written, because lists must know that the words follow several rules (rule
    // 32).
    terms: writtenByUs(before.terms),
    writing: stepsAfterBegin(before, { generation, epoch, since }, now().getTime()),
  });
  try {
    const postings = await writeEdits(index, organization, head, edits);
    await renewSummaries(index, organization, generation, edits.chunksToCount);
    const committed = {
      ...head,
      indexed,
      updated: Math.max(head.updated, edits.highestUpdate + 1),
      covered: [
        ...markSeen(head.covered, since),
        ...(covered.length > 0 ? [{ updateOrdinals: covered, epoch }] : []),
      ],
      writing: stepsAfterEnd(head, { generation, epoch, since }, now().getTime()),
      // A list with an older head still reads the markers of the erasures, and reads hidden testimonials from
      // the table.
      ...(edits.erases && { hasErased: true }),
      ...(edits.hides && { hasHidden: true }),
      rows: sumOfSizes(head.rows, edits.addedSizes),
    };
    return { head: await replaceHeadOrStop(index, organization, committed), postings };
  } catch (error) {
    await cleanUpAfterFailure(deps, organization, { generation, since, edits });
    throw error;
  }
}

/** True if there is something to index. If every testimonial is erased, only their markers are left. */
async function hasAny(testimonials: TestimonialStore, organization: string): Promise<boolean> {
  const pages = [testimonials.from(organization, 0, { limit: 1 }), testimonials.changeMarkers(organization)];
  for (const source of pages) for await (const page of source) if (page.length > 0) return true;
  return false;
}
