/** Counting by bits: what a list asks for beyond status, type and rating is counted in the postings themselves. */
import { Bitmap, chunkOf, countBits } from '../bits/bitmap.ts';
import { decodePostingInto } from '../bits/posting-codec.ts';
import { hasNothing, type IndexHead, type IndexStore, type StoredBits } from '../index-store.ts';
import { axisOf, facetPosting, type PostingTerm } from '../index-terms.ts';
import type { Correction, Groups } from './correction.ts';
import { Matches } from './matches.ts';
import type { QueryPlan, Read } from './plan.ts';

/** What matches of the postings, before it is corrected. */
export interface ByBits {
  matching: Bitmap;
  /** The testimonials of each term in turn. */
  inTurn: Bitmap[];
}

/** Reads all postings of a plan at once, each only once, and combines them. */
export async function readByBits(
  index: IndexStore,
  organization: string,
  head: IndexHead,
  { axis, allOf, inTurn }: QueryPlan,
): Promise<ByBits> {
  const reads = new Map<string, Promise<Bitmap>>();
  const readOne = (what: Read) => {
    if (what.kind === 'words')
      return index.readWords(organization, head.generation, what.from, what).then(union);
    const posting = what.kind === 'facet' ? facetPosting(axis, what.term, what) : what;
    return readTerm(index, organization, head, posting);
  };
  const read = (what: Read) => {
    const key = JSON.stringify(what);
    const bitmap = reads.get(key) ?? readOne(what);
    reads.set(key, bitmap);
    return bitmap;
  };
  // Without an index there is nothing to read: everything is tail.
  if (hasNothing(head)) return { matching: new Bitmap(), inTurn: inTurn.map(() => new Bitmap()) };
  const [clauses, terms] = await Promise.all([
    Promise.all(allOf.map(({ anyOf }) => Promise.all(anyOf.map(read)))),
    Promise.all(inTurn.map((term) => read({ kind: 'facet', term }))),
  ]);
  const matching = clauses
    .map((bitmaps) => bitmaps.reduce((all, bitmap) => all.or(bitmap), new Bitmap()))
    .reduce((all, clause) => all.and(clause));
  return { matching, inTurn: terms };
}

/** Counts what was read, corrected, group by group. */
export function matchesByBits({ matching, inTurn }: ByBits, groups: Groups, correction: Correction): Matches {
  const segments = groups.terms.flatMap((_, group) => {
    const terms = inTurn[group];
    const bitmap = correction.apply(terms ? matching.clone().and(terms) : matching.clone(), groups, group);
    return bitmap.chunkNumbers().map((chunk) => {
      const bits = bitmap.chunk(chunk);
      return { group, chunk, chunks: 1, count: countBits(bits), isExact: true, bits };
    });
  });
  return new Matches(segments, async (known) => known.map((segment) => [segment]));
}

// Together less than the megabyte that one read takes, also of full bitmaps.
const chunksARead = 120;

/** Reads all chunks of a term, in reads beside each other. */
export async function readTerm(
  index: IndexStore,
  organization: string,
  { generation, indexed, updated }: IndexHead,
  term: PostingTerm,
): Promise<Bitmap> {
  const last = chunkOf(axisOf(term) === 'createdAt' ? indexed : updated);
  const begins = Array.from({ length: Math.floor(last / chunksARead) + 1 }, (_, i) => i * chunksARead);
  const ranges = begins.map((from, i) => {
    const isLast = i === begins.length - 1;
    return index.readTerm(organization, generation, term, {
      from,
      to: isLast ? Number.POSITIVE_INFINITY : from + chunksARead - 1,
    });
  });
  return union((await Promise.all(ranges)).flat());
}

/** The bits of some chunks together; a chunk may come more than once. */
export function union(postings: StoredBits[]): Bitmap {
  const bitmap = new Bitmap();
  for (const { chunk, bytes } of postings) decodePostingInto(bytes, bitmap.chunk(chunk));
  return bitmap;
}
