/**
 * The first phase of a list: its plan, a plain value. `planList` needs only the query, `planFor` also the
 * index head, and `planRows` also the total.
 */
import { type ListQuery, matcherOf, windowOf } from '../../../domain/list-query.ts';
import { commonFacets, everyTestimonial, sinceOfFacet } from '../../../domain/terms.ts';
import type { Status, Testimonial } from '../../../domain/testimonial.ts';
import { clausesByName, clausesOf, type TestimonialFilter } from '../../../domain/testimonial-filter.ts';
import { type Axis, type Direction, type Ordinal, sortOf } from '../../../domain/testimonial-order.ts';
import type { WalkOptions } from '../../model/testimonial-store.ts';
import { blockSize } from '../bits/posting-codec.ts';
import { cellOf, cells, type Summary, summaryTerms } from '../bits/summary.ts';
import { axisStart, chunkRange, type IndexHead, isIndexEmpty, type PostingRef } from '../index-store.ts';
import { facetPosting, isBeginning } from '../index-terms.ts';
import type { Needs } from '../terms-version.ts';

/**
 * A read of the posting of a facet or a beginning, or of all words with a prefix. `isHidden`: the postings of
 * masked texts.
 */
export type PostingRead = (
  | { kind: 'facet'; term: string }
  | { kind: 'beginning'; letters: string }
  | { kind: 'words'; prefix: string }
) & { isHidden?: true };

/** The groups that a list is sorted by before its axis, such as ratings. */
export interface Groups {
  /** The terms shared by all testimonials of a group, for each group in ascending order. */
  terms: string[][];
  /** Returns the index of a testimonial's group. */
  groupOf: (testimonial: Testimonial) => number;
}

export const ungrouped: Groups = { terms: [[]], groupOf: () => 0 };

/** The count of one group by summaries. */
export interface GroupCount {
  /** The terms whose bits to combine when a count is not enough, as an AND of ORs. */
  clauses: readonly string[][];
  /** Returns the number of matching testimonials that a summary counts. */
  count: (summary: Summary) => number;
}

export interface QueryPlan {
  query: ListQuery;
  /** Identifies the query in the memory. */
  key: string;
  /** The filter as a predicate, for unindexed testimonials. */
  isMatch: (testimonial: Testimonial) => boolean;
  /**
   * The axis whose postings are read: the sort's or, for a search, the axis of creation, because words exist
   * only there.
   */
  axis: Axis;
  /** An AND of ORs: a testimonial matches if it is in one posting of each entry. */
  allOf: PostingRead[][];
  groups: Groups;
  /** True if summaries count every term of the filter. */
  mayCount: boolean;
  /** The secondary index that contains exactly the matching testimonials, in the order of the sort. */
  secondaryIndex?: { status?: Status };
  /** True if a page near the start of that index may be walked to before the total is known. */
  mayWalk: boolean;
  /** The rules that the postings have to follow. */
  needs: Needs;
}

/** The plan of a query for the postings of an index head. */
export interface ListPlan extends QueryPlan {
  /** The postings to read: those of the filter, and others that the head requires. */
  reads: PostingRead[][];
  /** True to count with summaries. */
  usesSummaries: boolean;
  /** The walk to read together with the postings. */
  walk?: WalkOptions;
  /** One counter per group. */
  counters: GroupCount[];
  /** Counts all groups at once, so that a page near the start needs no group's bits. */
  counterOfAll: GroupCount | undefined;
  /** The chunks of postings that the page probably needs in addition to the summaries. */
  firstPostings: PostingRef[];
}

/** The ways to find the rows of a page. */
export type RowPlan =
  /** The page is empty. */
  | { by: 'nothing' }
  /** Nothing is indexed yet: all testimonials were read as the tail. */
  | { by: 'tail' }
  /** Along the secondary index, from either end of the list to the page. */
  | { by: 'walk'; options: WalkOptions }
  /** Along the secondary index, from the first position of the page to its last. */
  | { by: 'range'; options: WalkOptions }
  /** One get per ordinal. */
  | { by: 'ordinal' }
  /**
   * By update ordinals: along the secondary index of all testimonials if `walks` is true and they are close
   * together.
   */
  | { by: 'update ordinal'; walks: boolean }
  /**
   * By the ordinals in the blocks of the order of updates, from the nearer end. `expected`: the number
   * of positions to read.
   */
  | { by: 'order of updates'; fromEnd: boolean; expected: number }
  /** By reading and sorting all matching testimonials. */
  | { by: 'sorting all' };

