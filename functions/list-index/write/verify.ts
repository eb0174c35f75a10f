/** Comparing the index with the table. */
import { forEachAtOnce } from '../../concurrency.ts';
import type { TestimonialStore } from '../../domain/stores.ts';
import { everyTestimonial } from '../../domain/terms.ts';
import { axes, numberOn } from '../../domain/testimonial-order.ts';
import { Bitmap } from '../bits/bitmap.ts';
import { blockSize, decodeBlock } from '../bits/ordinal-block.ts';
import { decodePosting } from '../bits/posting-codec.ts';
import { chunksTogether, decodeSummary, type Summary } from '../bits/summary.ts';
import { type IndexHead, type IndexStore, noIndex, type PostingRef } from '../index-store.ts';
import {
  axisOf,
  facetPosting,
  isFromText,
  nameOf,
  ordinalsTerm,
  type PostingTerm,
  partitions,
  postingsOn,
  summaryTerm,
} from '../index-terms.ts';
import { Correction, uncoveredMarkers } from '../read/correction.ts';
import { oldGenerations } from './generations.ts';
import type { AxisChunk } from './posting-edits.ts';
import { chunksOfChunks, countedPostings, countPostings, sumChunks } from './renew-summaries.ts';
import { type Misplaced, PlacesSeen } from './verify-places.ts';

/** A posting, a summary or a place that is not as it should be. */
export type Difference = WrongPosting | Misplaced;

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

export interface Verification {
  generation: number;
  indexed: number;
  /** The rules that the postings were made by. */
  terms: string;
  /** Testimonials compared. */
  testimonials: number;
  /** Testimonials that the index does not have yet. */
  tail: number;
  /** Postings compared, each chunk of each term and word as one. */
  postings: number;
  /** Other generations of which postings are left, as a rebuild that stopped leaves them. */
  otherGenerations: number;
}

interface Source {
  testimonials: TestimonialStore;
  index: IndexStore;
  organization: string;
}

/**
 * Compares the testimonials of an organization with the counter of their places, all postings with those below `indexed`,
 * and summaries with the postings, apart from what a change concerns that the index need not have yet.
 * @param onDifference told of each difference
 */
export async function verifyIndex(
  { testimonials, index }: Pick<Source, 'testimonials' | 'index'>,
  organization: string,
  onDifference: (difference: Difference) => void,
  progress: (testimonials: number) => void = () => {},
): Promise<Verification> {
  const source: Source = { testimonials, index, organization };
  const head = (await index.readHead(organization)) ?? noIndex;
  const places = new PlacesSeen();
  const first = await comparePostings(source, head, progress, places);
  for (const each of places.misplaced(await testimonials.counted(organization))) onDifference(each);
  const wrong = await compareSummaries(source, head, first.chunks);
  const suspects = new Map([...first.differences, ...wrong].map((each) => [JSON.stringify(each), each]));
  if (suspects.size > 0) {
    // Testimonials, postings and summaries are read one after another: what changed in between differs.
    const now = (await index.readHead(organization)) ?? noIndex;
    if (now.generation !== head.generation)
      throw new Error(`${organization} was rebuilt meanwhile: verify again`);
    const again = await comparePostings(source, now, () => {});
    const stillWrong = await compareSummaries(source, now, again.chunks);
    const isUnindexed = await unindexedOnes(source, now);
    for (const each of [...again.differences, ...stillWrong]) {
      if (suspects.has(JSON.stringify(each)) && !isUnindexed(each)) onDifference(each);
    }
  }
  const { generation, indexed, terms } = head;
  const { testimonials: compared, postings } = first;
  const { tail } = await index.readRecent(organization, indexed);
  const otherGenerations = (await oldGenerations(index, organization, head)).length;
  return {
    generation,
    indexed,
    terms,
    testimonials: compared,
    postings,
    tail: tail.length,
    otherGenerations,
  };
}

interface Comparison {
  differences: WrongPosting[];
  testimonials: number;
  postings: number;
  /** The chunks that have facets. */
  chunks: AxisChunk[];
}

class Postings {
  readonly #bitmaps = new Map<string, { posting: PostingTerm; bitmap: Bitmap }>();

  of(posting: PostingTerm): Bitmap {
    const key = nameOf(posting);
    const entry = this.#bitmaps.get(key) ?? { posting, bitmap: new Bitmap() };
    this.#bitmaps.set(key, entry);
    return entry.bitmap;
  }

  all() {
    return this.#bitmaps.values();
  }
}

async function comparePostings(
  source: Source,
  head: IndexHead,
  progress: (testimonials: number) => void,
  places = new PlacesSeen(),
): Promise<Comparison> {
  const { count, ...expected } = await readTestimonials(source, head, progress, places);
  const { chunks, read, ...found } = await readIndex(source, head);
  return { differences: differencesOf(expected, found, head), testimonials: count, postings: read, chunks };
}

/** The places that postings have, and the ordinals at places in the order of updates. */
interface Indexed {
  postings: Postings;
  ordinals: Map<number, number>;
}

/** The index as the testimonials that it has say that it should be. */
async function readTestimonials(
  { testimonials, organization }: Source,
  { indexed }: IndexHead,
  progress: (testimonials: number) => void,
  places: PlacesSeen,
): Promise<Indexed & { count: number }> {
  const postings = new Postings();
  const ordinals = new Map<number, number>();
  let count = 0;
  for await (const page of testimonials.from(organization, 0)) {
    for (const stored of page) {
      places.see(stored);
      if (stored.ordinal >= indexed) continue;
      for (const axis of axes) {
        const number = numberOn(axis, stored);
        for (const posting of postingsOn(axis, stored.testimonial)) postings.of(posting).add(number);
      }
      ordinals.set(stored.updateOrdinal, stored.ordinal);
      count += 1;
    }
    if (count > 0) progress(count);
  }
  return { postings, ordinals, count };
}

