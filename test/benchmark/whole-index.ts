/** The index that indexing or a rebuild would make of testimonials, computed at once. */
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { axes, positionOn } from '../../functions/domain/testimonial-order.ts';
import {
  type ChunkBits,
  chunkOf,
  emptyChunk,
  offsetOf,
  setBit,
} from '../../functions/list-index/bits/bitmap.ts';
import {
  blockSize,
  emptyBlock,
  encodeBlock,
  type OrdinalBlock,
} from '../../functions/list-index/bits/ordinal-block.ts';
import { encodePosting } from '../../functions/list-index/bits/posting-codec.ts';
import {
  chunksTogether,
  encodeSummary,
  type Summary,
  summaryOf,
  sumOf,
} from '../../functions/list-index/bits/summary.ts';
import type { Posting, PostingRef } from '../../functions/list-index/index-store.ts';
import {
  facetPosting,
  nameOf,
  ordinalsTerm,
  type PostingTerm,
  postingsOn,
  summaryTerm,
} from '../../functions/list-index/index-terms.ts';

// Longer lists of offsets become bitmaps: a million of these would not fit.
const longestList = 1000;

type Bits = ChunkBits | number[];

export interface IndexItem {
  ref: PostingRef;
  posting: Posting;
}

export class WholeIndex {
  readonly #postings = new Map<string, { posting: PostingTerm; chunks: Map<number, Bits> }>();
  readonly #blocks = new Map<number, OrdinalBlock>();

  add(stored: StoredTestimonial): void {
    for (const axis of axes) {
      const number = positionOn(axis, stored);
      for (const posting of postingsOn(axis, stored.testimonial)) this.#set(posting, number);
    }
    const { ordinal, updateOrdinal } = stored;
    const number = Math.floor(updateOrdinal / blockSize);
    const block = this.#blocks.get(number) ?? emptyBlock();
    this.#blocks.set(number, block);
    block[updateOrdinal % blockSize] = ordinal;
  }

  /** Sets the bits of a whole chunk. */
  put(posting: PostingTerm, chunk: number, bits: ChunkBits): void {
    this.#chunksOf(posting).set(chunk, bits);
  }

  /** All postings, blocks of ordinals and summaries, one after another. */
  *items(): Generator<IndexItem, void, undefined> {
    for (const { posting, chunks } of this.#postings.values()) {
      for (const [chunk, bits] of chunks) yield item(posting, chunk, encodePosting(toBits(bits)));
    }
    for (const [number, block] of this.#blocks) yield item(ordinalsTerm, number, encodeBlock(block, number));
    for (const axis of axes) {
      const together = new Map<number, Summary[]>();
      for (const chunk of this.#chunksOf(facetPosting(axis, 'all')).keys()) {
        const summary = summaryOf((term) =>
          toBits(this.#chunksOf(facetPosting(axis, term)).get(chunk) ?? []),
        );
        yield item(summaryTerm(axis, 'chunk'), chunk, encodeSummary(summary));
        const number = Math.floor(chunk / chunksTogether);
        together.set(number, [...(together.get(number) ?? []), summary]);
      }
      for (const [number, summaries] of together) {
        yield item(summaryTerm(axis, 'chunks'), number, encodeSummary(sumOf(summaries)));
      }
    }
  }

  #chunksOf(posting: PostingTerm): Map<number, Bits> {
    const key = nameOf(posting);
    const entry = this.#postings.get(key) ?? { posting, chunks: new Map<number, Bits>() };
    this.#postings.set(key, entry);
    return entry.chunks;
  }

  #set(posting: PostingTerm, number: number): void {
    const chunks = this.#chunksOf(posting);
    const chunk = chunkOf(number);
    const bits = chunks.get(chunk);
    if (bits === undefined) chunks.set(chunk, [offsetOf(number)]);
    else if (!Array.isArray(bits)) setBit(bits, offsetOf(number));
    else if (bits.push(offsetOf(number)) > longestList) chunks.set(chunk, toBits(bits));
  }
}

function item(posting: PostingTerm, chunk: number, bytes: Uint8Array): IndexItem {
  return { ref: { posting, chunk }, posting: { bytes, epoch: 1 } };
}

function toBits(bits: Bits): ChunkBits {
  if (!Array.isArray(bits)) return bits;
  const chunk = emptyChunk();
  for (const offset of bits) setBit(chunk, offset);
  return chunk;
}
