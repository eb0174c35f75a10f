/** One step of an index update: what it takes, read and sealed off, before anything of the index is written. */

import { forEachAtOnce } from '../../concurrency.ts';
import type { Texts } from '../../domain/public-texts.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../../domain/stores.ts';
import type { Ordinal, UpdateOrdinal } from '../../domain/testimonial-order.ts';
import type { IndexHead } from '../index-store.ts';
import { waitingOf, worthSince } from '../waiting.ts';
import { PostingEdits } from './posting-edits.ts';
import { formerOf, hasSettled, judge, Markers, type Rules } from './update-decisions.ts';

/** The edits that a step is to write, and what it leaves. */
export interface Step {
  edits: PostingEdits;
  /** After the step, the postings have all testimonials with a lower ordinal. */
  indexed: Ordinal;
  testimonials: number;
  /** The changes that the edits have, by their places in the order of updates. */
  covered: UpdateOrdinal[];
  /** True when more could be indexed at once. */
  hasMore: boolean;
  /** When the oldest was written that is left though it is worth an update, ISO 8601. */
  oldestLeft?: string;
}

/**
 * Reads what a step is to update the index: markers, then the tail if it is worth it, then the other testimonials that have a
 * marker. Whatever was begun before and can still arrive is sealed off: a free place is taken, a version is raised.
 */
export async function readStep(
  testimonials: TestimonialStore,
  organization: string,
  head: IndexHead,
  rules: Rules,
): Promise<Step> {
  const markers = await readMarkers(testimonials, organization, head, rules);
  const draft = new StepDraft({ testimonials, organization, head, rules, markers });
  const end = await draft.takeTail();
  await draft.takeChanged();
  await draft.takeErased(end);
  return draft.end();
}

async function readMarkers(
  testimonials: TestimonialStore,
  organization: string,
  head: IndexHead,
  rules: Rules,
): Promise<Markers> {
  const markers = new Markers(head, rules);
  for await (const page of testimonials.changeMarkers(organization)) if (markers.see(page).isFull) break;
  return markers;
}

interface Source {
  testimonials: TestimonialStore;
  organization: string;
  head: IndexHead;
  rules: Rules;
  markers: Markers;
}

/** A step as far as it was read. */
class StepDraft {
  readonly #source: Source;
  readonly #edits = new PostingEdits();
  #indexed: Ordinal;
  #takenUp = 0;
  /** Free places that it can still pass. */
  #places: number;
  readonly #found = new Set<number>();
  /** Testimonials of which a marker is left. */
  readonly #left = new Set<number>();
  #tailWaits = false;
  #hasMore = false;
  #oldestLeft: string | undefined;

  constructor(source: Source) {
    this.#source = source;
    this.#indexed = source.head.indexed;
    this.#places = source.rules.limits.places;
    if (source.markers.left !== undefined) this.#leave(source.markers.left);
  }

  /**
   * Takes the testimonials of the tail, in their order, as many as the step may, if they are worth it.
   * @returns the ordinal before which the step has all that there is
   */
  async takeTail(): Promise<number> {
    const { testimonials, organization, head, rules, markers } = this.#source;
    const pages = testimonials.from(organization, head.indexed);
    const { rows, since } = await this.#readAhead(pages);
    if (since === undefined || !hasSettled(since, rules)) {
      this.#tailWaits = true;
      if (since !== undefined) this.#leave(since);
      return head.indexed;
    }
    if (markers.leftOfTail !== undefined) this.#leave(markers.leftOfTail);
    for (let page = rows; ; ) {
      for (const stored of page) {
        const end = await this.#takeNext(stored);
        if (end !== undefined) return end;
      }
      const next = await pages.next();
      if (next.done) return Number.POSITIVE_INFINITY;
      page = next.value;
    }
  }

