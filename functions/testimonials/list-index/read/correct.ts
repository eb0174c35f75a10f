/**
 * The end of the second phase of a list, which reads the testimonials that the index lacks or has out of
 * date, and the third phase, which uses them to correct the bits and counts in memory.
 */
import type { StoredTestimonial } from '../../../domain/stored-testimonial.ts';
import { type Axis, positionOn } from '../../../domain/testimonial-order.ts';
import { Bitmap, chunkOf, countBits } from '../bits/bitmap.ts';
import { chunksTogether } from '../bits/summary.ts';
import { type IndexHead, isIndexEmpty, type RecentItems, reachOf, uncoveredMarkers } from '../index-store.ts';
import type { ChunkCounts, ListReader } from './list-reader.ts';
import { MatchSegments, type Segment } from './matches.ts';
import type { FirstRound, ReadDependencies } from './one-head.ts';
import { type GroupCount, type Groups, postingsIn, ungrouped } from './plan.ts';

/** The testimonials that the index lacks or has out of date. */
export interface Unindexed {
  tail: StoredTestimonial[];
  /** Testimonials with a change that may not be indexed yet. */
  changed: StoredTestimonial[];
  /** The uncovered markers of tail and changed testimonials. */
  markers: RecentItems['markers'];
  /** True if no step has written a bit or a count of a tail testimonial. */
  isTailUnwritten: boolean;
  /** The testimonials of `tail` and `changed` that match the filter. */
  matchingUnindexed: StoredTestimonial[];
}

/** Reads the changed testimonials and, in the same round, the bits of their chunks. */
export async function readUnindexed(
  { memory }: ReadDependencies,
  firstRound: FirstRound,
): Promise<Unindexed> {
  const { organization, head, plan, recent, reader } = firstRound;
  const { tail } = recent;
  const markers = uncoveredMarkers(head, recent);
  const indexed = new Set(markers.flatMap(({ ordinal }) => (ordinal < head.indexed ? ordinal : [])));
  const isTailUnwritten = reachOf(head) <= head.indexed;
  const [changed] = await Promise.all([
    memory
      .get(organization)
      .changed(head, recent.markers, indexed, (missing) => reader.testimonials(missing)),
    readUncounted(firstRound, { tail, markers, isTailUnwritten }),
  ]);
  const matchingUnindexed = [...tail, ...changed].filter(({ testimonial }) => plan.isMatch(testimonial));
  return { tail, changed, markers, isTailUnwritten, matchingUnindexed };
}

export type CorrectedList = Awaited<ReturnType<typeof correctMatches>>;

/** Corrects the bits and counts that the list has read, and counts the matches. */
export async function correctMatches(firstRound: FirstRound, unindexed: Unindexed) {
  const { plan, head, reader } = firstRound;
  const correction = new Correction(plan.axis, head, unindexed);
  const indexed = firstRound.bitsOrCounts ?? (await reader.bitsOrCounts(plan));
  if (indexed.by === 'bits') {
    const matches = matchesOfBits(indexed.groups, plan.groups, correction);
    return { firstRound, matches, total: await matches.count() };
  }
  const { groups, counters, counterOfAll } = plan;
  const { counts } = indexed;
  const matches = await matchesOfCounts(firstRound, counts, correction, groups, counters);
  const counted = counterOfAll
    ? await matchesOfCounts(firstRound, counts, correction, ungrouped, [counterOfAll])
    : matches;
  return { firstRound, matches, total: await counted.count() };
}

function matchesOfBits(bitmaps: Bitmap[], groups: Groups, correction: Correction): MatchSegments {
  const segments = bitmaps.flatMap((positions, group) => {
    const bitmap = correction.apply(positions, groups, group);
    return bitmap.chunkNumbers().map((chunk) => {
      const bits = bitmap.chunk(chunk);
      return { group, chunk, chunks: 1, count: countBits(bits), isExact: true, bits };
    });
  });
  return new MatchSegments(segments, async (exact) => exact.map((segment) => [segment]));
}

/**
 * Prefetches the bits of chunks whose summaries may be wrong, so that `correctMatches` needs no further call
 * for them.
 */
