/** One step of an index update: what it takes, read and sealed off, before anything of the index is written. */

import { forEachAtOnce } from '../../concurrency.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { ChangeMarker, TestimonialStore } from '../../domain/stores.ts';
import type { Ordinal, UpdateOrdinal } from '../../domain/testimonial-order.ts';
import { coveredBy, type IndexHead } from '../index-store.ts';
import { minTailBytes, tailDueSince } from '../update-due.ts';
import { PostingEdits } from './posting-edits.ts';

/** The most that a step takes, as much as is written within some seconds, and how much it leaves in the tail. */
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
  /** Bytes of the tail that are not worth an update yet. */
  minTailBytes: number;
}

export const stepLimits: StepLimits = {
  postings: 10_000,
  bits: 1_000_000,
  places: 2000,
  minTailBytes,
};

export interface IndexUpdateOptions {
  /** No step begins after it, in milliseconds since the epoch. */
  until?: number;
  /** Where they differ from `stepLimits`. */
  limits?: Partial<StepLimits>;
}

/** The limits of each of so many organizations' steps that are written at once: together they are those of one. */
export function shareOfStep(organizations: number): Pick<StepLimits, 'postings' | 'bits'> {
  return { postings: stepLimits.postings / organizations, bits: stepLimits.bits / organizations };
}

/** The rules that a step goes by. */
export interface Rules {
  /** The time until which everything that was written has settled, in milliseconds since the epoch. */
  settledBefore: number;
  limits: StepLimits;
}

export function hasSettled(time: string, { settledBefore }: Rules): boolean {
  return Date.parse(time) <= settledBefore;
}

/** The edits that a step is to write, and what it leaves. */
export interface Step {
  edits: PostingEdits;
  /** After the step, the postings have all testimonials with a lower ordinal. */
  indexed: Ordinal;
  testimonials: number;
  /** The changes that the edits have, by their places in the order of updates. */
  covered: UpdateOrdinal[];
  /** When the oldest was written that is left though it is worth an update, ISO 8601. */
  oldestLeft?: string;
}

interface Source {
  testimonials: TestimonialStore;
  organization: string;
  head: IndexHead;
  rules: Rules;
}

/**
 * Reads what a step is to update the index: markers, then the tail if it is worth it, then the other testimonials that have a
 * marker. Whatever was begun before and can still arrive is sealed off: a free place is taken, a version is raised.
 */
export async function readStep(source: Source): Promise<Step> {
  const draft = new StepDraft(source, await readMarkers(source));
  const end = await draft.takeTail();
  await draft.takeChanged();
  await draft.takeErased(end);
  return draft.end();
}

/** Covered changes whose markers are still there, at most: the head names them, and every list reads the head. */
const mostCovered = 5000;

/** Change markers that are not covered, in the order of updates. */
interface Announced {
  taken: ChangeMarker[];
  /** Markers that a step could take up, but for their time. */
  unsettled: ChangeMarker[];
  /** When the first was written that is not taken up, ISO 8601. */
  left?: string;
}

/** Announced changes: of testimonials that the index has, and of the tail. Neither holds up the other. */
interface Markers {
  ofIndexed: Announced;
  ofTail: Announced;
}

/** Reads the markers, until no further one would be taken up. */
async function readMarkers({ testimonials, organization, head, rules }: Source): Promise<Markers> {
  const isCovered = coveredBy(head);
  const room = Math.min(rules.limits.places, mostCovered - isCovered.size);
  const ofIndexed: Announced = { taken: [], unsettled: [] };
  const ofTail: Announced = { taken: [], unsettled: [] };
  for await (const page of testimonials.changeMarkers(organization)) {
    for (const marker of page.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal))) {
      const announced = marker.ordinal < head.indexed ? ofIndexed : ofTail;
      const isSettled = hasSettled(marker.time, rules);
      const hasRoom = announced.taken.length < room;
      if (hasRoom) (isSettled ? announced.taken : announced.unsettled).push(marker);
      if (!hasRoom || !isSettled) announced.left ??= marker.time;
    }
    if (ofIndexed.taken.length >= room && ofTail.taken.length >= room) break;
  }
  return { ofIndexed, ofTail };
}

/** A step as far as it was read. */
class StepDraft {
  readonly #source: Source;
  readonly #ofTail: Announced;
  readonly #edits = new PostingEdits();
  #indexed: Ordinal;
  #takenUp = 0;
  /** Free places that it can still pass. */
  #places: number;
  /** The markers that it takes up, by the ordinal of their testimonial. */
  readonly #markers = new Map<Ordinal, ChangeMarker[]>();
  readonly #found = new Set<Ordinal>();
  /** Testimonials of which a marker is left. */
  readonly #left = new Set<Ordinal>();
  #oldestLeft: string | undefined;

  constructor(source: Source, { ofIndexed, ofTail }: Markers) {
    this.#source = source;
    this.#ofTail = ofTail;
    this.#indexed = source.head.indexed;
    this.#places = source.rules.limits.places;
    this.#takeUp(ofIndexed);
  }

