/**
 * Listing testimonials at a cost that does not grow with their number: summaries or postings give the total and the
 * place of the page, the tail and the announced changes make up for what the index does not have yet.
 */
import type { ListQuery, ListResult } from '../domain/list-query.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import { matcherOf } from '../domain/testimonial-filter.ts';
import { type Order, sortOf } from '../domain/testimonial-order.ts';
import { chunkOf } from '../list-index/bits/bitmap.ts';
import { cellOf, cells, type Summary } from '../list-index/bits/summary.ts';
import { type IndexHead, type IndexStore, noIndex, type StoredBits } from '../list-index/index-store.ts';
import { matchesByBits, readByBits } from '../list-index/read/by-bits.ts';
import { narrowing, SummaryReader } from '../list-index/read/by-summary.ts';
import {
  type Beside,
  Correction,
  type Groups,
  uncoveredMarkers,
  ungrouped,
} from '../list-index/read/correction.ts';
import {
  planList,
  planRows,
  type QueryPlan,
  type RowPlan,
  withLastingPostings,
} from '../list-index/read/plan.ts';
import { type PageSource, rowsOf, startWalk } from '../list-index/read/rows.ts';
import { withinLimit } from '../list-index/read/time-limit.ts';

/** Remembers heads; a Map does. */
export interface HeadCache {
  get(organization: string): IndexHead | undefined;
  set(organization: string, head: IndexHead): unknown;
}

export interface ListStores {
  testimonials: TestimonialStore;
  index: IndexStore;
}

export interface ListDependencies extends ListStores {
  /** Heads met before, by organization. An old one only makes the tail longer. */
  heads: HeadCache;
  /** Of this machine, in milliseconds. */
  clock?: () => number;
}

/** How a list was answered. */
export interface ListExplanation {
  plan: QueryPlan;
  rows: RowPlan;
  /** Testimonials read because the index did not have them yet, or not as they are. */
  unindexed: number;
  /** True when the head was remembered. */
  isWarm: boolean;
}

/**
 * Lists an organization's testimonials.
 * @throws {ListTookTooLong}
 */
export async function listTestimonials(
  deps: ListDependencies,
  organization: string,
  query: ListQuery,
): Promise<ListResult & { explanation: ListExplanation }> {
  return withinLimit(deps.clock ?? Date.now, () => listOnce(deps, organization, query));
}

async function listOnce(
  { index: store, ...others }: ListDependencies,
  organization: string,
  query: ListQuery,
): Promise<(ListResult & { explanation: ListExplanation }) | undefined> {
  const { index, newestStep } = watched(store);
  const deps = { ...others, index };
  const planned = planList(query);
  const isWarm = deps.heads.get(organization) !== undefined;
  const { head, headNow, beside, begun } = await readWhatIsNew(deps, organization, async (head) => {
    const plan = head.hasErased ? withLastingPostings(planned) : planned;
    const walk = plan.walkAtOnce ? startWalk({ ...deps, organization }, plan, query) : undefined;
    const [count] = await Promise.all([beginToCount(deps.index, organization, head, plan, query), walk]);
    return { plan, count, walk };
  });
  const { plan } = begun;
  const matchesFilter = matcherOf(query.filter);
  const counted = await begun.count(new Correction(plan.axis, head, beside, matchesFilter));
  const unindexed = [...beside.tail, ...beside.changed];
  const { updated } = headNow;
  const rows = planRows(plan, query, { total: counted.total, updated });
  const testimonials = await rowsOf(rows, {
    ...{ ...deps, ...counted, organization, plan, query, walk: begun.walk, head: { ...head, updated } },
    beside: unindexed.filter(({ testimonial }) => matchesFilter(testimonial)),
  });
  if (newestStep() > headNow.epoch) return undefined;
  return {
    testimonials: testimonials.map(({ testimonial }) => testimonial),
    total: counted.total,
    explanation: { plan, rows, unindexed: unindexed.length, isWarm },
  };
}

/** Reads what can be read before it is known what lies beside the index; the rest of counting comes after. */
async function beginToCount(
  index: IndexStore,
  organization: string,
  head: IndexHead,
  plan: QueryPlan,
  { sort, order }: ListQuery,
): Promise<(correction: Correction) => Promise<Pick<PageSource, 'total' | 'matches' | 'matching'>>> {
  const { inTurn } = sortOf(sort);
  const groups = inTurn ? { terms: inTurn.terms.map((term) => [term]), of: inTurn.termOf } : ungrouped;
  if (!plan.bySummary) {
    const bits = await readByBits(index, organization, head, plan);
    return async (correction) => {
      const matching = correction.apply(bits.matching.clone(), ungrouped, 0);
      return { total: matching.count(), matches: matchesByBits(bits, groups, correction), matching };
    };
  }
  const clauses = termsOf(plan);
  const reader = new SummaryReader(index, organization, head, plan.axis);
  await reader.begin(bitsAtOnce(plan, head, order));
  return async (correction) => {
    const all = await reader.matches(clauses, ungrouped, correction);
    const total = await all.count();
    const matches = inTurn ? await reader.matches(clauses, groups, correction) : all;
    return { total, matches, matching: undefined };
  };
}

