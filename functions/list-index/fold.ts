/**
 * Folding: taking what lies in the table into the postings, in bounded steps. A step may stop anywhere, pause there
 * for any time, be repeated or run beside another, and loses nothing (docs/adr/0006).
 */

import { forEachAtOnce } from '../concurrency.ts';
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { ChangeMarker, TestimonialStore } from '../domain/stores.ts';
import { forgetAfterMs, settledMs } from '../timing.ts';
import { coveredBy, type IndexHead, type IndexStore, noIndex } from './index-store.ts';
import { FencedOff, PostingEdits, writeEdits } from './posting-edits.ts';
import { renewSummaries } from './renew-summaries.ts';

export interface FoldDependencies {
  testimonials: TestimonialStore;
  index: IndexStore;
  now: () => Date;
}

/** What a step takes, at most: as much as is written within some seconds. */
export interface StepLimits {
  /**
   * Postings to write; those that many of the bits share count less. A text of many different words makes a step
   * shorter, a long backlog of ordinary ones longer: a posting is then written once for more of them.
   */
  postings: number;
  /** Bits to change. */
  bits: number;
  /** Changes, and free places in the order of creation. */
  places: number;
}

export const stepLimits: StepLimits = { postings: 10_000, bits: 1_000_000, places: 2000 };

// So many bits pay for the write of a posting.
const bitsAPosting = 20;

/** Covered changes whose markers are still there, at most: the head names them, and every list reads the head. */
const mostCovered = 5000;

export interface FoldReport {
  steps: number;
  /** Testimonials taken from the tail. */
  folded: number;
  /** Changes taken. */
  changes: number;
  postingsWritten: number;
  /** The rules that the postings were made by. */
  terms: string;
  /** True when a later fold has something to do: what had no time, has not settled, or is to be forgotten. */
  left: boolean;
  /** How long the oldest testimonial or change has waited that is left, in milliseconds; 0 when none is. */
  lagMs: number;
}

export interface FoldOptions {
  /** No step begins after it, in milliseconds since the epoch. */
  until?: number;
  limits?: StepLimits;
}

/**
 * Folds an organization, step after step, until nothing is left that has settled.
 * @throws {FencedOff} when another fold or a rebuild came in between: what was written holds
 */
export async function foldOrganization(
  deps: FoldDependencies,
  organization: string,
  { until = Number.POSITIVE_INFINITY, limits = stepLimits }: FoldOptions = {},
): Promise<FoldReport> {
  const { index, now } = deps;
  let head = (await index.readHead(organization)) ?? noIndex;
  const report = { steps: 0, folded: 0, changes: 0, postingsWritten: 0, terms: head.terms };
  let hasEpoch = false;
  for (;;) {
    const time = now().getTime();
    const step = await readStep(deps, organization, head, { settledBefore: time - settledMs, limits });
    const isEmpty = step.indexed === head.indexed && step.covered.length === 0;
    if (!isEmpty && !hasEpoch) {
      head = await replaceHead(index, organization, { ...head, epoch: head.epoch + 1 });
      hasEpoch = true;
    }
    if (!isEmpty) {
      const { edits, indexed } = step;
      report.postingsWritten += await writeEdits(index, organization, head, edits);
      await renewSummaries(index, organization, head.generation, edits.chunks);
      const covered = step.covered.length > 0 ? [{ updateOrdinals: step.covered }] : [];
      head = await replaceHead(index, organization, {
        ...head,
        indexed,
        updated: Math.max(head.updated, edits.highestUpdate + 1),
        covered: [...seen(head.covered, time), ...covered],
      });
      report.steps += 1;
      report.folded += step.folded;
      report.changes += step.covered.length;
    }
    if (isEmpty || !step.hasMore || now().getTime() >= until) {
      head = await forgetChanges(deps, organization, head);
      const left = step.oldestLeft !== undefined || head.covered.length > 0;
      const lagMs = step.oldestLeft === undefined ? 0 : Math.max(0, time - Date.parse(step.oldestLeft));
      return { ...report, left, lagMs };
    }
  }
}

/** What a step is to write, and what it leaves. */
interface Step {
  edits: PostingEdits;
  /** After the step, the postings have all testimonials with a lower ordinal. */
  indexed: number;
  folded: number;
  /** The changes that the edits have, by their places in the order of updates. */
  covered: number[];
  /** True when more could be folded at once. */
  hasMore: boolean;
  /** When the oldest was written that is left, ISO 8601. */
  oldestLeft?: string;
}

/**
 * Reads what a step is to fold: markers, then the tail, then the other testimonials that have a marker. Whatever was
 * begun before and can still arrive is sealed off: a free place is taken, a testimonial's version is raised.
 */
