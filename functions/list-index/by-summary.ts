/** Counting by summaries: lists by status, type and rating, or by none, read bits only where a page lies. */
import { everyTestimonial } from '../domain/terms.ts';
import type { Axis } from '../domain/testimonial-order.ts';
import { Bitmap, type ChunkBits, chunkOf, countBits, emptyChunk } from './bitmap.ts';
import type { Correction, Groups } from './correction.ts';
import type { IndexHead, IndexStore, StoredBits } from './index-store.ts';
import { summaryTerm } from './index-terms.ts';
import { Matches, type Segment } from './matches.ts';
import { decodePostingInto } from './posting-codec.ts';
import { cells, chunksTogether, decodeSummary, type Summary } from './summary.ts';

/** Terms of which one must be there. */
type AnyOf = string[];

/** Some chunks and their summary. */
interface Counted {
  chunk: number;
  chunks: number;
  summary: Summary;
}

/** A chunk of a term. */
interface TermChunk {
  term: string;
  chunk: number;
}

export class SummaryReader {
  readonly #index: IndexStore;
  readonly #organization: string;
  readonly #head: IndexHead;
  readonly #axis: Axis;
  readonly #bits = new Map<string, Promise<ChunkBits>>();
  #summaries: Promise<Counted[]> = Promise.resolve([]);

  constructor(index: IndexStore, organization: string, head: IndexHead, axis: Axis) {
    this.#index = index;
    this.#organization = organization;
    this.#head = head;
    this.#axis = axis;
  }

  /** Reads the summaries, and at once the bits that will be needed. */
  async begin(bits: readonly TermChunk[]): Promise<void> {
    const { indexed, updated } = this.#head;
    // Without an index there is nothing to read: everything is tail.
    if (indexed <= 1) return;
    const last = Math.floor(chunkOf(this.#axis === 'createdAt' ? indexed : updated) / chunksTogether);
    this.#summaries = Promise.all([
      last > 0 ? this.#read('chunks', 0, last - 1) : [],
      this.#read('chunk', last * chunksTogether, Number.POSITIVE_INFINITY),
    ]).then((found) => found.flat());
    await Promise.all([this.#summaries, this.#readBits(bits)]);
  }

  /** What matches all of some clauses, group by group. */
  async matches(allOf: readonly AnyOf[], groups: Groups, correction: Correction): Promise<Matches> {
    const isDirty = correction.chunks();
    const dirtyTogether = new Set(Array.from(isDirty, (chunk) => Math.floor(chunk / chunksTogether)));
    const counted = await Promise.all(
      (await this.#summaries).map((each) => {
        const isTogether = each.chunks > 1 && dirtyTogether.has(each.chunk / chunksTogether);
        return isTogether ? this.#apart(each.chunk) : [each];
      }),
    );
    const clausesOf = groups.terms.map((terms) => [...allOf, ...terms.map((term) => [term])]);
    const cellsOf = clausesOf.map(cellsWith);
    const countOf = ({ summary }: Counted, group: number) =>
      (cellsOf[group] ?? []).reduce((sum, cell) => sum + (summary[cell] ?? 0), 0);
    const segmentsOf = (each: Counted): Segment[] =>
      groups.terms
        .map((_, group) => ({
          ...{ group, chunk: each.chunk, chunks: each.chunks, count: countOf(each, group) },
          isExact: !isDirty.has(each.chunk),
        }))
        .filter(({ count, isExact }) => count > 0 || !isExact);

    const known = counted.flat().filter(({ chunk }) => correction.isBelieved(chunk));
    const chunksKnown = new Set(known.map(({ chunk }) => chunk));
    const uncounted = [...isDirty].filter((chunk) => !chunksKnown.has(chunk));
    const segments = [...known, ...uncounted.map((chunk) => ({ chunk, chunks: 1, summary: [] }))].flatMap(
      segmentsOf,
    );
    return new Matches(segments, async (toExpand) => {
      await this.#readBits(
        toExpand.flatMap(({ group, chunk, chunks }) =>
          chunks === 1 && correction.isBelieved(chunk)
            ? narrowing(clausesOf[group] ?? [])
                .flat()
                .map((term) => ({ term, chunk }))
            : [],
        ),
      );
      return Promise.all(
        toExpand.map(async (segment) => {
          const { group, chunk, chunks } = segment;
          if (chunks > 1) {
            return (await this.#apart(chunk)).flatMap(segmentsOf).filter((each) => each.group === group);
          }
          const bitmap = correction.isBelieved(chunk)
            ? await this.#combined(narrowing(clausesOf[group] ?? []), chunk)
            : new Bitmap();
          const bits = correction.apply(bitmap, groups, group, chunk).chunk(chunk);
          return [{ ...segment, bits, count: countBits(bits), isExact: true }];
        }),
      );
    });
  }

  /** The chunks that were counted together from this one on, each on its own. */
  #apart(chunk: number): Promise<Counted[]> {
    return this.#read('chunk', chunk, chunk + chunksTogether - 1);
  }

