/** Counting by bits: what a list asks for beyond status, type and rating is counted in the postings themselves. */
import { Bitmap, countBits } from '../bits/bitmap.ts';
import { hasNothing } from '../index-store.ts';
import { facetPosting } from '../index-terms.ts';
import type { Correction, Groups } from './correction.ts';
import type { IndexReader } from './index-reader.ts';
import { Matches } from './matches.ts';
import type { QueryPlan, Read } from './plan.ts';

/** The places in the postings that match, before they are corrected. */
export interface ByBits {
  matching: Bitmap;
  /** The testimonials of each term in turn. */
  inTurn: Bitmap[];
}

/** Reads all postings of a plan at once, and combines them. */
export async function readByBits(reader: IndexReader, { axis, allOf, inTurn }: QueryPlan): Promise<ByBits> {
  const read = (what: Read): Promise<Bitmap> => {
    if (what.kind === 'words') return reader.words(what.from, what);
    return reader.posting(what.kind === 'facet' ? facetPosting(axis, what.term, what) : what);
  };
  // Without an index there is nothing to read: everything is tail.
  if (hasNothing(reader.head)) return { matching: new Bitmap(), inTurn: inTurn.map(() => new Bitmap()) };
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
