/**
 * Listing testimonials at a cost that does not grow with their number: summaries or postings give the total and the
 * place of the page, the tail and the announced changes make up for what the index does not have yet.
 */
import type { ListQuery, ListResult } from '../domain/list-query.ts';
import { matcherOf } from '../domain/matcher.ts';
import { NotReady } from '../domain/not-ready.ts';
import { cellOf, cells, type Summary } from '../list-index/bits/summary.ts';
import { beginOf, hasNothing } from '../list-index/index-store.ts';
import { SummaryReader } from '../list-index/read/by-summary.ts';
import { Correction, type Groups } from '../list-index/read/correction.ts';
import { beginToCount } from '../list-index/read/count.ts';
import { planFor, planList, planRows, type QueryPlan, type RowPlan } from '../list-index/read/plan.ts';
import { rowsOf, startWalk } from '../list-index/read/rows.ts';
import { withinLimit } from '../list-index/read/time-limit.ts';
import { type ReadDependencies, readWhatIsNew } from '../list-index/read/what-is-new.ts';
import { answers } from '../list-index/terms-version.ts';
import { faultsOf, type IndexFaults } from '../list-index/waiting.ts';

export type { HeadCache } from '../list-index/read/what-is-new.ts';

export type ListStores = Pick<ReadDependencies, 'testimonials' | 'index'>;

export interface ListDependencies extends ReadDependencies {
  /** Of this machine, in milliseconds. */
  clock?: () => number;
}

/** How a list was answered. */
export interface ListExplanation extends IndexFaults {
  plan: QueryPlan;
  rows: RowPlan;
  /** Testimonials read because the index did not have them yet, or not as they are. */
  unindexed: number;
  /** True when the head was remembered. */
  isWarm: boolean;
}

type Explained = ListResult & { explanation: ListExplanation };

/**
 * Lists an organization's testimonials.
 * @throws {ListTookTooLong}
 * @throws {NotReady}
 */
export async function listTestimonials(
  deps: ListDependencies,
  organization: string,
  query: ListQuery,
): Promise<Explained> {
  return withinLimit(deps.clock ?? Date.now, () => listOnce(deps, organization, query));
}

async function listOnce(
  deps: ListDependencies,
  organization: string,
  query: ListQuery,
): Promise<Explained | undefined> {
  const { testimonials } = deps;
  const planned = planList(query);
  const isWarm = deps.heads.get(organization) !== undefined;
  const { head, headNow, beside, begun, isWhole } = await readWhatIsNew(
    deps,
    organization,
    async (head, index) => {
      const plan = planFor(head, planned);
      const isWalked = plan.walkAtOnce && !hasNothing(head);
      const walk = isWalked ? startWalk({ testimonials, organization }, plan, query) : undefined;
      const [count] = await Promise.all([beginToCount(index, organization, head, plan, query), walk]);
      return { plan, count, walk, index };
    },
  );
  const { plan, walk, index } = begun;
  if (!answers(headNow.terms, plan.needs)) throw new NotReady(organization, headNow.terms);
  const matchesFilter = matcherOf(query.filter, query.view);
  const counted = await begun.count(new Correction(plan.axis, head, beside, matchesFilter));
  const unindexed = [...beside.tail, ...beside.changed];
  const { updated } = headNow;
  const rows = planRows(plan, query, {
    total: counted.total,
    hasIndex: !hasNothing(head),
    updates: updated - beginOf(head, 'updatedAt'),
  });
  const found = await rowsOf(rows, {
    ...{ testimonials, index, organization, plan, query, walk, ...counted, head: { ...head, updated } },
    beside: unindexed.filter(({ testimonial }) => matchesFilter(testimonial)),
  });
  if (!isWhole()) return undefined;
  return {
    testimonials: found.map(({ testimonial }) => testimonial),
    total: counted.total,
    explanation: { plan, rows, unindexed: unindexed.length, isWarm, ...faultsOf(headNow, beside) },
  };
}

/**
 * Counts an organization's testimonials by status, type and rating together, one count for each of the cells.
 * @throws {ListTookTooLong}
 */
export async function countTestimonials(deps: ListDependencies, organization: string): Promise<Summary> {
  return withinLimit(deps.clock ?? Date.now, () => countOnce(deps, organization));
}

async function countOnce(deps: ListDependencies, organization: string): Promise<Summary | undefined> {
  const { head, beside, begun, isWhole } = await readWhatIsNew(deps, organization, async (head, index) => {
    const reader = new SummaryReader(index, organization, head, 'createdAt');
    await reader.begin([]);
    return reader;
  });
  const groups: Groups = { terms: cells.map((cell) => [...cell]), of: cellOf };
  const matches = await begun.matches([], groups, new Correction('createdAt', head, beside, () => true));
  const counts = await matches.countGroups(cells.length);
  return isWhole() ? counts : undefined;
}
