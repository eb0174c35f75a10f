/**
 * Reads one step of an index update and, before the step writes the index, seals everything that could still
 * arrive.
 */

import { forEachAtOnce } from '../../../concurrency.ts';
import type { StoredTestimonial } from '../../../domain/stored-testimonial.ts';
import type { Ordinal, UpdateOrdinal } from '../../../domain/testimonial-order.ts';
import { settledMs } from '../../../timing.ts';
import type { ChangeMarker, TestimonialStore } from '../../model/testimonial-store.ts';
import { coveredBy, type IndexHead } from '../index-store.ts';
import { minTailBytes, tailDueSince } from '../update-due.ts';
import { PostingEdits } from './posting-edits.ts';

/** The maximum work of one step, which takes seconds to write, and the minimum size of a tail to index. */
export interface StepLimits {
  /**
   * The number of postings to write. Postings that receive many bits count less. A long backlog of ordinary
   * texts therefore makes longer steps, which write each posting once for more testimonials, and texts of
   * many different words make shorter steps. Only `positions` limits the changes of a step.
   */
  postings: number;
  bits: number;
  /** The number of positions of changes to cover, and of free positions to seal. */
  positions: number;
  /** The size in bytes below which the tail stays unindexed. */
  minTailBytes: number;
}

export const stepLimits: StepLimits = {
  postings: 10_000,
  bits: 1_000_000,
  positions: 2000,
  minTailBytes,
};

export interface IndexUpdateOptions {
  /** No step begins after this time, in milliseconds since 1970. */
  until?: number;
  /** Override the limits of `stepLimits`. */
  limits?: Partial<StepLimits>;
}

/** Divides the limits of one step among the steps of several organizations that run at once. */
export function shareOfStep(organizations: number): Pick<StepLimits, 'postings' | 'bits'> {
  return { postings: stepLimits.postings / organizations, bits: stepLimits.bits / organizations };
}

export interface StepBounds {
  /** When the step began to read, in milliseconds since 1970. */
  since: number;
  limits: StepLimits;
}

/** True if the request that wrote an item at this time has ended, or will be refused and retry. */
export function hasSettled(time: string, { since }: Pick<StepBounds, 'since'>): boolean {
  return Date.parse(time) <= since - settledMs;
}

/** A step that has been read and not yet written. */
export interface Step {
  edits: PostingEdits;
  /** After the step, the postings contain all testimonials with a lower ordinal. */
  indexed: Ordinal;
  /** The number of testimonials taken from the tail. */
  indexedFromTail: number;
  /** The update ordinals of the changes that the edits include. */
  covered: UpdateOrdinal[];
  /** The time of the oldest item that is due for indexing but that this step skips, ISO 8601. */
  oldestSkipped?: string;
}

/** The organization that a step reads, and the head that the step will replace. */
interface StepContext {
  testimonials: TestimonialStore;
  organization: string;
  head: IndexHead;
  bounds: StepBounds;
}

/** A step while it is being read. Each part adds to the edits. */
interface StepReading extends StepContext {
  edits: PostingEdits;
}

/**
 * Reads a step: the markers, then the tail if it is due, then the other testimonials with a marker. Stops
 * earlier writes that can still arrive: it seals free positions (rule 2) and raises versions (rule 4). The
 * markers must be read first (rule 7); the rest of the order is free.
 */
export async function readStep(context: StepContext): Promise<Step> {
  const reading = { ...context, edits: new PostingEdits() };
  const markers = await readMarkers(reading);
  const tail = await readTail(reading, markers.ofTail);
  const changes = await readChanges(reading, markers.ofIndexed);
  return finishStep(reading, tail, changes);
}

/**
 * The number of covered changes in the head from which on a step covers no more, because every list reads the
 * head. Two groups of markers are limited separately, so the number can exceed this by `limits.positions`.
 */
const maxCovered = 5000;

/** Change markers that are not covered, in the order of updates. */
interface StepMarkers {
  /** Settled markers that the step covers. */
  settled: ChangeMarker[];
  /**
   * Markers that the step would cover if they had settled. Markers of the tail also decide whether its update
   * is due.
   */
  unsettled: ChangeMarker[];
  /** The times of the markers that the step skips, ISO 8601. */
  skippedTimes: string[];
}

