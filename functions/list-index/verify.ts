/** Comparing the index with the table. */
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { ChangeMarker, TestimonialStore } from '../domain/stores.ts';
import { Bitmap, chunkOf, hasBit, offsetOf } from './bitmap.ts';
import { coveredBy, type IndexStore, noIndex } from './index-store.ts';
import { type PostingTerm, postingTermsOf } from './index-terms.ts';
import { decodePosting } from './posting-codec.ts';

/** A posting that says something else than the table. */
export interface Difference {
  posting: PostingTerm;
  ordinal: number;
  /** `missing` from the posting, or `surplus` in it. */
  kind: 'missing' | 'surplus';
}

export interface Verification {
  generation: number;
  indexed: number;
  /** The rules that the postings were made by. */
  terms: string;
  /** Testimonials compared. */
  testimonials: number;
  /** Postings compared, each chunk of each term and word as one. */
  postings: number;
}

interface Stores {
  testimonials: TestimonialStore;
  index: IndexStore;
}

/**
 * Compares all postings of an organization with its testimonials below `indexed`, apart from those with a change that
 * the postings need not have yet.
 * @param onDifference told of each difference
 */
export async function verifyIndex(
  { testimonials, index }: Stores,
  organization: string,
  onDifference: (difference: Difference) => void,
  progress: (testimonials: number) => void = () => {},
): Promise<Verification> {
  const { generation, indexed, terms } = (await index.readHead(organization)) ?? noIndex;

  const expected = new Map<string, { posting: PostingTerm; bitmap: Bitmap }>();
  let count = 0;
  for await (const page of testimonials.from(organization, 0)) {
    for (const { testimonial, ordinal } of page) {
      if (ordinal >= indexed) break;
      for (const posting of postingTermsOf(testimonial)) {
        bitmapOf(expected, posting).add(ordinal);
      }
      count += 1;
    }
    progress(count);
    if ((page.at(-1)?.ordinal ?? 0) >= indexed) break;
  }

  const found = new Map<string, { posting: PostingTerm; bitmap: Bitmap }>();
  let postings = 0;
  for (const { generation: its, partition } of await index.partitions(organization)) {
    if (its !== generation) continue;
    for await (const page of index.readPartition(organization, generation, partition)) {
      for (const { ref, bytes } of page) bitmapOf(found, ref.posting).put(ref.chunk, decodePosting(bytes));
      postings += page.length;
    }
  }

  const differences: Difference[] = [];
  for (const key of new Set([...expected.keys(), ...found.keys()])) {
    const posting = expected.get(key)?.posting ?? found.get(key)?.posting;
    if (!posting) continue;
    const should = expected.get(key)?.bitmap ?? new Bitmap();
    const is = (found.get(key)?.bitmap ?? new Bitmap()).truncate(indexed);
    const add = (kind: Difference['kind']) => (ordinal: number) =>
      void differences.push({ posting, ordinal, kind });
    should.clone().andNot(is).ordinals().forEach(add('missing'));
    is.clone().andNot(should).ordinals().forEach(add('surplus'));
  }
  const real = await lookAgain({ testimonials, index }, organization, generation, differences);
  for (const difference of real) onDifference(difference);
  return { generation, indexed, terms, testimonials: count, postings };
}

/**
 * Of some differences, those that are still there: testimonials and postings are read one after another, and what
 * changed in between differs, as does what has a change that is not folded yet.
 */
async function lookAgain(
  { testimonials, index }: Stores,
  organization: string,
  generation: number,
  differences: Difference[],
): Promise<Difference[]> {
  if (differences.length === 0) return [];
  const ordinals = [...new Set(differences.map(({ ordinal }) => ordinal))];
  const head = (await index.readHead(organization)) ?? noIndex;
  if (head.generation !== generation) throw new Error(`${organization} was rebuilt meanwhile: verify again`);
  const rows = new Map<number, StoredTestimonial>(
    (await testimonials.findMany(organization, ordinals)).map((stored) => [stored.ordinal, stored]),
  );
  const refs = new Map(
    differences.map(({ posting, ordinal }) => [
      refKey(posting, ordinal),
      { posting, chunk: chunkOf(ordinal) },
    ]),
  );
  const postings = await index.readPostings(organization, generation, [...refs.values()]);
  const bytesOf = new Map([...refs.keys()].map((key, i) => [key, postings[i]?.bytes]));
  const isCovered = coveredBy(head);
  const markers: ChangeMarker[] = (await Array.fromAsync(testimonials.changeMarkers(organization))).flat();
  const changing = new Set(
    markers.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal)).map(({ ordinal }) => ordinal),
  );
  return differences.filter(({ posting, ordinal, kind }) => {
    const row = rows.get(ordinal);
    const should = row !== undefined && has(postingTermsOf(row.testimonial), posting);
    const bytes = bytesOf.get(refKey(posting, ordinal));
    const is = bytes !== undefined && hasBit(decodePosting(bytes), offsetOf(ordinal));
    return !changing.has(ordinal) && should !== is && (kind === 'missing') === should;
  });
}

function refKey(posting: PostingTerm, ordinal: number): string {
  return JSON.stringify([posting, chunkOf(ordinal)]);
}

function has(postings: PostingTerm[], posting: PostingTerm): boolean {
  return postings.some((each) => JSON.stringify(each) === JSON.stringify(posting));
}

function bitmapOf(map: Map<string, { posting: PostingTerm; bitmap: Bitmap }>, posting: PostingTerm): Bitmap {
  const key = JSON.stringify(posting);
  const entry = map.get(key) ?? { posting, bitmap: new Bitmap() };
  map.set(key, entry);
  return entry.bitmap;
}
