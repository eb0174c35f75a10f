/** How a list will be answered: plain values, made from the query alone and, once the total is known, from that. */

import type { ListQuery } from '../../domain/list-query.ts';
import type { WalkOptions } from '../../domain/stores.ts';
import { commonFacets, everyTestimonial, sinceOfFacet, type View } from '../../domain/terms.ts';
import type { Status } from '../../domain/testimonial.ts';
import { clausesOf, narrowing } from '../../domain/testimonial-filter.ts';
import { type Axis, type Ordinal, sortOf } from '../../domain/testimonial-order.ts';
import { chunkOf } from '../bits/bitmap.ts';
import { blockSize } from '../bits/ordinal-block.ts';
import { summaryTerms } from '../bits/summary.ts';
import { beginOf, type IndexHead } from '../index-store.ts';
import { isBeginning } from '../index-terms.ts';
import type { Needs } from '../terms-version.ts';

/**
 * A facet's posting on the plan's axis, that of a beginning, or those of all words that begin with a prefix; those of what is masked
 * for everyone, where it is hidden.
 */
export type Read = (
  | { kind: 'facet'; term: string }
  | { kind: 'beginning'; letters: string }
  | { kind: 'words'; from: string }
) & { isHidden?: true };

export interface QueryPlan {
  /** The axis whose bits are read: that of the sort, but for a search, whose words are on the axis of creation. */
  axis: Axis;
  /** An AND of ORs: a testimonial matches if each entry has at least one read that contains it. */
  allOf: { anyOf: Read[] }[];
  /** The terms by which the list is ordered before the axis, ascending; empty where the axis alone orders it. */
  inTurn: string[];
  /** True when summaries tell how many match: where there are several chunks, or groups, whose bits are more than a list needs. */
  bySummary: boolean;
  /** The secondary index that has just the matching testimonials, in the order of the sort. */
  secondaryIndex?: { status?: Status };
  /** True when the rows are fetched from that index at once, while the total is still being counted: by a head's rows. */
  walkAtOnce: boolean;
  /** By which rules postings have to be made. */
  needs: Needs;
  /** The view of a testimonial that may make it match. */
  view: View;
}

/** How the rows of a page are read. */
export type RowPlan =
  /** The page is empty. */
  | { by: 'nothing' }
  /** The index has nothing yet: all that match were read with the tail. */
  | { by: 'tail' }
  /** The secondary index has the page within its first rows, from either end. */
  | { by: 'walk'; fromEnd: boolean; rows: number }
  /** The secondary index has the page from its first place to its last. */
  | { by: 'range' }
  /** Each by its ordinal. */
  | { by: 'ordinal' }
  /** Each by its place in the order of updates: along the secondary index of all where `walks` and several lie close. */
  | { by: 'update ordinal'; walks: boolean }
  /** By ordinals, found in blocks of the order of updates from the nearer end; `places` are probably enough. */
  | { by: 'order of updates'; fromEnd: boolean; places: number }
  /** All that match are read and sorted. */
  | { by: 'sorting all' };

/** How the rows of a page are read that do not lie beside: along a secondary index in one call, or each by its ordinal. */
export type RowRead = { by: 'walk'; options: WalkOptions } | { by: 'ordinal'; ordinals: Ordinal[] };

/** Which testimonials a page shows. */
export interface Page {
  /** In their order. */
  ordinals: Ordinal[];
  /** Where they are in the order of updates, if that is the page's: a row that is found elsewhere is an older one. */
  places?: ReadonlySet<number>;
  read: RowRead;
}

const walkedPages = 5;
// A row read by its ordinal costs half a read unit, as many bytes along a secondary index as well.
const bytesARow = 4096;

/**
 * True when walking `rows` of an index costs no more than reading a page of `limit` by ordinals.
 * @param head whose rows say what they weigh
 */
export function isShallow(
  rows: number,
  limit: number,
  { rows: indexed }: Pick<IndexHead, 'rows'> = {},
): boolean {
  const bytes = indexed ? indexed.bytes / indexed.count : 0;
  return rows <= walkedPages * limit && rows * bytes <= limit * bytesARow;
}

/** Plans a list. */
export function planList({ filter, sort, page, limit, view = 'whole' }: ListQuery): QueryPlan {
  const clauses = clausesOf(filter);
  const allOf = clauses.map((clause) => ({
    anyOf:
      clause.kind === 'prefix'
        ? [readOfPrefix(clause.prefix)]
        : clause.anyOf.map((term) => ({ kind: 'facet' as const, term })),
  }));
  const facets = clauses.flatMap((clause) => (clause.kind === 'facets' ? clause.anyOf : []));
  const isSearch = clauses.some(({ kind }) => kind === 'prefix');
  const asksForTexts = isSearch || facets.some((term) => !commonFacets.includes(term));
  const hasIndex = narrowing(filter)
    .keys()
    .every((name) => name === 'status');
  const { status } = filter;
  const { axis, inTurn } = sortOf(sort);
  return {
    axis: isSearch ? 'createdAt' : axis,
    allOf,
    inTurn: inTurn?.terms ?? [],
    bySummary: allOf.every(({ anyOf }) => anyOf.every(isCounted)),
    ...(hasIndex && { secondaryIndex: status === undefined || status === 'all' ? {} : { status } }),
    walkAtOnce: hasIndex && isShallow(page * limit, limit),
    needs: {
      rules: Math.max(1, ...[...facets, ...(inTurn?.terms ?? [])].map(sinceOfFacet)),
      texts: asksForTexts,
    },
    view,
  };
}

