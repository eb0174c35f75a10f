/** Reading the list index for a list: each thing once, and nothing that the function remembers under the same head. */
import type { Axis } from '../../domain/testimonial-order.ts';
import { Bitmap, type ChunkBits, chunkSize, emptyChunk } from '../bits/bitmap.ts';
import { blockSize, decodeBlock, type OrdinalBlock } from '../bits/ordinal-block.ts';
import { decodePostingInto } from '../bits/posting-codec.ts';
import { decodeSummary, type Summary } from '../bits/summary.ts';
import type { IndexHead, IndexStore, PostingRef, StoredBits } from '../index-store.ts';
import { axisOf, nameOf, ordinalsTerm, type PostingTerm } from '../index-terms.ts';
import type { Kept, KnownPage, OrganizationMemory } from './memory.ts';
import { firstAndLastChunk } from './plan.ts';

// Together less than the megabyte that one read takes, also of full bitmaps.
const chunksARead = 120;
// At two bytes a place, half of what one read takes.
const blocksARead = 128;

const bytesOfChunk = chunkSize / 8;
const bytesOfSummary = 600;
const bytesOfBlock = 8 * blockSize;

export class IndexReader {
  readonly head: IndexHead;
  readonly #index: IndexStore;
  readonly #organization: string;
  readonly #memory: OrganizationMemory;
  readonly #reads = new Map<string, Promise<Kept>>();
  /** Everything that was read now, by a key. */
  readonly read = new Map<string, Kept>();
  /** The newest step of an index update that anything knows of which was read now. */
  newestStep = 0;

  constructor(index: IndexStore, organization: string, head: IndexHead, memory: OrganizationMemory) {
    this.#index = index;
    this.#organization = organization;
    this.head = head;
    this.#memory = memory;
  }

  /** A page that was found under the head, by the key of its list. */
  knownPage(key: string): KnownPage | undefined {
    return this.#memory.page(this.head, key);
  }

  /** The positions in some postings of an axis, in their order: one call if the axis has one chunk. Callers must not change them. */
  async postings(axis: Axis, terms: readonly PostingTerm[]): Promise<Bitmap[]> {
    const [chunk, last] = firstAndLastChunk(this.head, axis);
    if (chunk !== last) {
      return Promise.all(terms.map((term) => this.chunksBetween(term, 0, Number.POSITIVE_INFINITY)));
    }
    const bits = await this.chunks(terms.map((posting) => ({ posting, chunk })));
    return terms.map((_, i) => new Bitmap().put(chunk, bits[i] ?? emptyChunk()));
  }

  /** The places of all words that begin with a prefix. Not to be changed. */
  words(prefix: string, options: { isHidden?: true }): Promise<Bitmap> {
    const { generation } = this.head;
    return this.#once(`words ${prefix} ${options.isHidden}`, async () =>
      unionOf(this.#seen(await this.#index.readWords(this.#organization, generation, prefix, options))),
    );
  }

  /** The places of a posting in the chunks from one to another, both included. Not to be changed. */
  chunksBetween(term: PostingTerm, from: number, to: number): Promise<Bitmap> {
    const [, end] = firstAndLastChunk(this.head, axisOf(term));
    const last = Math.max(from, Math.min(to, end));
    return this.#once(`${nameOf(term)} ${from} ${to}`, async () =>
      unionOf(await this.#range(term, { from, to, last, atOnce: chunksARead })),
    );
  }

