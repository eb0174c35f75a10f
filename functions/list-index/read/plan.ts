/**
 * The first phase of a list: its plan. A plan is a plain value, made from the query, then from the index head, and at last from the
 * total.
 */
import type { ListQuery } from '../../domain/list-query.ts';
import { matcherOf } from '../../domain/list-query.ts';
import type { WalkOptions } from '../../domain/stores.ts';
import { commonFacets, everyTestimonial, sinceOfFacet } from '../../domain/terms.ts';
import type { Status, Testimonial } from '../../domain/testimonial.ts';
import { clausesOf, narrowing } from '../../domain/testimonial-filter.ts';
import { type Axis, type Ordinal, sortOf } from '../../domain/testimonial-order.ts';
import { chunkOf } from '../bits/bitmap.ts';
import { blockSize } from '../bits/ordinal-block.ts';
import { cellOf, cells, summaryTerms } from '../bits/summary.ts';
import { beginOf, hasNothing, type IndexHead, type PostingRef } from '../index-store.ts';
import { facetPosting, isBeginning } from '../index-terms.ts';
import type { Needs } from '../terms-version.ts';

/** The posting of a facet or of a word's beginning, or the postings of all words with a prefix; `isHidden`: of masked texts. */
export type PostingRead = (
  | { kind: 'facet'; term: string }
  | { kind: 'beginning'; letters: string }
  | { kind: 'words'; prefix: string }
) & { isHidden?: true };

/** The groups that order a list before its axis does, such as the ratings. */
export interface Groups {
  /** The terms that every testimonial of a group has, group by group in ascending order. */
  terms: string[][];
  /** The position of a testimonial's group. */
  of: (testimonial: Testimonial) => number;
}

/** One group of all testimonials. */
export const ungrouped: Groups = { terms: [[]], of: () => 0 };

export interface ListPlan {
  query: ListQuery;
  /** Identifies the query in the memory. */
  key: string;
  /** The filter as a predicate, for testimonials that are not indexed. */
  matches: (testimonial: Testimonial) => boolean;
  /** The axis whose postings are read: the sort's, except that a search has words on the axis of creation only. */
  axis: Axis;
  /** An AND of ORs: a testimonial matches if it is in one posting of each entry. */
  allOf: PostingRead[][];
  groups: Groups;
  /** True to count with summaries: they exist for every term, and the bits of all chunks are more than the list needs. */
  bySummary: boolean;
  /** The secondary index that has exactly the matching testimonials, in the order of the sort. */
  secondaryIndex?: { status?: Status };
  /** True to read the first rows of the secondary index together with the postings. */
  walkAtOnce: boolean;
  /** The rules that the postings have to be made by. */
  needs: Needs;
}

/** How the rows of a page are found. */
export type RowPlan =
  /** The page is empty. */
  | { by: 'nothing' }
  /** The index has nothing yet: all testimonials were read as the tail. */
  | { by: 'tail' }
  /** Along the secondary index, from either end of the list to the page. */
  | { by: 'walk'; fromEnd: boolean; rows: number }
  /** Along the secondary index, from the first position of the page to its last. */
  | { by: 'range' }
  /** One get for each ordinal. */
  | { by: 'ordinal' }
  /** By update ordinals: along the secondary index of all testimonials if `walks` and they are close together. */
  | { by: 'update ordinal'; walks: boolean }
  /** By ordinals that blocks of the order of updates name, from the nearer end; `positions` are probably enough. */
  | { by: 'order of updates'; fromEnd: boolean; positions: number }
  /** All matching testimonials are read and sorted. */
  | { by: 'sorting all' };