async function readUncounted(
  firstRound: FirstRound,
  unindexed: Pick<Unindexed, 'tail' | 'markers' | 'isTailUnwritten'>,
): Promise<void> {
  const { plan, head, reader, bitsOrCounts } = firstRound;
  if (bitsOrCounts?.by !== 'counts') return;
  // The markers name the chunks of the changed testimonials, which are read at the same time.
  const correction = new Correction(plan.axis, head, { ...unindexed, changed: [], matchingUnindexed: [] });
  const counters = plan.counterOfAll ? [plan.counterOfAll] : plan.counters;
  const terms = counters.flatMap(({ clauses }) => clauses.flat());
  const uncounted = [...correction.chunks].filter((chunk) => correction.kindOf(chunk) === 'uncounted');
  const postings = uncounted.flatMap((chunk) => postingsIn(chunk, plan.axis, terms));
  await Promise.all([
    splitSums(reader, plan.axis, bitsOrCounts.counts, correction.chunks),
    reader.request(postings),
  ]);
}

/**
 * The source of a chunk's count:
 *
 * | Kind | The chunk | Its count |
 * |---|---|---|
 * | `counted` | has nothing unindexed | its summary, or the sum of 64 chunks |
 * | `added to` | has unindexed testimonials, which its summary lacks | its summary, plus these |
 * | `uncounted` | may have an unindexed testimonial in its summary | its corrected bits, read when needed |
 * | `above` | lies above everything indexed | its unindexed testimonials |
 *
 * `above` is possible on the axis of creation, and in an empty index.
 */
type ChunkKind = 'counted' | 'added to' | 'uncounted' | 'above';

/** Returns the matches according to the counts of chunks. */
async function matchesOfCounts(
  { plan: { axis }, reader }: FirstRound,
  counts: ChunkCounts[],
  correction: Correction,
  groups: Groups,
  counters: GroupCount[],
): Promise<MatchSegments> {
  const split = await splitSums(reader, axis, counts, correction.chunks);
  const chunksCounted = new Set(split.map(({ chunk }) => chunk));
  const others = [...correction.chunks].filter((chunk) => !chunksCounted.has(chunk));
  const segmentOf = ({ chunk, chunks, summary }: ChunkCounts, group: number): Segment => {
    const segment = { group, chunk, chunks, isExact: true };
    const counted = counters[group]?.count(summary) ?? 0;
    const unindexed = correction.countUnindexed(chunk, groups, group);
    switch (correction.kindOf(chunk)) {
      case 'counted':
        return { ...segment, count: counted };
      case 'added to':
        return { ...segment, count: counted + unindexed };
      case 'uncounted':
        return { ...segment, count: counted, isExact: false };
      case 'above':
        return { ...segment, count: unindexed };
    }
  };
  const segments = [...split, ...others.map((chunk) => ({ chunk, chunks: 1, summary: [] }))]
    .flatMap((each) => counters.map((_, group) => segmentOf(each, group)))
    .filter(({ count, isExact }) => count > 0 || !isExact);

  // Nothing is indexed above, so the correction adds the testimonials there.
  const clausesToRead = ({ group, chunk, chunks }: Segment) =>
    chunks === 1 && correction.kindOf(chunk) !== 'above' ? (counters[group]?.clauses ?? []) : [];
  const expand = async (segment: Segment): Promise<Segment[]> => {
    const { group, chunk, chunks } = segment;
    if (chunks > 1) return (await reader.countsFrom(axis, chunk)).map((each) => segmentOf(each, group));
    const bitmaps = await Promise.all(
      clausesToRead(segment).map(async (anyOf) => {
        const bits = await reader.chunks(postingsIn(chunk, axis, anyOf));
        return bits.reduce((all, each) => all.or(new Bitmap().put(chunk, each)), new Bitmap());
      }),
    );
    const [first = new Bitmap(), ...rest] = bitmaps;
    const indexed = rest.reduce((all, clause) => all.and(clause), first);
    const bits = correction.apply(indexed, groups, group, chunk).chunk(chunk);
    return [{ ...segment, bits, count: countBits(bits), isExact: true }];
  };
  return new MatchSegments(segments, async (unknown) => {
    const postings = unknown.flatMap((each) => postingsIn(each.chunk, axis, clausesToRead(each).flat()));
    // One call reads the postings of all segments, so that each segment finds its own already read.
    const [, ...expanded] = await Promise.all([reader.request(postings), ...unknown.map(expand)]);
    return expanded;
  });
}

