/** Finds the rows of a page: one way for each row plan. */
import type { ListQuery } from '../domain/list-query.ts';
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import { ratingTerm } from '../domain/terms.ts';
import { comparison, type Order, sorts } from '../domain/testimonial-order.ts';
import type { Bitmap } from './bitmap.ts';
import type { ReadBits } from './evaluate.ts';
import { pageOfWalk } from './page-of-walk.ts';
import { type QueryPlan, type RowPlan, ratingTerms } from './query-plan.ts';

/** What a page is made of. */
export interface PageSource {
  testimonials: TestimonialStore;
  organization: string;
  plan: QueryPlan;
  query: ListQuery;
  /** What matches of the index. */
  matching: Bitmap;
  /** What matches beside the index, in the order of the list. */
  beside: StoredTestimonial[];
  total: number;
  read: ReadBits;
  /** The walk that was begun at once, if the plan said so. */
  walk: Walk | undefined;
}

export interface Walk {
  /** Settles when its first page is there. */
  begun: Promise<unknown>;
  pages: AsyncIterable<StoredTestimonial[]>;
}

/** Begins a walk of the secondary index that the plan names, from the first row of the list. */
export function startWalk(
  { testimonials }: Pick<PageSource, 'testimonials'>,
  organization: string,
  { secondaryIndex }: QueryPlan,
  { sort, order, page, limit }: ListQuery,
): Walk {
  return startedWalk(
    testimonials.walk(organization, { ...secondaryIndex, sort, order, limit: page * limit }),
  );
}

/**
 * The rows of a page. One that no longer has the status that the filter asks for is left out: nothing else that a
 * filter asks for changes after the postings were read.
 */
export async function rowsOf(rows: RowPlan, source: PageSource): Promise<StoredTestimonial[]> {
  const { query, total } = source;
  const found = (await executors[rows.by](source, rows as never)).filter(hasStatus(query)); // each gets its own plan
  const expected = Math.min(query.limit, total - (query.page - 1) * query.limit);
  const isWalk = rows.by === 'walk' || rows.by === 'walk and filter';
  if (found.length >= expected || !isWalk) return found;
  // The secondary index lags behind: it does not have what the postings have.
  const exact = { 'by ordinal': byOrdinal, 'by rating': byRating, 'by walk': bySortingAll };
  return (await exact[sorts[query.sort].pages](source)).filter(hasStatus(query));
}

const executors: {
  [By in RowPlan['by']]: (
    source: PageSource,
    rows: Extract<RowPlan, { by: By }>,
  ) => Promise<StoredTestimonial[]>;
} = {
  nothing: async () => [],
  walk: (source, rows) => byWalk(source, rows),
  'walk and filter': (source, rows) => byWalk(source, rows),
  ordinal: byOrdinal,
  rating: byRating,
  'sorting all': bySortingAll,
};

/** Walks the secondary index from either end and keeps what matches. */
async function byWalk(
  source: PageSource,
  { fromEnd, rows }: { fromEnd: boolean; rows: number },
): Promise<StoredTestimonial[]> {
  const { testimonials, organization, plan, query, matching, beside, total, walk } = source;
  const { first, take } = placeOf(source);
  if (!fromEnd) {
    const walked = walk ?? startedWalk(testimonials.walk(organization, walkOf(query.order)));
    const compare = comparison(query.sort, query.order);
    return pageOfWalk(walked.pages, { matching, beside, compare, skip: first, take });
  }
  const reversed = query.order === 'asc' ? 'desc' : 'asc';
  const page = await pageOfWalk(testimonials.walk(organization, walkOf(reversed)), {
    matching,
    beside: beside.toReversed(),
    compare: comparison(query.sort, reversed),
    skip: total - first - take,
    take,
  });
  return page.reverse();

  function walkOf(order: Order) {
    return { ...plan.secondaryIndex, sort: query.sort, order, limit: rows };
  }
}

/** Counts the bits of all that match. */
async function byOrdinal(source: PageSource): Promise<StoredTestimonial[]> {
  const { matching, beside, query } = source;
  const { first, take } = placeOf(source);
  const all = withOrdinals(matching.clone(), beside);
  return readRows(source, all.select(first, take, query.order));
}

/** Counts the bits of each rating in turn. */
async function byRating(source: PageSource): Promise<StoredTestimonial[]> {
  const { matching, beside, query, read } = source;
  const { first, take } = placeOf(source);
  const ordinals: number[] = [];
  let skip = first;
  const terms = ratingTerms(query.order);
  const bitmaps = await Promise.all(terms.map((term) => read({ term })));
  for (const [i, bits] of bitmaps.entries()) {
    if (ordinals.length >= take) break;
    const rated = withOrdinals(
      matching.clone().and(bits),
      beside.filter(({ testimonial: { rating = 0 } }) => ratingTerm(rating) === terms[i]),
    );
    const count = rated.count();
    if (count > skip) ordinals.push(...rated.select(skip, take - ordinals.length, query.order));
    skip = Math.max(0, skip - count);
  }
  return readRows(source, ordinals);
}

async function bySortingAll(source: PageSource): Promise<StoredTestimonial[]> {
  const { matching, beside, query } = source;
  const { first, take } = placeOf(source);
  const all = (await readRows(source, matching.ordinals())).filter(hasStatus(query));
  const sorted = [...all, ...beside].sort(comparison(query.sort, query.order));
  return sorted.slice(first, first + take);
}

function placeOf({ query: { page, limit }, total }: PageSource): { first: number; take: number } {
  const first = (page - 1) * limit;
  return { first, take: Math.min(limit, total - first) };
}

function hasStatus({ filter }: ListQuery): (stored: StoredTestimonial) => boolean {
  const { status = 'all' } = filter;
  return ({ testimonial }) => status === 'all' || status === testimonial.status;
}

/**
 * The testimonials of some ordinals in their order, read unless they stand beside the index. They are read eventually
 * consistent, like the rows of a walk: what changed within the last seconds stands beside. One that is not there, or
 * not as the filter asks, is read again.
 */
async function readRows(source: PageSource, ordinals: number[]): Promise<StoredTestimonial[]> {
  const { testimonials, organization, query, beside } = source;
  const rows = new Map(beside.map((stored) => [stored.ordinal, stored]));
  for (const consistent of [false, true]) {
    const missing = ordinals.filter((ordinal) => !rows.has(ordinal));
    if (missing.length === 0) break;
    for (const stored of await testimonials.findMany(organization, missing, { consistent })) {
      if (consistent || hasStatus(query)(stored)) rows.set(stored.ordinal, stored);
    }
  }
  return ordinals.flatMap((ordinal) => rows.get(ordinal) ?? []);
}

function withOrdinals(bitmap: Bitmap, beside: StoredTestimonial[]): Bitmap {
  for (const { ordinal } of beside) bitmap.add(ordinal);
  return bitmap;
}

/** A walk whose first page is already on its way. */
function startedWalk(walk: AsyncGenerator<StoredTestimonial[], void, undefined>): Walk {
  const begun = walk.next();
  async function* pages() {
    const first = await begun;
    if (first.done) return;
    yield first.value;
    yield* walk;
  }
  return { begun, pages: pages() };
}
