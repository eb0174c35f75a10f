/** Reading the list index for a list: each thing once, and not at all what is remembered from under the same head. */
import { Bitmap, type ChunkBits, chunkOf, chunkSize, emptyChunk } from '../bits/bitmap.ts';
import { blockSize, decodeBlock, type OrdinalBlock } from '../bits/ordinal-block.ts';
import { decodePostingInto } from '../bits/posting-codec.ts';
import { decodeSummary, type Summary } from '../bits/summary.ts';
import type { IndexHead, IndexStore, PostingRef, StoredBits } from '../index-store.ts';
import { axisOf, nameOf, ordinalsTerm, type PostingTerm } from '../index-terms.ts';
import type { Kept, KnownPage, OrganizationMemory } from './memory.ts';
import { firstAndLastChunk } from './plan.ts';

/** A chunk, or many that are counted together by one number, and how many testimonials it has. */
export interface NumberedSummary {
  number: number;
  summary: Summary;
}

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
  /** Whether something was remembered. */
  hasRemembered = false;
  #newestStep = 0;

  constructor(index: IndexStore, organization: string, head: IndexHead, memory: OrganizationMemory) {
    this.#index = index;
    this.#organization = organization;
    this.head = head;
    this.#memory = memory;
  }

  /** The newest step of an index update that anything knows of which was read now. */
  get newestStep(): number {
    return this.#newestStep;
  }

  /** A page that was found under the head, by the key of its list. */
  knownPage(key: string): KnownPage | undefined {
    const known = this.#memory.page(this.head, key);
    if (known) this.hasRemembered = true;
    return known;
  }

  /**
   * The places that some postings have, in their order: all in one call where they are on the axis of creation and that has one
   * chunk. On the axis of updates a head of before does not know how far the bits go (rule 44).
   * Not to be changed.
   */
  async postings(terms: readonly PostingTerm[]): Promise<Bitmap[]> {
    const [chunk, last] = firstAndLastChunk(this.head, 'createdAt');
    if (chunk !== last || terms.some((term) => axisOf(term) !== 'createdAt')) {
      return Promise.all(terms.map((term) => this.#posting(term)));
    }
    const bits = await this.chunks(terms.map((posting) => ({ posting, chunk })));
    return terms.map((_, i) => new Bitmap().put(chunk, bits[i] ?? emptyChunk()));
  }

  #posting(term: PostingTerm): Promise<Bitmap> {
    const { indexed, updated } = this.head;
    const last = chunkOf(axisOf(term) === 'createdAt' ? indexed : updated);
    const begins = beginsOf(0, last, chunksARead);
    return this.#once(nameOf(term), async () =>
      unionOf(await this.#ranges(term, begins, Number.POSITIVE_INFINITY)),
    );
  }

  /** The places of all words that begin with a prefix. Not to be changed. */
  words(prefix: string, options: { isHidden?: true }): Promise<Bitmap> {
    const { generation } = this.head;
    return this.#once(`words ${prefix} ${options.isHidden}`, async () =>
      unionOf(this.#seen(await this.#index.readWords(this.#organization, generation, prefix, options))),
    );
  }

  /** The places of a posting in some of its chunks. Not to be changed. */
  chunksBetween(term: PostingTerm, from: number, to: number): Promise<Bitmap> {
    return this.#once(`${nameOf(term)} ${from} ${to}`, async () =>
      unionOf(await this.#ranges(term, beginsOf(from, to, chunksARead), to)),
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

  /** The summaries from one number to another, both included. */
  summaries(term: PostingTerm, from: number, to: number): Promise<NumberedSummary[]> {
    return this.#once(`${nameOf(term)} ${from} ${to}`, async () => {
      const found = await this.#ranges(term, [from], to);
      const value = found.map(({ chunk, bytes }) => ({ number: chunk, summary: decodeSummary(bytes) }));
      return { value, bytes: bytesOfSummary * value.length };
    });
  }

  /** The blocks of ordinals from one to another, both included, by their numbers. */
  blocksBetween(from: number, to: number): Promise<Map<number, OrdinalBlock>> {
    return this.#once(`${nameOf(ordinalsTerm)} ${from} ${to}`, async () => {
      const found = await this.#ranges(ordinalsTerm, beginsOf(from, to, blocksARead), to);
      const value = new Map(found.map(({ chunk, bytes }) => [chunk, decodeBlock(bytes, chunk)]));
      return { value, bytes: bytesOfBlock * value.size };
    });
  }

  /** Some blocks of ordinals, in their order; undefined where there is none. */
  blocks(numbers: readonly number[]): Promise<(OrdinalBlock | undefined)[]> {
    const refs = numbers.map((chunk) => ({ posting: ordinalsTerm, chunk }));
    const numberOf = new Map(refs.map((ref) => [ref, ref.chunk]));
    return this.#eachOnce(
      refs,
      bytesOfBlock,
      (bytes, ref) => bytes && decodeBlock(bytes, numberOf.get(ref) ?? 0),
    );
  }

  /** A term's bits from the first of some chunks to another, in reads beside each other that begin at each of them. */
  async #ranges(term: PostingTerm, begins: readonly number[], to: number): Promise<StoredBits[]> {
    const { generation } = this.head;
    const found = begins.map((from, i) =>
      this.#index.readTerm(this.#organization, generation, term, { from, to: (begins[i + 1] ?? to + 1) - 1 }),
    );
    return this.#seen((await Promise.all(found)).flat());
  }

  #seen<Bits extends { step: number }>(found: Bits[]): Bits[] {
    for (const { step } of found) this.#newestStep = Math.max(this.#newestStep, step);
    return found;
  }

  async #once<Value>(key: string, load: () => Promise<Kept & { value: Value }>): Promise<Value> {
    const kept = this.#remembered(key) ?? this.#keep(key, load());
    return (await kept).value as Value; // the key tells what it is
  }

  /** Postings that were not read before, all in one call. */
  async #eachOnce<Ref extends PostingRef, Value>(
    refs: readonly Ref[],
    bytes: number,
    decode: (bytes: Uint8Array | undefined, ref: Ref) => Value,
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
          return { value: decode(posting?.bytes, ref), bytes };
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
    this.hasRemembered = true;
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

function beginsOf(from: number, to: number, size: number): number[] {
  return Array.from({ length: Math.floor((to - from) / size) + 1 }, (_, i) => from + i * size);
}

function unionOf(postings: StoredBits[]): Kept & { value: Bitmap } {
  const value = new Bitmap();
  for (const { chunk, bytes } of postings) decodePostingInto(bytes, value.chunk(chunk));
  return { value, bytes: bytesOfChunk * value.chunkNumbers().length };
}
