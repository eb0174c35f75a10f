/** Reads one step of an index update, and seals off all that could still arrive before it, before the index is written. */

import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { ChangeMarker, TestimonialStore } from '../../domain/stores.ts';
import type { Ordinal, UpdateOrdinal } from '../../domain/testimonial-order.ts';
import { forEachAtOnce } from '../../timing.ts';
import { coveredBy, type IndexHead } from '../index-store.ts';
import { minTailBytes, tailDueSince } from '../update-due.ts';
import { PostingEdits } from './posting-edits.ts';

/** The most that one step takes, which is written within seconds, and the size of a tail that it leaves alone. */
export interface StepLimits {
  /**
   * Postings to write. Postings that many bits share count less, so a long backlog of ordinary texts makes longer steps, which
   * write each posting once for more testimonials; texts of many different words make shorter ones.
   */
  postings: number;
  /** Bits to change. */
  bits: number;
  /** Positions of changes to cover, and free positions to seal. */
  positions: number;
  /** Bytes below which the tail stays in the table. */
  minTailBytes: number;
}

export const stepLimits: StepLimits = {
  postings: 10_000,
  bits: 1_000_000,
  positions: 2000,
  minTailBytes,
};

export interface IndexUpdateOptions {
  /** No step begins after this time, in milliseconds since the epoch. */
  until?: number;
  /** Replace those of `stepLimits`. */
  limits?: Partial<StepLimits>;
}

/** Returns the limits of each step if the steps of several organizations run at once: together they have those of one. */
export function shareOfStep(organizations: number): Pick<StepLimits, 'postings' | 'bits'> {
  return { postings: stepLimits.postings / organizations, bits: stepLimits.bits / organizations };
}

/** The limits of a step, in time and in size. */
export interface StepRules {
  /** Items written until then have settled, in milliseconds since the epoch. */
  settledBefore: number;
  limits: StepLimits;
}

export function hasSettled(time: string, { settledBefore }: StepRules): boolean {
  return Date.parse(time) <= settledBefore;
}

/** The edits of a step before they are written, and its rest. */
export interface Step {
  edits: PostingEdits;
  /** After the step, the postings have all testimonials with a lower ordinal. */
  indexed: Ordinal;
  testimonials: number;
  /** The update ordinals of the changes that the edits have. */
  covered: UpdateOrdinal[];
  /** When the oldest item was written that is due for indexing but left to a later step, ISO 8601. */
  oldestLeft?: string;
}

/** The organization that a step reads, and the head that the step is going to replace. */
interface StepContext {
  testimonials: TestimonialStore;
  organization: string;
  head: IndexHead;
  rules: StepRules;
}

/**
 * Reads a step: the markers, then the tail if it is due, then the other testimonials with a marker. Seals off writes that were
 * begun before and can still arrive: it takes free positions (rule 2) and raises versions (rule 4).
 */
export async function readStep(context: StepContext): Promise<Step> {
  const { ofIndexed, ofTail } = await readMarkers(context);
  const draft = new StepDraft(context);
  draft.takeMarkers(ofIndexed);
  const tail = await takeTail(context, draft, ofTail);
  const rows = await takeChanged(context, draft, tail);
  return takeErased(draft, rows);
}

/** The most covered changes whose markers still exist: the head names each, and every list reads the head. */
const maxCovered = 5000;

/** Change markers that are not covered, in the order of updates. */
interface UncoveredMarkers {
  taken: ChangeMarker[];
  /** Markers that a step would take, had they settled. */
  unsettled: ChangeMarker[];
  /** When the first marker was put that is not taken, ISO 8601. */
  left?: string;
}

/** Markers of indexed testimonials and of the tail, apart: neither holds up the other. */
interface Markers {
  ofIndexed: UncoveredMarkers;
  ofTail: UncoveredMarkers;
}