  #takeUp({ taken, left }: Announced): void {
    for (const marker of taken) {
      this.#markers.set(marker.ordinal, [...this.#markersOf(marker.ordinal), marker]);
    }
    if (left !== undefined) this.#leave(left);
  }

  #markersOf(ordinal: Ordinal): ChangeMarker[] {
    return this.#markers.get(ordinal) ?? [];
  }

  /**
   * Takes the testimonials of the tail, in their order, as many as the step may, if they are worth it.
   * @returns the ordinal before which the step has all that there is
   */
  async takeTail(): Promise<number> {
    const { testimonials, organization, head, rules } = this.#source;
    const markers = [...this.#ofTail.taken, ...this.#ofTail.unsettled];
    const pages = testimonials.from(organization, head.indexed);
    const tail: StoredTestimonial[] = [];
    let worth: string | undefined;
    // As much of the tail is read as tells since when it is worth an update.
    for (;;) {
      worth = tailDueSince({ tail, markers }, rules.limits.minTailBytes);
      const next = worth === undefined && (await pages.next());
      if (!next || next.done) break;
      tail.push(...next.value);
    }
    if (worth === undefined || !hasSettled(worth, rules)) {
      if (worth !== undefined) this.#leave(worth);
      return head.indexed;
    }
    this.#takeUp(this.#ofTail);
    for await (const stored of eachOf([tail], pages)) {
      const end = await this.#takeNext(stored);
      if (end !== undefined) return end;
    }
    return Number.POSITIVE_INFINITY;
  }

  /** @returns undefined when the step goes on behind it, or the ordinal before which it has all that there is */
  async #takeNext(stored: StoredTestimonial): Promise<number | undefined> {
    const { ordinal, writtenAt } = stored;
    const isTaken = () => hasSettled(writtenAt, this.#source.rules) && !this.#isFull();
    if (isTaken() && !(await this.#passUpTo(ordinal))) return this.#indexed;
    if (!isTaken()) {
      this.#leave(writtenAt);
      return ordinal;
    }
    if (!(await this.#put(stored))) return ordinal;
    this.#indexed = ordinal + 1;
    this.#takenUp += 1;
    return undefined;
  }

  #isFull(): boolean {
    return this.#edits.isFull(this.#source.rules.limits) || this.#places <= 0;
  }

  /**
   * Seals the free places before an ordinal, as many as the step may.
   * @returns false when the step ends before, at a testimonial that arrived meanwhile
   */
  async #passUpTo(ordinal: Ordinal): Promise<boolean> {
    const { testimonials, organization } = this.#source;
    const end = Math.min(ordinal, this.#indexed + this.#places);
    const free = Array.from({ length: end - this.#indexed }, (_, i) => this.#indexed + i);
    const arrived: StoredTestimonial[] = [];
    await forEachAtOnce(free, async (place) => {
      const there = await testimonials.sealPlace(organization, place);
      if (there) arrived.push(there);
    });
    this.#places -= free.length;
    for (const { writtenAt } of arrived) this.#leave(writtenAt);
    this.#indexed = Math.min(end, ...arrived.map((there) => there.ordinal));
    return arrived.length === 0;
  }

  /** Takes what changed of the testimonials that the index has. */
  async takeChanged(): Promise<void> {
    const { testimonials, organization, head } = this.#source;
    const changed = this.#marked().filter((ordinal) => ordinal < head.indexed);
    await forEachAtOnce(await testimonials.findMany(organization, changed), (stored) =>
      this.#put(stored, { onlyChangeable: true }),
    );
  }

  /**
   * Takes erased testimonials out of the index: those with markers that were not found.
   * @param end the ordinal before which all that there are were found
   */
  async takeErased(end: number): Promise<void> {
    const missing = this.#marked().filter((ordinal) => ordinal < end && !this.#found.has(ordinal));
    // Where the next ones of the tail were erased, the step ends behind them.
    const behind = (missing.at(-1) ?? 0) + 1;
    if (behind > this.#indexed && !this.#isFull()) await this.#passUpTo(behind);

    for (const ordinal of missing) this.#edits.remove(ordinal, this.#markersOf(ordinal));
  }

  /** The step as it was read. */
  end(): Step {
    const covered: UpdateOrdinal[] = [];
    for (const { ordinal, updateOrdinal, time } of [...this.#markers.values()].flat()) {
      if (ordinal < this.#indexed && !this.#left.has(ordinal)) covered.push(updateOrdinal);
      else this.#leave(time);
    }
    return {
      edits: this.#edits,
      indexed: this.#indexed,
      testimonials: this.#takenUp,
      covered,
      ...(this.#oldestLeft !== undefined && { oldestLeft: this.#oldestLeft }),
    };
  }

  #marked(): Ordinal[] {
    return [...this.#markers.keys()].toSorted((a, b) => a - b);
  }

  /**
   * Puts a testimonial into the edits, once none of its markers stands for a change that can still arrive.
   * @returns false when its last change has not settled
   */
  async #put(found: StoredTestimonial, options?: { onlyChangeable: boolean }): Promise<boolean> {
    const { testimonials, organization, rules } = this.#source;
    const { ordinal } = found;
    const markers = this.#markersOf(ordinal);
    const lastVersion = Math.max(...markers.map(({ version }) => version));
    let stored: StoredTestimonial | undefined = found;
    // A change of this version can still arrive: it is raised, so that it cannot.
    while (stored && stored.version <= lastVersion) {
      stored = (await testimonials.sealVersion(organization, stored))
        ? { ...stored, version: stored.version + 1 }
        : await testimonials.find(organization, ordinal);
    }
    // Erased meanwhile.
    if (!stored) return true;
    this.#found.add(ordinal);
    const { updatedAt } = stored.testimonial;
    // A list that began before its last change would count it twice.
    if (!hasSettled(updatedAt, rules)) {
      this.#left.add(ordinal);
      this.#leave(updatedAt);
      return false;
    }
    this.#edits.put(stored, { ...options, markers });
    return true;
  }

  #leave(time: string): void {
    if (this.#oldestLeft === undefined || time < this.#oldestLeft) this.#oldestLeft = time;
  }
}

async function* eachOf<Item>(
  ...sources: (Iterable<Item[]> | AsyncIterable<Item[]>)[]
): AsyncGenerator<Item, void, undefined> {
  for (const pages of sources) for await (const page of pages) yield* page;
}
