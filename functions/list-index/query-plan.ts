/** How a list will be answered: plain values, made from the query alone and, once the total is known, from that. */

import type { ListQuery } from '../domain/list-query.ts';
import { ratingTerm } from '../domain/terms.ts';
import { limits, type Status } from '../domain/testimonial.ts';
import { clausesOf, narrowing } from '../domain/testimonial-filter.ts';
import { type Order, sorts } from '../domain/testimonial-order.ts';
import { isShortPrefix, prefixTerm } from './index-terms.ts';

/** A posting, or the postings of all words that begin with a prefix. */
export type Read = { term: string } | { wordsFrom: string };

export interface QueryPlan {
  /** The testimonials that match are in every one of these, and in one by being in any of its reads. */
  allOf: { anyOf: Read[] }[];
  /** The terms by whose postings the page is found, first page first; empty where ordinals alone order it. */
  ratings: string[];
  /** The secondary index that has just the matching testimonials, in the order of the sort. */
  secondaryIndex?: { status?: Status };
  /** True when the page is read from that index at once, beside the postings. */
  walkAtOnce: boolean;
}

/** How the rows of a page are found. */
export type RowPlan =
  /** The page is empty. */
  | { by: 'nothing' }
  /** The secondary index has the page within its first rows, from either end. */
  | { by: 'walk'; fromEnd: boolean; rows: number }
  /** By counting bits: of all that match, or of each rating in turn. */
  | { by: 'ordinal' }
  | { by: 'rating' }
  /** The secondary index has the page, among others, within so many rows from an end. */
  | { by: 'walk and filter'; fromEnd: boolean; rows: number }
  /** All that match are read and sorted. */
  | { by: 'sorting all' };

// A row read by its ordinal costs half a read unit, a walked row about a tenth.
const walkedPages = 5;

/** True when walking `rows` of an index costs no more than reading a page of `limit` by ordinals. */
export function isShallow(rows: number, limit: number): boolean {
  return rows <= walkedPages * limit;
}

/** Plans a list. */
export function planList({ filter, sort, order, page, limit }: ListQuery): QueryPlan {
  const allOf = clausesOf(filter).map((clause) => ({
    anyOf: 'prefix' in clause ? [readOfPrefix(clause.prefix)] : clause.anyFacet.map((term) => ({ term })),
  }));
  const narrowedBy = [...narrowing(filter).keys()];
  const { status } = filter;
  const hasIndex = narrowedBy.every((name) => name === 'status');
  const walkAtOnce = hasIndex && isShallow(page * limit, limit);
  return {
    allOf,
    ratings: sorts[sort].pages === 'by rating' && !walkAtOnce ? ratingTerms(order) : [],
    ...(hasIndex && { secondaryIndex: status === undefined || status === 'all' ? {} : { status } }),
    walkAtOnce,
  };
}

/**
 * Chooses how the rows of a page are found.
 * @param total how many testimonials match
 * @param indexed how many ordinals the index has
 */
export function planRows(
  plan: QueryPlan,
  { sort, page, limit }: Pick<ListQuery, 'sort' | 'page' | 'limit'>,
  { total, indexed }: { total: number; indexed: number },
): RowPlan {
  const first = (page - 1) * limit;
  const take = Math.min(limit, total - first);
  if (take <= 0) return { by: 'nothing' };
  if (plan.walkAtOnce) return { by: 'walk', fromEnd: false, rows: page * limit };
  const fromEnd = total - first;
  if (plan.secondaryIndex && isShallow(fromEnd, limit)) return { by: 'walk', fromEnd: true, rows: fromEnd };
  return { 'by ordinal': byOrdinal, 'by rating': byRating, 'by walk': byWalk }[sorts[sort].pages]();

  function byOrdinal(): RowPlan {
    return { by: 'ordinal' };
  }
  function byRating(): RowPlan {
    return { by: 'rating' };
  }
  function byWalk(): RowPlan {
    const nearest = Math.min(first + take, fromEnd);
    // All that an index of the filter's own holds matches; of the organization's, every so many-th does.
    const expected = plan.secondaryIndex ? nearest : (nearest * Math.max(indexed, 1)) / total;
    if (!isShallow(expected, total)) return { by: 'sorting all' };
    // Some more than expected, so that one read is mostly enough.
    const rows = Math.ceil(expected * (plan.secondaryIndex ? 1 : 1.3)) + limit;
    return { by: 'walk and filter', fromEnd: fromEnd < first + take, rows };
  }
}

function readOfPrefix(prefix: string): Read {
  return isShortPrefix(prefix) ? { term: prefixTerm(prefix) } : { wordsFrom: prefix };
}

/** The terms of all ratings, in the order of a list. */
export function ratingTerms(order: Order): string[] {
  const ascending = Array.from({ length: limits.rating.max + 1 }, (_, rating) => ratingTerm(rating));
  return order === 'asc' ? ascending : ascending.reverse();
}
