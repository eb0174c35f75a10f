/** Reads the rows of a page: one way for each row plan. */
import type { ListQuery } from '../../domain/list-query.ts';
import { matcherOf } from '../../domain/matcher.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../../domain/stores.ts';
import { whatCanChange } from '../../domain/testimonial-filter.ts';
import { comparison, type Order, sortOf } from '../../domain/testimonial-order.ts';
import type { Matches, Place } from './matches.ts';
import { type IndexOf, inOrderOfUpdates, ordinalsAt } from './order-of-updates.ts';
import type { QueryPlan, RowPlan } from './plan.ts';

/** What a page is made of. */
export interface PageSource extends IndexOf {
  testimonials: TestimonialStore;
  plan: QueryPlan;
  query: ListQuery;
  matches: Matches;
  /** What matches and lies beside the index. */
  beside: StoredTestimonial[];
  total: number;
  /** The walk that was begun at once, if the plan said so. */
  walk: Walk | undefined;
}

/** Rows of a secondary index that are on their way. */
export type Walk = Promise<StoredTestimonial[]>;

/** Begins a walk of the secondary index that the plan names, from the first row of the list. */
export function startWalk(
  { testimonials, organization }: Pick<PageSource, 'testimonials' | 'organization'>,
  { secondaryIndex }: QueryPlan,
  { sort, order, page, limit }: ListQuery,
): Walk {
  return firstOf(testimonials.walk(organization, { ...secondaryIndex, sort, order, limit: page * limit }));
}

/**
 * The rows of a page. Its places say which testimonials these are. Rows are read eventually consistent: what changed
 * within the last seconds stands beside the index. One that is not there, or not as the filter asks, is read again; one
 * that then no longer has the status of the filter is left out. Nothing else that a filter asks for changes.
 */
export async function rowsOf(rows: RowPlan, source: PageSource): Promise<StoredTestimonial[]> {
  return executors[rows.by](source, rows as never); // each gets its own plan
}

const executors: {
  [By in RowPlan['by']]: (
    source: PageSource,
    rows: Extract<RowPlan, { by: By }>,
  ) => Promise<StoredTestimonial[]>;
} = {
  nothing: async () => [],
  tail: async (source) => sorted(source, source.beside),
  walk: byWalk,
  range: byRange,
  ordinal: byOrdinal,
  'update ordinal': byUpdateOrdinal,
  'order of updates': byOrderOfUpdates,
  'sorting all': bySortingAll,
};

/** Reads the page's end of the secondary index beside finding the places. */
async function byWalk(
  source: PageSource,
  { fromEnd, rows }: { fromEnd: boolean; rows: number },
): Promise<StoredTestimonial[]> {
  const { testimonials, organization, plan, query, walk } = source;
  const order = fromEnd ? reversed(query.order) : query.order;
  const [walked, places] = await Promise.all([
    walk ??
      firstOf(
        testimonials.walk(organization, { ...plan.secondaryIndex, sort: query.sort, order, limit: rows }),
      ),
    placesOfPage(source),
  ]);
  return complete(source, numbersOf(places), walked);
}

async function byRange(source: PageSource): Promise<StoredTestimonial[]> {
  const { testimonials, organization, plan, query } = source;
  const places = await placesOfPage(source);
  const ascending = query.order === 'asc' ? places : places.toReversed();
  const [first, last] = [ascending.at(0), ascending.at(-1)];
  if (!first || !last) return [];
  const key = ({ group, number }: Place) => (plan.inTurn.length > 0 ? [group, number] : [number]);
  const { sort, order, limit } = query;
  const between: [number[], number[]] = [key(first), key(last)];
  const options = { ...plan.secondaryIndex, sort, order, limit, between };
  return complete(source, numbersOf(places), await firstOf(testimonials.walk(organization, options)));
}

async function byOrdinal(source: PageSource): Promise<StoredTestimonial[]> {
  return readOrdinals(source, numbersOf(await placesOfPage(source)));
}

async function byUpdateOrdinal(source: PageSource): Promise<StoredTestimonial[]> {
  const { testimonials, organization, query, beside } = source;
  const numbers = numbersOf(await placesOfPage(source));
  const status = query.filter.status === 'all' ? undefined : query.filter.status;
  const isBeside = new Set(beside.map(({ updateOrdinal }) => updateOrdinal));
  const found: StoredTestimonial[] = [];
  const wanted = numbers.filter((number) => !isBeside.has(number));
  const runs = runsOf(wanted).map(async ([first, last]) => {
    const between: [number[], number[]] = [[first], [last]];
    const options = { ...(status && { status }), sort: 'updatedAt', order: 'asc', between } as const;
    for await (const page of testimonials.walk(organization, options)) found.push(...page);
  });
  await Promise.all(runs);
  return complete(source, numbers, found);
}

