/** What lies beside the index: testimonials that the postings do not have yet, or not as they are. */
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import { type Axis, numberOn } from '../../domain/testimonial-order.ts';
import { Bitmap, chunkOf } from '../bits/bitmap.ts';
import { coveredBy, type IndexHead, type Recent } from '../index-store.ts';

/** What testimonials are ordered by before the axis. */
export interface Groups {
  /** In ascending order, the terms that all of a group have. */
  terms: string[][];
  /** The position of a testimonial's group. */
  of: (testimonial: Testimonial) => number;
}

/** One group of all. */
export const ungrouped: Groups = { terms: [[]], of: () => 0 };

/** Testimonials read because the index did not have them yet, or not as they are. */
export interface Beside {
  tail: StoredTestimonial[];
  /** Those with a change that the index need not have. */
  changed: StoredTestimonial[];
  /** The changes. */
  markers: Recent['markers'];
}

/** The changes that a head's postings need not have. */
export function uncoveredMarkers(head: IndexHead, { markers }: Recent): Recent['markers'] {
  const isCovered = coveredBy(head);
  return markers.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal));
}

/** How the bits of an axis are corrected. */
export class Correction {
  readonly #axis: Axis;
  /** Numbers at which the bits are not believed: all that what lies beside has or had. */
  readonly #masked: Bitmap;
  /** From this number on, no bit is believed. */
  readonly #end: number;
  /** What lies beside, and of it what matches. */
  readonly #rows: StoredTestimonial[];
  readonly #beside: StoredTestimonial[];

  constructor(
    axis: Axis,
    { indexed }: IndexHead,
    { tail, changed, markers }: Beside,
    matches: (testimonial: Testimonial) => boolean,
  ) {
    this.#axis = axis;
    const rows = [...tail, ...changed];
    this.#rows = rows;
    this.#beside = rows.filter(({ testimonial }) => matches(testimonial));
    if (axis === 'createdAt') {
      this.#end = indexed;
      // Also those of the tail, which may be erased: a summary of their chunk can have them already.
      this.#masked = Bitmap.of(markers.map(({ ordinal }) => ordinal));
    } else {
      this.#end = indexed > 1 ? Number.POSITIVE_INFINITY : 1;
      this.#masked = Bitmap.of(
        [...markers, ...rows].flatMap(({ updateOrdinal, previousUpdateOrdinal = updateOrdinal }) => [
          updateOrdinal,
          previousUpdateOrdinal,
        ]),
      );
    }
  }

  /**
   * The chunks whose bits have to be read, whatever a summary says: of all that is masked, and of the tail, which
   * a summary can have already, also as it was before.
   */
  chunks(): Set<number> {
    return new Set([...this.#masked.chunkNumbers(), ...this.#rows.map((row) => this.#chunkOf(row))]);
  }

  /** Whether the bits of a number are not believed. */
  isMasked(number: number): boolean {
    return number >= this.#end || this.#masked.has(number);
  }

  /** Whether the index has something to say about a chunk. */
  isBelieved(chunk: number): boolean {
    // No testimonial has the number 0.
    return this.#end > 1 && chunk <= chunkOf(this.#end - 1);
  }

  /**
   * Corrects bits in place.
   * @param chunk only what lies beside in this chunk is added; all when absent
   */
  apply(bitmap: Bitmap, groups: Groups, group: number, chunk?: number): Bitmap {
    bitmap.andNot(this.#masked).truncate(this.#end);
    for (const row of this.#beside) {
      const isHere = chunk === undefined || this.#chunkOf(row) === chunk;
      if (isHere && groups.of(row.testimonial) === group) bitmap.add(numberOn(this.#axis, row));
    }
    return bitmap;
  }

  #chunkOf(row: StoredTestimonial): number {
    return chunkOf(numberOn(this.#axis, row));
  }
}
