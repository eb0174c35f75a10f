/**
 * Edits of postings, and the fenced writes that apply them, so that no write undoes the work of a later step.
 */

import { forEachAtOnce } from '../../../concurrency.ts';
import { type Texts, textsOf } from '../../../domain/fields.ts';
import type { StoredTestimonial } from '../../../domain/stored-testimonial.ts';
import { TextTerms } from '../../../domain/terms.ts';
import type { Axis, Ordinal, PositionOn, UpdateOrdinal } from '../../../domain/testimonial-order.ts';
import type { ChangeMarker } from '../../model/testimonial-store.ts';
import { chunkOf, clearBit, countBits, emptyChunk, offsetOf, setBit } from '../bits/bitmap.ts';
import {
  blockSize,
  decodeBlock,
  decodePosting,
  emptyBlock,
  encodeBlock,
  encodePosting,
} from '../bits/posting-codec.ts';
import {
  type IndexHead,
  type IndexStore,
  type Posting,
  type PostingRef,
  type RowSizes,
  sumOfSizes,
} from '../index-store.ts';
import {
  changeableTerms,
  commonPostings,
  facetNames,
  facetPosting,
  isChangeable,
  isHidden,
  isOfWord,
  nameOf,
  ordinalsTerm,
  type PostingName,
  postingsNamed,
  postingsOfWords,
  postingsOn,
} from '../index-terms.ts';
import { sizeOf } from '../update-due.ts';

/** A later index update or rebuild took over. It redoes the work that was refused here. */
export class FencedOff extends Error {
  override name = 'FencedOff';
}

/** @throws {FencedOff} if the head no longer has the revision of `next` */
export async function replaceHeadOrStop(
  index: IndexStore,
  organization: string,
  next: IndexHead,
): Promise<IndexHead> {
  const head = await index.replaceHead(organization, next);
  if (!head) throw new FencedOff(`Another index update or a rebuild of ${organization} has begun`);
  return head;
}

/** The changes to one chunk of a posting, as offsets in that chunk. */
interface Edit {
  ref: PostingRef;
  set: number[];
  clear: number[];
  /** In a block of ordinals: the ordinals for the offsets of `set`. */
  ordinals: number[];
}

export interface AxisChunk {
  axis: Axis;
  chunk: number;
}

export function distinct(chunks: readonly AxisChunk[]): AxisChunk[] {
  return [...new Map(chunks.map((ref) => [`${ref.axis} ${ref.chunk}`, ref])).values()];
}

// This many bits take as long as the write of one posting.
const bitsPerPosting = 20;

export class PostingEdits {
  readonly #edits = new Map<string, Edit>();
  bits = 0;
  /** The highest update ordinal of the testimonials in the edits. */
  highestUpdate = 0;
  /** True once an erased testimonial is removed. */
  erases = false;
  /** True once a testimonial is added to a hidden posting. */
  hides = false;
  /** The texts of testimonials whose words are added. */
  readonly addedTexts = new Map<Ordinal, Texts>();
  /** The sizes of the testimonials that are new to the index. */
  addedSizes: RowSizes = { count: 0, long: 0, bytes: 0 };

  isFull(limits: { postings: number; bits: number }): boolean {
    return this.#edits.size - this.bits / bitsPerPosting >= limits.postings || this.bits >= limits.bits;
  }

  /**
   * The chunks with an edit of a common facet, even one that changes no bit. Their summaries are recounted
   * (rule 12).
   */
  get chunksToCount(): AxisChunk[] {
    return distinct(
      this.all().flatMap(({ ref: { posting, chunk } }) =>
        posting.kind === 'facet' ? [{ axis: posting.axis, chunk }] : [],
      ),
    );
  }

