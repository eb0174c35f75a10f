/** Verifies the list index: compares postings, summaries, the head and the counter with the testimonials. */

import type { StoredTestimonial } from '../../../domain/stored-testimonial.ts';
import {
  type Axis,
  axes,
  firstPosition,
  type Ordinal,
  positionOn,
  type UpdateOrdinal,
} from '../../../domain/testimonial-order.ts';
import { headMissingMs } from '../../../timing.ts';
import type { ReservedOrdinals } from '../../model/testimonial-store.ts';
import { Bitmap, type ChunkBits, chunkOf, chunkSize, countBits, emptyChunk } from '../bits/bitmap.ts';
import { blockSize, decodeBlock, decodePosting, type OrdinalBlock } from '../bits/posting-codec.ts';
import { chunksTogether, decodeSummary } from '../bits/summary.ts';
import {
  axisStart,
  type IndexDependencies,
  type IndexHead,
  noIndex,
  type PostingRef,
  reachOf,
  uncoveredMarkers,
} from '../index-store.ts';
import {
  axisOf,
  isHidden,
  isOfWord,
  nameOf,
  ordinalsTerm,
  type PostingName,
  partitions,
  postingsOn,
  summaryTerm,
} from '../index-terms.ts';
import { Correction } from '../read/correct.ts';
import { strayGenerations } from './generations.ts';
import { type AxisChunk, distinct } from './posting-edits.ts';
import { forEachSummary } from './renew-summaries.ts';

/**
 * A difference that a verification found. A rebuild corrects a wrong entry and removes a leftover. A counter
 * that is too low must be raised.
 */
export type Difference = WrongPosting | WrongHead | BeyondCounter;

/**
 * The highest used position of an axis, if it is above the counter. The counter would then assign it a second
 * time.
 */
interface BeyondCounter {
  kind: 'beyond the counter';
  axis: Axis;
  at: number;
}

/** A field of the head that contradicts the postings or testimonials. Lists trust it. */
export interface WrongHead {
  kind: 'wrong';
  /**
   * `epoch`: a later step wrote a posting. `updated`: an indexed testimonial has a higher update ordinal.
   * `reach`: a higher position has a bit. `history`: an indexed testimonial has an earlier position.
   * `hasHidden`: there are hidden postings. `missing`: the organization should have a head by now.
   */
  field: 'epoch' | 'updated' | 'reach' | 'history' | 'hasHidden' | 'missing';
  /** The position or epoch that contradicts the field. */
  at: number;
}

/** A posting that contradicts the testimonials, or a summary that contradicts the postings. */
export interface WrongPosting {
  posting: PostingName;
  /**
   * A `leftover` is the bit of a word at a position without a testimonial. An erasure should have removed it;
   * no list reads it.
   */
  kind: 'wrong' | 'leftover';
  /** The position on the posting's axis; the number of a summary. */
  at: number;
}

/**
 * Compares the testimonials of an organization with the counter, all postings with the testimonials below
 * `indexed`, the summaries with the postings, and the head with all of these. Ignores changes that need not
 * be indexed yet.
 * @param onDifference called once per difference, and at most once per field of the head
 * @returns the state of the index and the numbers of items compared
 * @throws if the index is rebuilt in the meantime
 */
export async function verifyIndex(
  deps: IndexDependencies,
  organization: string,
  onDifference: (difference: Difference) => void,
  progress: (testimonials: number) => void = () => {},
) {
  const { index } = deps;
  const head = (await index.readHead(organization)) ?? noIndex;
  const { generation, indexed, terms } = head;
  const first = await compare(deps, organization, head, progress);
  for (const beyond of first.beyond) onDifference(beyond);
  if (first.differences.length > 0) {
    // Testimonials, postings and summaries are read one after another. A second comparison rules out changes
    // in between.
    const headNow = (await index.readHead(organization)) ?? noIndex;
    if (headNow.generation !== generation)
      throw new Error(
        `The index of ${organization} was rebuilt during the comparison. Run the command again.`,
      );
    const suspects = new Set(first.differences.map((difference) => JSON.stringify(difference)));
    const again = await compare(deps, organization, headNow, () => {});
    const isUnindexed = await unindexedDifferences(deps, organization, headNow);
    const fields = new Set<string>();
    for (const difference of again.differences) {
      if (!suspects.has(JSON.stringify(difference)) || isUnindexed(difference)) continue;
      if ('field' in difference) {
        if (fields.has(difference.field)) continue;
        fields.add(difference.field);
      }
      onDifference(difference);
    }
  }
  return {
    generation,
    indexed,
    terms,
    testimonials: first.testimonials,
    /** The number of posting chunks. */
    postings: first.postings,
    tail: (await index.readRecent(organization, indexed)).tail.length,
    /** The number of other generations with postings, such as those of a stopped rebuild. */
    otherGenerations: (await strayGenerations(index, organization, head)).length,
  };
}

