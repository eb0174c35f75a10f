/** Counting what a list matches: in summaries where these are enough, otherwise in bits. */
import type { ListQuery } from '../../domain/list-query.ts';
import { sortOf } from '../../domain/testimonial-order.ts';
import { Bitmap, countBits } from '../bits/bitmap.ts';
import { hasNothing, type IndexHead, type PostingRef } from '../index-store.ts';
import { facetPosting } from '../index-terms.ts';
import { narrowingClauses, SummaryReader } from './by-summary.ts';
import { type Correction, type Groups, ungrouped } from './correction.ts';
import type { IndexReader } from './index-reader.ts';
import { Matches } from './matches.ts';
import { firstAndLastChunk, type QueryPlan, type Read } from './plan.ts';

/** How many match, and which. */
interface Counted {
  total: number;
  matches: Matches;
}

/** A count that has begun. */
export interface Count {
  /** Reads what the index has of those that lie beside it, as far as they are known. */
  prepare: (correction: Correction) => Promise<void>;
  end: (correction: Correction) => Promise<Counted>;
}

/** Reads what can be read before it is known what lies beside the index; the rest of counting comes after. */
export async function beginToCount(
  indexReader: IndexReader,
  plan: QueryPlan,
  query: ListQuery,
): Promise<Count> {
  const { inTurn } = sortOf(query.sort);
  const groups = inTurn ? { terms: inTurn.terms.map((term) => [term]), of: inTurn.termOf } : ungrouped;
  if (!plan.bySummary) {
    const bits = await readByBits(indexReader, plan);
    return {
      prepare: async () => {},
      end: async (correction) => {
        const matches = matchesByBits(bits, groups, correction);
        return { total: await matches.count(), matches };
      },
    };
  }
  const clauses = termsOf(plan);
  const reader = new SummaryReader(indexReader, plan.axis);
  await reader.begin(bitsAtOnce(plan, indexReader.head, query));
  // The first groups are enough for a first page: counting by them would read the bits of all.
  const counted = plan.walkAtOnce ? ungrouped : groups;
  return {
    prepare: (correction) => reader.prepare(clauses, counted, correction),
    end: async (correction) => {
      const matches = await reader.matches(clauses, groups, correction);
      const total = counted === groups ? matches : await reader.matches(clauses, counted, correction);
      return { total: await total.count(), matches };
    },
  };
}

/** The terms of a plan that summaries count. */
function termsOf({ allOf }: QueryPlan): string[][] {
  return allOf.map(({ anyOf }) => anyOf.flatMap((read) => (read.kind === 'facet' ? read.term : [])));
}

/** The bits that the first pages of a list by summaries mostly need. */
function bitsAtOnce(
  plan: QueryPlan,
  head: IndexHead,
  { order, page }: Pick<ListQuery, 'order' | 'page'>,
): PostingRef[] {
  if (!plan.walkAtOnce && (page > 1 || plan.inTurn.length > 0)) return [];
  const [oldest, newest] = firstAndLastChunk(head, plan.axis);
  const chunk = order === 'asc' ? oldest : newest;
  const firstInTurn = plan.inTurn.at(order === 'asc' ? 0 : -1) ?? [];
  const clauses = narrowingClauses([...termsOf(plan), ...[firstInTurn].flat().map((term) => [term])]);
  return clauses.flat().map((term) => ({ posting: facetPosting(plan.axis, term), chunk }));
}

/** The places in the postings that match, before they are corrected. */
interface ByBits {
  matching: Bitmap;
  /** The testimonials of each term in turn. */
  inTurn: Bitmap[];
}

/** Reads all postings of a plan at once, and combines them. */
async function readByBits(reader: IndexReader, { axis, allOf, inTurn }: QueryPlan): Promise<ByBits> {
  // Without an index there is nothing to read: everything is tail.
  if (hasNothing(reader.head)) return { matching: new Bitmap(), inTurn: inTurn.map(() => new Bitmap()) };
  const ofTurns = inTurn.map((term): Read => ({ kind: 'facet', term }));
  const reads = [...allOf.flatMap(({ anyOf }) => anyOf), ...ofTurns];
  const ofWords = reads.filter((read) => read.kind === 'words');
  const others = reads.filter((read) => read.kind !== 'words');
  const found = await Promise.all([
    Promise.all(ofWords.map((read) => reader.words(read.from, read))),
    reader.postings(
      axis,
      others.map((read) => (read.kind === 'facet' ? facetPosting(axis, read.term, read) : read)),
    ),
  ]);
  const places = found.flat();
  const bitmaps = new Map([...ofWords, ...others].map((read, i) => [read, places[i]]));
  const bitmapOf = (read: Read) => bitmaps.get(read) ?? new Bitmap();
  const matching = allOf
    .map(({ anyOf }) => anyOf.reduce((all, read) => all.or(bitmapOf(read)), new Bitmap()))
    .reduce((all, clause) => all.and(clause));
  return { matching, inTurn: ofTurns.map(bitmapOf) };
}

/** Counts what was read, corrected, group by group. */
function matchesByBits({ matching, inTurn }: ByBits, groups: Groups, correction: Correction): Matches {
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
