/** Counting by summaries: lists by status, type and rating, or by none, read bits only where a page lies. */
import { everyTestimonial } from '../../domain/terms.ts';
import type { Axis } from '../../domain/testimonial-order.ts';
import { Bitmap, chunkOf, countBits } from '../bits/bitmap.ts';
import { cells, chunksTogether, type Summary } from '../bits/summary.ts';
import { hasNothing, type PostingRef } from '../index-store.ts';
import { facetPosting, summaryTerm } from '../index-terms.ts';
import type { Correction, Groups } from './correction.ts';
import type { IndexReader } from './index-reader.ts';
import { Matches, type Segment } from './matches.ts';

/** Terms of which one must be there. */
type AnyOf = string[];

/** Some chunks and their summary. */
interface Counted {
  chunk: number;
  chunks: number;
  summary: Summary;
}

export class SummaryReader {
  readonly #reader: IndexReader;
  readonly #axis: Axis;
  #summaries: Promise<Counted[]> = Promise.resolve([]);

  constructor(reader: IndexReader, axis: Axis) {
    this.#reader = reader;
    this.#axis = axis;
  }

  /** Reads the summaries, and at once the bits that will be needed. */
  async begin(bits: readonly PostingRef[]): Promise<void> {
    const { head } = this.#reader;
    // Without an index there is nothing to read: everything is tail.
    if (hasNothing(head)) return;
    const last = Math.floor(
      chunkOf(this.#axis === 'createdAt' ? head.indexed : head.updated) / chunksTogether,
    );
    this.#summaries = Promise.all([
      last > 0 ? this.#read('chunks', 0, last - 1) : [],
      this.#read('chunk', last * chunksTogether, Number.POSITIVE_INFINITY),
    ]).then((found) => found.flat());
    await Promise.all([this.#summaries, this.#reader.chunks(bits)]);
  }

  /** Reads what `matches` reads in any case of the chunks that a correction has something to say about. */
  async prepare(allOf: readonly AnyOf[], groups: Groups, correction: Correction): Promise<void> {
    if (hasNothing(this.#reader.head)) return;
    const uncounted = correction.uncounted();
    const anyOf = countersOf(allOf, groups).flatMap(({ clauses }) => clauses);
    const believed = [...uncounted].filter((chunk) => correction.isBelieved(chunk));
    await Promise.all([
      this.#summariesWithout(uncounted),
      this.#reader.chunks(believed.flatMap((chunk) => this.#chunkOf(anyOf.flat(), chunk))),
    ]);
  }

  /** The testimonials that match all of some clauses, group by group. */
  async matches(allOf: readonly AnyOf[], groups: Groups, correction: Correction): Promise<Matches> {
    const counters = countersOf(allOf, groups);
    const uncounted = correction.uncounted();
    const apart = new Set([...uncounted, ...correction.chunksOfUnindexed()]);
    const known = (await this.#summariesWithout(apart)).filter(({ chunk }) => correction.isBelieved(chunk));
    const chunksKnown = new Set(known.map(({ chunk }) => chunk));
    const others = [...apart].filter((chunk) => !chunksKnown.has(chunk));
    const segmentOf = ({ chunk, chunks, summary }: Counted, group: number): Segment => {
      const isExact = !uncounted.has(chunk);
      const unindexed = isExact && apart.has(chunk) ? correction.countUnindexed(chunk, groups, group) : 0;
      const count = (counters[group]?.count(summary) ?? 0) + unindexed;
      return { group, chunk, chunks, isExact, count };
    };
    const segments = [...known, ...others.map((chunk) => ({ chunk, chunks: 1, summary: [] }))]
      .flatMap((each) => counters.map((_, group) => segmentOf(each, group)))
      .filter(({ count, isExact }) => count > 0 || !isExact);

    const clausesOf = ({ group }: Segment) => counters[group]?.clauses ?? [];
    const isRead = ({ chunk, chunks }: Segment) => chunks === 1 && correction.isBelieved(chunk);
    return new Matches(segments, async (expanded) => {
      // All at once: what comes next finds them read.
      await this.#reader.chunks(
        expanded.filter(isRead).flatMap((segment) => this.#chunkOf(clausesOf(segment).flat(), segment.chunk)),
      );
      return Promise.all(
        expanded.map(async (segment) => {
          const { group, chunk, chunks } = segment;
          if (chunks > 1) return (await this.#apart(chunk)).map((each) => segmentOf(each, group));
          const found = isRead(segment) ? await this.#combined(clausesOf(segment), chunk) : new Bitmap();
          const bits = correction.apply(found, groups, group, chunk).chunk(chunk);
          return [{ ...segment, bits, count: countBits(bits), isExact: true }];
        }),
      );
    });
  }

  /** The summaries, with sums split up wherever they include one of these chunks. */
  async #summariesWithout(chunks: ReadonlySet<number>): Promise<Counted[]> {
    const together = new Set(Array.from(chunks, (chunk) => Math.floor(chunk / chunksTogether)));
    const summaries = await this.#summaries;
    const counted = summaries.map((each) =>
      each.chunks > 1 && together.has(each.chunk / chunksTogether) ? this.#apart(each.chunk) : [each],
    );
    return (await Promise.all(counted)).flat();
  }

  /** The chunks that were counted together from this one on, each on its own. */
  #apart(chunk: number): Promise<Counted[]> {
    return this.#read('chunk', chunk, chunk + chunksTogether - 1);
  }

  async #read(of: 'chunk' | 'chunks', from: number, to: number): Promise<Counted[]> {
    const chunks = of === 'chunk' ? 1 : chunksTogether;
    const found = await this.#reader.summaries(summaryTerm(this.#axis, of), from, to);
    return Array.from(found, ([number, summary]) => ({ chunk: number * chunks, chunks, summary }));
  }

  /** A chunk of the postings of some terms. */
  #chunkOf(terms: readonly string[], chunk: number): PostingRef[] {
    return terms.map((term) => ({ posting: facetPosting(this.#axis, term), chunk }));
  }

  /** The bits of a chunk that are in all of some clauses. */
  async #combined(clauses: readonly AnyOf[], chunk: number): Promise<Bitmap> {
    const bitmaps = await Promise.all(
      clauses.map(async (anyOf) => {
        const bits = await this.#reader.chunks(this.#chunkOf(anyOf, chunk));
        return bits.reduce((all, each) => all.or(new Bitmap().put(chunk, each)), new Bitmap());
      }),
    );
    return bitmaps.reduce((all, clause) => all.and(clause));
  }
}

/** The clauses that narrow; that of every testimonial where none does. */
export function narrowingClauses(clauses: readonly AnyOf[]): readonly AnyOf[] {
  const found = clauses.filter((anyOf) => !anyOf.includes(everyTestimonial));
  return found.length > 0 ? found : [[everyTestimonial]];
}

function countersOf(allOf: readonly AnyOf[], groups: Groups) {
  return groups.terms.map((terms) => counterOf([...allOf, ...terms.map((term) => [term])]));
}

/** The cells of a summary that are counted for some clauses, and the clauses whose postings are combined. */
function counterOf(clauses: readonly AnyOf[]) {
  const counted = [...cells.keys()].filter((i) => {
    const terms: string[] = [everyTestimonial, ...(cells[i] ?? [])];
    return clauses.every((anyOf) => anyOf.some((term) => terms.includes(term)));
  });
  return {
    clauses: narrowingClauses(clauses),
    count: (summary: Summary) => counted.reduce((sum, cell) => sum + (summary[cell] ?? 0), 0),
  };
}