async function readStep(
  { testimonials }: FoldDependencies,
  organization: string,
  head: IndexHead,
  { settledBefore, limits }: { settledBefore: number; limits: StepLimits },
): Promise<Step> {
  const hasSettled = (time: string) => Date.parse(time) <= settledBefore;
  const edits = new PostingEdits();
  const step: Step = { edits, indexed: head.indexed, folded: 0, covered: [], hasMore: false };
  const leave = (time: string) => {
    if (step.oldestLeft === undefined || time < step.oldestLeft) step.oldestLeft = time;
    step.hasMore ||= hasSettled(time);
  };

  const markers = new Map<number, ChangeMarker[]>();
  const isCovered = coveredBy(head);
  const room = Math.min(limits.places, mostCovered - isCovered.size);
  let taken = 0;
  for await (const marker of uncovered(testimonials.changeMarkers(organization), isCovered)) {
    if (taken === room || !hasSettled(marker.time)) {
      leave(marker.time);
      break;
    }
    markers.set(marker.ordinal, [...(markers.get(marker.ordinal) ?? []), marker]);
    taken += 1;
  }
  const unsettled = new Set<number>();
  /**
   * Puts a testimonial into the edits, once none of its markers stands for a change that can still arrive.
   * @returns false when its last change has not settled: a list that began before would count it twice
   */
  const put = async (stored: StoredTestimonial, options?: { onlyChangeable: boolean }) => {
    const its = markers.get(stored.ordinal) ?? [];
    const current = await sealOff(testimonials, organization, stored, its);
    if (!current) return true;
    const { updatedAt } = current.testimonial;
    if (!hasSettled(updatedAt)) {
      unsettled.add(stored.ordinal);
      leave(updatedAt);
      return false;
    }
    edits.put(current, { ...options, formerUpdates: its.flatMap(placesOf) });
    return true;
  };

  let places = limits.places;
  const isFull = () =>
    edits.postings - edits.bits / bitsAPosting >= limits.postings || edits.bits >= limits.bits || places <= 0;
  /**
   * Passes the free places before an ordinal, as many as the step may.
   * @returns false when the step ends before, at a testimonial that arrived and has not settled
   */
  const passUpTo = async (ordinal: number) => {
    const end = Math.min(ordinal, step.indexed + places);
    const free = Array.from({ length: end - step.indexed }, (_, i) => step.indexed + i);
    const arrived: StoredTestimonial[] = [];
    await forEachAtOnce(free, async (place) => {
      const there = await testimonials.sealPlace(organization, place);
      if (there) arrived.push(there);
    });
    places -= free.length;
    for (const stored of arrived.toSorted((a, b) => a.ordinal - b.ordinal)) {
      step.indexed = stored.ordinal;
      if (!(await put(stored))) return false;
    }
    step.indexed = end;
    return true;
  };
  tail: for await (const page of testimonials.from(organization, head.indexed)) {
    for (const stored of page) {
      if (!isFull() && hasSettled(stored.writtenAt) && !(await passUpTo(stored.ordinal))) break tail;
      if (isFull() || !hasSettled(stored.writtenAt)) {
        leave(stored.writtenAt);
        break tail;
      }
      if (!(await put(stored))) break tail;
      step.indexed = stored.ordinal + 1;
      step.folded += 1;
    }
  }

  const changed = [...markers.keys()].filter((ordinal) => ordinal < head.indexed);
  await forEachAtOnce(await testimonials.findMany(organization, changed), (stored) =>
    put(stored, { onlyChangeable: true }),
  );
  for (const marker of [...markers.values()].flat()) {
    if (marker.ordinal < step.indexed && !unsettled.has(marker.ordinal))
      step.covered.push(marker.updateOrdinal);
    else leave(marker.time);
  }
  return step;
}

/** The places in the order of updates that a testimonial can have by a change. */
function placesOf({ updateOrdinal, previousUpdateOrdinal }: ChangeMarker): number[] {
  return [previousUpdateOrdinal, updateOrdinal];
}

async function* uncovered(
  pages: AsyncIterable<ChangeMarker[]>,
  isCovered: ReadonlySet<number>,
): AsyncGenerator<ChangeMarker, void, undefined> {
  for await (const page of pages) {
    yield* page.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal));
  }
}

/**
 * Sees to it that no change which one of the markers stands for can still arrive.
 * @returns the testimonial as it is then; undefined when it is gone
 */
async function sealOff(
  testimonials: TestimonialStore,
  organization: string,
  stored: StoredTestimonial,
  markers: readonly ChangeMarker[],
): Promise<StoredTestimonial | undefined> {
  let current: StoredTestimonial | undefined = stored;
  for (const { version } of markers) {
    while (current && current.version <= version) {
      current = (await testimonials.sealVersion(organization, current))
        ? { ...current, version: current.version + 1 }
        : await testimonials.find(organization, current.ordinal);
    }
  }
  return current;
}

/** Covered changes, of which those that are in the head are known to be covered at `time`. */
function seen(covered: IndexHead['covered'], time: number): IndexHead['covered'] {
  return covered.map((each) => ({ seenAt: time, ...each }));
}

/** Deletes the markers of changes that no running list can need, unless a rebuild needs them. */
async function forgetChanges(
  { testimonials, index, now }: FoldDependencies,
  organization: string,
  known: IndexHead,
): Promise<IndexHead> {
  const time = now().getTime();
  let head = known;
  if (head.covered.length === 0) return head;
  const isDue = ({ seenAt = time }: IndexHead['covered'][number]) => time - seenAt >= forgetAfterMs;
  const due = head.covered.filter(isDue);
  // The generation that a rebuild makes does not have them: they stay for a fold after the rebuild.
  const isBuilding = head.building !== undefined && head.building.until > time;
  if (due.length > 0 && head.building && !isBuilding) {
    // Given up. Once its mark is gone, it can no longer switch generations.
    const { building: _, ...rest } = head;
    head = await replaceHead(index, organization, rest);
  }
  const forget = isBuilding ? [] : due;
  const isNews = forget.length > 0 || head.covered.some(({ seenAt }) => seenAt === undefined);
  if (!isNews) return head;
  await testimonials.deleteChangeMarkers(
    organization,
    forget.flatMap(({ updateOrdinals }) => updateOrdinals),
  );
  const covered = seen(
    head.covered.filter((each) => !forget.includes(each)),
    time,
  );
  return replaceHead(index, organization, { ...head, covered });
}

async function replaceHead(index: IndexStore, organization: string, next: IndexHead): Promise<IndexHead> {
  const head = await index.replaceHead(organization, next);
  if (!head) throw new FencedOff(`Another fold of ${organization} has begun, or a rebuild`);
  return head;
}
