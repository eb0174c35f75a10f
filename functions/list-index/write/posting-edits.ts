/** Changing postings: which bits of which, and writing them so that no index update undoes what a later one wrote. */

import { forEachAtOnce } from '../../concurrency.ts';
import type { Texts } from '../../domain/public-texts.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { ChangeMarker } from '../../domain/stores.ts';
import { TextTerms } from '../../domain/terms.ts';
import {
  type Axis,
  axes,
  type NumberOn,
  type Ordinal,
  type UpdateOrdinal,
} from '../../domain/testimonial-order.ts';
import { chunkOf, clearBit, countBits, emptyChunk, offsetOf, setBit } from '../bits/bitmap.ts';
import { blockSize, decodeBlock, emptyBlock, encodeBlock } from '../bits/ordinal-block.ts';
import { decodePosting, encodePosting } from '../bits/posting-codec.ts';
import {
  type IndexHead,
  type IndexStore,
  type Posting,
  type PostingRef,
  type Rows,
  sumOfRows,
} from '../index-store.ts';
import {
  changeableTerms,
  commonPostings,
  facetNames,
  facetPosting,
  isChangeable,
  isFromText,
  isHidden,
  nameOf,
  ordinalsTerm,
  type PostingTerm,
  postingsNamed,
  postingsOfWords,
  postingsOn,
} from '../index-terms.ts';
import { rowOf } from '../update-due.ts';

/** Another index update has begun since, and does what this one was about to do. */
export class FencedOff extends Error {
  override name = 'FencedOff';
}

interface Edit {
  ref: PostingRef;
  set: number[];
  clear: number[];
  /** The ordinals that are set, in a block of ordinals. */
  ordinals: number[];
}

/** A chunk of an axis. */
export interface AxisChunk {
  axis: Axis;
  chunk: number;
}

// So many bits pay for the write of a posting.
const bitsAPosting = 20;

/** The changes that are to be made in postings. */
export class PostingEdits {
  readonly #edits = new Map<string, Edit>();
  readonly #chunks = new Map(axes.map((axis) => [axis, new Set<number>()]));
  /** How many bits are to be changed. */
  bits = 0;
  /** The highest update ordinal of the testimonials that were put. */
  highestUpdate = 0;
  /** True once an erased testimonial is taken out. */
  erases = false;
  /** Whether a testimonial is put where only lists of all that it has look. */
  hides = false;
  /** The testimonials that the index did not have before. */
  rows: Rows = { count: 0, long: 0, bytes: 0 };

  /** How many postings they are in, each chunk counted. */
  get postings(): number {
    return this.#edits.size;
  }

  /** Whether they are as many as a step takes. */
  isFull(limits: { postings: number; bits: number }): boolean {
    return this.postings - this.bits / bitsAPosting >= limits.postings || this.bits >= limits.bits;
  }

  /** The chunks in which a common facet is named, changed or not. */
  get chunks(): AxisChunk[] {
    return [...this.#chunks].flatMap(([axis, chunks]) => Array.from(chunks, (chunk) => ({ axis, chunk })));
  }

  /**
   * Puts a testimonial into its postings on both axes, and takes it out of those that it can have been in before: also
   * a new one, of which an index update that stopped may have written what has changed since.
   * @param markers of its changes
   * @param onlyChangeable leaves out the postings that no change has touched since it was created
   */
  put(
    { testimonial, ordinal, updateOrdinal }: StoredTestimonial,
    { markers = [], onlyChangeable = false }: { markers?: ChangeMarker[]; onlyChangeable?: boolean } = {},
  ): void {
    const formerFacets = markers.map(({ formerFacets: names = [] }) => names);
    const facets = markers.length > 0 ? new Set(facetNames(testimonial)) : new Set();
    const isTagged = formerFacets.some((names) => facets.symmetricDifference(new Set(names)).size > 0);
    const former = (axis: Axis) => [
      ...changeableTerms.map((term) => facetPosting(axis, term)),
      ...(isTagged ? postingsNamed(axis, formerFacets.flat()) : []),
    ];
    const created = postingsOn('createdAt', testimonial);
    const canHaveChanged = (posting: PostingTerm) =>
      isChangeable(posting) || (isTagged && posting.kind === 'facet of texts');
    const into = onlyChangeable ? created.filter(canHaveChanged) : created;
    this.#place('createdAt', ordinal, { into, outOf: former('createdAt') });
    if (!onlyChangeable) this.rows = sumOfRows(this.rows, rowOf(testimonial));
    const updated = postingsOn('updatedAt', testimonial);
    const outOf = former('updatedAt');
    this.#place('updatedAt', updateOrdinal, { into: updated, outOf });
    for (const place of formerPlaces(markers)) {
      if (place !== updateOrdinal) this.#place('updatedAt', place, { outOf: [...updated, ...outOf] });
    }
    this.#setOrdinal(updateOrdinal, ordinal);
    this.highestUpdate = Math.max(this.highestUpdate, updateOrdinal);
  }

  /**
   * Takes an erased testimonial out of all facets that it can have been in; its words are left to `removeWords`. Blocks of ordinals keep
   * its places.
   * @param markers of its changes
   */
  remove(ordinal: Ordinal, markers: ChangeMarker[]): void {
    const names = markers.flatMap(({ formerFacets = [] }) => formerFacets);
    const outOf = (axis: Axis) => [...commonPostings(axis), ...postingsNamed(axis, names)];
    this.#place('createdAt', ordinal, { outOf: outOf('createdAt') });
    const updated = outOf('updatedAt');
    for (const place of formerPlaces(markers)) this.#place('updatedAt', place, { outOf: updated });
    this.erases = true;
  }

  /** Takes an erased testimonial out of the postings of its words, and deletes those that have no other. */
  removeWords(ordinal: Ordinal, texts: Texts): void {
    this.#place('createdAt', ordinal, { outOf: postingsOfWords(new TextTerms(texts)) });
  }

  all(): Edit[] {
    return [...this.#edits.values()];
  }

  /** @param into postings of this axis, as `outOf` */
  #place<Of extends Axis>(
    _axis: Of,
    number: NumberOn<Of>,
    { into = [], outOf }: { into?: PostingTerm[]; outOf: PostingTerm[] },
  ): void {
    const chunk = chunkOf(number);
    const offset = offsetOf(number);
    for (const posting of into) {
      this.#edit(posting, chunk).set.push(offset);
      this.hides ||= isHidden(posting);
    }
    for (const posting of outOf) this.#edit(posting, chunk).clear.push(offset);
  }

  #setOrdinal(updateOrdinal: UpdateOrdinal, ordinal: Ordinal): void {
    const block = this.#edit(ordinalsTerm, Math.floor(updateOrdinal / blockSize));
    block.set.push(updateOrdinal % blockSize);
    block.ordinals.push(ordinal);
  }

