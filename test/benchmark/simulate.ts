/**
 * Simulates what lists by status, type and rating read at sizes that no machine here holds. The plan, the summaries, the selection and
 * the codec are the real ones, on an index in memory that counts units by item sizes, and rounds as DynamoDB would. A few chunks are
 * generated and repeated, and the only testimonials are those of the requested page.
 */
import type { ListQuery } from '../../functions/domain/list-query.ts';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import type { TestimonialStore, WalkOptions } from '../../functions/domain/stores.ts';
import { commonFacetsOf, everyTestimonial, TextTerms } from '../../functions/domain/terms.ts';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { firstPosition, sortOf } from '../../functions/domain/testimonial-order.ts';
import {
  Bitmap,
  type ChunkBits,
  chunkOf,
  chunkSize,
  emptyChunk,
  offsetOf,
  setBit,
} from '../../functions/list-index/bits/bitmap.ts';
import { decodePosting, encodePosting } from '../../functions/list-index/bits/posting-codec.ts';
import { chunksTogether, encodeSummary, summaryOf, sumOf } from '../../functions/list-index/bits/summary.ts';
import { type IndexHead, type IndexStore, noIndex } from '../../functions/list-index/index-store.ts';
import { nameOf, type PostingTerm } from '../../functions/list-index/index-terms.ts';
import { planList, type RowPlan } from '../../functions/list-index/read/plan.ts';
import { listTestimonials } from '../../functions/operations/list-testimonials.ts';
import { postingItem } from '../../functions/persistence/keys.ts';
import { testimonialItem } from '../../functions/persistence/stored-items.ts';
import { knowing } from '../world/known-heads.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import { organization } from './dynamodb.ts';
import { lists, type MeasuredList, queryOf, queryOfPage } from './lists.ts';
import { itemBytes } from './write-units.ts';

export interface SimulatedList {
  list: MeasuredList;
  size: number;
  rows: RowPlan['by'];
  rounds: number;
  units: number;
  /** The units of the partition that is read most. */
  mostUnits: number;
}

/** True if a list reads only summaries, facets and rows: larger pages of scattered rows need blocks of ordinals, too. */
function isSimulated(list: MeasuredList): boolean {
  const first = queryOfPage(list);
  return planList(first).bySummary && first.limit <= 25;
}

// The generated chunks, which the others repeat.
const drawnChunks = 8;
const unitBytes = 4096;
const pageBytes = 2 ** 20;

/** Measures every list that summaries count. */
export async function simulateLists(size: number): Promise<SimulatedList[]> {
  const store = simulatedStore(size);
  const ask = (query: ListQuery) => {
    store.meter.reset();
    const memory = knowing([[organization, store.head]]);
    return listTestimonials({ ...store, memory }, organization, query);
  };
  const results: SimulatedList[] = [];
  for (const list of lists.filter(isSimulated)) {
    const { testimonials, explanation } = await ask(await queryOf(list, ask));
    if (testimonials.length === 0) throw new Error(`${list.name}: the simulation finds no page`);
    results.push({ list, size, rows: explanation.rows.by, ...store.meter.read() });
  }
  return results;
}

/** Counts units and rounds as DynamoDB would charge them. */
class Meter {
  #units = new Map<string, number>();
  #rounds = 0;
  #ended = 0;

  reset(): void {
    this.#units = new Map();
    this.#rounds = 0;
    this.#ended = 0;
  }

