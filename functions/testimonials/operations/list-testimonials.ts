/**
 * Lists testimonials at a cost that does not grow with their number, in four phases: plan, read under one
 * head, correct with unindexed testimonials, find the page.
 */
import { type ListQuery, NotReady } from '../../domain/list-query.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { editionOf } from '../list-index/index-store.ts';
import { correctMatches, readUnindexed, type Unindexed } from '../list-index/read/correct.ts';
import type { KnownPage } from '../list-index/read/memory.ts';
import {
  type FirstRound,
  type ReadDependencies,
  readUnderOneHead,
  remember,
} from '../list-index/read/one-head.ts';
import { completeRows, findPage } from '../list-index/read/page.ts';
import { planList, planRows, type RowPlan } from '../list-index/read/plan.ts';
import { canAnswer, termsVersion } from '../list-index/terms-version.ts';
import { dueSince } from '../list-index/update-due.ts';
import type { WalkedRow } from '../model/testimonial-store.ts';
import { withinLimit } from './within-limit.ts';

export { ListMemory } from '../list-index/read/memory.ts';

export interface ListDependencies extends ReadDependencies {
  /** This machine's clock, in milliseconds. */
  clock?: (() => number) | undefined;
}

/** Facts about the making of a list, for the request log. */
export interface ListExplanation {
  rows: RowPlan;
  /** The number of unindexed testimonials that were read. */
  unindexed: number;
  /** True if the function remembered the index head. */
  isWarm: boolean;
  /**
   * The time at which an index update became due, ISO 8601; undefined if no update is due. The list is right
   * without the update.
   */
  dueSince: string | undefined;
  /** True if the postings were built with other rules than this version's. The list is still right. */
  hasOtherTerms: boolean;
}

/**
 * Lists an organization's testimonials.
 * @throws {ListTookTooLong}
 * @throws {NotReady} if the postings were built with rules that cannot answer the query
 */
export function listTestimonials(deps: ListDependencies, organization: string, query: ListQuery) {
  return withinLimit(deps.clock, () => listOnce(deps, organization, query));
}

async function listOnce(deps: ListDependencies, organization: string, query: ListQuery) {
  const isWarm = deps.memory.get(organization).head !== undefined;
  // 1. Plan, and 2. read under one head, including the changed testimonials.
  const firstRound = await readUnderOneHead(deps, organization, planList(query));
  const { head, plan } = firstRound;
  if (!canAnswer(head.terms, plan.needs)) throw new NotReady(organization, head.terms);
  const unindexed = await readUnindexed(deps, firstRound);
  // 3. Correct, and 4. find the page.
  const { page, rows } = await rememberedOrFoundPage(firstRound, unindexed);
  const stored = await completeRows(firstRound, unindexed.matchingUnindexed, page, rows);
  if (firstRound.reader.isOverlapped) return undefined;
  remember(deps, firstRound, page);
  const explanation: ListExplanation = {
    rows: page.rowPlan,
    unindexed: unindexed.tail.length + unindexed.changed.length,
    isWarm,
    dueSince: dueSince(head, unindexed),
    hasOtherTerms: head.terms !== termsVersion,
  };
  return {
    testimonials: stored.map(({ testimonial }) => testimonial),
    total: page.total,
    stored,
    /** The ordinals of the page, including those of unreadable testimonials. */
    ordinals: page.ordinals,
    /** Identifies the testimonials that the list shows (`editionOf`). */
    edition: editionOf(head),
    explanation,
  };
}

/** Returns the remembered page if nothing unindexed has changed since. Otherwise finds it. */
async function rememberedOrFoundPage(
  firstRound: FirstRound,
  unindexed: Unindexed,
): Promise<{ page: KnownPage; rows: readonly WalkedRow[] }> {
  const { head, plan, knownPage, rows = [] } = firstRound;
  const unindexedState = stateOf(unindexed);
  if (knownPage?.unindexedState === unindexedState) return { page: knownPage, rows };
  const corrected = await correctMatches(firstRound, unindexed);
  const { total } = corrected;
  const rowPlan = planRows(plan, head, total);
  const found = await findPage(corrected, unindexed, rowPlan);
  return { page: { ...found.page, total, rowPlan, unindexedState }, rows: found.rows };
}

/** Returns a fingerprint of the unindexed testimonials. */
function stateOf({ tail, changed, markers }: Unindexed): string {
  const versions = (rows: readonly StoredTestimonial[]) =>
    rows.map(({ ordinal, version }) => `${ordinal}.${version}`).join();
  const updates = markers.map(({ updateOrdinal }) => updateOrdinal).join();
  return [versions(tail), versions(changed), updates].join(' ');
}