/**
 * Reads as many markers as a step may cover. Keeps the markers of indexed testimonials and of the tail apart,
 * so that neither delays the other.
 */
async function readMarkers({ testimonials, organization, head, bounds }: StepContext) {
  const covered = coveredBy(head);
  const maxMarkers = Math.min(bounds.limits.positions, maxCovered - covered.size);
  const ofIndexed: StepMarkers = { settled: [], unsettled: [], skippedTimes: [] };
  const ofTail: StepMarkers = { settled: [], unsettled: [], skippedTimes: [] };
  for await (const page of testimonials.changeMarkers(organization)) {
    for (const marker of page.filter(({ updateOrdinal }) => !covered.has(updateOrdinal))) {
      const markers = marker.ordinal < head.indexed ? ofIndexed : ofTail;
      const isSettled = hasSettled(marker.time, bounds);
      const hasRoom = markers.settled.length < maxMarkers;
      if (hasRoom && isSettled) {
        markers.settled.push(marker);
      } else {
        markers.skippedTimes.push(marker.time);
        if (hasRoom) markers.unsettled.push(marker);
      }
    }
    if (ofIndexed.settled.length >= maxMarkers && ofTail.settled.length >= maxMarkers) break;
  }
  return { ofIndexed, ofTail };
}

/** The testimonials that a step has read because of certain markers. */
interface ReadPart {
  /** The markers that the step may cover. */
  markers: readonly ChangeMarker[];
  /**
   * The ordinals of the testimonials that exist. Other testimonials with a marker were erased or are
   * unreadable; no list shows either.
   */
  existing: ReadonlySet<Ordinal>;
  /** The ordinals of the testimonials whose last change has not settled. Their markers stay uncovered. */
  unsettled: ReadonlySet<Ordinal>;
  /** The times of items that the step skips, ISO 8601. */
  skippedTimes: readonly string[];
}

/** The part of the tail that a step indexes. */
interface TailPart extends ReadPart {
  /** The step indexes every testimonial with a lower ordinal. */
  indexed: Ordinal;
  /**
   * The step has read every testimonial of the tail with a lower ordinal. A testimonial that has a marker but
   * was not found was erased or cannot be read. `knownBelow` is higher than `indexed` if the step left free
   * positions between them unsealed.
   */
  knownBelow: number;
  /** The number of testimonials that the step takes from the tail. */
  indexedFromTail: number;
  /** The number of free positions that the step may still seal. */
  freePositions: number;
}

/**
 * If an update of the tail is due, adds its testimonials in their order, as many as the limits allow.
 * Otherwise reads only as much of the tail as that decision needs.
 */
async function readTail(context: StepReading, markers: StepMarkers): Promise<TailPart> {
  const { testimonials, organization, head, bounds } = context;
  const pages = testimonials.from(organization, head.indexed);
  const read: StoredTestimonial[] = [];
  const uncovered = [...markers.settled, ...markers.unsettled];
  let dueSince: string | undefined;
  for (;;) {
    dueSince = tailDueSince({ tail: read, markers: uncovered }, bounds.limits.minTailBytes);
    if (dueSince !== undefined) break;
    const next = await pages.next();
    if (next.done) break;
    read.push(...next.value);
  }
  if (dueSince !== undefined && hasSettled(dueSince, bounds))
    return addFromTail(context, markers, pagesOf([read], pages));
  return {
    indexed: head.indexed,
    knownBelow: head.indexed,
    indexedFromTail: 0,
    markers: [],
    existing: new Set(),
    unsettled: new Set(),
    freePositions: bounds.limits.positions,
    skippedTimes: dueSince === undefined ? [] : [dueSince],
  };
}

/**
 * Adds testimonials in the order of their ordinals, because `indexed` is a single number. The step may raise
 * it past a position only if it adds the testimonial there, or if none can be stored there any more (rule 2).
 * It therefore ends at the first testimonial that it cannot add: the limits are reached, the testimonial has
 * not settled (rule 5), or another one arrived before it.
 */