export function planList(query: ListQuery): QueryPlan {
  const { filter, sort, view } = query;
  const clauses = clausesOf(filter);
  const facets = clauses.flatMap((clause) => (clause.kind === 'facets' ? clause.anyOf : []));
  const isSearch = clauses.some(({ kind }) => kind === 'prefix');
  const allOf = clauses.map((clause): PostingRead[] =>
    clause.kind === 'prefix'
      ? [readOfPrefix(clause.prefix)]
      : clause.anyOf.map((term) => ({ kind: 'facet', term })),
  );
  const hasSecondaryIndex = [...clausesByName(filter).keys()].every((name) => name === 'status');
  const { status } = filter;
  const { axis, byGroup } = sortOf(sort);
  return {
    query,
    key: JSON.stringify(query),
    isMatch: matcherOf(filter, view),
    axis: isSearch ? 'createdAt' : axis,
    allOf,
    groups: byGroup ? { terms: byGroup.terms.map((term) => [term]), groupOf: byGroup.termOf } : ungrouped,
    mayCount: allOf.every((anyOf) => anyOf.every(isCounted)),
    ...(hasSecondaryIndex && { secondaryIndex: status && status !== 'all' ? { status } : {} }),
    mayWalk: hasSecondaryIndex,
    needs: {
      rules: Math.max(1, ...[...facets, ...(byGroup?.terms ?? [])].map(sinceOfFacet)),
      texts: isSearch || facets.some((term) => !commonFacets.includes(term)),
    },
  };
}

/** Plans to count all testimonials by status, type and rating: each cell of a summary is a group. */
export function planCounts(): QueryPlan {
  const everything = planList({ filter: {}, sort: 'createdAt', order: 'asc', page: 1, limit: 1 });
  const groups = { terms: cells.map((cell) => [...cell]), groupOf: cellOf };
  return { ...everything, key: 'counts', groups, mayWalk: false };
}

/**
 * Plans to count the testimonials that match a filter by rating: each rating is a group, the unrated ones
 * first.
 */
export function planRatings(filter: TestimonialFilter): QueryPlan {
  const list = planList({ filter, sort: 'rating', order: 'asc', page: 1, limit: 1 });
  return { ...list, key: 'ratings', mayWalk: false };
}

/** Completes a plan for the postings under an index head. */
export function planFor(plan: QueryPlan, head: IndexHead): ListPlan {
  const { axis, groups, query } = plan;
  const { sort, order } = query;
  const window = windowOf(query);
  const end = window.first + window.most;
  const lasting = head.hasErased ? withLastingPosting(plan.allOf) : plan.allOf;
  const readsHidden = head.hasHidden && query.view !== 'published';
  const [first, last] = chunkRange(head, axis);
  const walks = plan.mayWalk && !isIndexEmpty(head) && isShallow(end, window.most, head);
  // The bits of a single chunk give the count as well.
  const usesSummaries = plan.mayCount && (first < last || groups.terms.length > 1);
  const clauses = plan.allOf.map((anyOf) =>
    anyOf.flatMap((read) => (read.kind === 'facet' ? read.term : [])),
  );
  const counters = usesSummaries ? groups.terms.map((terms) => counterOf(clauses, terms)) : [];
  const isAscending = order === 'asc';
  const knowsFirstChunk = walks || (window.first === 0 && counters.length === 1);
  const firstTerms = knowsFirstChunk ? counters.at(isAscending ? 0 : -1)?.clauses.flat() : undefined;
  return {
    ...plan,
    reads: readsHidden ? lasting.map((anyOf) => anyOf.flatMap(withHiddenPosting)) : lasting,
    usesSummaries,
    ...(walks && { walk: { ...plan.secondaryIndex, sort, order, limit: end } }),
    counters,
    counterOfAll: walks && counters.length > 1 ? counterOf(clauses, []) : undefined,
    firstPostings: postingsIn(isAscending ? first : last, axis, firstTerms),
  };
}

/** Names one chunk of each term's posting. */
export function postingsIn(chunk: number, axis: Axis, terms: readonly string[] = []): PostingRef[] {
  return terms.map((term) => ({ posting: facetPosting(axis, term), chunk }));
}

