/**
 * Lists testimonials at a cost that does not grow with their number, in four phases: plan, read under one
 * head, correct with unindexed testimonials, find the page.
 */
import { type ListQuery, NotReady } from '../../domain/list-query.ts';
import { type Counts, ListTookTooLong } from '../../domain/outcomes.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { TestimonialFilter } from '../../domain/testimonial-filter.ts';
import { requestTimeoutMs } from '../../timing.ts';
import { cells, type Summary, traitsOfCells } from '../list-index/bits/summary.ts';
import { editionOf, isIndexEmpty } from '../list-index/index-store.ts';
import { correct, readUnindexed, type Unindexed } from '../list-index/read/correct.ts';
import { createdSince } from '../list-index/read/created-since.ts';
import { countBelow } from '../list-index/read/matches.ts';
import type { KnownPage } from '../list-index/read/memory.ts';
import {
  type ListRead,
  type ReadDependencies,
  readByOneHead,
  remember,
} from '../list-index/read/one-head.ts';
import { completeRows, findPage } from '../list-index/read/page.ts';
import { planCounts, planFor, planList, planRatings, planRows, ungrouped } from '../list-index/read/plan.ts';
import { canAnswer, termsVersion } from '../list-index/terms-version.ts';
import { dueSince } from '../list-index/update-due.ts';
import type { WalkedRow } from '../model/testimonial-store.ts';

export { ListMemory } from '../list-index/read/memory.ts';

export interface ListDependencies extends ReadDependencies {
  /** The clock of this machine, in milliseconds. */
  clock?: (() => number) | undefined;
}

export type ListExplanation = Awaited<ReturnType<typeof listTestimonials>>['explanation'];

/**
 * Lists an organization's testimonials.
 * @throws {ListTookTooLong}
 * @throws {NotReady} if the postings were built with rules that cannot answer the query
 */
export function listTestimonials(deps: ListDependencies, organization: string, query: ListQuery) {
  return withinLimit(deps.clock, () => listOnce(deps, organization, query));
}

async function listOnce(deps: ListDependencies, organization: string, query: ListQuery) {
  const isWarm = deps.memory.of(organization).head !== undefined;
  // 1. Plan, 2. read under one head, the changed testimonials included.
  const read = await readByOneHead(deps, organization, planList(query));
  const { head, plan } = read;
  if (!canAnswer(head.terms, plan.needs)) throw new NotReady(organization, head.terms);
  const unindexed = await readUnindexed(deps, read);
  // 3. Correct, and 4. find the page.
  const { page, rows } = await pageOf(read, unindexed);
  const stored = await completeRows(read, unindexed.matching, page, rows);
  if (read.reader.isOverlapped) return undefined;
  remember(deps, read, page);
  return {
    testimonials: stored.map(({ testimonial }) => testimonial),
    total: page.total,
    stored,
    /** The ordinals of the page, also of testimonials that cannot be read. */
    ordinals: page.ordinals,
    /** Identifies the testimonials that the list shows (`editionOf`). */
    edition: editionOf(head),
    /** Facts about the making of the list, for the request log. */
    explanation: {
      rows: page.rowPlan,
      /** The number of unindexed testimonials that were read. */
      unindexed: unindexed.tail.length + unindexed.changed.length,
      /** True if the function remembered the index head. */
      isWarm,
      /**
       * When an index update became due, ISO 8601; undefined if none is due. The list is right without the
       * update.
       */
      dueSince: dueSince(head, unindexed),
      /**
       * True if the postings were built with other rules than this version's. The list is right nevertheless.
       */
      hasOtherTerms: head.terms !== termsVersion,
    },
  };
}

