/** Counting what a list matches: in summaries where these are enough, otherwise in bits. */
import type { ListQuery } from '../../domain/list-query.ts';
import { type Order, sortOf } from '../../domain/testimonial-order.ts';
import { chunkOf } from '../bits/bitmap.ts';
import { beginOf, type IndexHead } from '../index-store.ts';
import { matchesByBits, readByBits } from './by-bits.ts';
import { narrowingClauses, SummaryReader } from './by-summary.ts';
import { type Correction, ungrouped } from './correction.ts';
import type { IndexReader } from './index-reader.ts';
import type { Matches } from './matches.ts';
import type { QueryPlan } from './plan.ts';

/** How many match, and which. */
export interface Counted {
  total: number;
  matches: Matches;
}

/** Reads what can be read before it is known what lies beside the index; the rest of counting comes after. */
export async function beginToCount(
  indexReader: IndexReader,
  plan: QueryPlan,
  { sort, order }: ListQuery,
): Promise<(correction: Correction) => Promise<Counted>> {
  const { inTurn } = sortOf(sort);
  const groups = inTurn ? { terms: inTurn.terms.map((term) => [term]), of: inTurn.termOf } : ungrouped;
  if (!plan.bySummary) {
    const bits = await readByBits(indexReader, plan);
    return async (correction) => {
      const matches = matchesByBits(bits, groups, correction);
      return { total: await matches.count(), matches };
    };
  }
  const clauses = termsOf(plan);
  const reader = new SummaryReader(indexReader, plan.axis);
  await reader.begin(bitsAtOnce(plan, indexReader.head, order));
  return async (correction) => {
    const matches = await reader.matches(clauses, groups, correction);
    // The first groups are enough for a first page: counting by them would read the bits of all.
    const counted = plan.walkAtOnce ? await reader.matches(clauses, ungrouped, correction) : matches;
    return { total: await counted.count(), matches };
  };
}

/** The terms of a plan that summaries count. */
function termsOf({ allOf }: QueryPlan): string[][] {
  return allOf.map(({ anyOf }) => anyOf.flatMap((read) => (read.kind === 'facet' ? read.term : [])));
}

/** The bits that the first pages of a list by summaries mostly need. */
function bitsAtOnce(plan: QueryPlan, head: IndexHead, order: Order): { term: string; chunk: number }[] {
  if (!plan.walkAtOnce) return [];
  const { indexed, updated } = head;
  const newest = chunkOf((plan.axis === 'createdAt' ? indexed : updated) - 1);
  const chunk = order === 'asc' ? chunkOf(beginOf(head, plan.axis)) : newest;
  const firstInTurn = plan.inTurn.at(order === 'asc' ? 0 : -1) ?? [];
  const clauses = narrowingClauses([...termsOf(plan), ...[firstInTurn].flat().map((term) => [term])]);
  return clauses.flat().map((term) => ({ term, chunk }));
}