/** Reads the markers until a step takes no more. */
async function readMarkers({ testimonials, organization, head, rules }: StepContext): Promise<Markers> {
  const isCovered = coveredBy(head);
  const room = Math.min(rules.limits.positions, maxCovered - isCovered.size);
  const ofIndexed: UncoveredMarkers = { taken: [], unsettled: [] };
  const ofTail: UncoveredMarkers = { taken: [], unsettled: [] };
  for await (const page of testimonials.changeMarkers(organization)) {
    for (const marker of page.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal))) {
      const markers = marker.ordinal < head.indexed ? ofIndexed : ofTail;
      const isSettled = hasSettled(marker.time, rules);
      const hasRoom = markers.taken.length < room;
      if (hasRoom) (isSettled ? markers.taken : markers.unsettled).push(marker);
      if (!hasRoom || !isSettled) markers.left ??= marker.time;
    }
    if (ofIndexed.taken.length >= room && ofTail.taken.length >= room) break;
  }
  return { ofIndexed, ofTail };
}

/** The tail was read. */
interface TailTaken {
  /** Every testimonial of the tail below this ordinal was read. */
  end: number;
}

/**
 * Takes the testimonials of the tail in their order, as many as the step may, if an update of the tail is due. Reads no more
 * of the tail than that decision needs.
 */
async function takeTail(
  { testimonials, organization, head, rules }: StepContext,
  draft: StepDraft,
  markers: UncoveredMarkers,
): Promise<TailTaken> {
  const pages = testimonials.from(organization, head.indexed);
  const tail: StoredTestimonial[] = [];
  const unindexed = { tail, markers: [...markers.taken, ...markers.unsettled] };
  let dueSince: string | undefined;
  for (;;) {
    dueSince = tailDueSince(unindexed, rules.limits.minTailBytes);
    const next = dueSince === undefined && (await pages.next());
    if (!next || next.done) break;
    tail.push(...next.value);
  }
  if (dueSince === undefined || !hasSettled(dueSince, rules)) {
    if (dueSince !== undefined) draft.leave(dueSince);
    return { end: head.indexed };
  }
  draft.takeMarkers(markers);
  for await (const page of pagesOf([tail], pages)) {
    for (const stored of page) {
      const end = await draft.takeNext(stored);
      if (end !== undefined) return { end };
    }
  }
  return { end: Number.POSITIVE_INFINITY };
}

/** The tail and the changed testimonials were read. */
interface RowsTaken extends TailTaken {
  found: ReadonlySet<Ordinal>;
}

/** Takes the changes of indexed testimonials. */
async function takeChanged(
  { testimonials, organization, head }: StepContext,
  draft: StepDraft,
  tail: TailTaken,
): Promise<RowsTaken> {
  const changed = draft.markedOrdinals().filter((ordinal) => ordinal < head.indexed);
  await forEachAtOnce(await testimonials.findMany(organization, changed), (stored) =>
    draft.put(stored, { onlyChangeable: true }),
  );
  return { ...tail, found: draft.found };
}

/** Takes erased testimonials out of the index: those with a marker that were not found. */
async function takeErased(draft: StepDraft, { end, found }: RowsTaken): Promise<Step> {
  const missing = draft.markedOrdinals().filter((ordinal) => ordinal < end && !found.has(ordinal));
  // If the next ones of the tail were erased, the step ends behind them.
  const behind = (missing.at(-1) ?? 0) + 1;
  if (behind > draft.indexed && !draft.isFull()) await draft.passUpTo(behind);
  return draft.finish(missing);
}

/** The edits of a step, as far as its testimonials were read. */
class StepDraft {
  readonly #context: StepContext;
  readonly #edits = new PostingEdits();
  /** The testimonials that were read. */
  readonly found = new Set<Ordinal>();
  indexed: Ordinal;
  #takenOfTail = 0;
  /** The number of free positions that the step may still seal. */
  #freePositions: number;
  /** The markers that the step takes, by the ordinal of their testimonial. */
  readonly #markers = new Map<Ordinal, ChangeMarker[]>();
  /** Testimonials whose markers stay uncovered. */
  readonly #left = new Set<Ordinal>();
  #oldestLeft: string | undefined;