async function compare(
  { testimonials, index, now }: IndexDependencies,
  organization: string,
  head: IndexHead,
  progress: (testimonials: number) => void,
): Promise<Comparison> {
  const comparison = new Comparison(head);
  for await (const page of testimonials.from(organization, 0)) {
    for (const stored of page) comparison.addTestimonial(stored);
    if (comparison.testimonials > 0) progress(comparison.testimonials);
  }
  comparison.compareCounter(await testimonials.readCounter(organization));
  for (const partition of partitions) {
    if (partition.kind === 'summary') continue;
    for await (const page of index.readPartition(organization, head.generation, partition)) {
      for (const posting of page) comparison.comparePosting(posting);
    }
  }
  comparison.addMissing();
  await forEachSummary(distinct(comparison.chunks), async (span, { axis, chunk }, count) => {
    const posting = summaryTerm(axis, span);
    const [[stored], { summary }] = await Promise.all([
      index.readPostings(organization, head.generation, [{ posting, chunk }]),
      count(index, organization, head.generation, { axis, chunk }),
    ]);
    const counts = stored ? decodeSummary(stored.bytes) : [];
    if (summary.some((count, i) => count !== (counts[i] ?? 0)))
      comparison.differences.push({ posting, kind: 'wrong', at: chunk });
  });
  // Read after the postings, because each step announces its epoch and reach in the head before it writes.
  comparison.compareHead(await index.readHead(organization), now());
  return comparison;
}

/** The index expected from the testimonials, and its differences from the stored one. */
class Comparison {
  readonly #head: IndexHead;
  readonly #postings = new Map<string, { ref: PostingRef; bitmap: Bitmap }>();
  /** The ordinals by their update ordinals. */
  readonly #ordinals = new Map<UpdateOrdinal, Ordinal>();
  readonly #positions = { createdAt: new Bitmap(), updatedAt: new Bitmap() };
  readonly #highest = { createdAt: 0, updatedAt: 0 };
  /** The time at which the oldest testimonial was written, ISO 8601. */
  #oldest = '';
  #highestEpoch = 0;
  /** The highest ordinal with a bit in a posting of common facets. */
  #highestBit = 0;
  readonly differences: (WrongPosting | WrongHead)[] = [];
  readonly beyond: BeyondCounter[] = [];
  /** The chunks with postings of facets. */
  readonly chunks: AxisChunk[] = [];
  testimonials = 0;
  postings = 0;

  constructor(head: IndexHead) {
    this.#head = head;
  }

