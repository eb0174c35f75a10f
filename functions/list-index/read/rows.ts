/** Finds which testimonials a page shows, and reads their rows: one way for each row plan. */
import { type ListQuery, matcherOf } from '../../domain/list-query.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { TestimonialStore, WalkedRow, WalkOptions } from '../../domain/stores.ts';
import { whatCanChange } from '../../domain/testimonial-filter.ts';
import { comparison, type Order, type Ordinal, sortOf } from '../../domain/testimonial-order.ts';
import type { IndexReader } from './index-reader.ts';
import type { Matches, Place } from './matches.ts';
import { inOrderOfUpdates, ordinalsAt } from './order-of-updates.ts';
import type { Page, QueryPlan, RowPlan, RowRead } from './plan.ts';

/** Where rows are read. */
interface Table {
  testimonials: TestimonialStore;
  organization: string;
}

/** The query by which rows are judged. */
export interface RowSource extends Table {
  query: ListQuery;
  /** The testimonials that match and lie beside the index. */
  unindexed: readonly StoredTestimonial[];
}

/** The matches and the rows that a page is made of. */
export interface PageSource extends RowSource {
  reader: IndexReader;
  plan: QueryPlan;
  matches: Matches;
  total: number;
  /** One more than the highest update ordinal in the postings. */
  updated: number;
  /** Rows that are on their way: of the walk, if the plan began it at once, or of the page as it was known. */
  begun?: Promise<WalkedRow[]> | undefined;
}

/** A page, and rows that were read to find it. */
interface FoundPage {
  page: Page;
  found: WalkedRow[];
}

/** The walk of the secondary index that a plan names, from the first row of the list where nothing else is said. */
export function walkOf(
  { secondaryIndex }: QueryPlan,
  { sort, order, page, limit }: ListQuery,
  other: Partial<WalkOptions> = {},
): RowRead {
  return { by: 'walk', options: { ...secondaryIndex, sort, order, limit: page * limit, ...other } };
}

/** Reads rows, eventually consistent: what changed within the last seconds lies beside. */
export async function readRows(source: Table, read: RowRead): Promise<WalkedRow[]> {
  if (read.by === 'ordinal') return (await readLagging(source, read.ordinals)).map(asWalked);
  for await (const rows of source.testimonials.walk(source.organization, read.options)) return rows;
  return [];
}

async function readLagging(
  { testimonials, organization }: Table,
  ordinals: Ordinal[],
): Promise<StoredTestimonial[]> {
  return ordinals.length > 0 ? testimonials.findMany(organization, ordinals, { consistent: false }) : [];
}

function asWalked(stored: StoredTestimonial): WalkedRow {
  const { ordinal, updateOrdinal } = stored;
  return { ordinal, updateOrdinal, stored };
}

/**
 * The rows of a page, of which some were found; those with a long content are read now. One that is not there, or not as the filter
 * asks, is read again; one that then no longer has the status or the tags of the filter is left out. Nothing else that a filter asks
 * for changes.
 */
export async function completeRows(
  source: RowSource,
  { ordinals, places }: Pick<Page, 'ordinals' | 'places'>,
  found: readonly WalkedRow[],
): Promise<StoredTestimonial[]> {
  const { testimonials, organization, query, unindexed } = source;
  const matches = matcherOf(whatCanChange(query.filter), query.view);
  const isAsked = ({ testimonial }: StoredTestimonial) => matches(testimonial);
  const rows = new Map<Ordinal, StoredTestimonial>();
  const take = (some: readonly StoredTestimonial[]) => {
    for (const row of some) if (isAsked(row)) rows.set(row.ordinal, row);
  };
  take(
    found.flatMap(({ updateOrdinal, stored }) =>
      !places || places.has(updateOrdinal) ? (stored ?? []) : [],
    ),
  );
  take(unindexed);
  const isLong = new Set(found.flatMap(({ ordinal, stored }) => (stored ? [] : ordinal)));
  const missing = () => ordinals.filter((ordinal) => !rows.has(ordinal));
  take(
    await readLagging(
      source,
      missing().filter((ordinal) => isLong.has(ordinal)),
    ),
  );
  const rest = missing();
  if (rest.length > 0) take(await testimonials.findMany(organization, rest));
  return ordinals.flatMap((ordinal) => rows.get(ordinal) ?? []);
}

/** Finds which testimonials the page shows. */
export function findPage(rows: RowPlan, source: PageSource): Promise<FoundPage> {
  return executors[rows.by](source, rows as never); // each gets its own plan
}

const executors: {
  [By in RowPlan['by']]: (source: PageSource, rows: Extract<RowPlan, { by: By }>) => Promise<FoundPage>;
} = {
  nothing: (source) => byOrdinals(source, []),
  tail: (source) => byOrdinals(source, pageOfAll(source, source.unindexed)),
  walk: byWalk,
  range: byRange,
  ordinal: async (source) => byOrdinals(source, numbersOf(await placesOfPage(source))),
  'update ordinal': byUpdateOrdinal,
  'order of updates': byOrderOfUpdates,
  'sorting all': bySortingAll,
};

async function byOrdinals(source: PageSource, ordinals: Ordinal[]): Promise<FoundPage> {
  const read = readOf(source, ordinals);
  return { page: { ordinals, read }, found: await (source.begun ?? readRows(source, read)) };
}

function readOf({ unindexed }: PageSource, ordinals: readonly Ordinal[]): RowRead {
  const isUnindexed = new Set(unindexed.map(({ ordinal }) => ordinal));
  return { by: 'ordinal', ordinals: ordinals.filter((ordinal) => !isUnindexed.has(ordinal)) };
}

