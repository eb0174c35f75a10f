/**
 * The testimonials that a list matches, chunk by chunk: how many everywhere, and which only where that is asked for. One idea for all
 * lists: terms on an axis, counted by chunk.
 */
import { Bitmap, type ChunkBits, type Direction, selectInChunk } from '../bits/bitmap.ts';

/** Testimonials of one chunk, or of some chunks that were counted together, which match and are of one group. */
export interface Segment {
  /** In a list by rating, which rating: 0 is unrated. Otherwise 0. */
  group: number;
  /** Its first chunk. */
  chunk: number;
  chunks: number;
  /** How many match; where `isExact` is false, how many are expected to. */
  count: number;
  isExact: boolean;
  /** Which; of a single chunk, once they were read. */
  bits?: ChunkBits;
}

/** A testimonial's place in a list: the position of its group, and its number on the axis. */
export interface Place {
  group: number;
  number: number;
}

/** Makes segments finer: a sum of chunks becomes its chunks, a chunk gets its bits. */
export type Expand = (segments: readonly Segment[]) => Promise<Segment[][]>;

export class Matches {
  /** Ascending. */
  #segments: Segment[];
  readonly #expand: Expand;

  constructor(segments: Segment[], expand: Expand) {
    this.#segments = segments.toSorted((a, b) => a.group - b.group || a.chunk - b.chunk);
    this.#expand = expand;
  }

  /** How many match. */
  async count(): Promise<number> {
    await this.#replace(this.#segments.filter(({ isExact }) => !isExact));
    return this.#segments.reduce((sum, { count }) => sum + count, 0);
  }

  /** The numbers of all that match, of every group. */
  async all(): Promise<Bitmap> {
    await this.#replace(this.#segments.filter(({ bits }) => !bits));
    const all = new Bitmap();
    for (const { chunk, bits } of this.#segments) if (bits) all.or(new Bitmap().put(chunk, bits));
    return all;
  }

  /** How many match of each group. */
  async countGroups(groups: number): Promise<number[]> {
    await this.count();
    const counts = Array.from({ length: groups }, () => 0);
    for (const { group, count } of this.#segments) counts[group] = (counts[group] ?? 0) + count;
    return counts;
  }

  /** The places from `skip` to `skip + take` from an end, in the order from there. */
  async select(skip: number, take: number, direction: Direction): Promise<Place[]> {
    for (;;) {
      const reached = this.#reach(skip, take, direction);
      const unknown = reached.filter(
        ({ segment: { bits, isExact }, isInside }) => !isExact || (isInside && !bits),
      );
      if (unknown.length === 0) return placesIn(reached, skip, take, direction);
      await this.#replace(unknown.map(({ segment }) => segment));
    }
  }

  /** The segments up to the end of a page, by what is known of their counts. */
  #reach(skip: number, take: number, direction: Direction): Reached[] {
    const reached: Reached[] = [];
    let before = 0;
    for (const segment of direction === 'asc' ? this.#segments : this.#segments.toReversed()) {
      if (before >= skip + take) break;
      reached.push({ segment, before, isInside: segment.count > 0 && before + segment.count > skip });
      before += segment.count;
    }
    return reached;
  }

  async #replace(segments: readonly Segment[]): Promise<void> {
    if (segments.length === 0) return;
    const expanded = await this.#expand(segments);
    const by = new Map(segments.map((segment, i) => [segment, expanded[i] ?? []]));
    this.#segments = this.#segments.flatMap((segment) => by.get(segment) ?? segment);
  }
}

interface Reached {
  segment: Segment;
  /** How many match in the segments before. */
  before: number;
  /** True when it has something of the page. */
  isInside: boolean;
}

function placesIn(reached: Reached[], skip: number, take: number, direction: Direction): Place[] {
  const places: Place[] = [];
  for (const { segment, before, isInside } of reached) {
    const { group, chunk, bits } = segment;
    if (!isInside || !bits) continue;
    const options = { skip: Math.max(0, skip - before), take: take - places.length, direction };
    for (const number of selectInChunk(bits, chunk, options)) places.push({ group, number });
  }
  return places;
}