async function addFromTail(
  context: StepReading,
  { settled, skippedTimes: timesOfMarkers }: StepMarkers,
  pages: AsyncIterable<StoredTestimonial[]>,
): Promise<TailPart> {
  const { bounds, edits } = context;
  const markersOf = byTestimonial(settled);
  const [existing, unsettled] = [new Set<Ordinal>(), new Set<Ordinal>()];
  const skippedTimes = [...timesOfMarkers];
  let { indexed } = context.head;
  let freePositions = bounds.limits.positions;
  let indexedFromTail = 0;
  const end = ({ knownBelow }: { knownBelow: number }): TailPart => {
    const read = { markers: settled, existing, unsettled, skippedTimes };
    return { ...read, indexed, knownBelow, indexedFromTail, freePositions };
  };
  for await (const read of eachOf(pages)) {
    const { ordinal, writtenAt } = read;
    const canTake = () => hasSettled(writtenAt, bounds) && !isFull(context, freePositions);
    if (canTake()) {
      const passed = await sealFree(context, indexed, Math.min(ordinal, indexed + freePositions));
      ({ indexed } = passed);
      freePositions -= passed.tried;
      skippedTimes.push(...passed.arrived);
      if (passed.arrived.length > 0) return end({ knownBelow: indexed });
    }
    // Sealing may have used up the free positions.
    if (!canTake()) {
      skippedTimes.push(writtenAt);
      return end({ knownBelow: ordinal });
    }
    // A marker that was left out stays uncovered. Lists correct it, and a later step reads it as a marker of
    // an indexed testimonial.
    const markers = markersOf.get(ordinal) ?? [];
    const stored = await sealChanges(context, read, markers);
    if (stored) existing.add(ordinal);
    if (stored && !isChangeSettled(stored, bounds)) {
      unsettled.add(ordinal);
      skippedTimes.push(stored.testimonial.updatedAt);
      return end({ knownBelow: ordinal });
    }
    if (stored) edits.put(stored, { markers });
    indexed = ordinal + 1;
    indexedFromTail += 1;
  }
  return end({ knownBelow: Number.POSITIVE_INFINITY });
}

/** Puts the changes of indexed testimonials into the edits. */
async function readChanges(
  context: StepReading,
  { settled, skippedTimes: timesOfMarkers }: StepMarkers,
): Promise<ReadPart> {
  const { testimonials, organization, bounds, edits } = context;
  const markersOf = byTestimonial(settled);
  const [existing, unsettled] = [new Set<Ordinal>(), new Set<Ordinal>()];
  const skippedTimes = [...timesOfMarkers];
  const read = await testimonials.findMany(organization, inOrder(markersOf.keys()));
  await forEachAtOnce(read, async (each) => {
    const { ordinal } = each;
    const markers = markersOf.get(ordinal) ?? [];
    const stored = await sealChanges(context, each, markers);
    if (!stored) return;
    existing.add(ordinal);
    if (isChangeSettled(stored, bounds)) return edits.put(stored, { onlyChangeable: true, markers });
    unsettled.add(ordinal);
    skippedTimes.push(stored.testimonial.updatedAt);
  });
  return { markers: settled, existing, unsettled, skippedTimes };
}