  read() {
    const units = [...this.#units.values()];
    return {
      rounds: this.#rounds,
      units: units.reduce((sum, each) => sum + each, 0),
      mostUnits: Math.max(0, ...units),
    };
  }

  /** Makes a call that reads these units of each partition, page after page. */
  async call<T>(units: [partition: string, units: number][], pages: number, answer: () => T): Promise<T> {
    for (const [partition, each] of units) {
      this.#units.set(partition, (this.#units.get(partition) ?? 0) + each);
    }
    for (let page = 0; page < Math.max(1, pages); page += 1) {
      const round = this.#ended + 1;
      this.#rounds = Math.max(this.#rounds, round);
      await new Promise((resolve) => setImmediate(resolve));
      this.#ended = Math.max(this.#ended, round);
    }
    return answer();
  }
}

const firstChunk = chunkOf(firstPosition);

function simulatedStore(size: number) {
  const meter = new Meter();
  const chunks = drawChunks(size);
  const last = firstPosition + size - 1;
  const head: IndexHead = { ...noIndex, revision: 1, epoch: 1, indexed: last + 1, updated: last + 1 };
  const lastChunk = chunkOf(last);
  const bytesAt = (term: string, chunk: number): Uint8Array | undefined => {
    if (chunk < firstChunk || chunk > lastChunk) return undefined;
    return (chunk === lastChunk ? chunks.last : chunks.drawn[(chunk - firstChunk) % drawnChunks])?.get(term);
  };
  const summaries = Array.from({ length: Math.floor(lastChunk / chunksTogether) + 1 }, (_, number) => {
    const numbers = Array.from({ length: chunksTogether }, (_, i) => number * chunksTogether + i);
    return encodeSummary(
      sumOf(
        numbers
          .filter((chunk) => chunk >= firstChunk && chunk <= lastChunk)
          .map((chunk) => chunks.summaryOf(chunk)),
      ),
    );
  });
  const stored = (posting: PostingTerm, chunk: number): Uint8Array | undefined => {
    if (posting.kind === 'facet') return bytesAt(posting.term, chunk);
    if (posting.kind !== 'summary') throw new Error('The simulation has facets and summaries only');
    if (posting.of === 'chunks') return summaries[chunk];
    const exists = chunk >= firstChunk && chunk <= lastChunk;
    return exists ? encodeSummary(chunks.summaryOf(chunk)) : undefined;
  };
  const sizeOf = (term: PostingTerm, chunk: number, bytes: Uint8Array) =>
    itemBytes(postingItem(organization, 1, { posting: term, chunk }, { bytes, epoch: 1 }));

  const index: Pick<IndexStore, 'readHead' | 'readRecent' | 'readTerm' | 'readPostings'> = {
    readHead: async () => head,
    readRecent: () => meter.call([['table', 1]], 1, () => ({ tail: [], markers: [], head, complete: true })),
    readTerm: (_, __, term, { from, to }) => {
      const end = Math.min(to, lastChunk);
      const found = Array.from({ length: Math.max(0, end - from + 1) }, (_, i) => from + i).flatMap(
        (chunk) => {
          const bytes = stored(term, chunk);
          return bytes ? [{ chunk, bytes, step: 1 }] : [];
        },
      );
      const total = found.reduce((sum, { chunk, bytes }) => sum + sizeOf(term, chunk, bytes), 0);
      const units = Math.max(1, Math.ceil(total / unitBytes));
      return meter.call([[nameOf(term), units]], Math.ceil(total / pageBytes), () => found);
    },
    readPostings: (_, __, refs) => {
      const found = refs.map(({ posting, chunk }) => {
        const bytes = stored(posting, chunk);
        const units = bytes ? Math.ceil(sizeOf(posting, chunk, bytes) / unitBytes) : 1;
        return { bytes, units, partition: nameOf(posting) };
      });
      const units = found.map(({ partition, units: each }): [string, number] => [partition, each]);
      return meter.call(units, 1, () => found.map(({ bytes }) => (bytes ? { bytes, epoch: 1 } : undefined)));
    },
  };

  const rowBytes = averageRowBytes();
  /** Yields the rows of a secondary index in an order. */
  function* rowsOf({ status, sort, order, between }: WalkOptions): Generator<StoredTestimonial> {
    const { inTurn } = sortOf(sort);
    const sign = order === 'asc' ? 1 : -1;
    const groups = [...(inTurn ? inTurn.terms.keys() : [0])];
    for (const group of order === 'asc' ? groups : groups.toReversed()) {
      const numberOf = (place: number[] | undefined) =>
        inTurn && place?.[0] !== group ? undefined : place?.at(-1);
      const [low, high] = [numberOf(between?.[0]), numberOf(between?.[1])];
      if (inTurn && between && (group < (between[0][0] ?? 0) || group > (between[1][0] ?? 0))) continue;
      const lowest = chunkOf(low ?? firstPosition);
      const highest = chunkOf(high ?? last);
      for (let i = 0; i <= highest - lowest; i += 1) {
        const chunk = order === 'asc' ? lowest + i : highest - i;
        const bits = Bitmap.of([]).put(chunk, bitsOf(status ? `status=${status}` : everyTestimonial, chunk));
        if (inTurn) bits.and(new Bitmap().put(chunk, bitsOf(inTurn.terms[group] ?? '', chunk)));
        for (const number of bits.ordinals().sort((a, b) => sign * (a - b))) {
          if (number >= (low ?? 0) && number <= (high ?? last)) yield chunks.row(number, status);
        }
      }
    }
  }
  const bitsOf = (term: string, chunk: number): ChunkBits => {
    const bytes = bytesAt(term, chunk);
    return bytes ? decodePosting(bytes) : emptyChunk();
  };
  const testimonials: Pick<TestimonialStore, 'walk' | 'findMany'> = {
    async *walk(_, options) {
      const rows = rowsOf(options)
        .take(options.limit ?? Number.POSITIVE_INFINITY)
        .toArray();
      const units = Math.max(0.5, Math.ceil((rows.length * rowBytes) / unitBytes) / 2);
      const partition = `index by ${options.sort} of ${options.status ?? 'all'}`;
      yield await meter.call([[partition, units]], 1, () =>
        rows.map((stored) => ({ ordinal: stored.ordinal, updateOrdinal: stored.updateOrdinal, stored })),
      );
    },
    findMany: (_, ordinals, { consistent = true } = {}) =>
      meter.call([['table', ordinals.length * (consistent ? 1 : 0.5)]], 1, () =>
        ordinals.map((ordinal) => chunks.row(ordinal)),
      ),
  };
  // Lists call nothing else.
  return { meter, head, index: index as IndexStore, testimonials: testimonials as TestimonialStore };
}

/** Generates the postings of some whole chunks and of the last one. All axes share them. */
function drawChunks(size: number) {
  const samples = [...generateTestimonials(2000)];
  let state = 1;
  // The linear congruential generator of Numerical Recipes: 32 bits suffice here.
  const sample = (): Testimonial => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (samples[Math.floor((state / 2 ** 32) * samples.length)] as StoredTestimonial).testimonial;
  };
  const draw = (count: number) => {
    const bits = new Map<string, ChunkBits>();
    for (let offset = 0; offset < count; offset += 1) {
      const testimonial = sample();
      const ofTexts = new TextTerms(testimonial).facets('whole');
      for (const term of [...commonFacetsOf(testimonial), ...ofTexts]) {
        const chunk = bits.get(term) ?? emptyChunk();
        bits.set(term, chunk);
        setBit(chunk, offset);
      }
    }
    const summary = summaryOf((term) => bits.get(term) ?? emptyChunk());
    return { summary, postings: new Map(Array.from(bits, ([term, each]) => [term, encodePosting(each)])) };
  };
  const lastChunk = chunkOf(firstPosition + size - 1);
  const whole = lastChunk - firstChunk;
  const drawn = Array.from({ length: Math.min(drawnChunks, whole) }, () => draw(chunkSize));
  const last = draw(offsetOf(firstPosition + size - 1) + 1);
  return {
    drawn: drawn.map(({ postings }) => postings),
    last: last.postings,
    summaryOf: (chunk: number) =>
      (chunk === lastChunk ? last : drawn[(chunk - firstChunk) % drawnChunks])?.summary ?? [],
    row: (number: number, status?: Testimonial['status']): StoredTestimonial => {
      const { testimonial } = samples[0] as StoredTestimonial;
      return {
        testimonial: status ? { ...testimonial, status } : testimonial,
        ...{ ordinal: number, updateOrdinal: number, version: 1, writtenAt: testimonial.createdAt },
      };
    },
  };
}

function averageRowBytes(): number {
  const rows = [...generateTestimonials(500)].map((stored) =>
    itemBytes(testimonialItem(organization, stored)),
  );
  return rows.reduce((sum, each) => sum + each, 0) / rows.length;
}
