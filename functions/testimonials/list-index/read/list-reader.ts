/**
 * Reads the index items and rows of one list. All index items belong to one head. Reads no item twice, and
 * none that the memory keeps.
 */
import type { StoredTestimonial } from '../../../domain/stored-testimonial.ts';
import type { Axis, Ordinal } from '../../../domain/testimonial-order.ts';
import type { WalkedRow, WalkOptions } from '../../model/testimonial-store.ts';
import { Bitmap, type ChunkBits, chunkOf, chunkSize, emptyChunk } from '../bits/bitmap.ts';
import { blockSize, decodeBlock, decodePostingInto, type OrdinalBlock } from '../bits/posting-codec.ts';
import { chunksTogether, decodeSummary, type Summary } from '../bits/summary.ts';
import {
  chunkRange,
  type IndexHead,
  isIndexEmpty,
  type ListStores,
  type PostingRef,
  type StoredBits,
} from '../index-store.ts';
import {
  facetPosting,
  nameOf,
  ordinalsTerm,
  type PostingName,
  type SummarySpan,
  summaryTerm,
} from '../index-terms.ts';
import type { CachedValue, OrganizationMemory } from './memory.ts';
import type { ListPlan, PostingRead, RowRead } from './plan.ts';

// Less than the megabyte that one query returns, even if no chunk can be compressed.
const chunksPerRead = 120;
// Half of the megabyte that one query returns, at two bytes per position.
const blocksPerRead = 128;

const bytesOfChunk = chunkSize / 8;
const bytesOfSummary = 600;
const bytesOfBlock = 8 * blockSize;

/** The summary of one chunk, or the sum of several chunks from `chunk` on. */
export interface ChunkCounts {
  chunk: number;
  chunks: number;
  summary: Summary;
}

/** The matching positions of each group, or the counts of each chunk. */
export type BitsOrCounts = { by: 'bits'; groups: Bitmap[] } | { by: 'counts'; counts: ChunkCounts[] };

export class ListReader {
  readonly head: IndexHead;
  readonly #stores: ListStores;
  readonly #organization: string;
  readonly #memory: OrganizationMemory;
  /**
   * Every value that this list has requested or found in the memory, by key, so that it reads no value twice.
   */
  readonly #requested = new Map<string, Promise<CachedValue>>();
  /** The values that it has read from the table so far, by key, for the memory to keep. */
  readonly readFromTable = new Map<string, CachedValue>();
  /** The highest epoch of the index update steps whose writes this list has read. */
  #highestEpoch = 0;

  constructor(stores: ListStores, organization: string, head: IndexHead, memory: OrganizationMemory) {
    this.#stores = stores;
    this.#organization = organization;
    this.head = head;
    this.#memory = memory;
  }

