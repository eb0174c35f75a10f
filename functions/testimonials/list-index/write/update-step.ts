/**
 * Reads one step of an index update, and seals everything that could still arrive, before the step writes the
 * index.
 */

import type { StoredTestimonial } from '../../../domain/stored-testimonial.ts';
import type { ChangeMarker, TestimonialStore } from '../../../domain/stores.ts';
import type { Ordinal, UpdateOrdinal } from '../../../domain/testimonial-order.ts';
import { forEachAtOnce } from '../../../timing.ts';
import { coveredBy, type IndexHead } from '../index-store.ts';
import { minTailBytes, tailDueSince } from '../update-due.ts';
import { PostingEdits } from './posting-edits.ts';

/** The maximum work of one step, which takes seconds to write, and the minimum size of a tail to index. */
export interface StepLimits {
  /**
   * Postings to write. Postings that receive many bits count less. So a long backlog of ordinary texts makes
   * longer steps, which write each posting once for more testimonials, and texts of many different words make
   * shorter ones.
   */
  postings: number;
  bits: number;
  /** Positions of changes to cover, and free positions to seal. */
  positions: number;
  /** Size in bytes below which the tail stays in the table. */
  minTailBytes: number;
}

export const stepLimits: StepLimits = {
  postings: 10_000,
  bits: 1_000_000,
  positions: 2000,
  minTailBytes,
};

export interface IndexUpdateOptions {
  /** No step begins after this time, in milliseconds since the Unix epoch. */
  until?: number;
  /** Override those of `stepLimits`. */
  limits?: Partial<StepLimits>;
}

/** Divides the limits of one step among the steps of several organizations that run at once. */
export function shareOfStep(organizations: number): Pick<StepLimits, 'postings' | 'bits'> {
  return { postings: stepLimits.postings / organizations, bits: stepLimits.bits / organizations };
}

export interface StepRules {
  /** Items written up to this time have settled, in milliseconds since the Unix epoch. */
  settledBefore: number;
  limits: StepLimits;
}

export function hasSettled(time: string, { settledBefore }: StepRules): boolean {
  return Date.parse(time) <= settledBefore;
}

/** A step that was read and not yet written. */
export interface Step {
  edits: PostingEdits;
  /** After the step, the postings contain all testimonials with a lower ordinal. */
  indexed: Ordinal;
  testimonials: number;
  /** The update ordinals of the changes that the edits include. */
  covered: UpdateOrdinal[];
  /** The time of the oldest item that is due for indexing but that this step skipped, ISO 8601. */
  oldestSkipped?: string;
}

/** The organization that a step reads, and the head that the step will replace. */
interface StepContext {
  testimonials: TestimonialStore;
  organization: string;
  head: IndexHead;
  rules: StepRules;
}

/**
 * Reads a step: the markers, then the tail if it is due, then the other testimonials with a marker. Seals off
 * earlier writes that can still arrive: it fills free positions (rule 2) and raises versions (rule 4).
 */
export async function readStep(context: StepContext): Promise<Step> {
  const markers = await readMarkers(context);
  const tail = await readTail(context, markers.ofTail);
  return addChanges(context, markers.ofIndexed, tail);
}

/** The maximum number of covered changes in the head, which every list reads. */
const maxCovered = 5000;

/** Change markers that are not covered, in the order of updates. */
interface UncoveredMarkers {
  /** Settled markers that the step covers. */
  settled: ChangeMarker[];
  /** Markers that the step would cover if they had settled. */
  unsettled: ChangeMarker[];
  /** The times of the markers that the step skips, ISO 8601. */
  skipped: string[];
}

/**
 * Reads as many markers as a step may cover: those of indexed testimonials and of the tail, kept apart so
 * that neither delays the other.
 */
