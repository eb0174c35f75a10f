/**
 * Listing testimonials at a cost that does not grow with their number: postings give the total and the place of
 * the page, the tail and the announced changes make up for what the index does not have yet.
 */
import type { ListQuery, ListResult } from '../domain/list-query.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { matcherOf } from '../domain/testimonial-filter.ts';
import { comparison, type Order, ordinalOf } from '../domain/testimonial-order.ts';
import { Bitmap } from './bitmap.ts';
import { evaluate } from './evaluate.ts';
import { type IndexHead, type IndexStore, noIndex } from './index-store.ts';
import { pageOfOrdinals, pageOfWalk } from './page.ts';
import { isShallow, planList, type QueryPlan } from './query-plan.ts';

/** Remembers heads; a Map does. */
export interface HeadCache {
  get(organization: string): IndexHead | undefined;
  set(organization: string, head: IndexHead): unknown;
}

export interface ListDependencies {
  testimonials: TestimonialStore;
  index: IndexStore;
  /** Heads met before, by organization. An old one only makes the tail longer. */
  heads: HeadCache;
}

/** How the rows of a page were found. */
export type RowStrategy =
  | 'none'
  | 'walk the index'
  | 'walk the index from its end'
  | 'walk the index and keep what matches'
  | 'select by ordinal'
  | 'read all that match and sort';

/**
 * Lists an organization's testimonials.
 * @param signal aborts the reads
 */
export async function listTestimonials(
  deps: ListDependencies,
  organization: string,
  query: ListQuery,
  signal?: AbortSignal,
): Promise<ListResult & { rows: RowStrategy }> {
  const known = deps.heads.get(organization);
  let head = known ?? (await deps.index.readHead(organization, signal)) ?? noIndex;
  for (;;) {
    const { answer, recent } = await listFrom(deps, organization, query, head, signal);
    const headNow = recent.head ?? noIndex;
    deps.heads.set(organization, headNow);
    if (headNow.generation === head.generation && !recent.overtaken) return answer();
    // A rebuild switched generations: the postings that were read may be gone. Or the head that was remembered
    // is so old that its tail is long.
    head = headNow;
  }
}

