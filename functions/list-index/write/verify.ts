/** Comparing the index with the table. */
import { forEachAtOnce } from '../../concurrency.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { TakenOrdinals, TestimonialStore } from '../../domain/stores.ts';
import {
  type Axis,
  axes,
  firstPlace,
  numberOn,
  type Ordinal,
  type UpdateOrdinal,
} from '../../domain/testimonial-order.ts';
import { headMissingMs } from '../../timing.ts';
import { Bitmap, type ChunkBits, chunkOf, chunkSize, countBits, emptyChunk } from '../bits/bitmap.ts';
import { blockSize, decodeBlock, type OrdinalBlock } from '../bits/ordinal-block.ts';
import { decodePosting } from '../bits/posting-codec.ts';
import { chunksTogether, decodeSummary } from '../bits/summary.ts';
import { beginOf, type IndexHead, type IndexStore, noIndex, type PostingRef } from '../index-store.ts';
import {
  axisOf,
  isFromText,
  isHidden,
  nameOf,
  ordinalsTerm,
  type PostingTerm,
  partitions,
  postingsOn,
  type Summarised,
  summaryTerm,
} from '../index-terms.ts';
import { Correction, uncoveredMarkers } from '../read/correction.ts';
import { strayGenerations } from './generations.ts';
import type { AxisChunk } from './posting-edits.ts';
import { chunksOfChunks, countChunk, distinct, sumChunks } from './renew-summaries.ts';

/** A posting, a summary, the counter or a claim of the head that is not as it should be. */
export type Difference = WrongPosting | WrongHead | BeyondCounter;

/** The highest position of an axis, if the counter has not reached it: the counter would give it a second time. */
export interface BeyondCounter {
  kind: 'beyond the counter';
  axis: Axis;
  at: number;
}

/** Something that the head says, or does not, against the postings; lists believe it. */
export interface WrongHead {
  kind: 'wrong head';
  /**
   * `epoch`: a posting was written by a later step. `updated`: a testimonial of the index has a place above. `reach`: a place above has a
   * bit. `history`: a testimonial of the index has a place before. `hasHidden`: postings have something hidden. `missing`: there is no head,
   * though there has been time for one.
   */
  claim: 'epoch' | 'updated' | 'reach' | 'history' | 'hasHidden' | 'missing';
  /** The place, or the step, that shows it. */
  at: number;
}

/** A posting that says something else than the table, or a summary that says something else than the postings. */
export interface WrongPosting {
  posting: PostingTerm;
  /**
   * A bit is `missing` or `surplus`; the ordinal of a place in the order of updates, or a summary, is `wrong`. What an
   * erasure should have deleted is a `leftover`: a text's posting where no testimonial is any more. No list reads it.
   */
  kind: 'missing' | 'surplus' | 'wrong' | 'leftover';
  /** The place on the posting's axis; of a summary, its number. */
  at: number;
}

interface Source {
  testimonials: TestimonialStore;
  index: IndexStore;
  organization: string;
  now: () => Date;
}

/**
 * Compares the testimonials of an organization with the counter of their places, all postings with those below `indexed`,
 * summaries with the postings, and the head with all of these, apart from changes that the index need not have yet.
 * @param onDifference told of each difference; of each claim of the head once
 * @returns how much was compared, and what the index is
 */
export async function verifyIndex(
  { testimonials, index, now }: Pick<Source, 'testimonials' | 'index' | 'now'>,
  organization: string,
  onDifference: (difference: Difference) => void,
  progress: (testimonials: number) => void = () => {},
) {
  const source: Source = { testimonials, index, organization, now };
  const head = (await index.readHead(organization)) ?? noIndex;
  const { generation, indexed, terms } = head;
  const first = await compare(source, head, progress);
  for (const each of beyondCounter(first.highest, await testimonials.readCounter(organization)))
    onDifference(each);
  if (first.differences.length > 0) {
    // Testimonials, postings and summaries are read one after another: what changed in between differs.
    const headNow = (await index.readHead(organization)) ?? noIndex;
    if (headNow.generation !== generation)
      throw new Error(`${organization} was rebuilt meanwhile: verify again`);
    const suspects = new Set(first.differences.map((each) => JSON.stringify(each)));
    const again = await compare(source, headNow, () => {});
    const isUnindexed = await unindexedOnes(source, headNow);
    const claims = new Set<string>();
    for (const each of again.differences) {
      if (!suspects.has(JSON.stringify(each)) || isUnindexed(each)) continue;
      if (each.kind === 'wrong head' && claims.has(each.claim)) continue;
      if (each.kind === 'wrong head') claims.add(each.claim);
      onDifference(each);
    }
  }
  return {
    generation,
    indexed,
    terms,
    testimonials: first.testimonials,
    /** Each chunk of each term and word as one. */
    postings: first.postings,
    tail: (await index.readRecent(organization, indexed)).tail.length,
    /** Generations besides this one of which postings are left, as a rebuild that stopped leaves them. */
    otherGenerations: (await strayGenerations(index, organization, head)).length,
  };
}

/** @param last the counter after all testimonials were read */
function beyondCounter(highest: Record<Axis, number>, last: TakenOrdinals | undefined): BeyondCounter[] {
  const counted = {
    createdAt: last?.ordinal ?? firstPlace - 1,
    updatedAt: last?.updateOrdinal ?? firstPlace - 1,
  };
  return axes
    .filter((axis) => highest[axis] > counted[axis])
    .map((axis) => ({ kind: 'beyond the counter', axis, at: highest[axis] }));
}