async function readMarkers({ testimonials, organization, head, rules }: StepContext) {
  const isCovered = coveredBy(head);
  const maxMarkers = Math.min(rules.limits.positions, maxCovered - isCovered.size);
  const ofIndexed: UncoveredMarkers = { settled: [], unsettled: [], skipped: [] };
  const ofTail: UncoveredMarkers = { settled: [], unsettled: [], skipped: [] };
  for await (const page of testimonials.changeMarkers(organization)) {
    for (const marker of page.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal))) {
      const markers = marker.ordinal < head.indexed ? ofIndexed : ofTail;
      const isSettled = hasSettled(marker.time, rules);
      const hasRoom = markers.settled.length < maxMarkers;
      if (hasRoom) (isSettled ? markers.settled : markers.unsettled).push(marker);
      if (!hasRoom || !isSettled) markers.skipped.push(marker.time);
    }
    if (ofIndexed.settled.length >= maxMarkers && ofTail.settled.length >= maxMarkers) break;
  }
  return { ofIndexed, ofTail };
}

/** What a step takes of the tail. */
interface TailPart {
  edits: PostingEdits;
  /** The step indexes every testimonial with a lower ordinal. */
  indexed: Ordinal;
  /** Every testimonial of the tail with a lower ordinal was read. */
  end: number;
  testimonials: number;
  /** The markers of the tail that the step may cover. */
  markers: readonly ChangeMarker[];
  /** The ordinals of the testimonials that exist. */
  existing: ReadonlySet<Ordinal>;
  /** The number of free positions that the step may still seal. */
  freePositions: number;
  /** The times of items that the step skips, ISO 8601. */
  skipped: readonly string[];
}

/**
 * If an update of the tail is due, takes its testimonials in their order, as many as the limits allow.
 * Otherwise reads no more of the tail than that decision needs.
 */
async function readTail(context: StepContext, markers: UncoveredMarkers): Promise<TailPart> {
  const { testimonials, organization, head, rules } = context;
  const pages = testimonials.from(organization, head.indexed);
  const read: StoredTestimonial[] = [];
  const unindexed = { tail: read, markers: [...markers.settled, ...markers.unsettled] };
  let dueSince: string | undefined;
  for (;;) {
    dueSince = tailDueSince(unindexed, rules.limits.minTailBytes);
    const next = dueSince === undefined && (await pages.next());
    if (!next || next.done) break;
    read.push(...next.value);
  }
  if (dueSince !== undefined && hasSettled(dueSince, rules))
    return takeTail(context, markers, pagesOf([read], pages));
  return {
    edits: new PostingEdits(),
    indexed: head.indexed,
    end: head.indexed,
    testimonials: 0,
    markers: [],
    existing: new Set(),
    freePositions: rules.limits.positions,
    skipped: dueSince === undefined ? [] : [dueSince],
  };
}

/** Takes testimonials until the limits are reached, one has not settled, or another one arrived before it. */
async function takeTail(
  context: StepContext,
  markers: UncoveredMarkers,
  pages: AsyncIterable<StoredTestimonial[]>,
): Promise<TailPart> {
  const { rules } = context;
  const edits = new PostingEdits();
  const ofTestimonial = byTestimonial(markers.settled);
  const existing = new Set<Ordinal>();
  const skipped = [...markers.skipped];
  let { indexed } = context.head;
  let freePositions = rules.limits.positions;
  let testimonials = 0;
  const partUpTo = (end: number): TailPart => {
    return { edits, indexed, end, testimonials, markers: markers.settled, existing, freePositions, skipped };
  };
  for await (const page of pages) {
    for (const read of page) {
      const { ordinal, writtenAt } = read;
      const canTake = () => hasSettled(writtenAt, rules) && !isFull(context, { edits, freePositions });
      if (canTake()) {
        const passed = await sealFree(context, indexed, Math.min(ordinal, indexed + freePositions));
        ({ indexed } = passed);
        freePositions -= passed.sealed;
        skipped.push(...passed.arrived);
        if (passed.arrived.length > 0) return partUpTo(indexed);
      }
      if (!canTake()) {
        skipped.push(writtenAt);
        return partUpTo(ordinal);
      }
      const announced = ofTestimonial.get(ordinal) ?? [];
      const stored = await sealChanges(context, read, announced);
      if (stored) existing.add(ordinal);
      if (stored && !canIndex(stored, rules)) {
        skipped.push(stored.testimonial.updatedAt);
        return partUpTo(ordinal);
      }
      if (stored) edits.put(stored, { markers: announced });
      indexed = ordinal + 1;
      testimonials += 1;
    }
  }
  return partUpTo(Number.POSITIVE_INFINITY);
}