  /** Reads as much of the tail as tells since when it is worth an update. */
  async #readAhead(
    pages: AsyncGenerator<StoredTestimonial[], void, undefined>,
  ): Promise<{ rows: StoredTestimonial[]; since: string | undefined }> {
    const { rules, markers } = this.#source;
    const rows: StoredTestimonial[] = [];
    for (;;) {
      const since = worthSince(waitingOf(rows, markers.ofTail, rules), rules);
      if (since !== undefined) return { rows, since };
      const next = await pages.next();
      if (next.done) return { rows, since };
      rows.push(...next.value);
    }
  }

  /** @returns undefined when the step goes on behind it, or the ordinal before which it has all that there is */
  async #takeNext(stored: StoredTestimonial): Promise<number | undefined> {
    const { ordinal, writtenAt } = stored;
    const isSettled = hasSettled(writtenAt, this.#source.rules);
    if (isSettled && !this.#isFull() && !(await this.#passUpTo(ordinal))) return this.#indexed;
    if (!isSettled || this.#isFull()) {
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
   * @returns false when the step ends before, at a testimonial that arrived and has not settled
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
    for (const stored of arrived.toSorted((a, b) => a.ordinal - b.ordinal)) {
      this.#indexed = stored.ordinal;
      if (!(await this.#put(stored))) return false;
    }
    this.#indexed = end;
    return true;
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
   * Takes out of the index what was erased before an ordinal: what has markers and is not there.
   * @param end up to where all that there is was found
   */
  async takeErased(end: number): Promise<void> {
    const { testimonials, organization, rules, markers } = this.#source;
    const missing = this.#marked().filter((ordinal) => ordinal < end && !this.#found.has(ordinal));
    // Where the next ones of the tail were erased, the step ends behind them.
    const behind = (missing.at(-1) ?? 0) + 1;
    if (behind > this.#indexed && !this.#isFull()) await this.#passUpTo(behind);

    const erased = new Set(missing);
    const remove = (ordinal: Ordinal, texts?: Texts) => {
      this.#edits.remove(ordinal, formerOf(markers.taken.get(ordinal) ?? []), texts);
      erased.delete(ordinal);
    };
    // As much again: no long tail keeps an erasure waiting.
    const mostPostings = this.#edits.postings + rules.limits.postings;
    if (erased.size > 0) {
      // Also of erasures that the step does not cover, or that came since its markers were read.
      for await (const { ordinal, erases } of eachOf(testimonials.changeMarkers(organization))) {
        if (erased.size === 0 || this.#edits.postings >= mostPostings) break;
        if (erases && erased.has(ordinal)) remove(ordinal, erases);
      }
    }
    // No marker keeps its texts: an earlier update cleared the words, and only common facets are left to clear.
    if (this.#edits.postings < mostPostings) for (const ordinal of erased) remove(ordinal);
    for (const ordinal of erased) this.#left.add(ordinal);
  }

  /** The step as it was read. */
  end(): Step {
    const covered: UpdateOrdinal[] = [];
    for (const marker of [...this.#source.markers.taken.values()].flat()) {
      const { ordinal, updateOrdinal, time } = marker;
      if (ordinal < this.#indexed && !this.#left.has(ordinal)) covered.push(updateOrdinal);
      else if (ordinal < this.#source.head.indexed || !this.#tailWaits) this.#leave(time);
    }
    return {
      edits: this.#edits,
      indexed: this.#indexed,
      testimonials: this.#takenUp,
      covered,
      hasMore: this.#hasMore,
      ...(this.#oldestLeft !== undefined && { oldestLeft: this.#oldestLeft }),
    };
  }

  #marked(): number[] {
    return [...this.#source.markers.taken.keys()].toSorted((a, b) => a - b);
  }

  /**
   * Puts a testimonial into the edits, once none of its markers stands for a change that can still arrive.
   * @returns false when its last change has not settled
   */
  async #put(found: StoredTestimonial, options?: { onlyChangeable: boolean }): Promise<boolean> {
    const { testimonials, organization, rules, markers } = this.#source;
    const { ordinal } = found;
    for (let stored = found; ; ) {
      const verdict = judge(stored, markers.taken.get(ordinal) ?? [], rules);
      if (verdict.do === 'seal') {
        const isSealed = await testimonials.sealVersion(organization, stored);
        const now = isSealed
          ? { ...stored, version: stored.version + 1 }
          : await testimonials.find(organization, ordinal);
        // Erased meanwhile.
        if (!now) return true;
        stored = now;
        continue;
      }
      this.#found.add(ordinal);
      if (verdict.do === 'put') {
        this.#edits.put(stored, { ...options, former: verdict.former });
        return true;
      }
      this.#left.add(ordinal);
      this.#leave(verdict.since);
      return false;
    }
  }

  #leave(time: string): void {
    if (this.#oldestLeft === undefined || time < this.#oldestLeft) this.#oldestLeft = time;
    this.#hasMore ||= hasSettled(time, this.#source.rules);
  }
}

async function* eachOf<Item>(pages: AsyncIterable<Item[]>): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages) yield* page;
}
