/**
 * Listing testimonials at a cost that does not grow with their number: summaries or postings give the total and the
 * place of the page, the tail and the announced changes make up for what the index does not have yet.
 */
import { type ListQuery, type ListResult, matcherOf } from '../domain/list-query.ts';
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { WalkedRow } from '../domain/stores.ts';
import { NotReady } from '../domain/try-later.ts';
import { cellOf, cells, type Summary } from '../list-index/bits/summary.ts';
import { beginOf, editionOf, hasNothing, type IndexHead } from '../list-index/index-store.ts';
import { SummaryReader } from '../list-index/read/by-summary.ts';
import { Correction, type Groups, type Unindexed } from '../list-index/read/correction.ts';
import { beginToCount } from '../list-index/read/count.ts';
import type { IndexReader } from '../list-index/read/index-reader.ts';
import type { KnownPage } from '../list-index/read/memory.ts';
import { type ReadDependencies, readByOneHead } from '../list-index/read/one-head.ts';
import { planFor, planList, planRows, type RowPlan } from '../list-index/read/plan.ts';
import { completeRows, findPage, type PageSource, readRows, walkOf } from '../list-index/read/rows.ts';
import { withinLimit } from '../list-index/read/time-limit.ts';
import { answers, termsVersion } from '../list-index/terms-version.ts';
import { dueSince } from '../list-index/update-due.ts';

export { ListMemory } from '../list-index/read/memory.ts';

export type ListStores = Pick<ReadDependencies, 'testimonials' | 'index'>;

export interface ListDependencies extends ReadDependencies {
  /** The clock of this machine, in milliseconds. */
  clock?: (() => number) | undefined;
}

/** How a list was answered. */
export interface ListExplanation {
  rows: RowPlan;
  /** Testimonials read because the index did not have them yet, or not as they are. */
  unindexed: number;
  /** True when the head was remembered. */
  isWarm: boolean;
  /** Since when an update of the index is due, ISO 8601; a list by it is right all the same. */
  dueSince: string | undefined;
  /** True when its postings were made by other rules than those of this version; likewise. */
  hasOtherTerms: boolean;
}

interface Explained extends ListResult {
  /** The testimonials as they are stored. */
  stored: StoredTestimonial[];
  /** The edition that it shows (`editionOf`). */
  edition: string;
  explanation: ListExplanation;
}

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
  const memory = deps.memory.of(organization);
  const isWarm = memory.head !== undefined;
  const planned = planList(query);
  const key = JSON.stringify(query);
  const matchesFilter = matcherOf(query.filter, query.view);
  const { head, reader, unindexed, begun, keep } = await readByOneHead(
    deps,
    organization,
    async (indexReader) => {
      const plan = planFor(indexReader.head, planned, query);
      const known = indexReader.knownPage(key);
      const isWalked = plan.walkAtOnce && !hasNothing(indexReader.head);
      const first = known?.read ?? (isWalked ? walkOf(plan, query) : undefined);
      const read = first && readRows({ testimonials, organization }, first);
      const [count] = await Promise.all([known ? undefined : beginToCount(indexReader, plan, query), read]);
      return { plan, known, read, count };
    },
    async ({ plan, count }, indexReader, known) =>
      count?.prepare(new Correction(plan.axis, indexReader.head, known, matchesFilter)),
  );
  const { plan, known, read } = begun;
  if (!answers(head.terms, plan.needs)) throw new NotReady(organization, head.terms);
  const unindexedRows = [...unindexed.tail, ...unindexed.changed];
  const matching = unindexedRows.filter(({ testimonial }) => matchesFilter(testimonial));
  const source = { testimonials, organization, query, unindexed: matching };
  const unindexedIs = stateOf(unindexed);
  const { page, found } =
    known?.unindexedWas === unindexedIs ? { page: known, found: (await read) ?? [] } : await countAndFind();
  const rows = await completeRows(source, page, found);
  if (!keep()) return undefined;
  memory.keepPage(head, key, page);
  return {
    testimonials: rows.map(({ testimonial }) => testimonial),
    total: page.total,
    stored: rows,
    edition: editionOf(head),
    explanation: {
      rows: page.rows,
      unindexed: unindexedRows.length,
      isWarm,
      dueSince: dueSince(head, unindexed),
      hasOtherTerms: head.terms !== termsVersion,
    },
  };

  async function countAndFind(): Promise<{ page: KnownPage; found: WalkedRow[] }> {
    const count = begun.count ?? (await beginToCount(reader, plan, query));
    const counted = await count.end(new Correction(plan.axis, head, unindexed, matchesFilter));
    const { updated } = head;
    const rows = planRows(plan, query, {
      total: counted.total,
      hasIndex: !hasNothing(head),
      updates: updated - beginOf(head, 'updatedAt'),
      head,
    });
    const pageSource: PageSource = { ...source, reader, plan, ...counted, updated, begun: read };
    const { page, found } = await findPage(rows, pageSource);
    return { page: { ...page, total: counted.total, rows, unindexedWas: unindexedIs }, found };
  }
}

/** A fingerprint of what is not indexed. */
function stateOf({ tail, changed, markers }: Unindexed): string {
  const versions = (rows: readonly StoredTestimonial[]) =>
    rows.map(({ ordinal, version }) => `${ordinal}.${version}`).join();
  const updates = markers.map(({ updateOrdinal }) => updateOrdinal).join();
  return [versions(tail), versions(changed), updates].join(' ');
}

/**
 * Counts an organization's testimonials by status, type and rating together, one count for each of the cells.
 * @throws {ListTookTooLong}
 */
export async function countTestimonials(deps: ListDependencies, organization: string): Promise<Summary> {
  return withinLimit(deps.clock ?? Date.now, () => countOnce(deps, organization));
}

async function countOnce(deps: ListDependencies, organization: string): Promise<Summary | undefined> {
  const begin = async (indexReader: IndexReader) => {
    const reader = new SummaryReader(indexReader, 'createdAt');
    await reader.begin([]);
    return reader;
  };
  const groups: Groups = { terms: cells.map((cell) => [...cell]), of: cellOf };
  const correctionOf = (of: IndexHead, beside: Unindexed) =>
    new Correction('createdAt', of, beside, () => true);
  const { head, unindexed, begun, keep } = await readByOneHead(
    deps,
    organization,
    begin,
    (summaries, indexReader, known) => summaries.prepare([], groups, correctionOf(indexReader.head, known)),
  );
  const matches = await begun.matches([], groups, correctionOf(head, unindexed));
  const counts = await matches.countGroups(cells.length);
  return keep() ? counts : undefined;
}