  /**
   * Reads rows with eventual consistency. Testimonials that changed within the last seconds are unindexed
   * anyway.
   */
  async rows(read: RowRead): Promise<WalkedRow[]> {
    if (read.by === 'ordinal') {
      const rows = await this.testimonials(read.ordinals, { consistent: false });
      return rows.map((stored) => ({ ...stored, stored }));
    }
    const { value: rows = [] } = await this.#stores.testimonials
      .walk(this.#organization, read.options)
      .next();
    return rows;
  }

  /** Reads all rows of a walk, with eventual consistency. */
  async allRows(options: WalkOptions): Promise<WalkedRow[]> {
    return (await Array.fromAsync(this.#stores.testimonials.walk(this.#organization, options))).flat();
  }

  /** Gets testimonials by their ordinals, by default strongly consistent. */
  async testimonials(ordinals: Ordinal[], options?: { consistent: boolean }): Promise<StoredTestimonial[]> {
    return ordinals.length > 0
      ? this.#stores.testimonials.findMany(this.#organization, ordinals, options)
      : [];
  }

  /** Reads the postings or the counts that a plan needs, in one round. */
  async bitsOrCounts(plan: ListPlan): Promise<BitsOrCounts> {
    // Without an index all testimonials are in the tail.
    const isEmpty = isIndexEmpty(this.head);
    if (plan.usesSummaries) {
      if (isEmpty) return { by: 'counts', counts: [] };
      const [counts] = await Promise.all([this.counts(plan.axis), this.request(plan.firstPostings)]);
      return { by: 'counts', counts };
    }
    const ofGroups = plan.groups.terms.map((terms) =>
      terms.map((term): PostingRead => ({ kind: 'facet', term })),
    );
    const reads = [...plan.reads, ...ofGroups].flat();
    const found = isEmpty ? [] : await this.bitmapsOf(plan.axis, reads);
    const bitmaps = new Map(reads.map((read, i) => [read, found[i] ?? new Bitmap()]));
    const matching = plan.reads
      .map((anyOf) => anyOf.reduce((all, read) => all.or(bitmaps.get(read) ?? all), new Bitmap()))
      .reduce((all, clause) => all.and(clause));
    const groups = ofGroups.map((facets) =>
      facets.reduce((group, facet) => group.and(bitmaps.get(facet) ?? group), matching.clone()),
    );
    return { by: 'bits', groups };
  }

  /**
   * Reads the positions of postings, in the order of `reads`. Makes one call if the axis has a single chunk,
   * and one more per prefix.
   */
  async bitmapsOf(axis: Axis, reads: readonly PostingRead[]): Promise<Bitmap[]> {
    const [chunk, last] = chunkRange(this.head, axis);
    const isSingle = chunk === last;
    const postingOf = (read: Exclude<PostingRead, { kind: 'words' }>) =>
      read.kind === 'facet' ? facetPosting(axis, read.term, read) : read;
    const refs = reads.flatMap((read) => (read.kind === 'words' ? [] : { posting: postingOf(read), chunk }));
    const [, ...bitmaps] = await Promise.all([
      isSingle && this.request(refs),
      ...reads.map(async (read) => {
        if (read.kind === 'words') return this.#words(read);
        if (!isSingle) return this.chunksBetween(postingOf(read), 0, Number.POSITIVE_INFINITY, last);
        const [bits = emptyChunk()] = await this.chunks([{ posting: postingOf(read), chunk }]);
        return new Bitmap().put(chunk, bits);
      }),
    ]);
    return bitmaps;
  }

  /** Reads the positions of all words that begin with a prefix. */
  #words({ kind: _, prefix, ...options }: Extract<PostingRead, { kind: 'words' }>): Promise<Bitmap> {
    const { generation } = this.head;
    return this.#once(`words ${prefix} ${options.isHidden}`, async () => {
      const words = await this.#stores.index.readWords(this.#organization, generation, prefix, options);
      return unionOf(this.#noteEpochs(words));
    });
  }

  /**
   * Reads the positions of a posting in the chunks `from` to `to`, both included. Callers must not change
   * them.
   * @param last the last chunk expected to exist
   */
  chunksBetween(term: PostingName, from: number, to: number, last = to): Promise<Bitmap> {
    return this.#once(`${nameOf(term)} ${from} ${to}`, async () =>
      unionOf(await this.#range(term, { from, to, last, atOnce: chunksPerRead })),
    );
  }

  /** Requests chunks in one call. A later read of one of them waits for it. */
  async request(refs: readonly PostingRef[]): Promise<void> {
    await this.chunks(refs);
  }

  /** Reads chunks of postings in one call, in the order of `refs`. Callers must not change them. */
  async chunks(refs: readonly PostingRef[]): Promise<ChunkBits[]> {
    return this.#items(refs, bytesOfChunk, (bytes) => {
      const bits = emptyChunk();
      if (bytes) decodePostingInto(bytes, bits);
      return bits;
    });
  }

  /**
   * Reads the counts of an axis: the sums of `chunksTogether` chunks, then the counts of each remaining
   * chunk.
   */
  async counts(axis: Axis): Promise<ChunkCounts[]> {
    const end = axis === 'createdAt' ? this.head.indexed : this.head.updated;
    const sums = Math.floor(chunkOf(end) / chunksTogether);
    const counts = await Promise.all([
      sums > 0 ? this.#counts(axis, 'chunks', 0, sums - 1) : [],
      this.#counts(axis, 'chunk', sums * chunksTogether, Number.POSITIVE_INFINITY),
    ]);
    return counts.flat();
  }

  /** Reads the counts of the chunks in the sum that begins with `chunk`. */
  countsFrom(axis: Axis, chunk: number): Promise<ChunkCounts[]> {
    return this.#counts(axis, 'chunk', chunk, chunk + chunksTogether - 1);
  }

  #counts(axis: Axis, span: SummarySpan, from: number, to: number): Promise<ChunkCounts[]> {
    const term = summaryTerm(axis, span);
    const chunks = span === 'chunk' ? 1 : chunksTogether;
    return this.#once(`${nameOf(term)} ${from} ${to}`, async () => {
      const value = (await this.#range(term, { from, to })).map(({ chunk, bytes }) => ({
        chunk: chunk * chunks,
        chunks,
        summary: decodeSummary(bytes),
      }));
      return { value, size: bytesOfSummary * value.length };
    });
  }

  /** Reads the blocks of ordinals `from` to `to`, both included, by number. */
  blocksBetween(from: number, to: number): Promise<Map<number, OrdinalBlock>> {
    return this.#once(`${nameOf(ordinalsTerm)} ${from} ${to}`, async () => {
      const blocks = await this.#range(ordinalsTerm, { from, to, last: to, atOnce: blocksPerRead });
      const value = new Map(blocks.map(({ chunk, bytes }) => [chunk, decodeBlock(bytes, chunk)]));
      return { value, size: bytesOfBlock * value.size };
    });
  }

  /** Reads blocks of ordinals in one call, in the order of `numbers`. */
  blocks(numbers: readonly number[]): Promise<(OrdinalBlock | undefined)[]> {
    const refs = numbers.map((chunk) => ({ posting: ordinalsTerm, chunk }));
    return this.#items(refs, bytesOfBlock, (bytes, chunk) => bytes && decodeBlock(bytes, chunk));
  }

  /**
   * Reads the chunks `from` to `to` of a term, both included, in parallel.
   * @param last the last chunk expected to exist
   * @param atOnce chunks per call, up to `last`
   */
  async #range(
    term: PostingName,
    { from, to, last = from, atOnce = 1 }: { from: number; to: number; last?: number; atOnce?: number },
  ): Promise<StoredBits[]> {
    const { generation } = this.head;
    const reads = Math.floor((last - from) / atOnce) + 1;
    const ranges = Array.from({ length: reads }, (_, i) => {
      const begin = from + i * atOnce;
      const end = i + 1 < reads ? begin + atOnce - 1 : to;
      return this.#stores.index.readTerm(this.#organization, generation, term, { from: begin, to: end });
    });
    return this.#noteEpochs((await Promise.all(ranges)).flat());
  }

  /**
   * True if the list read bits of an index update that began after its head: its markers may be missing
   * (rule 7).
   */
  get isOverlapped(): boolean {
    return this.#highestEpoch > this.head.epoch;
  }

  #noteEpochs<Bits extends { epoch: number }>(items: Bits[]): Bits[] {
    for (const { epoch } of items) this.#highestEpoch = Math.max(this.#highestEpoch, epoch);
    return items;
  }

  async #once<Value>(key: string, load: () => Promise<CachedValue & { value: Value }>): Promise<Value> {
    const requested = this.#requestedOrCached(key) ?? this.#request(key, load());
    return (await requested).value as Value; // the key determines the type
  }

  /** Reads the items that neither this list nor the memory has, in one call. */
  async #items<Value>(
    refs: readonly PostingRef[],
    size: number,
    decode: (bytes: Uint8Array | undefined, chunk: number) => Value,
  ): Promise<Value[]> {
    const keyOf = ({ posting, chunk }: PostingRef) => `${nameOf(posting)} ${chunk}`;
    const missing = new Map(refs.map((ref) => [keyOf(ref), ref]));
    for (const key of missing.keys()) if (this.#requestedOrCached(key)) missing.delete(key);
    const items =
      missing.size > 0
        ? this.#stores.index.readPostings(this.#organization, this.head.generation, [...missing.values()])
        : [];
    for (const [i, [key, { chunk }]] of [...missing].entries()) {
      const load = async () => {
        const item = (await items)[i];
        if (item) this.#noteEpochs([{ epoch: item.epoch ?? item.fence }]);
        return { value: decode(item?.bytes, chunk), size };
      };
      this.#request(key, load());
    }
    // The key determines the type.
    return Promise.all(refs.map(async (ref) => (await this.#requested.get(keyOf(ref)))?.value as Value));
  }

  /**
   * Returns a value that this list has requested or the memory keeps. Records a value from the memory as
   * requested.
   */
  #requestedOrCached(key: string): Promise<CachedValue> | undefined {
    const cached = this.#memory.cached(this.head, key);
    if (cached && !this.#requested.has(key)) this.#requested.set(key, Promise.resolve(cached));
    return this.#requested.get(key);
  }

  #request(key: string, load: Promise<CachedValue>): Promise<CachedValue> {
    const requested = load.then((value) => {
      this.readFromTable.set(key, value);
      return value;
    });
    this.#requested.set(key, requested);
    return requested;
  }
}

function unionOf(postings: StoredBits[]): CachedValue & { value: Bitmap } {
  const value = new Bitmap();
  for (const { chunk, bytes } of postings) decodePostingInto(bytes, value.chunk(chunk));
  return { value, size: bytesOfChunk * value.chunkNumbers().length };
}
