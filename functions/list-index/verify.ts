/** Comparing the index with the table. */
import type { TestimonialStore } from '../domain/stores.ts';
import { ordinalOf } from '../domain/testimonial-order.ts';
import { Bitmap } from './bitmap.ts';
import { type IndexStore, noIndex } from './index-store.ts';
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
  /** Testimonials compared. */
  testimonials: number;
  /** Postings compared, each chunk of each term and word as one. */
  postings: number;
}

/**
 * Compares all postings of an organization with its testimonials below `indexed`, apart from those with an
 * announced change, whose bits no list uses. Reads the whole table.
 * @param onDifference told of each difference
 */
export async function verifyIndex(
  { testimonials, index }: { testimonials: TestimonialStore; index: IndexStore },
  organization: string,
  onDifference: (difference: Difference) => void,
  progress: (testimonials: number) => void = () => {},
): Promise<Verification> {
  const { generation, indexed } = (await index.readHead(organization)) ?? noIndex;
  // Before and after: a change announced meanwhile, or folded meanwhile, is no difference.
  const skipped = Bitmap.of(
    (await testimonials.announcedChanges(organization)).map(({ ordinal }) => ordinal),
  );

  const expected = new Map<string, { posting: PostingTerm; bitmap: Bitmap }>();
  let count = 0;
  for await (const page of testimonials.from(organization, 0)) {
    for (const testimonial of page) {
      const ordinal = ordinalOf(testimonial);
      if (ordinal >= indexed) break;
      for (const posting of postingTermsOf(testimonial)) {
        const key = JSON.stringify(posting);
        const entry = expected.get(key) ?? { posting, bitmap: new Bitmap() };
        expected.set(key, entry);
        entry.bitmap.add(ordinal);
      }
      count += 1;
    }
    progress(count);
  }

  const found = new Map<string, { posting: PostingTerm; bitmap: Bitmap }>();
  let postings = 0;
  for await (const page of index.scanPostings(organization)) {
    for (const { generation: its, ref, bytes } of page) {
      if (its !== generation) continue;
      const key = JSON.stringify(ref.posting);
      const entry = found.get(key) ?? { posting: ref.posting, bitmap: new Bitmap() };
      found.set(key, entry);
      entry.bitmap.put(ref.chunk, decodePosting(bytes));
      postings += 1;
    }
  }
  skipped.or(Bitmap.of((await testimonials.announcedChanges(organization)).map(({ ordinal }) => ordinal)));

  for (const key of new Set([...expected.keys(), ...found.keys()])) {
    const posting = expected.get(key)?.posting ?? found.get(key)?.posting;
    if (!posting) continue;
    const should = expected.get(key)?.bitmap ?? new Bitmap();
    const is = (found.get(key)?.bitmap ?? new Bitmap()).truncate(indexed);
    const missing = should.clone().andNot(is).andNot(skipped);
    const surplus = is.clone().andNot(should).andNot(skipped);
    for (const ordinal of missing.ordinals()) onDifference({ posting, ordinal, kind: 'missing' });
    for (const ordinal of surplus.ordinals()) onDifference({ posting, ordinal, kind: 'surplus' });
  }
  return { generation, indexed, testimonials: count, postings };
}
