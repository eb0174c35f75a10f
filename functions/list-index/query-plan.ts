/** How a list will be answered: a plain value, made from the query alone. */

import type { ListQuery } from '../domain/list-query.ts';
import { ratingTerm } from '../domain/terms.ts';
import { limits, type Status } from '../domain/testimonial.ts';
import { clausesOf } from '../domain/testimonial-filter.ts';
import { isShortPrefix, prefixTerm } from './index-terms.ts';

/** A posting, or the postings of all words that begin with a prefix. */
export type Read = { term: string } | { wordsFrom: string };

export interface QueryPlan {
  /** The testimonials that match are in every one of these, and in one by being in any of its reads. */
  allOf: { anyOf: Read[] }[];
  /** The terms that put the matching testimonials in order, first page first; empty for ordinal order. */
  inTurn: string[];
  /** Set when a secondary index has just the matching testimonials in just this order. */
  index?: { status?: Status };
  /** True when the page is read from that index at once, beside the postings. */
  walkAtOnce: boolean;
}

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
  const { status, ...others } = filter;
  const index = Object.keys(others).length === 0 ? { ...(status && { status }) } : undefined;
  const walkAtOnce = index !== undefined && isShallow(page * limit, limit);
  return {
    allOf,
    inTurn: sort === 'rating' && !walkAtOnce ? ratingTerms(order) : [],
    ...(index && { index }),
    walkAtOnce,
  };
}

function readOfPrefix(prefix: string): Read {
  return isShortPrefix(prefix) ? { term: prefixTerm(prefix) } : { wordsFrom: prefix };
}

function ratingTerms(order: 'asc' | 'desc'): string[] {
  const ascending = Array.from({ length: limits.rating.max + 1 }, (_, rating) => ratingTerm(rating));
  return order === 'asc' ? ascending : ascending.reverse();
}
