/** The decisions of an index update's step, from what it has read: values, made without a call to any store. */

import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { ChangeMarker } from '../../domain/stores.ts';
import { coveredBy, type IndexHead } from '../index-store.ts';
import { waitingBytes } from '../waiting.ts';
import type { Former } from './posting-edits.ts';

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
  waitingBytes: number;
}

export const stepLimits: StepLimits = {
  postings: 10_000,
  bits: 1_000_000,
  places: 2000,
  waitingBytes,
};

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

/** Covered changes whose markers are still there, at most: the head names them, and every list reads the head. */
const mostCovered = 5000;

/** The change markers that a step knows. */
export class Markers {
  readonly #head: IndexHead;
  readonly #rules: Rules;
  readonly #isCovered: ReadonlySet<number>;
  readonly #room: number;
  #ofIndexed = 0;
  #settledOfTail = 0;
  /** The markers that it takes up, by the ordinal of their testimonial. */
  readonly taken = new Map<number, ChangeMarker[]>();
  /** The markers of the tail that it could take up, and those there that have not settled. */
  readonly ofTail: ChangeMarker[] = [];
  /** When the first was written that is not taken up, of a testimonial that the index has; ISO 8601. */
  left: string | undefined;
  /** The same of the tail. */
  leftOfTail: string | undefined;

  constructor(head: IndexHead, rules: Rules) {
    this.#head = head;
    this.#rules = rules;
    this.#isCovered = coveredBy(head);
    this.#room = Math.min(rules.limits.places, mostCovered - this.#isCovered.size);
  }

  /** True when no further one would be taken up. */
  get isFull(): boolean {
    return this.#ofIndexed >= this.#room && this.#settledOfTail >= this.#room;
  }

  /** Learns of the next markers, in the order of updates. Those of the tail do not hold up the others. */
  see(page: readonly ChangeMarker[]): this {
    for (const marker of page) if (!this.#isCovered.has(marker.updateOrdinal)) this.#take(marker);
    return this;
  }

  #take(marker: ChangeMarker): void {
    const { ordinal, time } = marker;
    const isOfTail = ordinal >= this.#head.indexed;
    const hasRoom = (isOfTail ? this.#settledOfTail : this.#ofIndexed) < this.#room;
    if (isOfTail && hasRoom) this.ofTail.push(marker);
    if (!hasRoom || !hasSettled(time, this.#rules)) {
      if (isOfTail) this.leftOfTail ??= time;
      else this.left ??= time;
      return;
    }
    this.taken.set(ordinal, [...(this.taken.get(ordinal) ?? []), marker]);
    if (isOfTail) this.#settledOfTail += 1;
    else this.#ofIndexed += 1;
  }
}

/** The decision about a testimonial that was read. */
export type Verdict =
  /** A change that one of its markers announces can still arrive: its version is raised, so that it cannot. */
  | { do: 'seal' }
  /** Its last change has not settled: a list that began before would count it twice. */
  | { do: 'leave'; since: string }
  /** It goes into the postings, and out of those that it was in before. */
  | { do: 'put'; former: Former };

/** @param markers of this testimonial, that the step has taken up */
export function judge(stored: StoredTestimonial, markers: readonly ChangeMarker[], rules: Rules): Verdict {
  if (markers.some(({ version }) => stored.version <= version)) return { do: 'seal' };
  const { updatedAt } = stored.testimonial;
  if (!hasSettled(updatedAt, rules)) return { do: 'leave', since: updatedAt };
  return { do: 'put', former: formerOf(markers) };
}

/** The places and tags that a testimonial can have, or have had, by the markers of some changes of it. */
export function formerOf(markers: readonly ChangeMarker[]): Former {
  const updates = markers.flatMap(({ updateOrdinal, previousUpdateOrdinal, erases }) =>
    erases ? [previousUpdateOrdinal] : [previousUpdateOrdinal, updateOrdinal],
  );
  return { updates, tags: markers.map(({ formerTags, erases }) => formerTags ?? erases?.tags ?? []) };
}