/** Splits every sum that includes one of the given chunks into the counts of its chunks. */
async function splitSums(
  reader: ListReader,
  axis: Axis,
  counts: ChunkCounts[],
  chunks: ReadonlySet<number>,
): Promise<ChunkCounts[]> {
  const sums = new Set(Array.from(chunks, (chunk) => chunk - (chunk % chunksTogether)));
  const split = counts.map((each) =>
    each.chunks > 1 && sums.has(each.chunk) ? reader.countsFrom(axis, each.chunk) : [each],
  );
  return (await Promise.all(split)).flat();
}

export class Correction {
  readonly #axis: Axis;
  /** The positions that unindexed testimonials have or had. Their bits are ignored. */
  readonly #ignored: Bitmap;
  /** From this position on, all bits are ignored. */
  readonly #end: number;
  /** The unindexed testimonials that match. */
  readonly #matching: StoredTestimonial[];
  /** The chunks whose summaries may count an unindexed testimonial, so that their bits must be read. */
  readonly #uncounted: ReadonlySet<number>;
  /** The chunks with an unindexed testimonial. No sum of several chunks counts them. */
  readonly chunks: ReadonlySet<number>;

  constructor(
    axis: Axis,
    head: Pick<IndexHead, 'indexed' | 'history'>,
    { tail, changed, markers, isTailUnwritten, matchingUnindexed }: Unindexed,
  ) {
    const { indexed } = head;
    const rows = [...tail, ...changed];
    this.#axis = axis;
    this.#matching = matchingUnindexed;
    this.#end = axis === 'createdAt' || isIndexEmpty(head) ? indexed : Number.POSITIVE_INFINITY;
    this.#ignored = Bitmap.of(positionsNamed(axis, markers, rows));
    const writtenMarkers = isTailUnwritten ? markers.filter(({ ordinal }) => ordinal < indexed) : markers;
    const writtenRows = isTailUnwritten ? changed : rows;
    this.#uncounted = new Set([
      ...positionsNamed(axis, writtenMarkers, writtenRows).map(chunkOf),
      ...writtenRows.map((row) => this.#chunkOf(row)),
    ]);
    this.chunks = new Set([...this.#uncounted, ...matchingUnindexed.map((row) => this.#chunkOf(row))]);
  }

  /** Returns the source of the count of a chunk, or of a sum of chunks that begins with it. */
  kindOf(chunk: number): ChunkKind {
    if (chunk > chunkOf(this.#end - 1)) return 'above';
    if (this.#uncounted.has(chunk)) return 'uncounted';
    return this.chunks.has(chunk) ? 'added to' : 'counted';
  }

  /** Counts the matching unindexed testimonials of a chunk and group. */
  countUnindexed(chunk: number, groups: Groups, group: number): number {
    return this.#matchingIn(groups, group, chunk).length;
  }

  isIgnored(position: number): boolean {
    return position >= this.#end || this.#ignored.has(position);
  }

  /**
   * Corrects bits in place.
   * @param chunk adds only the unindexed testimonials of this chunk
   */
  apply(bitmap: Bitmap, groups: Groups, group: number, chunk?: number): Bitmap {
    bitmap.andNot(this.#ignored).truncate(this.#end);
    for (const row of this.#matchingIn(groups, group, chunk)) bitmap.add(positionOn(this.#axis, row));
    return bitmap;
  }

  #matchingIn(groups: Groups, group: number, chunk?: number): StoredTestimonial[] {
    return this.#matching.filter(
      (row) =>
        (chunk === undefined || this.#chunkOf(row) === chunk) && groups.groupOf(row.testimonial) === group,
    );
  }

  #chunkOf(row: StoredTestimonial): number {
    return chunkOf(positionOn(this.#axis, row));
  }
}

/** Returns the positions on an axis that the markers and testimonials name. */
function positionsNamed(
  axis: Axis,
  markers: RecentItems['markers'],
  rows: readonly StoredTestimonial[],
): number[] {
  // On the axis of creation the tail is beyond the end, where all bits are ignored.
  if (axis === 'createdAt') return markers.map(({ ordinal }) => ordinal);
  return [...markers, ...rows].flatMap(({ updateOrdinal, previousUpdateOrdinal = updateOrdinal }) => [
    updateOrdinal,
    previousUpdateOrdinal,
  ]);
}