/** Plans a list. */
export function planList(query: ListQuery): ListPlan {
  const { filter, sort, page, limit, view } = query;
  const clauses = clausesOf(filter);
  const facets = clauses.flatMap((clause) => (clause.kind === 'facets' ? clause.anyOf : []));
  const isSearch = clauses.some(({ kind }) => kind === 'prefix');
  const allOf = clauses.map((clause): PostingRead[] =>
    clause.kind === 'prefix'
      ? [readOfPrefix(clause.prefix)]
      : clause.anyOf.map((term) => ({ kind: 'facet', term })),
  );
  const hasSecondaryIndex = [...narrowing(filter).keys()].every((name) => name === 'status');
  const { status } = filter;
  const { axis, inTurn } = sortOf(sort);
  return {
    query,
    key: JSON.stringify(query),
    matches: matcherOf(filter, view),
    axis: isSearch ? 'createdAt' : axis,
    allOf,
    groups: inTurn ? { terms: inTurn.terms.map((term) => [term]), of: inTurn.termOf } : ungrouped,
    bySummary: allOf.every((anyOf) => anyOf.every(isCounted)),
    ...(hasSecondaryIndex && { secondaryIndex: status && status !== 'all' ? { status } : {} }),
    walkAtOnce: hasSecondaryIndex && isShallow(page * limit, limit),
    needs: {
      rules: Math.max(1, ...[...facets, ...(inTurn?.terms ?? [])].map(sinceOfFacet)),
      texts: isSearch || facets.some((term) => !commonFacets.includes(term)),
    },
  };
}

/** Plans the counts of all testimonials by status, type and rating together: each cell of a summary is a group. */
export function planCounts(): ListPlan {
  const everything = planList({ filter: {}, sort: 'createdAt', order: 'asc', page: 1, limit: 1 });
  const groups = { terms: cells.map((cell) => [...cell]), of: cellOf };
  return { ...everything, key: 'counts', groups, walkAtOnce: false };
}

/** Adapts a plan to the postings of an index head. */
export function planFor(plan: ListPlan, head: IndexHead): ListPlan {
  const { axis, groups, bySummary, walkAtOnce, query } = plan;
  const lasting = head.hasErased ? withLastingPosting(plan.allOf) : plan.allOf;
  const readsHidden = head.hasHidden && query.view !== 'published';
  const [first, last] = firstAndLastChunk(head, axis);
  return {
    ...plan,
    allOf: readsHidden ? lasting.map((anyOf) => anyOf.flatMap(withHiddenPosting)) : lasting,
    // The bits of a single chunk give the count as well.
    bySummary: bySummary && (first < last || groups.terms.length > 1),
    walkAtOnce: walkAtOnce && !hasNothing(head) && isShallow(query.page * query.limit, query.limit, head),
  };
}

/** Returns the first chunk of an axis in which the index can have anything, and the last one as of this head. */
export function firstAndLastChunk(
  head: Pick<IndexHead, 'history' | 'indexed' | 'updated'>,
  axis: Axis,
): [first: number, last: number] {
  const end = axis === 'createdAt' ? head.indexed : head.updated;
  return [chunkOf(beginOf(head, axis)), chunkOf(end - 1)];
}

/**
 * Adds a posting that is never deleted, if there is none: erasures delete postings of words, and an index update that wakes up late can
 * bring one back.
 */
function withLastingPosting(allOf: PostingRead[][]): PostingRead[][] {
  if (allOf.some((anyOf) => anyOf.every(({ kind }) => kind === 'facet'))) return allOf;
  return [...allOf, [{ kind: 'facet', term: everyTestimonial }]];
}

/** A caller who sees a whole testimonial also finds it by texts that are masked for everyone else. */
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
// A get costs half a read unit, which pays for as many bytes along a secondary index.
const bytesARow = 4096;
// A read unit brings this many positions of a block, at about two bytes each.
const positionsAUnit = blockSize;
const rowsAUnit = 2;

/**
 * True if walking `rows` of a secondary index costs no more than getting a page of `limit` rows one by one.
 * @param head with the average size of a row
 */