/** Removes missing testimonials from the index, and decides which markers the step covers. */
async function finishStep(context: StepReading, tail: TailPart, changes: ReadPart): Promise<Step> {
  const { edits } = context;
  const { knownBelow, indexedFromTail } = tail;
  const markers = [...changes.markers, ...tail.markers];
  const markersOf = byTestimonial(markers);
  const exists = (ordinal: Ordinal) => changes.existing.has(ordinal) || tail.existing.has(ordinal);
  const missing = inOrder(markersOf.keys()).filter((ordinal) => ordinal < knownBelow && !exists(ordinal));
  const { indexed, arrived } = await passMissing(context, tail, missing.at(-1));
  for (const ordinal of missing) edits.removeFacets(ordinal, markersOf.get(ordinal) ?? []);
  const isUnsettled = (ordinal: Ordinal) => changes.unsettled.has(ordinal) || tail.unsettled.has(ordinal);
  const isCovered = ({ ordinal }: ChangeMarker) => ordinal < indexed && !isUnsettled(ordinal);
  const uncovered = markers.filter((marker) => !isCovered(marker)).map(({ time }) => time);
  const [oldestSkipped] = [
    ...tail.skippedTimes,
    ...changes.skippedTimes,
    ...arrived,
    ...uncovered,
  ].toSorted();
  return {
    edits,
    indexed,
    indexedFromTail,
    covered: markers.filter(isCovered).map(({ updateOrdinal }) => updateOrdinal),
    ...(oldestSkipped !== undefined && { oldestSkipped }),
  };
}

/**
 * Ends the step after the last missing testimonial. Missing testimonials at the end of the tail yield no
 * item, so `addFromTail` stopped before them. `sealFree` stops at the first position that has a testimonial.
 */
async function passMissing(context: StepReading, tail: TailPart, last: Ordinal = 0) {
  const { indexed, freePositions } = tail;
  if (last < indexed || isFull(context, freePositions)) return { indexed, arrived: [] };
  return sealFree(context, indexed, Math.min(last + 1, indexed + freePositions));
}

function inOrder(ordinals: Iterable<Ordinal>): Ordinal[] {
  return [...ordinals].toSorted((a, b) => a - b);
}

function byTestimonial(markers: readonly ChangeMarker[]): Map<Ordinal, ChangeMarker[]> {
  return Map.groupBy(markers, ({ ordinal }) => ordinal);
}

function isFull({ bounds, edits }: StepReading, freePositions: number): boolean {
  return edits.isFull(bounds.limits) || freePositions <= 0;
}

/**
 * Seals the free positions from one ordinal up to another.
 * @returns `indexed`: the end, or the first testimonial that arrived in the meantime; `arrived`: the times of
 * testimonials that arrived; `tried`: the number of positions tried
 */
async function sealFree({ testimonials, organization }: StepContext, from: Ordinal, to: Ordinal) {
  const free = Array.from({ length: to - from }, (_, i) => from + i);
  const arrived: StoredTestimonial[] = [];
  await forEachAtOnce(free, async (position) => {
    const stored = await testimonials.sealPosition(organization, position);
    if (stored) arrived.push(stored);
  });
  return {
    indexed: Math.min(to, ...arrived.map(({ ordinal }) => ordinal)),
    tried: free.length,
    arrived: arrived.map(({ writtenAt }) => writtenAt),
  };
}

/**
 * Seals the changes that the markers of a testimonial announce. Without markers there is nothing to seal.
 * @returns the current testimonial; undefined if it was erased in the meantime
 */
async function sealChanges(
  { testimonials, organization }: StepContext,
  read: StoredTestimonial,
  markers: readonly ChangeMarker[],
): Promise<StoredTestimonial | undefined> {
  const lastVersion = Math.max(...markers.map(({ version }) => version));
  let stored: StoredTestimonial | undefined = read;
  // A change of this version can still arrive until the version is raised.
  while (stored && stored.version <= lastVersion) {
    stored = (await testimonials.sealVersion(organization, stored))
      ? { ...stored, version: stored.version + 1 }
      : await testimonials.find(organization, read.ordinal);
  }
  return stored;
}

/**
 * True if the last change of a testimonial has settled. Indexing it earlier would make running lists restart
 * (rules 5 and 7).
 */
function isChangeSettled({ testimonial }: StoredTestimonial, bounds: StepBounds): boolean {
  return hasSettled(testimonial.updatedAt, bounds);
}

async function* pagesOf<Page>(...parts: (Iterable<Page> | AsyncIterable<Page>)[]): AsyncGenerator<Page> {
  for (const part of parts) yield* part;
}

async function* eachOf<Item>(pages: AsyncIterable<readonly Item[]>): AsyncGenerator<Item> {
  for await (const page of pages) yield* page;
}
