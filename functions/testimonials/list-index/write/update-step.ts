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
  const { ofIndexed, ofTail } = await readMarkers(context);
  const draft = new StepDraft(context);
  draft.addMarkers(ofIndexed);
  const end = await readTail(context, draft, ofTail);
  return finishStep(context, draft, end);
}

/** The maximum number of covered changes in the head, which every list reads. */
const maxCovered = 5000;

/** Change markers that are not covered, in the order of updates. */
interface UncoveredMarkers {
  /** Settled markers that the step covers. */
  settled: ChangeMarker[];
  /** Markers that the step would cover if they had settled. */
  unsettled: ChangeMarker[];
  /** The time of the first marker that the step skips, ISO 8601. */
  firstSkipped?: string;
}

/**
 * Reads as many markers as a step may cover: those of indexed testimonials and of the tail, kept apart so
 * that neither delays the other.
 */
async function readMarkers({ testimonials, organization, head, rules }: StepContext) {
  const isCovered = coveredBy(head);
  const maxMarkers = Math.min(rules.limits.positions, maxCovered - isCovered.size);
  const ofIndexed: UncoveredMarkers = { settled: [], unsettled: [] };
  const ofTail: UncoveredMarkers = { settled: [], unsettled: [] };
  for await (const page of testimonials.changeMarkers(organization)) {
    for (const marker of page.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal))) {
      const markers = marker.ordinal < head.indexed ? ofIndexed : ofTail;
      const isSettled = hasSettled(marker.time, rules);
      const hasRoom = markers.settled.length < maxMarkers;
      if (hasRoom) (isSettled ? markers.settled : markers.unsettled).push(marker);
      if (!hasRoom || !isSettled) markers.firstSkipped ??= marker.time;
    }
    if (ofIndexed.settled.length >= maxMarkers && ofTail.settled.length >= maxMarkers) break;
  }
  return { ofIndexed, ofTail };
}

/**
 * If an update of the tail is due, adds its testimonials to the step in their order, as many as the limits
 * allow. Otherwise reads no more of the tail than that decision needs.
 * @returns the ordinal below which every testimonial of the tail was read
 */