/** The terms of a plan that summaries count. */
function termsOf({ allOf }: QueryPlan): string[][] {
  return allOf.map(({ anyOf }) => anyOf.flatMap((read) => ('term' in read ? read.term : [])));
}

/** The bits that the first pages of a list by summaries mostly need. */
function bitsAtOnce(
  plan: QueryPlan,
  { indexed, updated }: IndexHead,
  order: Order,
): { term: string; chunk: number }[] {
  if (!plan.walkAtOnce) return [];
  const newest = chunkOf((plan.axis === 'createdAt' ? indexed : updated) - 1);
  const firstInTurn = plan.inTurn.at(order === 'asc' ? 0 : -1) ?? [];
  const clauses = narrowing([...termsOf(plan), ...[firstInTurn].flat().map((term) => [term])]);
  return clauses.flat().map((term) => ({ term, chunk: order === 'asc' ? 0 : newest }));
}

/**
 * Counts an organization's testimonials by status, type and rating together, one count for each of the cells.
 * @throws {ListTookTooLong}
 */
export async function countTestimonials(deps: ListDependencies, organization: string): Promise<Summary> {
  return withinLimit(deps.clock ?? Date.now, () => countOnce(deps, organization));
}

async function countOnce(
  { index: store, ...others }: ListDependencies,
  organization: string,
): Promise<Summary | undefined> {
  const { index, newestStep } = watched(store);
  const deps = { ...others, index };
  const { head, headNow, beside, begun } = await readWhatIsNew(deps, organization, async (head) => {
    const reader = new SummaryReader(deps.index, organization, head, 'createdAt');
    await reader.begin([]);
    return reader;
  });
  const groups: Groups = { terms: cells.map((cell) => [...cell]), of: cellOf };
  const matches = await begun.matches([], groups, new Correction('createdAt', head, beside, () => true));
  const counts = await matches.countGroups(cells.length);
  return newestStep() > headNow.epoch ? undefined : counts;
}

/**
 * The store, and the newest step that anything read of it knows of. A fold raises the head's epoch before it writes, and
 * after it has read the markers: whoever reads the head, then the markers, and no bit of a newer step than the head's, has
 * seen the marker of every change that is in the bits, whatever the clocks say and whoever paused.
 */
function watched(index: IndexStore): { index: IndexStore; newestStep: () => number } {
  let newest = 0;
  const see = (step: number) => {
    newest = Math.max(newest, step);
  };
  const seeBits = (found: StoredBits[]) => {
    for (const { step } of found) see(step);
    return found;
  };
  return {
    newestStep: () => newest,
    index: {
      ...index,
      readTerm: async (...args) => seeBits(await index.readTerm(...args)),
      readWords: async (...args) => seeBits(await index.readWords(...args)),
      async readPostings(...args) {
        const found = await index.readPostings(...args);
        for (const each of found) if (each) see(each.step ?? each.epoch);
        return found;
      },
    },
  };
}

/** Learns what lies beside the index, while `begin` reads of the index what it can. */
async function readWhatIsNew<Begun>(
  { heads, index, testimonials }: ListDependencies,
  organization: string,
  begin: (head: IndexHead) => Promise<Begun>,
): Promise<{ head: IndexHead; headNow: IndexHead; beside: Beside; begun: Begun }> {
  for (let head = heads.get(organization) ?? (await index.readHead(organization)) ?? noIndex; ; ) {
    // One round: nothing here waits for anything else.
    const [begun, recent] = await Promise.all([begin(head), index.readRecent(organization, head.indexed)]);
    const headNow = recent.head ?? noIndex;
    heads.set(organization, headNow);
    const isRead = head.hasErased || !headNow.hasErased;
    if (headNow.generation === head.generation && recent.complete && isRead) {
      const markers = uncoveredMarkers(head, recent);
      const ordinals = markers.map(({ ordinal }) => ordinal).filter((ordinal) => ordinal < head.indexed);
      const changed = ordinals.length > 0 ? await testimonials.findMany(organization, ordinals) : [];
      return { head, headNow, beside: { tail: recent.tail, changed, markers }, begun };
    }
    // A rebuild switched generations: the postings that were read may be gone. Or the head that was remembered
    // is so old that its tail is long, or that nothing was ever erased.
    head = headNow;
  }
}