/** Returns the remembered page if nothing unindexed has changed since. Otherwise finds it. */
async function pageOf(
  read: ListRead,
  unindexed: Unindexed,
): Promise<{ page: KnownPage; rows: readonly WalkedRow[] }> {
  const { head, plan, knownPage, rows = [] } = read;
  const unindexedState = stateOf(unindexed);
  if (knownPage?.unindexedState === unindexedState) return { page: knownPage, rows };
  const corrected = await correct(read, unindexed);
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

/**
 * Counts an organization's testimonials for each combination of status, type and rating, in the order of
 * `cells`.
 * @param times in milliseconds since the epoch
 * @returns the counts of all, and then of those created before each time
 * @throws {ListTookTooLong}
 */
export function countTestimonials(deps: ListDependencies, organization: string, times: number[] = []) {
  return withinLimit(deps.clock, async () => {
    const read = await readByOneHead(deps, organization, planCounts());
    const unindexed = await readUnindexed(deps, read);
    const { matches } = await correct(read, unindexed);
    const all = { ...read, plan: { ...read.plan, groups: ungrouped, bySummary: false }, index: undefined };
    const since = times.length > 0 ? await createdSince(times, await correct(all, unindexed)) : [];
    const counts = await countBelow(matches, [Infinity, ...since], cells.length);
    if (read.reader.isOverlapped) return undefined;
    remember(deps, read);
    return counts;
  });
}

/**
 * Counts the testimonials that match each filter, by rating. All filters read under one head, and each
 * posting only once.
 * @returns for each filter the numbers of unrated testimonials, of those with one star, and so on
 * @throws {ListTookTooLong}
 * @throws {NotReady} if the postings were built with rules that cannot answer a filter
 */
export function countRatings(
  deps: ListDependencies,
  organization: string,
  filters: readonly TestimonialFilter[],
): Promise<number[][]> {
  const [first, ...others] = filters.map(planRatings);
  if (!first) return Promise.resolve([]);
  return withinLimit(deps.clock, async () => {
    const read = await readByOneHead(deps, organization, first);
    const { head, reader } = read;
    const plans = [read.plan, ...others.map((plan) => planFor(plan, head))];
    if (!plans.every(({ needs }) => canAnswer(head.terms, needs)))
      throw new NotReady(organization, head.terms);
    const unindexed = await readUnindexed(deps, read);
    const postings = plans.flatMap(({ allOf }) => allOf.flat());
    if (!isIndexEmpty(head)) await reader.positions(read.plan.axis, postings);
    const counts: number[][] = [];
    // One after the other: the bits of all groups at once can need hundreds of megabytes.
    for (const plan of plans) {
      const rows = [...unindexed.tail, ...unindexed.changed];
      const matching = rows.filter(({ testimonial }) => plan.matches(testimonial));
      const { matches } = await correct({ ...read, plan, index: undefined }, { ...unindexed, matching });
      counts.push(...(await countBelow(matches, [Infinity], plan.groups.terms.length)));
    }
    if (read.reader.isOverlapped) return undefined;
    remember(deps, read);
    return counts;
  });
}

/** Names the numbers of a summary. */
export function countsOf(summary: Summary): Counts {
  return traitsOfCells.map((traits, i) => ({ ...traits, count: summary[i] ?? 0 }));
}

const maxTries = 3;
const maxOverlaps = 20;

/**
 * Repeats a list until it ends in time and without an overlapping index update. A list that took too long,
 * because the process was paused or the table is slow, may miss a change whose marker was deleted in the
 * meantime (timing.ts).
 * @param list returns undefined if an index update overlapped it
 * @throws {ListTookTooLong}
 */
async function withinLimit<Result>(
  clock: (() => number) | undefined = Date.now,
  list: () => Promise<Result | undefined>,
): Promise<Result> {
  let tries = 0;
  let overlaps = 0;
  while (tries < maxTries && overlaps < maxOverlaps) {
    const start = clock();
    const result = await list();
    if (clock() - start > requestTimeoutMs) tries += 1;
    else if (result === undefined) overlaps += 1;
    else return result;
  }
  const reason =
    tries < maxTries
      ? `Index updates overlapped the list ${maxOverlaps} times.`
      : `The list took longer than ${requestTimeoutMs / 1000} s, ${maxTries} times, because the table is slow or this program was paused.`;
  throw new ListTookTooLong(`${reason} Try again.`);
}