async function listFrom(
  deps: ListDependencies,
  organization: string,
  query: ListQuery,
  head: IndexHead,
  signal?: AbortSignal,
) {
  const { testimonials, index } = deps;
  const plan = planList(query);
  const { sort, order, page, limit } = query;

  // One round: nothing here waits for anything else.
  const ahead = plan.walkAtOnce
    ? startedWalk(testimonials, organization, { plan, sort, order, limit: page * limit }, signal)
    : undefined;
  const [evaluated, recent] = await Promise.all([
    evaluate(index, organization, head, plan, signal),
    index.readRecent(organization, head.indexed, signal),
    ahead?.begun,
  ]);
  return { recent, answer };

  async function answer(): Promise<ListResult & { rows: RowStrategy }> {
    const matches = matcherOf(query.filter);
    const compare = comparison(sort, order);
    const { tail, changes } = recent;
    const changed = new Set(
      changes.map(({ ordinal }) => ordinal).filter((ordinal) => ordinal < head.indexed),
    );
    const afresh =
      changed.size > 0 ? await testimonials.findMany(organization, [...changed], {}, signal) : [];
    const memory = [...tail, ...afresh].filter(matches).sort(compare);
    const matching = evaluated.matching.andNot(Bitmap.of(changed));
    const total = matching.count() + memory.length;

    const first = (page - 1) * limit;
    const take = Math.min(limit, total - first);
    if (take <= 0) return { testimonials: [], total, rows: 'none' };
    // A row can have got another status since its posting was read; nothing else that a filter asks for changes.
    const checked = (rows: Testimonial[]) => rows.filter(hasStatus);

    if (ahead) {
      const rows = await pageOfWalk(ahead.pages, { matching, memory, compare, skip: first, take });
      return { testimonials: checked(rows), total, rows: 'walk the index' };
    }
    const fromEnd = total - first - take;
    const walkFromEnd = async (limitOfWalk: number) => {
      const reversed: Order = order === 'asc' ? 'desc' : 'asc';
      const walk = { plan, sort, order: reversed, limit: limitOfWalk };
      const rows = await pageOfWalk(startedWalk(testimonials, organization, walk, signal).pages, {
        matching,
        memory: memory.toReversed(),
        compare: comparison(sort, reversed),
        skip: fromEnd,
        take,
      });
      return checked(rows.toReversed());
    };
    if (plan.index && isShallow(fromEnd + take, limit)) {
      return {
        testimonials: await walkFromEnd(fromEnd + take),
        total,
        rows: 'walk the index from its end',
      };
    }
    if (sort !== 'updatedAt') {
      const ordinals = pageOfOrdinals(
        { matching, memory, plan, inTurn: evaluated.inTurn, order },
        first,
        take,
      );
      const rows = await readRows(ordinals, memory);
      return { testimonials: checked(rows), total, rows: 'select by ordinal' };
    }

    // Only the secondary indexes have this order: walk from the nearer end, unless reading all that match is less.
    const nearest = Math.min(first, fromEnd) + take;
    // All that an index of the filter's own holds matches; of the organization's, every so many-th does.
    const expectedRows = plan.index ? nearest : (nearest * Math.max(head.indexed, 1)) / total;
    // Some more than expected, so that one read is mostly enough.
    const walkedRows = Math.ceil(expectedRows * (plan.index ? 1 : 1.3)) + limit;
    if (!isShallow(expectedRows, total)) {
      const all = await readRows(matching.ordinals(), []);
      const sorted = [...checked(all), ...memory].sort(compare);
      return {
        testimonials: sorted.slice(first, first + take),
        total,
        rows: 'read all that match and sort',
      };
    }
    if (fromEnd < first) {
      return {
        testimonials: await walkFromEnd(walkedRows),
        total,
        rows: 'walk the index and keep what matches',
      };
    }
    const walk = startedWalk(testimonials, organization, { plan, sort, order, limit: walkedRows }, signal);
    const rows = await pageOfWalk(walk.pages, { matching, memory, compare, skip: first, take });
    return { testimonials: checked(rows), total, rows: 'walk the index and keep what matches' };
  }

  function hasStatus({ status }: Testimonial): boolean {
    return query.filter.status === undefined || query.filter.status === status;
  }

  /**
   * The testimonials of some ordinals in their order, read unless they are in memory. What changed within the last
   * 15 s is: the others can be read eventually consistent, like the rows of a walk. One that is not there, or not as
   * the filter asks, is read again.
   */
  async function readRows(ordinals: number[], memory: Testimonial[]): Promise<Testimonial[]> {
    const rows = new Map(memory.map((testimonial) => [ordinalOf(testimonial), testimonial]));
    for (const eventually of [true, false]) {
      const missing = ordinals.filter((ordinal) => !rows.has(ordinal));
      if (missing.length === 0) break;
      for (const row of await testimonials.findMany(organization, missing, { eventually }, signal)) {
        if (!eventually || hasStatus(row)) rows.set(ordinalOf(row), row);
      }
    }
    return ordinals.flatMap((ordinal) => rows.get(ordinal) ?? []);
  }
}

interface Walk {
  plan: QueryPlan;
  sort: ListQuery['sort'];
  order: Order;
  limit: number;
}

/** A walk whose first page is already on its way. */
function startedWalk(
  testimonials: TestimonialStore,
  organization: string,
  { plan, sort, order, limit }: Walk,
  signal?: AbortSignal,
) {
  const walk = testimonials.walk(organization, { ...plan.index, sort, order, limit }, signal);
  const begun = walk.next();
  async function* pages() {
    const first = await begun;
    if (first.done) return;
    yield first.value;
    yield* walk;
  }
  return { begun, pages: pages() };
}
