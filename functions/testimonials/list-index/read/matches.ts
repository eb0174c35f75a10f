/** The testimonials that match a list: a count per chunk, and bits only for the chunks that a page needs. */
import type { Direction } from '../../../domain/testimonial-order.ts';
import { Bitmap, type ChunkBits, chunkOf, selectInChunk } from '../bits/bitmap.ts';

/** The matching testimonials of one group in one chunk, or in several chunks counted together. */
export interface Segment {
  /** The rating in a list by rating, where 0 is unrated; otherwise 0. */
  group: number;
  chunk: number;
  chunks: number;
  /** The number of matches, or an estimate if `isExact` is false. */
  count: number;
  isExact: boolean;
  /** The bits of a single chunk, once they are read. */
  bits?: ChunkBits;
}

/** A testimonial's position in a list: its group, then its number on the axis. */
export interface ListPosition {
  group: number;
  number: number;
}

/** Replaces each segment by more precise ones: a sum by its chunks, and a chunk by one with bits. */
export type Expand = (segments: readonly Segment[]) => Promise<Segment[][]>;

export class MatchSegments {
  /** Ascending. */
  #segments: Segment[];
  readonly #expand: Expand;

  constructor(segments: Segment[], expand: Expand) {
    this.#segments = segments.toSorted((a, b) => a.group - b.group || a.chunk - b.chunk);
    this.#expand = expand;
  }

  async count(): Promise<number> {
    await this.#replace(this.#segments.filter(({ isExact }) => !isExact));
    return this.#segments.reduce((sum, { count }) => sum + count, 0);
  }

  /** Returns the numbers of all matches, across groups. */
  async all(): Promise<Bitmap> {
    await this.#replace(this.#segments.filter(({ bits }) => !bits));
    const all = new Bitmap();
    for (const { chunk, bits } of this.#segments) if (bits) all.or(new Bitmap().put(chunk, bits));
    return all;
  }

  /**
   * Returns all segments with their exact counts, and with bits if one of the given positions divides them.
   */
  async dividedAt(positions: readonly number[]): Promise<readonly Segment[]> {
    const borders = positions.map(chunkOf);
    const isUnknown = ({ chunk, chunks, isExact, bits }: Segment) =>
      !isExact || (!bits && borders.some((border) => chunk <= border && border < chunk + chunks));
    while (this.#segments.some(isUnknown)) await this.#replace(this.#segments.filter(isUnknown));
    return this.#segments;
  }

  /** Returns the positions from `skip` to `skip + take`, counted from one end. */
  async select(skip: number, take: number, direction: Direction): Promise<ListPosition[]> {
    for (;;) {
      const reached = this.#reach(skip, take, direction);
      const unknown = reached.filter(
        ({ segment: { bits, isExact }, isInside }) => !isExact || (isInside && !bits),
      );
      if (unknown.length === 0) return positionsIn(reached, skip, take, direction);
      await this.#replace(unknown.map(({ segment }) => segment));
    }
  }

  /** Returns the segments up to the end of a page, according to their counts or estimates. */
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
    const expansions = new Map(segments.map((segment, i) => [segment, expanded[i] ?? []]));
    this.#segments = this.#segments.flatMap((segment) => expansions.get(segment) ?? segment);
  }
}

/** Counts the matches of each group below each of the given positions. */
export async function countBelow(matches: MatchSegments, positions: readonly number[], groups: number) {
  const segments = await matches.dividedAt(positions);
  return positions.map((end) => {
    const counts = new Array<number>(groups).fill(0);
    for (const { group, chunk, count, bits } of segments.filter((each) => each.chunk <= chunkOf(end))) {
      const isDivided = bits && chunk === chunkOf(end);
      const below = isDivided ? new Bitmap().put(chunk, bits.slice()).truncate(end).count() : count;
      counts[group] = (counts[group] ?? 0) + below;
    }
    return counts;
  });
}

interface Reached {
  segment: Segment;
  /** The number of matches in the segments before it. */
  before: number;
  /** True if part of the page is in it. */
  isInside: boolean;
}

function positionsIn(reached: Reached[], skip: number, take: number, direction: Direction): ListPosition[] {
  const positions: ListPosition[] = [];
  for (const { segment, before, isInside } of reached) {
    const { group, chunk, bits } = segment;
    if (!isInside || !bits) continue;
    const options = { skip: Math.max(0, skip - before), take: take - positions.length, direction };
    for (const number of selectInChunk(bits, chunk, options)) positions.push({ group, number });
  }
  return positions;
}
