/** Verifies the list index: compares postings, summaries, the head and the counter with the testimonials. */

import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { TakenOrdinals } from '../../domain/stores.ts';
import {
  type Axis,
  axes,
  firstPosition,
  type Ordinal,
  positionOn,
  type UpdateOrdinal,
} from '../../domain/testimonial-order.ts';
import { headMissingMs } from '../../timing.ts';
import { Bitmap, type ChunkBits, chunkOf, chunkSize, countBits, emptyChunk } from '../bits/bitmap.ts';
import { blockSize, decodeBlock, type OrdinalBlock } from '../bits/ordinal-block.ts';
import { decodePosting } from '../bits/posting-codec.ts';
import { chunksTogether, decodeSummary } from '../bits/summary.ts';
import { beginOf, type IndexDependencies, type IndexHead, noIndex, type PostingRef } from '../index-store.ts';
import {
  axisOf,
  isFromText,
  isHidden,
  nameOf,
  ordinalsTerm,
  type PostingTerm,
  partitions,
  postingsOn,
  summaryTerm,
} from '../index-terms.ts';
import { Correction, uncoveredMarkers } from '../read/correct.ts';
import { strayGenerations } from './generations.ts';
import { type AxisChunk, distinct } from './posting-edits.ts';
import { forEachSummary } from './renew-summaries.ts';

/** A posting, a summary, the counter or a claim of the head that is wrong. */
export type Difference = WrongPosting | WrongHead | BeyondCounter;

/** The highest position of an axis, if the counter has not reached it: the counter is going to give it a second time. */
export interface BeyondCounter {
  kind: 'beyond the counter';
  axis: Axis;
  at: number;
}

/** A claim of the head that the postings or testimonials contradict. Lists trust it. */
export interface WrongHead {
  kind: 'wrong head';
  /**
   * `epoch`: a later step wrote a posting. `updated`: an indexed testimonial has a higher update ordinal. `reach`: a higher position
   * has a bit. `history`: an indexed testimonial has an earlier position. `hasHidden`: postings have something hidden. `missing`: there
   * is no head, though there has been time for one.
   */
  claim: 'epoch' | 'updated' | 'reach' | 'history' | 'hasHidden' | 'missing';
  /** The position or epoch that contradicts it. */
  at: number;
}

/** A posting that contradicts the testimonials, or a summary that contradicts the postings. */
export interface WrongPosting {
  posting: PostingTerm;
  /**
   * A bit is `missing` or `surplus`. A summary, or an ordinal in the order of updates, is `wrong`. A `leftover` is the posting of a word
   * at a position without a testimonial, which an erasure should have removed; no list reads it.
   */
  kind: 'missing' | 'surplus' | 'wrong' | 'leftover';
  /** The position on the posting's axis; the number of a summary. */
  at: number;
}

/** An organization to verify, and the stores that have its items. */
interface Verified extends IndexDependencies {
  organization: string;
}

/**
 * Compares the testimonials of an organization with the counter, all postings with the testimonials below `indexed`, the summaries with
 * the postings, and the head with all of these. Leaves out changes that the index need not have yet.
 * @param onDifference called once for each difference, and once for each claim of the head
 * @returns the state of the index and the numbers of items compared
 * @throws if the organization is rebuilt meanwhile
 */