async function readTail(
  { testimonials, organization, head, rules }: StepContext,
  draft: StepDraft,
  markers: UncoveredMarkers,
): Promise<number> {
  const pages = testimonials.from(organization, head.indexed);
  const tail: StoredTestimonial[] = [];
  const unindexed = { tail, markers: [...markers.settled, ...markers.unsettled] };
  let dueSince: string | undefined;
  for (;;) {
    dueSince = tailDueSince(unindexed, rules.limits.minTailBytes);
    const next = dueSince === undefined && (await pages.next());
    if (!next || next.done) break;
    tail.push(...next.value);
  }
  if (dueSince === undefined || !hasSettled(dueSince, rules)) {
    if (dueSince !== undefined) draft.skip(dueSince);
    return head.indexed;
  }
  draft.addMarkers(markers);
  for await (const page of pagesOf([tail], pages)) {
    for (const stored of page) {
      const end = await draft.addNext(stored);
      if (end !== undefined) return end;
    }
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * Adds the changes of indexed testimonials to the step. Then removes erased testimonials from the index:
 * those that have a marker but no longer exist.
 * @param end the ordinal below which every testimonial of the tail was read
 */
async function finishStep(
  { testimonials, organization, head }: StepContext,
  draft: StepDraft,
  end: number,
): Promise<Step> {
  const changed = draft.markedOrdinals().filter((ordinal) => ordinal < head.indexed);
  await forEachAtOnce(await testimonials.findMany(organization, changed), (stored) =>
    draft.put(stored, { onlyChangeable: true }),
  );
  const missing = draft.markedOrdinals().filter((ordinal) => ordinal < end && !draft.stored.has(ordinal));
  // If the next testimonials of the tail were erased, the step ends after them.
  const after = (missing.at(-1) ?? 0) + 1;
  if (after > draft.indexed && !draft.isFull()) await draft.passUpTo(after);
  return draft.finish(missing);
}

/** A step while its testimonials are read. */
class StepDraft {
  readonly #context: StepContext;
  readonly #edits = new PostingEdits();
  /** The testimonials that were read and exist. */
  readonly stored = new Set<Ordinal>();
  indexed: Ordinal;
  #tailCount = 0;
  /** The number of free positions that the step may still seal. */
  #freePositions: number;
  /** The markers that the step covers, by the ordinal of their testimonial. */
  readonly #markers = new Map<Ordinal, ChangeMarker[]>();
  /** Testimonials whose markers stay uncovered. */
  readonly #uncovered = new Set<Ordinal>();
  #oldestSkipped: string | undefined;

  constructor(context: StepContext) {
    this.#context = context;
    this.indexed = context.head.indexed;
    this.#freePositions = context.rules.limits.positions;
  }

  addMarkers({ settled, firstSkipped }: UncoveredMarkers): void {
    for (const [ordinal, markers] of Map.groupBy(settled, (marker) => marker.ordinal)) {
      this.#markers.set(ordinal, markers);
    }
    if (firstSkipped !== undefined) this.skip(firstSkipped);
  }

  #markersOf(ordinal: Ordinal): ChangeMarker[] {
    return this.#markers.get(ordinal) ?? [];
  }

  markedOrdinals(): Ordinal[] {
    return [...this.#markers.keys()].toSorted((a, b) => a - b);
  }

  isFull(): boolean {
    return this.#edits.isFull(this.#context.rules.limits) || this.#freePositions <= 0;
  }

  /** Records that the step skips an item of this time. */
  skip(time: string): void {
    if (this.#oldestSkipped === undefined || time < this.#oldestSkipped) this.#oldestSkipped = time;
  }

  /**
   * Adds the next testimonial of the tail.
   * @returns undefined if the step continues after it; otherwise the ordinal below which all testimonials
   * were read
   */
  async addNext(stored: StoredTestimonial): Promise<number | undefined> {
    const { ordinal, writtenAt } = stored;
    const canAdd = () => hasSettled(writtenAt, this.#context.rules) && !this.isFull();
    if (canAdd() && !(await this.passUpTo(ordinal))) return this.indexed;
    if (!canAdd()) {
      this.skip(writtenAt);
      return ordinal;
    }
    if (!(await this.put(stored))) return ordinal;
    this.indexed = ordinal + 1;
    this.#tailCount += 1;
    return undefined;
  }

  /**
   * Seals the free positions below an ordinal, as many as the limits allow.
   * @returns false if the step ends earlier, at a testimonial that arrived meanwhile
   */
  async passUpTo(ordinal: Ordinal): Promise<boolean> {
    const { testimonials, organization } = this.#context;
    const end = Math.min(ordinal, this.indexed + this.#freePositions);
    const free = Array.from({ length: end - this.indexed }, (_, i) => this.indexed + i);
    const arrived: StoredTestimonial[] = [];
    await forEachAtOnce(free, async (position) => {
      const stored = await testimonials.sealPosition(organization, position);
      if (stored) arrived.push(stored);
    });
    this.#freePositions -= free.length;
    for (const { writtenAt } of arrived) this.skip(writtenAt);
    this.indexed = Math.min(end, ...arrived.map((stored) => stored.ordinal));
    return arrived.length === 0;
  }

  /**
   * Seals the changes that its markers announce, then puts a testimonial into the edits.
   * @returns false if its last change has not settled
   */
  async put(read: StoredTestimonial, options?: { onlyChangeable: boolean }): Promise<boolean> {
    const { testimonials, organization, rules } = this.#context;
    const { ordinal } = read;
    const markers = this.#markersOf(ordinal);
    const lastVersion = Math.max(...markers.map(({ version }) => version));
    let stored: StoredTestimonial | undefined = read;
    // A change of this version can still arrive until the version is raised.
    while (stored && stored.version <= lastVersion) {
      stored = (await testimonials.sealVersion(organization, stored))
        ? { ...stored, version: stored.version + 1 }
        : await testimonials.find(organization, ordinal);
    }
    // It was erased meanwhile: `finishStep` removes it.
    if (!stored) return true;
    this.stored.add(ordinal);
    const { updatedAt } = stored.testimonial;
    // A list that began before the last change would count the testimonial twice.
    if (!hasSettled(updatedAt, rules)) {
      this.#uncovered.add(ordinal);
      this.skip(updatedAt);
      return false;
    }
    this.#edits.put(stored, { ...options, markers });
    return true;
  }

  /** @param erased the testimonials to remove from the index */
  finish(erased: readonly Ordinal[]): Step {
    for (const ordinal of erased) this.#edits.remove(ordinal, this.#markersOf(ordinal));
    const covered: UpdateOrdinal[] = [];
    for (const { ordinal, updateOrdinal, time } of [...this.#markers.values()].flat()) {
      if (ordinal < this.indexed && !this.#uncovered.has(ordinal)) covered.push(updateOrdinal);
      else this.skip(time);
    }
    return {
      edits: this.#edits,
      indexed: this.indexed,
      testimonials: this.#tailCount,
      covered,
      ...(this.#oldestSkipped !== undefined && { oldestSkipped: this.#oldestSkipped }),
    };
  }
}

async function* pagesOf<Page>(...parts: (Iterable<Page> | AsyncIterable<Page>)[]): AsyncGenerator<Page> {
  for (const part of parts) yield* part;
}