function byTestimonial(markers: readonly ChangeMarker[]): Map<Ordinal, ChangeMarker[]> {
  return Map.groupBy(markers, ({ ordinal }) => ordinal);
}

function isFull(
  { rules }: StepContext,
  { edits, freePositions }: Pick<TailPart, 'edits' | 'freePositions'>,
): boolean {
  return edits.isFull(rules.limits) || freePositions <= 0;
}

/**
 * Seals the free positions from one ordinal up to another.
 * @returns `indexed`: the end, or the first testimonial that arrived meanwhile; `arrived`: the times of those
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
    sealed: free.length,
    arrived: arrived.map(({ writtenAt }) => writtenAt),
  };
}

/**
 * Seals the changes that its markers announce.
 * @returns the testimonial as it is now; undefined if it was erased meanwhile
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
 * Returns true if the last change of a testimonial has settled. A list that began before would count it
 * twice.
 */
function canIndex({ testimonial }: StoredTestimonial, rules: StepRules): boolean {
  return hasSettled(testimonial.updatedAt, rules);
}

/**
 * Completes a step with the changes of indexed testimonials. Then removes erased testimonials from the index:
 * those that have a marker but no longer exist.
 */
async function addChanges(context: StepContext, markers: UncoveredMarkers, tail: TailPart): Promise<Step> {
  const { testimonials, organization, rules } = context;
  const { edits } = tail;
  const ofTestimonial = byTestimonial([...markers.settled, ...tail.markers]);
  const existing = new Set(tail.existing);
  const unsettled = new Set<Ordinal>();
  const skipped = [...tail.skipped, ...markers.skipped];
  const changed = [...byTestimonial(markers.settled).keys()].toSorted((a, b) => a - b);
  await forEachAtOnce(await testimonials.findMany(organization, changed), async (read) => {
    const { ordinal } = read;
    const announced = ofTestimonial.get(ordinal) ?? [];
    const stored = await sealChanges(context, read, announced);
    if (!stored) return;
    existing.add(ordinal);
    if (canIndex(stored, rules)) {
      edits.put(stored, { onlyChangeable: true, markers: announced });
    } else {
      unsettled.add(ordinal);
      skipped.push(stored.testimonial.updatedAt);
    }
  });
  const erased = [...ofTestimonial.keys()]
    .filter((ordinal) => ordinal < tail.end && !existing.has(ordinal))
    .toSorted((a, b) => a - b);
  let { indexed } = tail;
  // If the next testimonials of the tail were erased, the step ends after them.
  const after = (erased.at(-1) ?? 0) + 1;
  if (after > indexed && !isFull(context, tail)) {
    const passed = await sealFree(context, indexed, Math.min(after, indexed + tail.freePositions));
    ({ indexed } = passed);
    skipped.push(...passed.arrived);
  }
  for (const ordinal of erased) edits.remove(ordinal, ofTestimonial.get(ordinal) ?? []);
  const all = [...ofTestimonial.values()].flat();
  const isCovered = ({ ordinal }: ChangeMarker) => ordinal < indexed && !unsettled.has(ordinal);
  const left = all.filter((marker) => !isCovered(marker)).map(({ time }) => time);
  const oldestSkipped = [...skipped, ...left].toSorted()[0];
  return {
    edits,
    indexed,
    testimonials: tail.testimonials,
    covered: all.filter(isCovered).map(({ updateOrdinal }) => updateOrdinal),
    ...(oldestSkipped !== undefined && { oldestSkipped }),
  };
}

async function* pagesOf<Page>(...parts: (Iterable<Page> | AsyncIterable<Page>)[]): AsyncGenerator<Page> {
  for (const part of parts) yield* part;
}