export async function verifyIndex(
  deps: IndexDependencies,
  organization: string,
  onDifference: (difference: Difference) => void,
  progress: (testimonials: number) => void = () => {},
) {
  const { testimonials, index, now } = deps;
  const verified: Verified = { testimonials, index, organization, now };
  const head = (await index.readHead(organization)) ?? noIndex;
  const { generation, indexed, terms } = head;
  const first = await compare(verified, head, progress);
  for (const each of beyondCounter(first.highest, await testimonials.readCounter(organization)))
    onDifference(each);
  if (first.differences.length > 0) {
    // Testimonials, postings and summaries are read one after another. A second look leaves out changes made in between.
    const headNow = (await index.readHead(organization)) ?? noIndex;
    if (headNow.generation !== generation)
      throw new Error(
        `The index of ${organization} was rebuilt during the comparison. Run the command again.`,
      );
    const suspects = new Set(first.differences.map((one) => JSON.stringify(one)));
    const again = await compare(verified, headNow, () => {});
    const isUnindexed = await unindexedDifferences(verified, headNow);
    const claims = new Set<string>();
    for (const difference of again.differences) {
      if (!suspects.has(JSON.stringify(difference)) || isUnindexed(difference)) continue;
      if (difference.kind === 'wrong head') {
        if (claims.has(difference.claim)) continue;
        claims.add(difference.claim);
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
    /** The number of other generations with postings, which a stopped rebuild leaves. */
    otherGenerations: (await strayGenerations(index, organization, head)).length,
  };
}

/** @param last the counter, read after all testimonials */
function beyondCounter(highest: Record<Axis, number>, last: TakenOrdinals | undefined): BeyondCounter[] {
  const counted = {
    createdAt: last?.ordinal ?? firstPosition - 1,
    updatedAt: last?.updateOrdinal ?? firstPosition - 1,
  };
  return axes
    .filter((axis) => highest[axis] > counted[axis])
    .map((axis) => ({ kind: 'beyond the counter', axis, at: highest[axis] }));
}

async function compare(verified: Verified, head: IndexHead, progress: (testimonials: number) => void) {
  const { testimonials, index, organization, now } = verified;
  const { indexed, generation } = head;
  const highest = { createdAt: 0, updatedAt: 0 };
  const expected = new ExpectedIndex(head);
  let oldest = '';
  let newestStep = 0;
  for await (const page of testimonials.from(organization, 0)) {
    for (const stored of page) {
      for (const axis of axes) highest[axis] = Math.max(highest[axis], positionOn(axis, stored));
      if (oldest === '' || stored.writtenAt < oldest) oldest = stored.writtenAt;
      if (stored.ordinal < indexed) expected.add(stored);
    }
    if (expected.testimonials > 0) progress(expected.testimonials);
  }
  const differences: WrongPosting[] = [];
  /** The chunks that have facets. */
  const chunks: AxisChunk[] = [];
  let postings = 0;
  for (const partition of partitions) {
    if (partition.kind === 'summary') continue;
    for await (const page of index.readPartition(organization, generation, partition)) {
      for (const { ref, bytes, step } of page) {
        const { posting, chunk } = ref;
        newestStep = Math.max(newestStep, step);
        if (posting.kind === 'facet') chunks.push({ axis: posting.axis, chunk });
        if (posting.kind === 'ordinals') expected.seeOrdinals(decodeBlock(bytes, chunk), chunk);
        else differences.push(...expected.differences(ref, decodePosting(bytes)));
      }
      postings += page.length;
    }
  }
  const summaries = await compareSummaries(verified, generation, distinct(chunks));
  // Read after the postings: each step announces its epoch and reach in the head before it writes.
  const headNow = await index.readHead(organization);
  const { epoch, reach = 1 } = headNow ?? noIndex;
  const wrongHead = (claim: WrongHead['claim'], ...positions: number[]) =>
    positions.map((at): WrongHead => ({ kind: 'wrong head', claim, at }));
  const isMissing = !headNow && oldest !== '' && now().getTime() - Date.parse(oldest) >= headMissingMs;
  const claims = [
    ...(isMissing ? wrongHead('missing', 0) : []),
    ...(newestStep > epoch ? wrongHead('epoch', newestStep) : []),
    ...(expected.highestBit >= Math.max(indexed, reach) ? wrongHead('reach', expected.highestBit) : []),
    ...wrongHead('updated', ...expected.updatedAbove),
    ...wrongHead('history', ...expected.beforeHistory),
    ...wrongHead('hasHidden', ...expected.hiddenUnsaid),
  ];
  // A lost index has more differences than a call takes arguments: no `push`.
  return {
    differences: [...claims, ...differences, ...expected.unseen(), ...summaries],
    highest,
    testimonials: expected.testimonials,
    postings,
  };
}

/** The index that the testimonials call for, less the parts that were seen to be right. */
class ExpectedIndex {
  readonly #head: IndexHead;
  readonly #postings = new Map<string, { ref: PostingRef; bitmap: Bitmap }>();
  /** The ordinals by their update ordinals. */
  readonly #ordinals = new Map<UpdateOrdinal, Ordinal>();
  readonly #positions = { createdAt: new Bitmap(), updatedAt: new Bitmap() };
  testimonials = 0;
  /** The highest ordinal with a bit in a posting of common facets. */
  highestBit = 0;
  /** Update ordinals above the head's `updated`. */
  readonly updatedAbove: number[] = [];
  /** Ordinals of testimonials before the positions that the head begins with. */
  readonly beforeHistory: number[] = [];
  /** Ordinals of testimonials with something hidden, if the head says that there are none. */
  readonly hiddenUnsaid: number[] = [];

  constructor(head: IndexHead) {
    this.#head = head;
  }

  add(stored: StoredTestimonial): void {
    let hides = false;
    if (stored.updateOrdinal >= this.#head.updated) this.updatedAbove.push(stored.updateOrdinal);
    for (const axis of axes) {
      const number = positionOn(axis, stored);
      this.#positions[axis].add(number);
      if (number < beginOf(this.#head, axis)) this.beforeHistory.push(stored.ordinal);
      for (const posting of postingsOn(axis, stored.testimonial)) {
        hides ||= isHidden(posting);
        const ref = { posting, chunk: chunkOf(number) };
        const name = nameOfChunk(ref);
        const entry = this.#postings.get(name) ?? { ref, bitmap: new Bitmap() };
        this.#postings.set(name, entry);
        entry.bitmap.add(number);
      }
    }
    if (hides && !this.#head.hasHidden) this.hiddenUnsaid.push(stored.ordinal);
    this.#ordinals.set(stored.updateOrdinal, stored.ordinal);
    this.testimonials += 1;
  }

  /** Returns the differences of a posting, and ticks it off. */
  differences(ref: PostingRef, bits: ChunkBits): WrongPosting[] {
    const { posting, chunk } = ref;
    const axis = axisOf(posting);
    const expected = this.#postings.get(nameOfChunk(ref))?.bitmap ?? new Bitmap();
    this.#postings.delete(nameOfChunk(ref));
    if (isFromText(posting) && countBits(bits) + expected.count() === 0) {
      return [{ posting, kind: 'leftover', at: chunk * chunkSize }];
    }
    const stored = new Bitmap().put(chunk, bits);
    if (posting.kind === 'facet' && axis === 'createdAt') {
      this.highestBit = Math.max(this.highestBit, stored.ordinals().at(-1) ?? 0);
    }
    if (axis === 'createdAt') stored.truncate(this.#head.indexed);
    const kindOfSurplus = (at: number): WrongPosting['kind'] =>
      isFromText(posting) && !this.#positions[axis].has(at) ? 'leftover' : 'surplus';
    const missing = expected.clone().andNot(stored).ordinals();
    const surplus = stored.andNot(expected).ordinals();
    return [
      ...missing.map((at) => ({ posting, kind: 'missing' as const, at })),
      ...surplus.map((at) => ({ posting, kind: kindOfSurplus(at), at })),
    ];
  }

  seeOrdinals(block: OrdinalBlock, number: number): void {
    for (const [i, ordinal] of block.entries()) {
      const at = number * blockSize + i;
      if (this.#ordinals.get(at) === ordinal) this.#ordinals.delete(at);
    }
  }

  unseen(): WrongPosting[] {
    return [
      ...Array.from(this.#postings.values()).flatMap(({ ref }) => this.differences(ref, emptyChunk())),
      ...Array.from(this.#ordinals.keys(), (at) => ({ posting: ordinalsTerm, kind: 'wrong' as const, at })),
    ];
  }
}

function nameOfChunk({ posting, chunk }: PostingRef): string {
  return `${chunk} ${nameOf(posting)}`;
}

/** Returns the summaries that differ from the count of their postings, or from the sum of their chunks. */
async function compareSummaries(
  { index, organization }: Verified,
  generation: number,
  chunks: readonly AxisChunk[],
): Promise<WrongPosting[]> {
  const wrong: WrongPosting[] = [];
  await forEachSummary(chunks, async (of, { axis, chunk }, count) => {
    const posting = summaryTerm(axis, of);
    const [[stored], { summary }] = await Promise.all([
      index.readPostings(organization, generation, [{ posting, chunk }]),
      count(index, organization, generation, { axis, chunk }),
    ]);
    const counts = stored ? decodeSummary(stored.bytes) : [];
    if (summary.some((count, i) => count !== (counts[i] ?? 0)))
      wrong.push({ posting, kind: 'wrong', at: chunk });
  });
  return wrong;
}

/** Returns whether a difference may be: lists correct the index there by the markers and the tail. */
async function unindexedDifferences(
  { testimonials, index, organization }: Verified,
  head: IndexHead,
): Promise<(difference: WrongPosting | WrongHead) => boolean> {
  const recent = await index.readRecent(organization, head.indexed);
  const markers = uncoveredMarkers(head, recent);
  const changed = await testimonials.findMany(
    organization,
    markers.map(({ ordinal }) => ordinal),
  );
  const { tail } = recent;
  const unindexed = { tail, changed, markers, isTailApart: false, matching: [...tail, ...changed] };
  const correctionOn = (axis: Axis) => new Correction(axis, head, unindexed);
  const corrections = { createdAt: correctionOn('createdAt'), updatedAt: correctionOn('updatedAt') };
  const erasures = (await Array.fromAsync(testimonials.erasureTexts(organization))).flat();
  const isBeingErased = new Set(erasures.map(({ ordinal }) => ordinal));
  return (difference) => {
    const { at } = difference;
    if (difference.kind === 'wrong head') {
      if (difference.claim === 'updated') return corrections.updatedAt.isMasked(at);
      return difference.claim === 'hasHidden' && corrections.createdAt.isMasked(at);
    }
    const { posting } = difference;
    if (isFromText(posting) && isBeingErased.has(at)) return true;
    const correction = corrections[axisOf(posting)];
    if (posting.kind !== 'summary') return correction.isMasked(at);
    const dirty = correction.uncounted();
    return posting.of === 'chunks'
      ? Array.from(dirty).some((chunk) => Math.floor(chunk / chunksTogether) === at)
      : dirty.has(at) || !correction.isBelieved(at);
  };
}
