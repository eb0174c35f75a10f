/** Testimonials that lie beside the index: the postings do not have them yet, or not as they are. */
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import { type Axis, numberOn } from '../../domain/testimonial-order.ts';
import { Bitmap, chunkOf } from '../bits/bitmap.ts';
import { coveredBy, hasNothing, type IndexHead, type Recent } from '../index-store.ts';

/** The groups that testimonials are ordered by before the axis. */
export interface Groups {
  /** In ascending order, the terms that all of a group have. */
  terms: string[][];
  /** The position of a testimonial's group. */
  of: (testimonial: Testimonial) => number;
}

/** One group of all. */
export const ungrouped: Groups = { terms: [[]], of: () => 0 };

/** Testimonials read because the index did not have them yet, or not as they are. */
export interface Unindexed {
  tail: StoredTestimonial[];
  /** Testimonials with a change that the index need not have. */
  changed: StoredTestimonial[];
  /** The changes. */
  markers: Recent['markers'];
  /** True when no testimonial of the tail has a bit, nor is counted by a summary. */
  isTailApart: boolean;
}

/** The changes that a head's postings need not have. */
export function uncoveredMarkers(head: IndexHead, { markers }: Recent): Recent['markers'] {
  const isCovered = coveredBy(head);
  return markers.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal));
}

/** How the bits of an axis are corrected. */
export class Correction {
  readonly #axis: Axis;
  /** Places whose bits are ignored: each one that what lies beside the index has or had. */
  readonly #masked: Bitmap;
  /** From this number on, no bit is believed. */
  readonly #end: number;
  /** Testimonials that lie beside and match. */
  readonly #unindexed: StoredTestimonial[];
  readonly #uncounted: Set<number>;

  constructor(
    axis: Axis,
    head: Pick<IndexHead, 'indexed' | 'history'>,
    { tail, changed, markers, isTailApart }: Unindexed,
    matches: (testimonial: Testimonial) => boolean,
  ) {
    const { indexed } = head;
    this.#axis = axis;
    const rows = [...tail, ...changed];
    this.#unindexed = rows.filter(({ testimonial }) => matches(testimonial));
    this.#end = axis === 'createdAt' ? indexed : hasNothing(head) ? indexed : Number.POSITIVE_INFINITY;
    this.#masked = Bitmap.of(numbersOf(axis, markers, rows));
    // Nothing of the tail is in the bits, if that is known: neither its places nor those of its changes.
    const changes = isTailApart ? markers.filter(({ ordinal }) => ordinal < indexed) : markers;
    const maybeInBits = isTailApart ? changed : rows;
    this.#uncounted = new Set([
      ...Bitmap.of(numbersOf(axis, changes, maybeInBits)).chunkNumbers(),
      ...maybeInBits.map((row) => this.#chunkOf(row)),
    ]);
  }

  /** The chunks whose bits have to be read, whatever a summary says: of all that may be in them and is masked. */
  uncounted(): ReadonlySet<number> {
    return this.#uncounted;
  }

  /** The chunks of what lies beside and matches. */
  chunksOfUnindexed(): ReadonlySet<number> {
    return new Set(this.#unindexed.map((row) => this.#chunkOf(row)));
  }

  /** How many that lie beside and match are in a chunk and of a group. */
  countUnindexed(chunk: number, groups: Groups, group: number): number {
    const isHere = (row: StoredTestimonial) =>
      this.#chunkOf(row) === chunk && groups.of(row.testimonial) === group;
    return this.#unindexed.filter(isHere).length;
  }

  /** Whether the bits of a number are not believed. */
  isMasked(number: number): boolean {
    return number >= this.#end || this.#masked.has(number);
  }

  /** Whether the index has something to say about a chunk. */
  isBelieved(chunk: number): boolean {
    return chunk <= chunkOf(this.#end - 1);
  }

  /**
   * Corrects bits in place.
   * @param chunk only what lies beside in this chunk is added; all when absent
   */
  apply(bitmap: Bitmap, groups: Groups, group: number, chunk?: number): Bitmap {
    bitmap.andNot(this.#masked).truncate(this.#end);
    for (const row of this.#unindexed) {
      const isHere = chunk === undefined || this.#chunkOf(row) === chunk;
      if (isHere && groups.of(row.testimonial) === group) bitmap.add(numberOn(this.#axis, row));
    }
    return bitmap;
  }

  #chunkOf(row: StoredTestimonial): number {
    return chunkOf(numberOn(this.#axis, row));
  }
}

/** The numbers on an axis that some changes and testimonials stand for, or did. */
function numbersOf(axis: Axis, markers: Recent['markers'], rows: readonly StoredTestimonial[]): number[] {
  // A testimonial of the tail is beyond the end on the axis of creation.
  if (axis === 'createdAt') return markers.map(({ ordinal }) => ordinal);
  return [...markers, ...rows].flatMap(({ updateOrdinal, previousUpdateOrdinal = updateOrdinal }) => [
    updateOrdinal,
    previousUpdateOrdinal,
  ]);
}
