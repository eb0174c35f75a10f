/**
 * Listing testimonials at a cost that does not grow with their number: postings give the total and the place of
 * the page, the tail and the announced changes make up for what the index does not have yet.
 */
import type { ListQuery, ListResult } from '../domain/list-query.ts';
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import { matcherOf } from '../domain/testimonial-filter.ts';
import { comparison } from '../domain/testimonial-order.ts';
import { Bitmap } from './bitmap.ts';
import { evaluate, postingReader } from './evaluate.ts';
import { coveredBy, type IndexHead, type IndexStore, noIndex, type Recent } from './index-store.ts';
import { planList, planRows, type QueryPlan, type RowPlan } from './query-plan.ts';
import { type PageSource, rowsOf, startWalk } from './rows.ts';

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

/** Lists an organization's testimonials. */
export async function listTestimonials(
  deps: ListDependencies,
  organization: string,
  query: ListQuery,
): Promise<ListResult & { explanation: ListExplanation }> {
  const { heads, index } = deps;
  const known = heads.get(organization);
  const plan = planList(query);
  for (let head = known ?? (await index.readHead(organization)) ?? noIndex; ; ) {
    // One round: nothing here waits for anything else.
    const read = postingReader(index, organization, head);
    const walk = plan.walkAtOnce ? startWalk(deps, organization, plan, query) : undefined;
    const [indexed, recent] = await Promise.all([
      evaluate(read, head, plan),
      index.readRecent(organization, head.indexed),
      walk?.begun,
    ]);
    const headNow = recent.head ?? noIndex;
    heads.set(organization, headNow);
    if (headNow.generation === head.generation && recent.complete) {
      const source = await unite(deps, organization, query, { head, indexed, recent });
      const rows = planRows(plan, query, { total: source.total, indexed: head.indexed });
      const testimonials = await rowsOf(rows, { ...source, ...deps, organization, plan, query, read, walk });
      return {
        testimonials: testimonials.map(({ testimonial }) => testimonial),
        total: source.total,
        explanation: { plan, rows, unindexed: source.unindexed, isWarm: known !== undefined },
      };
    }
    // A rebuild switched generations: the postings that were read may be gone. Or the head that was remembered
    // is so old that its tail is long.
    head = headNow;
  }
}

/** Unites what the postings say with what they do not have yet. */
async function unite(
  { testimonials }: ListStores,
  organization: string,
  { filter, sort, order }: ListQuery,
  { head, indexed, recent }: { head: IndexHead; indexed: Bitmap; recent: Recent },
): Promise<Pick<PageSource, 'matching' | 'beside' | 'total'> & { unindexed: number }> {
  const isCovered = coveredBy(head);
  const changing = new Set(
    recent.markers
      .filter(({ updateOrdinal, ordinal }) => !isCovered.has(updateOrdinal) && ordinal < head.indexed)
      .map(({ ordinal }) => ordinal),
  );
  const changed = changing.size > 0 ? await testimonials.findMany(organization, [...changing]) : [];
  const unindexed = [...recent.tail, ...changed];
  const matches = matcherOf(filter);
  const beside: StoredTestimonial[] = unindexed
    .filter(({ testimonial }) => matches(testimonial))
    .sort(comparison(sort, order));
  const matching = indexed.andNot(Bitmap.of(changing));
  return { matching, beside, total: matching.count() + beside.length, unindexed: unindexed.length };
}