  #edit(posting: PostingTerm, chunk: number): Edit {
    this.bits += 1;
    const key = `${chunk} ${nameOf(posting)}`;
    const edit = this.#edits.get(key) ?? {
      ref: { posting, chunk },
      set: [],
      clear: [],
      ordinals: [],
    };
    if (!this.#edits.has(key)) {
      this.#edits.set(key, edit);
      if (posting.kind === 'facet') this.#chunks.get(posting.axis)?.add(chunk);
    }
    return edit;
  }
}

/** The places that a testimonial has or had in the order of updates: the markers of its changes name all of them. */
function formerPlaces(markers: readonly ChangeMarker[]): Set<UpdateOrdinal> {
  return new Set(
    markers.flatMap(({ updateOrdinal, previousUpdateOrdinal }) => [previousUpdateOrdinal, updateOrdinal]),
  );
}

// Postings that are in memory at once.
const batchSize = 400;

/**
 * Writes the edits to the postings of a generation. Every posting that is named gets this epoch, changed or not, so that an
 * older step's late write is refused.
 * @param afterBatch awaited after each batch of postings
 * @returns how many postings were written
 * @throws {FencedOff} when an index update of a later epoch has written one of them
 */
export async function writeEdits(
  index: IndexStore,
  organization: string,
  { generation, epoch }: Pick<IndexHead, 'generation' | 'epoch'>,
  edits: PostingEdits,
  afterBatch: () => Promise<void> = async () => {},
): Promise<number> {
  let written = 0;
  const all = edits.all();
  for (let begin = 0; begin < all.length; begin += batchSize) {
    const batch = all.slice(begin, begin + batchSize);
    const refs = batch.map(({ ref }) => ref);
    const before = await index.readPostings(organization, generation, refs);
    await forEachAtOnce(batch.entries(), async ([i, edit]) => {
      const { ref } = edit;
      const there = before[i];
      const bytes = ref.posting.kind === 'ordinals' ? editedOrdinals(there, edit) : editedBits(there, edit);
      if (!bytes && !there) return;
      const isDone = bytes
        ? index.writePosting(
            organization,
            generation,
            ref,
            { bytes, epoch },
            { isThere: there !== undefined },
          )
        : index.deletePosting(organization, generation, ref, epoch);
      if (!(await isDone)) throw new FencedOff(`Another index update of ${organization} has begun`);
      written += 1;
    });
    await afterBatch();
  }
  return written;
}

/** Undefined if nothing is left of a posting whose key has somebody's words. */
function editedBits(
  before: Posting | undefined,
  { ref: { posting }, set, clear }: Edit,
): Uint8Array | undefined {
  const bits = before ? decodePosting(before.bytes) : emptyChunk();
  // A testimonial is also taken out of what it is put into again.
  for (const offset of clear) clearBit(bits, offset);
  for (const offset of set) setBit(bits, offset);
  return isFromText(posting) && countBits(bits) === 0 ? undefined : encodePosting(bits);
}

function editedOrdinals(before: Posting | undefined, { ref: { chunk }, set, ordinals }: Edit): Uint8Array {
  const block = before ? decodeBlock(before.bytes, chunk) : emptyBlock();
  for (const [i, offset] of set.entries()) block[offset] = ordinals[i] ?? 0;
  return encodeBlock(block, chunk);
}