/** The index as it is, but for its summaries. */
async function readIndex(
  { index, organization }: Source,
  { generation }: IndexHead,
): Promise<Indexed & { read: number; chunks: AxisChunk[] }> {
  const postings = new Postings();
  const ordinals = new Map<number, number>();
  const chunks = new Map<string, AxisChunk>();
  let read = 0;
  for (const partition of partitions) {
    if (partition.kind === 'summary') continue;
    for await (const page of index.readPartition(organization, generation, partition)) {
      for (const { ref, bytes } of page) {
        const { posting, chunk } = ref;
        if (posting.kind === 'ordinals') {
          for (const [i, ordinal] of decodeBlock(bytes, chunk).entries()) {
            if (ordinal > 0) ordinals.set(chunk * blockSize + i, ordinal);
          }
          continue;
        }
        postings.of(posting).put(chunk, decodePosting(bytes));
        if (posting.kind === 'facet') {
          chunks.set(`${posting.axis} ${chunk}`, { axis: posting.axis, chunk });
        }
      }
      read += page.length;
    }
  }
  return { postings, ordinals, read, chunks: [...chunks.values()] };
}

/** The differences between two indexes, whose bitmaps are used up. */
function differencesOf(expected: Indexed, found: Indexed, { indexed }: IndexHead): WrongPosting[] {
  const differences: WrongPosting[] = [];
  const testimonialsOn = new Map(
    axes.map((axis) => [axis, expected.postings.of(facetPosting(axis, everyTestimonial)).clone()] as const),
  );
  for (const { posting, bitmap } of found.postings.all()) {
    const isOfNone = isFromText(posting) && bitmap.count() + expected.postings.of(posting).count() === 0;
    if (isOfNone) differences.push({ posting, kind: 'leftover', at: 0 });
  }
  for (const { posting } of [...expected.postings.all(), ...found.postings.all()]) {
    const should = expected.postings.of(posting);
    const is = found.postings.of(posting);
    const axis = axisOf(posting);
    if (axis === 'createdAt') is.truncate(indexed);
    const add = (kind: WrongPosting['kind']) => (at: number) => void differences.push({ posting, kind, at });
    should.clone().andNot(is).ordinals().forEach(add('missing'));
    for (const at of is.clone().andNot(should).ordinals()) {
      const isLeft = isFromText(posting) && !testimonialsOn.get(axis)?.has(at);
      differences.push({ posting, kind: isLeft ? 'leftover' : 'surplus', at });
    }
    // Each only once.
    should.and(new Bitmap());
    is.and(new Bitmap());
  }
  for (const [at, ordinal] of expected.ordinals) {
    if (found.ordinals.get(at) !== ordinal) differences.push({ posting: ordinalsTerm, kind: 'wrong', at });
  }
  return differences;
}

/** The summaries that are not what their postings count, or not the sum of their chunks. */
async function compareSummaries(
  { index, organization }: Source,
  { generation }: IndexHead,
  chunks: Comparison['chunks'],
): Promise<WrongPosting[]> {
  const wrong: WrongPosting[] = [];
  const compare = (ref: PostingRef, stored: Uint8Array | undefined, counted: Summary) => {
    const said = stored ? decodeSummary(stored) : [];
    if (counted.some((count, i) => count !== (said[i] ?? 0))) {
      wrong.push({ posting: ref.posting, kind: 'wrong', at: ref.chunk });
    }
  };
  await forEachAtOnce(chunks, async ({ axis, chunk }) => {
    const ref = { posting: summaryTerm(axis, 'chunk'), chunk };
    const refs = [ref, ...countedPostings({ axis, chunk })];
    const [summary, ...postings] = await index.readPostings(organization, generation, refs);
    compare(ref, summary?.bytes, countPostings(postings));
  });
  await forEachAtOnce(chunksOfChunks(chunks), async (each) => {
    const ref = { posting: summaryTerm(each.axis, 'chunks'), chunk: each.chunk };
    const [[summary], counted] = await Promise.all([
      index.readPostings(organization, generation, [ref]),
      sumChunks(index, organization, generation, each),
    ]);
    compare(ref, summary?.bytes, counted.summary);
  });
  return wrong;
}

/** Tells of a difference whether lists do not believe the index there: it may differ. */
async function unindexedOnes(
  { testimonials, index, organization }: Source,
  head: IndexHead,
): Promise<(difference: WrongPosting) => boolean> {
  const recent = await index.readRecent(organization, head.indexed);
  const markers = uncoveredMarkers(head, recent);
  const changed = await testimonials.findMany(
    organization,
    markers.map(({ ordinal }) => ordinal),
  );
  const unindexed = { tail: recent.tail, changed, markers, isTailApart: false };
  const corrections = new Map(
    axes.map((axis) => [axis, new Correction(axis, head, unindexed, () => true)] as const),
  );
  return ({ posting, at }) => {
    const correction = corrections.get(axisOf(posting));
    if (!correction) return false;
    if (posting.kind !== 'summary') return correction.isMasked(at);
    const dirty = correction.uncounted();
    return posting.of === 'chunks'
      ? Array.from(dirty).some((chunk) => Math.floor(chunk / chunksTogether) === at)
      : dirty.has(at) || !correction.isBelieved(at);
  };
}