function counterOf(clauses: string[][], terms: readonly string[]): GroupCount {
  const allOf = [...clauses, ...terms.map((term) => [term])];
  const counted = [...cells.keys()].filter((i) => {
    const ofCell: readonly string[] = [everyTestimonial, ...(cells[i] ?? [])];
    return allOf.every((anyOf) => anyOf.some((term) => ofCell.includes(term)));
  });
  const restricting = allOf.filter((anyOf) => !anyOf.includes(everyTestimonial));
  return {
    clauses: restricting.length > 0 ? restricting : [[everyTestimonial]],
    count: (summary) => counted.reduce((sum, cell) => sum + (summary[cell] ?? 0), 0),
  };
}

/**
 * Adds a posting that is never deleted, unless the list already has one. Erasures delete postings of words,
 * and a late index update can bring them back (rule 30).
 */
function withLastingPosting(allOf: PostingRead[][]): PostingRead[][] {
  if (allOf.some((anyOf) => anyOf.every(({ kind }) => kind === 'facet'))) return allOf;
  return [...allOf, [{ kind: 'facet', term: everyTestimonial }]];
}

/** Adds the hidden posting, because callers who may see whole testimonials also find them by masked texts. */
function withHiddenPosting(read: PostingRead): PostingRead[] {
  const isCommon = read.kind === 'facet' && commonFacets.includes(read.term);
  return isCommon ? [read] : [read, { ...read, isHidden: true }];
}

function readOfPrefix(prefix: string): PostingRead {
  return isBeginning(prefix) ? { kind: 'beginning', letters: prefix } : { kind: 'words', prefix };
}

function isCounted(read: PostingRead): boolean {
  return read.kind === 'facet' && (read.term === everyTestimonial || summaryTerms.includes(read.term));
}

const walkedPages = 5;
// A get costs half a read unit, which reads this many bytes along a secondary index.
const bytesPerRow = 4096;
// A read unit returns this many positions of a block, at about two bytes each.
const positionsPerUnit = blockSize;
const rowsPerUnit = 2;

/**
 * True if walking `rows` rows of a secondary index costs no more than getting `limit` rows one by one.
 * @param head gives the average size of a row
 */
function isShallow(rows: number, limit: number, { rows: indexed }: Pick<IndexHead, 'rows'>): boolean {
  const bytes = indexed ? indexed.bytes / indexed.count : 0;
  return rows <= walkedPages * limit && rows * bytes <= limit * bytesPerRow;
}

/**
 * Chooses the way to find the rows of a page.
 * @param total the number of matching testimonials
 */
export function planRows(
  { query, axis, walk, secondaryIndex }: ListPlan,
  head: IndexHead,
  total: number,
): RowPlan {
  const { sort, order } = query;
  const { first, most } = windowOf(query);
  const take = Math.min(most, total - first);
  if (take <= 0) return { by: 'nothing' };
  if (isIndexEmpty(head)) return { by: 'tail' };
  if (walk) return { by: 'walk', options: walk };
  const fromFirst = total - first;
  if (secondaryIndex) {
    const options = { ...secondaryIndex, sort };
    return isShallow(fromFirst, most, head)
      ? { by: 'walk', options: { ...options, order: reversed(order), limit: fromFirst } }
      : { by: 'range', options: { ...options, order, limit: most } };
  }
  if (axis === sortOf(sort).axis) {
    const { long = 0, count = 0 } = head.rows ?? {};
    // A secondary index omits long contents.
    return axis === 'createdAt' ? { by: 'ordinal' } : { by: 'update ordinal', walks: long <= count / 2 };
  }
  const fromEnd = fromFirst < first + take;
  const updates = head.updated - axisStart(head, 'updatedAt');
  // A third more than expected, so that one read is usually enough.
  const expected = Math.ceil((1.3 * Math.min(fromFirst, first + take) * updates) / total) + blockSize;
  return expected / positionsPerUnit < total / rowsPerUnit
    ? { by: 'order of updates', fromEnd, expected: Math.min(expected, updates) }
    : { by: 'sorting all' };
}

export function reversed(order: Direction): Direction {
  return order === 'asc' ? 'desc' : 'asc';
}

/** The read of the indexed rows of a page: one query along a secondary index, or one get per ordinal. */
export type RowRead = { by: 'walk'; options: WalkOptions } | { by: 'ordinal'; ordinals: Ordinal[] };

/** The testimonials that a page shows, in order. */
export interface PageRows {
  ordinals: Ordinal[];
  /** Their update ordinals, if the page is sorted by them. A row with a different one is out of date. */
  updateOrdinals?: ReadonlySet<number>;
  /** The read with which the next list gets the rows of this page in its first round. */
  rowRead: RowRead;
}
