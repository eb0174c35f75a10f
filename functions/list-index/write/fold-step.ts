/** One step of a fold: what it takes, read and sealed off, before anything is written. */

import { forEachAtOnce } from '../../concurrency.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { ChangeMarker, TestimonialStore } from '../../domain/stores.ts';
import type { Texts } from '../../domain/terms.ts';
import { coveredBy, type IndexHead } from '../index-store.ts';
import { PostingEdits } from './posting-edits.ts';

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

/** What a step is to write, and what it leaves. */
export interface Step {
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
export async function readStep(
  testimonials: TestimonialStore,
  organization: string,
  head: IndexHead,
  { settledBefore, limits }: { settledBefore: number; limits: StepLimits },
): Promise<Step> {
  const hasSettled = (time: string) => Date.parse(time) <= settledBefore;
  const edits = new PostingEdits();
  const step: Step = {
    edits,
    indexed: head.indexed,
    folded: 0,
    covered: [],
    hasMore: false,
  };
  const leave = (time: string) => {
    if (step.oldestLeft === undefined || time < step.oldestLeft) step.oldestLeft = time;
    step.hasMore ||= hasSettled(time);
  };

  const markers = new Map<number, ChangeMarker[]>();
  const isCovered = coveredBy(head);
  const room = Math.min(limits.places, mostCovered - isCovered.size);
  // Testimonials of which a marker is left.
  const unsettled = new Set<number>();
  let taken = 0;
  for await (const marker of eachOf(testimonials.changeMarkers(organization))) {
    if (isCovered.has(marker.updateOrdinal)) continue;
    if (taken === room || !hasSettled(marker.time)) {
      leave(marker.time);
      break;
    }
    markers.set(marker.ordinal, [...(markers.get(marker.ordinal) ?? []), marker]);
    taken += 1;
  }
  const found = new Set<number>();
  /**
   * Puts a testimonial into the edits, once none of its markers stands for a change that can still arrive.
   * @returns false when its last change has not settled: a list that began before would count it twice
   */
  const put = async (stored: StoredTestimonial, options?: { onlyChangeable: boolean }) => {
    const its = markers.get(stored.ordinal) ?? [];
    const current = await sealOff(testimonials, organization, stored, its);
    // Erased meanwhile.
    if (!current) return true;
    found.add(stored.ordinal);
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
  /** @returns the ordinal before which the step has all that there is */
  const takeTail = async (): Promise<number> => {
    for await (const page of testimonials.from(organization, head.indexed)) {
      for (const stored of page) {
        const { ordinal, writtenAt } = stored;
        if (!isFull() && hasSettled(writtenAt) && !(await passUpTo(ordinal))) return step.indexed;
        if (isFull() || !hasSettled(writtenAt)) {
          leave(writtenAt);
          return ordinal;
        }
        if (!(await put(stored))) return ordinal;
        step.indexed = ordinal + 1;
        step.folded += 1;
      }
    }
    return Number.POSITIVE_INFINITY;
  };
  const end = await takeTail();

  const marked = [...markers.keys()].toSorted((a, b) => a - b);
  const changed = marked.filter((ordinal) => ordinal < head.indexed);
  await forEachAtOnce(await testimonials.findMany(organization, changed), (stored) =>
    put(stored, { onlyChangeable: true }),
  );
  const missing = marked.filter((ordinal) => ordinal < end && !found.has(ordinal));
  // Where the next ones of the tail were erased, the step ends behind them.
  const behind = (missing.at(-1) ?? 0) + 1;
  if (behind > step.indexed && !isFull()) await passUpTo(behind);

  const erased = new Set(missing);
  const remove = (ordinal: number, texts?: Texts) => {
    edits.remove(ordinal, (markers.get(ordinal) ?? []).flatMap(placesOf), texts);
    erased.delete(ordinal);
  };
  // As much again: no long tail keeps an erasure waiting.
  const mostPostings = edits.postings + limits.postings;
  if (erased.size > 0) {
    // Also of erasures that the step does not cover, or that came since its markers were read.
    for await (const { ordinal, erases } of eachOf(testimonials.changeMarkers(organization))) {
      if (erased.size === 0 || edits.postings >= mostPostings) break;
      if (erases && erased.has(ordinal)) remove(ordinal, erases);
    }
  }
  // Where the marker of the erasure is gone, nothing of its texts is left in the postings.
  if (edits.postings < mostPostings) for (const ordinal of erased) remove(ordinal);

  for (const marker of [...markers.values()].flat()) {
    const { ordinal } = marker;
    const isDone = ordinal < step.indexed && !unsettled.has(ordinal) && !erased.has(ordinal);
    if (isDone) step.covered.push(marker.updateOrdinal);
    else leave(marker.time);
  }
  return step;
}

/** The places in the order of updates that a testimonial can have by a change. */
function placesOf({ updateOrdinal, previousUpdateOrdinal, erases }: ChangeMarker): number[] {
  return erases ? [previousUpdateOrdinal] : [previousUpdateOrdinal, updateOrdinal];
}

async function* eachOf<Item>(pages: AsyncIterable<Item[]>): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages) yield* page;
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
