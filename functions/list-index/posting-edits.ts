/** Changing postings: which bits of which, and writing them so that no fold undoes what a later one wrote. */

import { forEachAtOnce } from '../concurrency.ts';
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import { chunkOf, clearBit, emptyChunk, offsetOf, setBit } from './bitmap.ts';
import type { IndexStore, Posting, PostingRef } from './index-store.ts';
import {
  changeableTerms,
  isChangeable,
  type PostingPartition,
  type PostingTerm,
  partitionOf,
  postingTermsOf,
} from './index-terms.ts';
import { decodePosting, encodePosting } from './posting-codec.ts';

/** Another fold has begun since, and does what this one was about to do. */
export class FencedOff extends Error {
  override name = 'FencedOff';
}

interface Edit {
  ref: PostingRef;
  set: number[];
  clear: number[];
}

/** What is to be changed in which postings. */
export class PostingEdits {
  readonly #edits = new Map<string, Edit>();
  #bits = 0;

  /** How many bits are to be changed. */
  get bits(): number {
    return this.#bits;
  }

  /** How many postings they are in, each chunk counted. */
  get postings(): number {
    return this.#edits.size;
  }

  /**
   * Puts a testimonial into its postings, and takes it out of those that it can have been in before: also a new
   * one, of which a fold that stopped may have written what has changed since.
   */
  put({ testimonial, ordinal }: StoredTestimonial, { onlyChangeable = false } = {}): void {
    const postings = postingTermsOf(testimonial).filter(
      (posting) => !onlyChangeable || isChangeable(posting),
    );
    const current = new Set(postings.flatMap((posting) => ('term' in posting ? posting.term : [])));
    for (const posting of postings) this.#edit(posting, ordinal).set.push(offsetOf(ordinal));
    for (const term of changeableTerms) {
      if (!current.has(term)) this.#edit({ term }, ordinal).clear.push(offsetOf(ordinal));
    }
  }

  all(): Edit[] {
    return [...this.#edits.values()];
  }

  #edit(posting: PostingTerm, ordinal: number): Edit {
    this.#bits += 1;
    const chunk = chunkOf(ordinal);
    const key = `${chunk} ${'term' in posting ? `=${posting.term}` : posting.word}`;
    const edit = this.#edits.get(key) ?? { ref: { posting, chunk }, set: [], clear: [] };
    this.#edits.set(key, edit);
    return edit;
  }
}

// Postings that are in memory at once.
const batchSize = 400;

/**
 * Writes the edits to the postings of a generation. Writes of an earlier epoch that come later are refused from then
 * on: of a posting that a change can undo, also where the bits already stood as they should.
 * @param afterBatch awaited after each batch of postings
 * @returns how many postings were written
 * @throws {FencedOff} when a fold of a later epoch has written one of them
 */
export async function writeEdits(
  index: IndexStore,
  organization: string,
  { generation, epoch }: { generation: number; epoch: number },
  edits: PostingEdits,
  afterBatch: () => Promise<void> = async () => {},
): Promise<number> {
  let written = 0;
  const all = edits.all();
  for (let begin = 0; begin < all.length; begin += batchSize) {
    const batch = all.slice(begin, begin + batchSize);
    const refs = batch.map(({ ref }) => ref);
    const before = await index.readPostings(organization, generation, refs);
    const isNew = (_: PostingRef, i: number) => before[i] === undefined;
    await index.enterPartitions(organization, generation, partitionsOf(refs.filter(isNew)));
    await forEachAtOnce(batch.entries(), async ([i, edit]) => {
      const bytes = edited(before[i], edit, epoch);
      if (!bytes) return;
      if (!(await index.writePosting(organization, generation, edit.ref, { bytes, epoch }))) {
        throw new FencedOff(`Another fold of ${organization} has begun`);
      }
      written += 1;
    });
    await afterBatch();
  }
  return written;
}

/** The bytes to be written, or undefined when there is nothing to write. */
function edited(
  before: Posting | undefined,
  { ref, set, clear }: Edit,
  epoch: number,
): Uint8Array | undefined {
  const bits = before ? decodePosting(before.bytes) : emptyChunk();
  for (const offset of set) setBit(bits, offset);
  for (const offset of clear) clearBit(bits, offset);
  const bytes = encodePosting(bits);
  const mustFence = isChangeable(ref.posting) && before?.epoch !== epoch;
  return mustFence || !before || Buffer.compare(before.bytes, bytes) !== 0 ? bytes : undefined;
}

function partitionsOf(refs: readonly PostingRef[]): PostingPartition[] {
  const found = new Map(
    refs.map(({ posting }) => {
      const partition = partitionOf(posting);
      return [JSON.stringify(partition), partition];
    }),
  );
  return [...found.values()];
}