  async #read(of: 'chunk' | 'chunks', from: number, to: number): Promise<Counted[]> {
    const term = summaryTerm(this.#axis, of);
    const found: StoredBits[] = await this.#index.readTerm(this.#organization, this.#head.generation, term, {
      from,
      to,
    });
    const chunks = of === 'chunk' ? 1 : chunksTogether;
    return found.map(({ chunk, bytes }) => ({
      chunk: chunk * chunks,
      chunks,
      summary: decodeSummary(bytes),
    }));
  }

  /** Reads bits that were not read before, all at once. */
  async #readBits(wanted: readonly TermChunk[]): Promise<void> {
    const missing = new Map(
      wanted.map((each) => [keyOf(each), each] as const).filter(([key]) => !this.#bits.has(key)),
    );
    if (missing.size === 0) return;
    const refs = Array.from(missing.values(), ({ term, chunk }) => ({
      posting: { axis: this.#axis, term },
      chunk,
    }));
    const postings = this.#index.readPostings(this.#organization, this.#head.generation, refs);
    for (const [i, key] of [...missing.keys()].entries()) {
      const bits = postings.then((found) => {
        const decoded = emptyChunk();
        const posting = found[i];
        if (posting) decodePostingInto(posting.bytes, decoded);
        return decoded;
      });
      this.#bits.set(key, bits);
    }
    await postings;
  }

  /** The bits of a chunk that are in all of some clauses, which were read. */
  async #combined(clauses: readonly AnyOf[], chunk: number): Promise<Bitmap> {
    const bitmaps = await Promise.all(
      clauses.map(async (anyOf) => {
        const bits = await Promise.all(
          anyOf.map((term) => this.#bits.get(keyOf({ term, chunk })) ?? emptyChunk()),
        );
        return bits.reduce((all, each) => all.or(new Bitmap().put(chunk, each)), new Bitmap());
      }),
    );
    return bitmaps.reduce((all, clause) => all.and(clause));
  }
}

function keyOf({ term, chunk }: TermChunk): string {
  return `${chunk} ${term}`;
}

/** The clauses that narrow; that of every testimonial where none does. */
export function narrowing(clauses: readonly AnyOf[]): readonly AnyOf[] {
  const found = clauses.filter((anyOf) => !anyOf.includes(everyTestimonial));
  return found.length > 0 ? found : [[everyTestimonial]];
}

/** The cells of a summary whose testimonials have a term of each clause. */
function cellsWith(clauses: readonly AnyOf[]): number[] {
  return [...cells.keys()].filter((i) => {
    const terms: string[] = [everyTestimonial, ...(cells[i] ?? [])];
    return clauses.every((anyOf) => anyOf.some((term) => terms.includes(term)));
  });
}