async function byOrderOfUpdates(
  source: PageSource,
  { fromEnd, places }: { fromEnd: boolean; places: number },
): Promise<StoredTestimonial[]> {
  const { query, beside, matches } = source;
  const { first, take } = pageOf(source);
  const ordinals = await inOrderOfUpdates(
    source,
    { matching: await matches.all(), beside },
    {
      ...{ skip: fromEnd ? source.total - first - take : first, take, places },
      direction: fromEnd ? reversed(query.order) : query.order,
    },
  );
  return readOrdinals(source, fromEnd ? ordinals.toReversed() : ordinals);
}

async function bySortingAll(source: PageSource): Promise<StoredTestimonial[]> {
  return sorted(source, await readOrdinals(source, (await source.matches.all()).ordinals()));
}

/** The page of some testimonials, which are all that match. */
function sorted(source: PageSource, all: readonly StoredTestimonial[]): StoredTestimonial[] {
  const { sort, order } = source.query;
  const { first, take } = pageOf(source);
  return all.toSorted(comparison(sort, order)).slice(first, first + take);
}

function pageOf({ query: { page, limit }, total }: PageSource): { first: number; take: number } {
  const first = (page - 1) * limit;
  return { first, take: Math.min(limit, total - first) };
}

/** The places of the page, found from the end of the list that is nearer. */
async function placesOfPage(source: PageSource): Promise<Place[]> {
  const { matches, query, total } = source;
  const { first, take } = pageOf(source);
  const afterwards = total - first - take;
  if (first <= afterwards) return matches.select(first, take, query.order);
  return (await matches.select(afterwards, take, reversed(query.order))).reverse();
}

function reversed(order: Order): Order {
  return order === 'asc' ? 'desc' : 'asc';
}

function numbersOf(places: Place[]): number[] {
  return places.map(({ number }) => number);
}

// A query of its own costs as much as about so many rows that are read and dropped.
const rowsAQuery = 24;

/** Numbers that lie close together: the first and the last of each run. */
function runsOf(numbers: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && number - run[1] <= rowsAQuery) run[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}

async function readOrdinals(source: PageSource, ordinals: number[]): Promise<StoredTestimonial[]> {
  const isBeside = new Set(source.beside.map(({ ordinal }) => ordinal));
  const wanted = ordinals.filter((ordinal) => !isBeside.has(ordinal));
  const { testimonials, organization } = source;
  const found = await testimonials.findMany(organization, wanted, { consistent: false });
  return completeOrdinals(source, ordinals, found);
}

/** The rows at some places of the sort's axis, of which some were found. */
async function complete(
  source: PageSource,
  numbers: number[],
  found: readonly StoredTestimonial[],
): Promise<StoredTestimonial[]> {
  const { axis } = sortOf(source.query.sort);
  if (axis === 'createdAt') return completeOrdinals(source, numbers, found);
  const ordinals = new Map([...found, ...source.beside].map((row) => [row.updateOrdinal, row.ordinal]));
  const missing = numbers.filter((number) => !ordinals.has(number));
  const more = missing.length > 0 ? await ordinalsAt(source, missing) : new Map<number, number>();
  // A row found at another place is an older one than that of the place.
  const wanted = new Set(numbers);
  return completeOrdinals(
    source,
    numbers.flatMap((number) => ordinals.get(number) ?? more.get(number) ?? []),
    found.filter(({ updateOrdinal }) => wanted.has(updateOrdinal)),
  );
}

/** The rows of some ordinals, of which some were found. */
async function completeOrdinals(
  { testimonials, organization, query, beside }: PageSource,
  ordinals: number[],
  found: readonly StoredTestimonial[],
): Promise<StoredTestimonial[]> {
  const matches = matcherOf(whatCanChange(query.filter), query.view);
  const isAsked = ({ testimonial }: StoredTestimonial) => matches(testimonial);
  const rows = new Map([...found.filter(isAsked), ...beside].map((row) => [row.ordinal, row]));
  const missing = ordinals.filter((ordinal) => !rows.has(ordinal));
  if (missing.length > 0) {
    for (const row of await testimonials.findMany(organization, missing)) rows.set(row.ordinal, row);
  }
  return ordinals.flatMap((ordinal) => rows.get(ordinal) ?? []).filter(isAsked);
}

async function firstOf<Page>(pages: AsyncIterable<Page[]>): Promise<Page[]> {
  for await (const page of pages) return page;
  return [];
}
