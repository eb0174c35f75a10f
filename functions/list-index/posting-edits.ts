/** Changing postings: which bits of which, and writing them so that others may write beside. */

import type { Testimonial } from '../domain/testimonial.ts';
import { ordinalOf } from '../domain/testimonial-order.ts';
import { chunkOf, clearBit, emptyChunk, offsetOf, setBit } from './bitmap.ts';
import type { IndexStore, PostingRef } from './index-store.ts';
import { mutableTerms, type PostingTerm, postingTermsOf } from './index-terms.ts';
import { decodePosting, encodePosting } from './posting-codec.ts';

/** The step took so long between reading and writing that its writes could undo a later fold's. */
export class FoldStalled extends Error {
  override name = 'FoldStalled';
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

  /**
   * Puts a testimonial into its postings, and takes it out of those that it can have been in before: also a new
   * one, of which a fold that stopped may have written what has changed since.
   */
  put(testimonial: Testimonial, { onlyMutable = false } = {}): void {
    const ordinal = ordinalOf(testimonial);
    const postings = postingTermsOf(testimonial).filter((posting) => !onlyMutable || isMutable(posting));
    const current = new Set(postings.flatMap((posting) => ('term' in posting ? posting.term : [])));
    for (const posting of postings) this.#edit(posting, ordinal).set.push(offsetOf(ordinal));
    for (const term of mutableTerms) {
      if (!current.has(term)) this.#edit({ term }, ordinal).clear.push(offsetOf(ordinal));
    }
  }

  /** Those that a change can undo, and all others. */
  split(): { mutable: Edit[]; immutable: Edit[] } {
    const all = [...this.#edits.values()];
    return {
      mutable: all.filter(({ ref }) => isMutable(ref.posting)),
      immutable: all.filter(({ ref }) => !isMutable(ref.posting)),
    };
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

function isMutable(posting: PostingTerm): boolean {
  return 'term' in posting && mutableTerms.includes(posting.term);
}

// Postings read at once and written at once.
const batchSize = 400;
const writesAtOnce = 64;

/**
 * Reads, changes and writes the postings. Those that a change can undo come first, and only until `deadline`.
 * @param afterBatch awaited after each batch of postings
 */
export async function applyEdits(
  { index, now }: { index: IndexStore; now: () => Date },
  organization: string,
  generation: number,
  edits: PostingEdits,
  deadline: number,
  afterBatch: () => Promise<void> = async () => {},
): Promise<number> {
  const inTime = () => {
    if (now().getTime() > deadline) {
      throw new FoldStalled(`Folding ${organization} took too long between reading and writing: try again`);
    }
  };
  const { mutable, immutable } = edits.split();
  return (
    (await applyAll(index, organization, generation, mutable, inTime, afterBatch)) +
    (await applyAll(index, organization, generation, immutable, () => {}, afterBatch))
  );
}

async function applyAll(
  index: IndexStore,
  organization: string,
  generation: number,
  edits: Edit[],
  inTime: () => void,
  afterBatch: () => Promise<void>,
): Promise<number> {
  let written = 0;
  let pending = edits;
  while (pending.length > 0) {
    const batch = pending.slice(0, batchSize);
    const bytes = await index.readPostings(
      organization,
      generation,
      batch.map(({ ref }) => ref),
    );
    const overtaken: Edit[] = [];
    const queue = batch.map((edit, i) => ({ edit, previous: bytes[i] }));
    const worker = async () => {
      for (let job = queue.pop(); job; job = queue.pop()) {
        const { edit, previous } = job;
        const next = edited(previous, edit);
        if (next === undefined) continue;
        inTime();
        const done = await index.replacePosting(organization, generation, edit.ref, previous, next);
        if (done) written += 1;
        // Another fold wrote it in between: read it again.
        else overtaken.push(edit);
      }
    };
    await Promise.all(Array.from({ length: Math.min(writesAtOnce, batch.length) }, worker));
    pending = [...overtaken, ...pending.slice(batchSize)];
    await afterBatch();
  }
  return written;
}

/** The posting with the edit applied, or undefined when it changes nothing. */
function edited(previous: Uint8Array | undefined, { set, clear }: Edit): Uint8Array | undefined {
  if (!previous && set.length === 0) return undefined;
  const bits = previous ? decodePosting(previous) : emptyChunk();
  for (const offset of set) setBit(bits, offset);
  for (const offset of clear) clearBit(bits, offset);
  const next = encodePosting(bits);
  return previous && Buffer.compare(previous, next) === 0 ? undefined : next;
}