  constructor(context: StepContext) {
    this.#context = context;
    this.indexed = context.head.indexed;
    this.#freePositions = context.rules.limits.positions;
  }

  takeMarkers({ taken, left }: UncoveredMarkers): void {
    for (const marker of taken) {
      this.#markers.set(marker.ordinal, [...this.#markersOf(marker.ordinal), marker]);
    }
    if (left !== undefined) this.leave(left);
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

  /** Notes an item that was written at this time and stays for a later step. */
  leave(time: string): void {
    if (this.#oldestLeft === undefined || time < this.#oldestLeft) this.#oldestLeft = time;
  }

  /**
   * Takes the next testimonial of the tail.
   * @returns undefined if the step continues after it; otherwise the ordinal below which all testimonials were read
   */
  async takeNext(stored: StoredTestimonial): Promise<number | undefined> {
    const { ordinal, writtenAt } = stored;
    const isTaken = () => hasSettled(writtenAt, this.#context.rules) && !this.isFull();
    if (isTaken() && !(await this.passUpTo(ordinal))) return this.indexed;
    if (!isTaken()) {
      this.leave(writtenAt);
      return ordinal;
    }
    if (!(await this.put(stored))) return ordinal;
    this.indexed = ordinal + 1;
    this.#takenOfTail += 1;
    return undefined;
  }

  /**
   * Seals the free positions below an ordinal, as many as the step may.
   * @returns false if the step ends before, at a testimonial that arrived meanwhile
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
    for (const { writtenAt } of arrived) this.leave(writtenAt);
    this.indexed = Math.min(end, ...arrived.map((stored) => stored.ordinal));
    return arrived.length === 0;
  }

  /**
   * Puts a testimonial into the edits, once no change that its markers announce can still arrive.
   * @returns false if its last change has not settled
   */
  async put(read: StoredTestimonial, options?: { onlyChangeable: boolean }): Promise<boolean> {
    const { testimonials, organization, rules } = this.#context;
    const { ordinal } = read;
    const markers = this.#markersOf(ordinal);
    const lastVersion = Math.max(...markers.map(({ version }) => version));
    let stored: StoredTestimonial | undefined = read;
    // A change of this version can still arrive, until the version is raised.
    while (stored && stored.version <= lastVersion) {
      stored = (await testimonials.sealVersion(organization, stored))
        ? { ...stored, version: stored.version + 1 }
        : await testimonials.find(organization, ordinal);
    }
    // Erased meanwhile: `takeErased` takes it out.
    if (!stored) return true;
    this.found.add(ordinal);
    const { updatedAt } = stored.testimonial;
    // A list that began before the last change would count the testimonial twice.
    if (!hasSettled(updatedAt, rules)) {
      this.#left.add(ordinal);
      this.leave(updatedAt);
      return false;
    }
    this.#edits.put(stored, { ...options, markers });
    return true;
  }

  /** @param erased the testimonials that are taken out */
  finish(erased: readonly Ordinal[]): Step {
    for (const ordinal of erased) this.#edits.remove(ordinal, this.#markersOf(ordinal));
    const covered: UpdateOrdinal[] = [];
    for (const { ordinal, updateOrdinal, time } of [...this.#markers.values()].flat()) {
      if (ordinal < this.indexed && !this.#left.has(ordinal)) covered.push(updateOrdinal);
      else this.leave(time);
    }
    return {
      edits: this.#edits,
      indexed: this.indexed,
      testimonials: this.#takenOfTail,
      covered,
      ...(this.#oldestLeft !== undefined && { oldestLeft: this.#oldestLeft }),
    };
  }
}

async function* pagesOf<Page>(...parts: (Iterable<Page> | AsyncIterable<Page>)[]): AsyncGenerator<Page> {
  for (const part of parts) yield* part;
}