  /** The bits of some chunks, in their order, all read at once. Not to be changed. */
  async chunks(refs: readonly PostingRef[]): Promise<ChunkBits[]> {
    return this.#eachOnce(refs, bytesOfChunk, (bytes) => {
      const bits = emptyChunk();
      if (bytes) decodePostingInto(bytes, bits);
      return bits;
    });
  }

  /** The summaries from one number to another, both included, by their numbers. */
  summaries(term: PostingTerm, from: number, to: number): Promise<Map<number, Summary>> {
    return this.#once(`${nameOf(term)} ${from} ${to}`, async () => {
      const found = await this.#range(term, { from, to });
      const value = new Map(found.map(({ chunk, bytes }) => [chunk, decodeSummary(bytes)]));
      return { value, bytes: bytesOfSummary * value.size };
    });
  }

  /** The blocks of ordinals from one to another, both included, by their numbers. */
  blocksBetween(from: number, to: number): Promise<Map<number, OrdinalBlock>> {
    return this.#once(`${nameOf(ordinalsTerm)} ${from} ${to}`, async () => {
      const found = await this.#range(ordinalsTerm, { from, to, last: to, atOnce: blocksARead });
      const value = new Map(found.map(({ chunk, bytes }) => [chunk, decodeBlock(bytes, chunk)]));
      return { value, bytes: bytesOfBlock * value.size };
    });
  }

  /** Some blocks of ordinals, in their order; undefined where there is none. */
  blocks(numbers: readonly number[]): Promise<(OrdinalBlock | undefined)[]> {
    const refs = numbers.map((chunk) => ({ posting: ordinalsTerm, chunk }));
    return this.#eachOnce(refs, bytesOfBlock, (bytes, chunk) => bytes && decodeBlock(bytes, chunk));
  }

  /**
   * A term's bits from one chunk to another, both included, in reads beside each other.
   * @param last the last that is expected
   * @param atOnce chunks a read, up to that
   */
  async #range(
    term: PostingTerm,
    { from, to, last = from, atOnce = 1 }: { from: number; to: number; last?: number; atOnce?: number },
  ): Promise<StoredBits[]> {
    const { generation } = this.head;
    const reads = Math.floor((last - from) / atOnce) + 1;
    const found = Array.from({ length: reads }, (_, i) => {
      const begin = from + i * atOnce;
      const end = i + 1 < reads ? begin + atOnce - 1 : to;
      return this.#index.readTerm(this.#organization, generation, term, { from: begin, to: end });
    });
    return this.#seen((await Promise.all(found)).flat());
  }

  #seen<Bits extends { step: number }>(found: Bits[]): Bits[] {
    for (const { step } of found) this.newestStep = Math.max(this.newestStep, step);
    return found;
  }

  async #once<Value>(key: string, load: () => Promise<Kept & { value: Value }>): Promise<Value> {
    const kept = this.#remembered(key) ?? this.#keep(key, load());
    return (await kept).value as Value; // the key tells what it is
  }

  /** Postings that were not read before, all in one call. */
  async #eachOnce<Value>(
    refs: readonly PostingRef[],
    bytes: number,
    decode: (bytes: Uint8Array | undefined, chunk: number) => Value,
  ): Promise<Value[]> {
    const keys = refs.map(({ posting, chunk }) => `${nameOf(posting)} ${chunk}`);
    const missing = new Map(
      keys.flatMap((key, i) => {
        const ref = refs[i];
        return ref && !this.#remembered(key) ? [[key, ref] as const] : [];
      }),
    );
    if (missing.size > 0) {
      const asked = [...missing.values()];
      const found = this.#index.readPostings(this.#organization, this.head.generation, asked);
      for (const [i, [key, ref]] of [...missing].entries()) {
        const read = async (): Promise<Kept> => {
          const posting = (await found)[i];
          if (posting) this.#seen([{ step: posting.step ?? posting.epoch }]);
          return { value: decode(posting?.bytes, ref.chunk), bytes };
        };
        this.#keep(key, read());
      }
    }
    return Promise.all(keys.map(async (key) => (await this.#reads.get(key))?.value as Value)); // as above
  }

  #remembered(key: string): Promise<Kept> | undefined {
    const known = this.#reads.get(key);
    if (known) return known;
    const kept = this.#memory.kept(this.head, key);
    if (!kept) return undefined;
    const found = Promise.resolve(kept);
    this.#reads.set(key, found);
    return found;
  }

  #keep(key: string, reading: Promise<Kept>): Promise<Kept> {
    const kept = reading.then((each) => {
      this.read.set(key, each);
      return each;
    });
    this.#reads.set(key, kept);
    return kept;
  }
}

function unionOf(postings: StoredBits[]): Kept & { value: Bitmap } {
  const value = new Bitmap();
  for (const { chunk, bytes } of postings) decodePostingInto(bytes, value.chunk(chunk));
  return { value, bytes: bytesOfChunk * value.chunkNumbers().length };
}