/** The first chunk of an axis in which the index can have something, and the last as of this head. */
export function firstAndLastChunk(
  head: Pick<IndexHead, 'history' | 'indexed' | 'updated'>,
  axis: Axis,
): [first: number, last: number] {
  const end = axis === 'createdAt' ? head.indexed : head.updated;
  return [chunkOf(beginOf(head, axis)), chunkOf(end - 1)];
}

/** The plan for the postings of a head. */
export function planFor(
  head: Pick<IndexHead, 'hasErased' | 'hasHidden' | 'rows' | 'history' | 'indexed' | 'updated'>,
  plan: QueryPlan,
  { page, limit }: Pick<ListQuery, 'page' | 'limit'>,
): QueryPlan {
  const lasting = head.hasErased ? withLastingPostings(plan) : plan;
  const whole = head.hasHidden && plan.view === 'whole' ? withHiddenPostings(lasting) : lasting;
  const [first, last] = firstAndLastChunk(head, plan.axis);
  return {
    ...whole,
    // The bits of a single chunk tell also how many there are.
    bySummary: plan.bySummary && (first < last || plan.inTurn.length > 0),
    walkAtOnce: plan.walkAtOnce && isShallow(page * limit, limit, head),
  };
}

/** Who sees all of a testimonial finds it by what is masked for everyone, too. */
function withHiddenPostings(plan: QueryPlan): QueryPlan {
  const withHidden = (read: Read): Read[] =>
    read.kind === 'facet' && commonFacets.includes(read.term) ? [read] : [read, { ...read, isHidden: true }];
  return { ...plan, allOf: plan.allOf.map(({ anyOf }) => ({ anyOf: anyOf.flatMap(withHidden) })) };
}

/**
 * The plan once postings of words are deleted: what is counted by bits is also in a posting of a facet, which never is.
 */
function withLastingPostings(plan: QueryPlan): QueryPlan {
  if (plan.allOf.some(({ anyOf }) => anyOf.every(({ kind }) => kind === 'facet'))) return plan;
  return { ...plan, allOf: [...plan.allOf, { anyOf: [{ kind: 'facet', term: everyTestimonial }] }] };
}

function readOfPrefix(prefix: string): Read {
  return isBeginning(prefix) ? { kind: 'beginning', letters: prefix } : { kind: 'words', from: prefix };
}

function isCounted(read: Read): boolean {
  return read.kind === 'facet' && (read.term === everyTestimonial || summaryTerms.includes(read.term));
}

/** True when most rows of a secondary index are without their content, so that a walk finds little more than ordinals. */
function areMostlyLong({ rows }: Pick<IndexHead, 'rows'>): boolean {
  return rows !== undefined && rows.long > rows.count / 2;
}

// The places that a read unit brings of a block of ordinals, which has two bytes for most of them.
const placesAUnit = blockSize;
const rowsAUnit = 2;

/**
 * Chooses how the rows of a page are read.
 * @param total how many testimonials match
 * @param hasIndex false where the index has nothing yet
 * @param updates how many places there are in the order of updates
 * @param head whose rows say what they weigh
 */
export function planRows(
  plan: QueryPlan,
  { sort, page, limit }: Pick<ListQuery, 'sort' | 'page' | 'limit'>,
  {
    total,
    hasIndex,
    updates,
    head = {},
  }: { total: number; hasIndex: boolean; updates: number; head?: Pick<IndexHead, 'rows'> },
): RowPlan {
  const first = (page - 1) * limit;
  const take = Math.min(limit, total - first);
  if (take <= 0) return { by: 'nothing' };
  if (!hasIndex) return { by: 'tail' };
  if (plan.walkAtOnce) return { by: 'walk', fromEnd: false, rows: page * limit };
  const left = total - first;
  if (plan.secondaryIndex) {
    return isShallow(left, limit, head) ? { by: 'walk', fromEnd: true, rows: left } : { by: 'range' };
  }
  const { axis } = sortOf(sort);
  if (plan.axis === axis) {
    return axis === 'createdAt' ? { by: 'ordinal' } : { by: 'update ordinal', walks: !areMostlyLong(head) };
  }
  const fromEnd = left < first + take;
  // Some more than expected, so that one read is mostly enough.
  const places = Math.ceil((1.3 * Math.min(left, first + take) * updates) / total) + blockSize;
  return places / placesAUnit < total / rowsAUnit
    ? { by: 'order of updates', fromEnd, places: Math.min(places, updates) }
    : { by: 'sorting all' };
}