  all(): Edit[] {
    return [...this.#edits.values()];
  }

  /**
   * Adds a testimonial to its postings on both axes, and removes it from every other posting that may contain
   * it. This includes new testimonials, because an index update that stopped may have written an earlier
   * state (rule 6).
   * @param markers the markers of its changes
   * @param onlyChangeable true to omit the postings that no change can affect
   */
  put(
    { testimonial, ordinal, updateOrdinal }: StoredTestimonial,
    { markers = [], onlyChangeable = false }: { markers?: ChangeMarker[]; onlyChangeable?: boolean } = {},
  ): void {
    const formerFacets = markers.map(({ formerFacets: names = [] }) => names);
    const facets = markers.length > 0 ? new Set(facetNames(testimonial)) : new Set();
    // Without a difference, naming facets of texts would only cost writes.
    const textFacetsChanged = formerFacets.some(
      (names) => facets.symmetricDifference(new Set(names)).size > 0,
    );
    // With all statuses, including the current one, because `editedBits` clears before it sets.
    const mayContain = (axis: Axis) => [
      ...changeableTerms.map((term) => facetPosting(axis, term)),
      ...(textFacetsChanged ? postingsNamed(axis, formerFacets.flat()) : []),
    ];
    const onCreation = postingsOn('createdAt', testimonial);
    const canHaveChanged = (posting: PostingName) =>
      isChangeable(posting) || (textFacetsChanged && posting.kind === 'facet of texts');
    const into = onlyChangeable ? onCreation.filter(canHaveChanged) : onCreation;
    this.#move('createdAt', ordinal, { into, outOf: mayContain('createdAt') });
    if (!onlyChangeable) {
      this.addedSizes = sumOfSizes(this.addedSizes, sizeOf(testimonial));
      this.addedTexts.set(ordinal, textsOf(testimonial));
    }
    const onUpdates = postingsOn('updatedAt', testimonial);
    const outOf = mayContain('updatedAt');
    this.#move('updatedAt', updateOrdinal, { into: onUpdates, outOf });
    for (const position of updatePositions(markers)) {
      if (position !== updateOrdinal) this.#move('updatedAt', position, { outOf: [...onUpdates, ...outOf] });
    }
    const block = this.#edit(ordinalsTerm, Math.floor(updateOrdinal / blockSize));
    block.set.push(updateOrdinal % blockSize);
    block.ordinals.push(ordinal);
    this.highestUpdate = Math.max(this.highestUpdate, updateOrdinal);
  }

  /**
   * For the step that indexes an erasure: removes the testimonial from every facet that may contain it
   * (rule 28). Leaves its words to `removeWords`, and its positions in the blocks of ordinals.
   * @param markers the markers of its changes, which name its positions and tags
   */
  removeFacets(ordinal: Ordinal, markers: ChangeMarker[]): void {
    const names = markers.flatMap(({ formerFacets = [] }) => formerFacets);
    const outOf = (axis: Axis) => [...commonPostings(axis), ...postingsNamed(axis, names)];
    this.#move('createdAt', ordinal, { outOf: outOf('createdAt') });
    const onUpdates = outOf('updatedAt');
    for (const position of updatePositions(markers)) this.#move('updatedAt', position, { outOf: onUpdates });
    this.erases = true;
  }

  /**
   * For the batch that later removes an erasure's words (rule 27): removes the testimonial from their
   * postings. Postings that become empty are deleted.
   * @param texts the texts that the erasure stored, because the testimonial no longer exists
   */
  removeWords(ordinal: Ordinal, texts: Texts): void {
    this.#move('createdAt', ordinal, { outOf: postingsOfWords(new TextTerms(texts)) });
  }

  /**
   * @param _axis only for the compiler, which ties the position to its axis
   * @param postings of this axis
   */
  #move<OneAxis extends Axis>(
    _axis: OneAxis,
    position: PositionOn<OneAxis>,
    { into = [], outOf }: { into?: PostingName[]; outOf: PostingName[] },
  ): void {
    const chunk = chunkOf(position);
    const offset = offsetOf(position);
    for (const posting of into) {
      this.#edit(posting, chunk).set.push(offset);
      this.hides ||= isHidden(posting);
    }
    for (const posting of outOf) this.#edit(posting, chunk).clear.push(offset);
  }

  #edit(posting: PostingName, chunk: number): Edit {
    this.bits += 1;
    const key = `${chunk} ${nameOf(posting)}`;
    const edit = this.#edits.get(key) ?? { ref: { posting, chunk }, set: [], clear: [], ordinals: [] };
    this.#edits.set(key, edit);
    return edit;
  }
}

/**
 * Returns every update ordinal that the markers of a testimonial's changes name: its current and former ones.
 */
function updatePositions(markers: readonly ChangeMarker[]): Set<UpdateOrdinal> {
  return new Set(
    markers.flatMap(({ updateOrdinal, previousUpdateOrdinal }) => [previousUpdateOrdinal, updateOrdinal]),
  );
}

// Postings in memory at once.
const batchSize = 400;

/**
 * Writes edits into the postings of a generation. Every posting in the edits gets this epoch, changed or not,
 * except words without testimonials, which are deleted. From then on, the postings refuse late writes of
 * earlier steps (rules 8 and 9).
 * @param afterBatch awaited after each batch of postings
 * @returns the number of postings written
 * @throws {FencedOff} if a step with a higher epoch has written one of them
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
    const stored = await index.readPostings(organization, generation, refs);
    await forEachAtOnce(batch.entries(), async ([i, edit]) => {
      const { ref } = edit;
      const before = stored[i];
      const bytes = ref.posting.kind === 'ordinals' ? editedOrdinals(before, edit) : editedBits(before, edit);
      if (!bytes && !before) return;
      const mustExist = before !== undefined;
      // Rule 29: neither call brings back a posting that a later step has deleted.
      const write = bytes
        ? index.writePosting(organization, generation, ref, { bytes, fence: epoch }, { mustExist })
        : index.deletePosting(organization, generation, ref, epoch);
      if (!(await write)) throw new FencedOff(`Another index update of ${organization} has begun`);
      written += 1;
    });
    await afterBatch();
  }
  return written;
}

/** Returns undefined for an empty posting whose key comes from texts, which must be deleted. */
function editedBits(
  before: Posting | undefined,
  { ref: { posting }, set, clear }: Edit,
): Uint8Array | undefined {
  const bits = before ? decodePosting(before.bytes) : emptyChunk();
  // Clears first, because a posting that gains a testimonial can also be among the postings that lose it.
  for (const offset of clear) clearBit(bits, offset);
  for (const offset of set) setBit(bits, offset);
  return isOfWord(posting) && countBits(bits) === 0 ? undefined : encodePosting(bits);
}

function editedOrdinals(before: Posting | undefined, { ref: { chunk }, set, ordinals }: Edit): Uint8Array {
  const block = before ? decodeBlock(before.bytes, chunk) : emptyBlock();
  for (const [i, offset] of set.entries()) block[offset] = ordinals[i] ?? 0;
  return encodeBlock(block, chunk);
}