async function compare(source: Source, head: IndexHead, progress: (testimonials: number) => void) {
  const { testimonials, index, organization, now } = source;
  const { indexed, generation } = head;
  const highest = { createdAt: 0, updatedAt: 0 };
  const expected = new ExpectedIndex(head);
  let oldest = '';
  let newestStep = 0;
  for await (const page of testimonials.from(organization, 0)) {
    for (const stored of page) {
      for (const axis of axes) highest[axis] = Math.max(highest[axis], numberOn(axis, stored));
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
  const summaries = await compareSummaries(source, generation, distinct(chunks));
  // Read after the postings: each step announces in the head the epoch and reach of its writes.
  const headNow = await index.readHead(organization);
  const { epoch, reach = 1 } = headNow ?? noIndex;
  const claim = (wrong: WrongHead['claim'], ...at: number[]) =>
    at.map((each): WrongHead => ({ kind: 'wrong head', claim: wrong, at: each }));
  const isMissing = !headNow && oldest !== '' && now().getTime() - Date.parse(oldest) >= headMissingMs;
  const claims = [
    ...(isMissing ? claim('missing', 0) : []),
    ...(newestStep > epoch ? claim('epoch', newestStep) : []),
    ...(expected.highestBit >= Math.max(indexed, reach) ? claim('reach', expected.highestBit) : []),
    ...claim('updated', ...expected.updatedAbove),
    ...claim('history', ...expected.beforeHistory),
    ...claim('hasHidden', ...expected.hiddenUnsaid),
  ];
  // A lost index has more differences than a call takes arguments: no `push`.
  return {
    differences: [...claims, ...differences, ...expected.unseen(), ...summaries],
    highest,
    testimonials: expected.testimonials,
    postings,
  };
}

/** The index as the testimonials that it has say that it should be, as far as it was not seen so. */
class ExpectedIndex {
  readonly #head: IndexHead;
  readonly #postings = new Map<string, { ref: PostingRef; bitmap: Bitmap }>();
  /** The ordinals at places in the order of updates. */
  readonly #ordinals = new Map<UpdateOrdinal, Ordinal>();
  /** The places of all testimonials. */
  readonly #places = { createdAt: new Bitmap(), updatedAt: new Bitmap() };
  testimonials = 0;
  /** The highest ordinal with a bit in a posting of common facets. */
  highestBit = 0;
  /** Update ordinals that the head's `updated` leaves out. */
  readonly updatedAbove: number[] = [];
  /** Ordinals of testimonials with a place before all that the head has. */
  readonly beforeHistory: number[] = [];
  /** Ordinals of testimonials with something hidden, if the head denies that there are any. */
  readonly hiddenUnsaid: number[] = [];

  constructor(head: IndexHead) {
    this.#head = head;
  }

  add(stored: StoredTestimonial): void {
    let hides = false;
    if (stored.updateOrdinal >= this.#head.updated) this.updatedAbove.push(stored.updateOrdinal);
    for (const axis of axes) {
      const number = numberOn(axis, stored);
      this.#places[axis].add(number);
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

  /** Sees a posting; returns how it differs. */
  differences(ref: PostingRef, bits: ChunkBits): WrongPosting[] {
    const { posting, chunk } = ref;
    const axis = axisOf(posting);
    const should = this.#postings.get(nameOfChunk(ref))?.bitmap ?? new Bitmap();
    this.#postings.delete(nameOfChunk(ref));
    if (isFromText(posting) && countBits(bits) + should.count() === 0) {
      return [{ posting, kind: 'leftover', at: chunk * chunkSize }];
    }
    const is = new Bitmap().put(chunk, bits);
    if (posting.kind === 'facet' && axis === 'createdAt') {
      this.highestBit = Math.max(this.highestBit, is.ordinals().at(-1) ?? 0);
    }
    if (axis === 'createdAt') is.truncate(this.#head.indexed);
    const kindOfSurplus = (at: number): WrongPosting['kind'] =>
      isFromText(posting) && !this.#places[axis].has(at) ? 'leftover' : 'surplus';
    const missing = should.clone().andNot(is).ordinals();
    const surplus = is.andNot(should).ordinals();
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

/** The summaries that are not what their postings count, or not the sum of their chunks: each is read beside these. */
async function compareSummaries(
  { index, organization }: Source,
  generation: number,
  chunks: readonly AxisChunk[],
): Promise<WrongPosting[]> {
  const wrong: WrongPosting[] = [];
  const compare = async (of: Summarised, { axis, chunk }: AxisChunk, count: typeof countChunk) => {
    const posting = summaryTerm(axis, of);
    const [[stored], { summary }] = await Promise.all([
      index.readPostings(organization, generation, [{ posting, chunk }]),
      count(index, organization, generation, { axis, chunk }),
    ]);
    const said = stored ? decodeSummary(stored.bytes) : [];
    if (summary.some((each, i) => each !== (said[i] ?? 0))) wrong.push({ posting, kind: 'wrong', at: chunk });
  };
  await forEachAtOnce(chunks, (chunk) => compare('chunk', chunk, countChunk));
  await forEachAtOnce(chunksOfChunks(chunks), (chunk) => compare('chunks', chunk, sumChunks));
  return wrong;
}

/** Tells of a difference whether lists do not believe the index there: it may differ. */
async function unindexedOnes(
  { testimonials, index, organization }: Source,
  head: IndexHead,
): Promise<(difference: WrongPosting | WrongHead) => boolean> {
  const recent = await index.readRecent(organization, head.indexed);
  const markers = uncoveredMarkers(head, recent);
  const changed = await testimonials.findMany(
    organization,
    markers.map(({ ordinal }) => ordinal),
  );
  const unindexed = { tail: recent.tail, changed, markers, isTailApart: false };
  const correctionOn = (axis: Axis) => new Correction(axis, head, unindexed, () => true);
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