function isShallow(rows: number, limit: number, { rows: indexed }: Pick<IndexHead, 'rows'> = {}): boolean {
  const bytes = indexed ? indexed.bytes / indexed.count : 0;
  return rows <= walkedPages * limit && rows * bytes <= limit * bytesARow;
}

/**
 * Chooses how the rows of a page are found.
 * @param plan for the head
 * @param total the number of matching testimonials
 */
export function planRows(
  { query, axis, walkAtOnce, ...plan }: ListPlan,
  head: IndexHead,
  total: number,
): RowPlan {
  const { sort, page, limit } = query;
  const first = (page - 1) * limit;
  const take = Math.min(limit, total - first);
  if (take <= 0) return { by: 'nothing' };
  if (hasNothing(head)) return { by: 'tail' };
  if (walkAtOnce) return { by: 'walk', fromEnd: false, rows: page * limit };
  const left = total - first;
  if (plan.secondaryIndex) {
    return isShallow(left, limit, head) ? { by: 'walk', fromEnd: true, rows: left } : { by: 'range' };
  }
  if (axis === sortOf(sort).axis) {
    const { long = 0, count = 0 } = head.rows ?? {};
    // Rows of long testimonials have no content in a secondary index.
    return axis === 'createdAt' ? { by: 'ordinal' } : { by: 'update ordinal', walks: long <= count / 2 };
  }
  const fromEnd = left < first + take;
  const updates = head.updated - beginOf(head, 'updatedAt');
  // Some more than expected, so that one read is mostly enough.
  const positions = Math.ceil((1.3 * Math.min(left, first + take) * updates) / total) + blockSize;
  return positions / positionsAUnit < total / rowsAUnit
    ? { by: 'order of updates', fromEnd, positions: Math.min(positions, updates) }
    : { by: 'sorting all' };
}

/** Returns the terms of a plan that counts with summaries, as an AND of ORs. */
export function clausesOfTerms({ allOf }: ListPlan): string[][] {
  return allOf.map((anyOf) => anyOf.flatMap((read) => (read.kind === 'facet' ? read.term : [])));
}

/** Drops the clauses that every testimonial satisfies, unless there is no other. */
export function narrowingClauses(clauses: readonly string[][]): readonly string[][] {
  const narrowing = clauses.filter((anyOf) => !anyOf.includes(everyTestimonial));
  return narrowing.length > 0 ? narrowing : [[everyTestimonial]];
}

/** Returns the chunks of postings that the first page of a list mostly needs besides the summaries. */
export function firstPostings(plan: ListPlan, head: IndexHead): PostingRef[] {
  const { axis, groups, query, walkAtOnce } = plan;
  if (!walkAtOnce && (query.page !== 1 || groups.terms.length > 1)) return [];
  const isAscending = query.order === 'asc';
  const chunk = firstAndLastChunk(head, axis)[isAscending ? 0 : 1];
  const firstGroup = groups.terms.at(isAscending ? 0 : -1) ?? [];
  const clauses = narrowingClauses([...clausesOfTerms(plan), ...firstGroup.map((term) => [term])]);
  return clauses.flat().map((term) => ({ posting: facetPosting(axis, term), chunk }));
}

/** How the indexed rows of a page are read: one query along a secondary index, or one get per ordinal. */
export type RowRead = { by: 'walk'; options: WalkOptions } | { by: 'ordinal'; ordinals: Ordinal[] };

/** The testimonials that a page shows, in order. */
export interface Page {
  ordinals: Ordinal[];
  /** Their update ordinals if the page is ordered by them: a row with another one is out of date. */
  updateOrdinals?: ReadonlySet<number>;
  read: RowRead;
}

/** Returns the walk along a plan's secondary index, by default from the first row of the list to the last row of its page. */
export function walkOf({ secondaryIndex, query }: ListPlan, options: Partial<WalkOptions> = {}): RowRead {
  const { sort, order, page, limit } = query;
  return { by: 'walk', options: { ...secondaryIndex, sort, order, limit: page * limit, ...options } };
}