/** Reads the page's end of the secondary index beside finding the places. */
async function byWalk(
  source: PageSource,
  { fromEnd, rows: limit }: { fromEnd: boolean; rows: number },
): Promise<FoundPage> {
  const { plan, query, begun } = source;
  const read = walkOf(plan, query, { order: fromEnd ? reversed(query.order) : query.order, limit });
  const [found, places] = await Promise.all([begun ?? readRows(source, read), placesOfPage(source)]);
  return pageAt(source, { numbers: numbersOf(places), found, read });
}

async function byRange(source: PageSource): Promise<FoundPage> {
  const { plan, query } = source;
  const places = await placesOfPage(source);
  const ascending = query.order === 'asc' ? places : places.toReversed();
  const [first, last] = [ascending.at(0), ascending.at(-1)];
  if (!first || !last) return byOrdinals(source, []);
  const key = ({ group, number }: Place) => (plan.inTurn.length > 0 ? [group, number] : [number]);
  const read = walkOf(plan, query, { limit: query.limit, between: [key(first), key(last)] });
  const found = await (source.begun ?? readRows(source, read));
  return pageAt(source, { numbers: numbersOf(places), found, read });
}

// A query of its own costs as much as about so many rows that are read and dropped.
const rowsAQuery = 24;
// More queries than these are slower than finding each row by its ordinal.
const mostQueries = 10;

/** Along the secondary index of all where the places lie in few runs; otherwise each by its ordinal. */
async function byUpdateOrdinal(source: PageSource, { walks }: { walks: boolean }): Promise<FoundPage> {
  const { query, unindexed, begun } = source;
  const numbers = numbersOf(await placesOfPage(source));
  if (begun) return pageAt(source, { numbers, found: await begun });
  const isUnindexed = new Set(unindexed.map(({ updateOrdinal }) => updateOrdinal));
  const runs = runsOf(numbers.filter((number) => !isUnindexed.has(number)));
  if (!walks || runs.length > mostQueries) {
    const { page } = await pageAt(source, { numbers, found: [] });
    return { page, found: await readRows(source, page.read) };
  }
  const { status } = query.filter;
  const found = runs.map(async (between) => {
    const options: WalkOptions = { sort: 'updatedAt', order: 'asc', between };
    const ofStatus = status && status !== 'all' ? { ...options, status } : options;
    return Array.fromAsync(source.testimonials.walk(source.organization, ofStatus));
  });
  return pageAt(source, { numbers, found: (await Promise.all(found)).flat(2) });
}

async function byOrderOfUpdates(
  source: PageSource,
  { fromEnd, places }: { fromEnd: boolean; places: number },
): Promise<FoundPage> {
  const { reader, query, unindexed, matches, updated, total } = source;
  const { first, take } = pageOf(source);
  const ordinals = await inOrderOfUpdates(
    reader,
    { matching: await matches.all(), unindexed, updated },
    {
      skip: fromEnd ? total - first - take : first,
      take,
      places,
      direction: fromEnd ? reversed(query.order) : query.order,
    },
  );
  return byOrdinals(source, fromEnd ? ordinals.toReversed() : ordinals);
}

async function bySortingAll(source: PageSource): Promise<FoundPage> {
  const { begun: _, ...afresh } = source;
  const { page, found } = await byOrdinals(afresh, (await source.matches.all()).ordinals());
  const all = await completeRows(source, page, found);
  const ordinals = pageOfAll(source, all);
  return { page: { ordinals, read: readOf(source, ordinals) }, found: all.map(asWalked) };
}

/** The page of some testimonials, which are all that match. */
function pageOfAll(source: PageSource, all: readonly StoredTestimonial[]): Ordinal[] {
  const { sort, order } = source.query;
  const { first, take } = pageOf(source);
  const page = all.toSorted(comparison(sort, order)).slice(first, first + take);
  return page.map(({ ordinal }) => ordinal);
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

/** Numbers that lie close together, as the first and the last of each run. */
function runsOf(numbers: readonly number[]): [number[], number[]][] {
  const runs: [[number], [number]][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && number - run[1][0] <= rowsAQuery) run[1][0] = number;
    else runs.push([[number], [number]]);
  }
  return runs;
}

/**
 * The page at some places of the sort's axis, of which some rows were found.
 * @param read how they were; where nothing is said they are read by their ordinals the next time
 */
async function pageAt(
  source: PageSource,
  { numbers, found, read }: { numbers: number[]; found: WalkedRow[]; read?: RowRead },
): Promise<FoundPage> {
  const { reader, query, unindexed } = source;
  // Rows with long contents are read by their ordinals in any case: the next time all of the page's at once.
  const isLong = new Set(found.flatMap(({ ordinal, stored }) => (stored ? [] : ordinal)));
  const pageOfOrdinals = (ordinals: Ordinal[]) => ({
    ordinals,
    read: read && !ordinals.some((ordinal) => isLong.has(ordinal)) ? read : readOf(source, ordinals),
  });
  if (sortOf(query.sort).axis === 'createdAt') return { page: pageOfOrdinals(numbers), found };
  const known = new Map([...found, ...unindexed].map((row) => [row.updateOrdinal, row.ordinal]));
  const missing = numbers.filter((number) => !known.has(number));
  const more = missing.length > 0 ? await ordinalsAt(reader, missing) : new Map<number, number>();
  const ordinals = numbers.flatMap((number) => known.get(number) ?? more.get(number) ?? []);
  return { page: { ...pageOfOrdinals(ordinals), places: new Set(numbers) }, found };
}