  #addField(field: WrongHead['field'], at: number): void {
    this.differences.push({ kind: 'wrong', field, at });
  }

  addTestimonial(stored: StoredTestimonial): void {
    const { ordinal, updateOrdinal, writtenAt, testimonial } = stored;
    for (const axis of axes) {
      this.#highest[axis] = Math.max(this.#highest[axis], positionOn(axis, stored));
    }
    if (this.#oldest === '' || writtenAt < this.#oldest) this.#oldest = writtenAt;
    if (ordinal >= this.#head.indexed) return;
    this.testimonials += 1;
    this.#ordinals.set(updateOrdinal, ordinal);
    if (updateOrdinal >= this.#head.updated) this.#addField('updated', updateOrdinal);
    let hides = false;
    for (const axis of axes) {
      const position = positionOn(axis, stored);
      this.#positions[axis].add(position);
      if (position < axisStart(this.#head, axis)) this.#addField('history', ordinal);
      for (const posting of postingsOn(axis, testimonial)) {
        hides ||= isHidden(posting);
        const ref = { posting, chunk: chunkOf(position) };
        const entry = this.#postings.get(nameOfChunk(ref)) ?? { ref, bitmap: new Bitmap() };
        this.#postings.set(nameOfChunk(ref), entry);
        entry.bitmap.add(position);
      }
    }
    if (hides && !this.#head.hasHidden) this.#addField('hasHidden', ordinal);
  }

  /** @param last the counter, read after all testimonials */
  compareCounter(last: ReservedOrdinals | undefined): void {
    for (const axis of axes) {
      const at = this.#highest[axis];
      const counted = last ? positionOn(axis, last) : firstPosition - 1;
      if (at > counted) this.beyond.push({ kind: 'beyond the counter', axis, at });
    }
  }

  comparePosting({ ref, bytes, epoch }: { ref: PostingRef; bytes: Uint8Array; epoch: number }): void {
    const { posting, chunk } = ref;
    this.postings += 1;
    this.#highestEpoch = Math.max(this.#highestEpoch, epoch);
    if (posting.kind === 'facet') this.chunks.push({ axis: posting.axis, chunk });
    if (posting.kind === 'ordinals') this.#compareOrdinals(decodeBlock(bytes, chunk), chunk);
    else this.#compareBits(ref, decodePosting(bytes));
  }

  #compareBits(ref: PostingRef, bits: ChunkBits): void {
    const { posting, chunk } = ref;
    const axis = axisOf(posting);
    const expected = this.#postings.get(nameOfChunk(ref))?.bitmap ?? new Bitmap();
    this.#postings.delete(nameOfChunk(ref));
    if (isOfWord(posting) && countBits(bits) + expected.count() === 0) {
      this.differences.push({ posting, kind: 'leftover', at: chunk * chunkSize });
      return;
    }
    const stored = new Bitmap().put(chunk, bits);
    if (posting.kind === 'facet' && axis === 'createdAt') {
      this.#highestBit = Math.max(this.#highestBit, stored.ordinals().at(-1) ?? 0);
    }
    if (axis === 'createdAt') stored.truncate(this.#head.indexed);
    const missing = expected.clone().andNot(stored);
    for (const at of stored.andNot(expected).or(missing).ordinals()) {
      const isLeftover = isOfWord(posting) && !this.#positions[axis].has(at);
      this.differences.push({ posting, kind: isLeftover ? 'leftover' : 'wrong', at });
    }
  }

  #compareOrdinals(block: OrdinalBlock, number: number): void {
    for (const [i, ordinal] of block.entries()) {
      const at = number * blockSize + i;
      if (this.#ordinals.get(at) === ordinal) this.#ordinals.delete(at);
    }
  }

  /** Adds the postings and ordinals that the index lacks, after all stored postings were compared. */
  addMissing(): void {
    for (const { ref } of [...this.#postings.values()]) this.#compareBits(ref, emptyChunk());
    for (const at of this.#ordinals.keys()) {
      this.differences.push({ posting: ordinalsTerm, kind: 'wrong', at });
    }
  }

  /** @param head read after the postings */
  compareHead(head: IndexHead | undefined, now: Date): void {
    const { epoch } = head ?? noIndex;
    const reach = reachOf(head ?? noIndex);
    const isOld = this.#oldest !== '' && now.getTime() - Date.parse(this.#oldest) >= headMissingMs;
    if (!head && isOld) this.#addField('missing', 0);
    if (this.#highestEpoch > epoch) this.#addField('epoch', this.#highestEpoch);
    if (this.#highestBit >= Math.max(this.#head.indexed, reach)) this.#addField('reach', this.#highestBit);
  }
}

function nameOfChunk({ posting, chunk }: PostingRef): string {
  return `${chunk} ${nameOf(posting)}`;
}

/**
 * Returns a predicate for differences that are not errors, because lists correct the index there with the
 * markers and the tail.
 */
async function unindexedDifferences(
  { testimonials, index }: IndexDependencies,
  organization: string,
  head: IndexHead,
): Promise<(difference: WrongPosting | WrongHead) => boolean> {
  const recent = await index.readRecent(organization, head.indexed);
  const markers = uncoveredMarkers(head, recent);
  const changed = await testimonials.findMany(
    organization,
    markers.map(({ ordinal }) => ordinal),
  );
  const { tail } = recent;
  const unindexed = {
    tail,
    changed,
    markers,
    isTailUnwritten: false,
    matchingUnindexed: [...tail, ...changed],
  };
  const correctionOn = (axis: Axis) => new Correction(axis, head, unindexed);
  const corrections = { createdAt: correctionOn('createdAt'), updatedAt: correctionOn('updatedAt') };
  const erasures = (await Array.fromAsync(testimonials.erasureTexts(organization))).flat();
  const isBeingErased = new Set(erasures.map(({ ordinal }) => ordinal));
  return (difference) => {
    const { at } = difference;
    if ('field' in difference) {
      if (difference.field === 'updated') return corrections.updatedAt.isIgnored(at);
      return difference.field === 'hasHidden' && corrections.createdAt.isIgnored(at);
    }
    const { posting } = difference;
    if (isOfWord(posting) && isBeingErased.has(at)) return true;
    const correction = corrections[axisOf(posting)];
    if (posting.kind !== 'summary') return correction.isIgnored(at);
    return posting.of === 'chunks'
      ? Array.from(correction.chunks).some((chunk) => Math.floor(chunk / chunksTogether) === at)
      : correction.kindOf(at) !== 'counted';
  };
}
