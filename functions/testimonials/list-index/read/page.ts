/**
 * The fourth phase of a list: finds the testimonials of the page and reads their rows, with one finder per
 * row plan.
 */
import { matcherOf, windowOf } from '../../../domain/list-query.ts';
import type { StoredTestimonial } from '../../../domain/stored-testimonial.ts';
import { everyTestimonial } from '../../../domain/terms.ts';
import { changeableFilter } from '../../../domain/testimonial-filter.ts';
import {
  comparison,
  type Direction,
  type Ordinal,
  type Ordinals,
  sortOf,
} from '../../../domain/testimonial-order.ts';
import type { WalkedRow } from '../../model/testimonial-store.ts';
import { type Bitmap, chunkOf } from '../bits/bitmap.ts';
import { blockSize } from '../bits/posting-codec.ts';
import { axisStart } from '../index-store.ts';
import { facetPosting } from '../index-terms.ts';
import type { CorrectedList, Unindexed } from './correct.ts';
import type { ListReader } from './list-reader.ts';
import type { ListPosition } from './matches.ts';
import type { FirstRound } from './one-head.ts';
import { type PageRows, type RowPlan, type RowRead, reversed } from './plan.ts';

/** A page, and the rows read to find it. */
interface FoundPage {
  page: PageRows;
  rows: WalkedRow[];
}

/** A corrected list and the part of it that the page shows. */
interface PageSource extends CorrectedList {
  /** The unindexed testimonials that match. */
  matchingUnindexed: StoredTestimonial[];
  /** The position of the page's first testimonial in the list, from 0. */
  first: number;
  /** The number of testimonials of the page. */
  take: number;
}

export async function findPage(
  corrected: CorrectedList,
  { matchingUnindexed }: Unindexed,
  rowPlan: RowPlan,
): Promise<FoundPage> {
  const { total, firstRound } = corrected;
  const { first, most } = windowOf(firstRound.plan.query);
  const source = { ...corrected, matchingUnindexed, first, take: Math.min(most, total - first) };
  return finders[rowPlan.by](source, rowPlan as never); // the key determines the type of the plan
}

const finders: {
  [By in RowPlan['by']]: (source: PageSource, plan: Extract<RowPlan, { by: By }>) => Promise<FoundPage>;
} = {
  nothing: (source) => readPage(source, []),
  tail: async (source) => slicePage(source, source.matchingUnindexed),
  walk: findByWalk,
  range: findByRange,
  ordinal: async (source) => readPage(source, numbersOf(await findPositions(source))),
  'update ordinal': findByUpdateOrdinals,
  'order of updates': findInOrderOfUpdates,
  'sorting all': findBySortingAll,
};

/** Walks the secondary index and looks up the positions at the same time. */
async function findByWalk(source: PageSource, rowRead: Extract<RowPlan, { by: 'walk' }>): Promise<FoundPage> {
  const { reader, rows } = source.firstRound;
  const [walked, positions] = await Promise.all([rows ?? reader.rows(rowRead), findPositions(source)]);
  return pageAt(source, numbersOf(positions), walked, rowRead);
}

async function findByRange(
  source: PageSource,
  { options }: Extract<RowPlan, { by: 'range' }>,
): Promise<FoundPage> {
  const { plan, reader, rows } = source.firstRound;
  const positions = await findPositions(source);
  const keys = positions.map(({ group, number }) =>
    plan.groups.terms.length > 1 ? [group, number] : [number],
  );
  if (options.order === 'desc') keys.reverse();
  const [first, last] = [keys[0], keys.at(-1)];
  if (!first || !last) return readPage(source, []);
  const rowRead: RowRead = { by: 'walk', options: { ...options, between: [first, last] } };
  return pageAt(source, numbersOf(positions), rows ?? (await reader.rows(rowRead)), rowRead);
}

// A separate query costs about as much as reading and dropping this many rows.
const rowsPerQuery = 24;
// More queries than this are slower than one get per row.
const maxQueries = 10;

/**
 * Queries the secondary index of all testimonials if the positions form few runs. Otherwise gets each row.
 */
async function findByUpdateOrdinals(
  source: PageSource,
  { walks }: Extract<RowPlan, { by: 'update ordinal' }>,
): Promise<FoundPage> {
  const { plan, reader, rows } = source.firstRound;
  const numbers = numbersOf(await findPositions(source));
  if (rows) return pageAt(source, numbers, rows);
  const isUnindexed = new Set(source.matchingUnindexed.map(({ updateOrdinal }) => updateOrdinal));
  const runs = groupIntoRuns(numbers.filter((number) => !isUnindexed.has(number)));
  if (!walks || runs.length > maxQueries) {
    const { page } = await pageAt(source, numbers, []);
    return { page, rows: await reader.rows(page.rowRead) };
  }
  const { status } = plan.query.filter;
  const ofStatus = status && status !== 'all' ? { status } : {};
  const walked = runs.map((between) =>
    reader.allRows({ ...ofStatus, sort: 'updatedAt', order: 'asc', between }),
  );
  return pageAt(source, numbers, (await Promise.all(walked)).flat());
}

async function findInOrderOfUpdates(
  source: PageSource,
  { fromEnd, expected }: Extract<RowPlan, { by: 'order of updates' }>,
): Promise<FoundPage> {
  const { firstRound, matchingUnindexed, matches, total, first, take } = source;
  const { order } = firstRound.plan.query;
  const ordinals = await inOrderOfUpdates(firstRound.reader, await matches.all(), matchingUnindexed, {
    skip: fromEnd ? total - first - take : first,
    take,
    expected,
    order: fromEnd ? reversed(order) : order,
  });
  return readPage(source, fromEnd ? ordinals.toReversed() : ordinals);
}

async function findBySortingAll(source: PageSource): Promise<FoundPage> {
  const { firstRound, matchingUnindexed, matches } = source;
  const ordinals = (await matches.all()).ordinals();
  const rows = await firstRound.reader.rows(planGets(source, ordinals));
  return slicePage(source, await completeRows(firstRound, matchingUnindexed, { ordinals }, rows));
}

/** Sorts all testimonials of a list and slices the page out of them. */
function slicePage(source: PageSource, all: readonly StoredTestimonial[]): FoundPage {
  const { firstRound, first, take } = source;
  const { sort, order } = firstRound.plan.query;
  const page = all.toSorted(comparison(sort, order)).slice(first, first + take);
  const ordinals = page.map(({ ordinal }) => ordinal);
  return {
    page: { ordinals, rowRead: planGets(source, ordinals) },
    rows: page.map((stored) => ({ ...stored, stored })),
  };
}

/** Returns the page with the given ordinals, and gets their rows. */
async function readPage(source: PageSource, ordinals: Ordinal[]): Promise<FoundPage> {
  const { reader, rows } = source.firstRound;
  const gets = planGets(source, ordinals);
  return { page: { ordinals, rowRead: gets }, rows: rows ?? (await reader.rows(gets)) };
}

/**
 * Returns the page at the given positions of the sort's axis.
 * @param rows read so far
 * @param rowRead the read of these rows, for the next list to repeat; by default it reads them by ordinal
 */
async function pageAt(
  source: PageSource,
  numbers: number[],
  rows: WalkedRow[],
  rowRead?: RowRead,
): Promise<FoundPage> {
  // A secondary index omits long contents, so the next list gets all rows of the page by ordinal.
  const isLong = new Set(rows.flatMap(({ ordinal, stored }) => (stored ? [] : ordinal)));
  const pageWith = (ordinals: Ordinal[]) => ({
    ordinals,
    rowRead:
      rowRead && !ordinals.some((ordinal) => isLong.has(ordinal)) ? rowRead : planGets(source, ordinals),
  });
  if (sortOf(source.firstRound.plan.query.sort).axis === 'createdAt')
    return { page: pageWith(numbers), rows };
  const ordinalOf = new Map(
    [...rows, ...source.matchingUnindexed].map((row) => [row.updateOrdinal, row.ordinal]),
  );
  const missing = numbers.filter((number) => !ordinalOf.has(number));
  const inBlocks =
    missing.length > 0 ? await ordinalsAt(source.firstRound.reader, missing) : new Map<number, Ordinal>();
  const ordinals = numbers.flatMap((number) => ordinalOf.get(number) ?? inBlocks.get(number) ?? []);
  return { page: { ...pageWith(ordinals), updateOrdinals: new Set(numbers) }, rows };
}

/** Plans to get the indexed testimonials among the given ordinals. */
function planGets({ matchingUnindexed }: PageSource, ordinals: readonly Ordinal[]): RowRead {
  const isUnindexed = new Set(matchingUnindexed.map(({ ordinal }) => ordinal));
  return { by: 'ordinal', ordinals: ordinals.filter((ordinal) => !isUnindexed.has(ordinal)) };
}

/** Looks up the positions of the page from the nearer end of the list. */
async function findPositions({
  matches,
  firstRound,
  total,
  first,
  take,
}: PageSource): Promise<ListPosition[]> {
  const { order } = firstRound.plan.query;
  const afterwards = total - first - take;
  if (first <= afterwards) return matches.select(first, take, order);
  return (await matches.select(afterwards, take, reversed(order))).reverse();
}

function numbersOf(positions: ListPosition[]): number[] {
  return positions.map(({ number }) => number);
}

/** Groups numbers that are close together into runs. Returns the first and last number of each run. */
function groupIntoRuns(numbers: readonly number[]): [number[], number[]][] {
  const runs: [[number], [number]][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && number - run[1][0] <= rowsPerQuery) run[1][0] = number;
    else runs.push([[number], [number]]);
  }
  return runs;
}

/**
 * Returns the rows of a page. Gets rows with long content, and reads missing rows and rows that no longer
 * match again. Omits a row whose status or tags still do not match the filter. Other fields in filters cannot
 * change.
 */
export async function completeRows(
  { plan, reader }: FirstRound,
  matchingUnindexed: readonly StoredTestimonial[],
  { ordinals, updateOrdinals }: Pick<PageRows, 'ordinals' | 'updateOrdinals'>,
  rows: readonly WalkedRow[],
): Promise<StoredTestimonial[]> {
  const matches = matcherOf(changeableFilter(plan.query.filter), plan.query.view);
  const complete = new Map<Ordinal, StoredTestimonial>();
  const addMatching = (candidates: readonly StoredTestimonial[]) => {
    for (const row of candidates) if (matches(row.testimonial)) complete.set(row.ordinal, row);
  };
  // A row with a different update ordinal is out of date.
  const current = rows.filter(({ updateOrdinal }) => updateOrdinals?.has(updateOrdinal) ?? true);
  addMatching(current.flatMap(({ stored }) => stored ?? []));
  addMatching(matchingUnindexed);
  const isLong = new Set(rows.flatMap(({ ordinal, stored }) => (stored ? [] : ordinal)));
  const missing = () => ordinals.filter((ordinal) => !complete.has(ordinal));
  const long = missing().filter((ordinal) => isLong.has(ordinal));
  addMatching(await reader.testimonials(long, { consistent: false }));
  addMatching(await reader.testimonials(missing()));
  return ordinals.flatMap((ordinal) => complete.get(ordinal) ?? []);
}

/**
 * Returns the ordinals of a page in the order of updates, from one of its ends.
 * @param allMatches by ordinal, with or without the unindexed testimonials
 * @param page `expected` is the number of positions to read
 */
export async function inOrderOfUpdates(
  reader: ListReader,
  allMatches: Bitmap,
  matchingUnindexed: readonly Ordinals[],
  { skip, take, order, expected }: { skip: number; take: number; order: Direction; expected: number },
): Promise<Ordinal[]> {
  const isAscending = order === 'asc';
  const indexed = allMatches.clone();
  for (const { ordinal } of matchingUnindexed) indexed.delete(ordinal);
  const first = axisStart(reader.head, 'updatedAt') / blockSize;
  // If a rebuild found only erased testimonials, the index contains no updates.
  const end = Math.max(first, Math.floor(reader.head.updated / blockSize)) + 1;
  // Unindexed testimonials can have positions below and above all indexed ones.
  const unindexedIn = Map.groupBy(matchingUnindexed, ({ updateOrdinal }) =>
    Math.min(Math.max(first, Math.floor(updateOrdinal / blockSize)), end - 1),
  );

  const ordinals: Ordinal[] = [];
  let toSkip = skip;
  const expectedBlocks = Math.max(1, Math.ceil(expected / blockSize));
  for (const { from, to } of blockRanges(first, end, expectedBlocks, isAscending)) {
    if (ordinals.length >= take) break;
    const indexedIn = await readBlocks(reader, indexed, from, to);
    for (let i = 0; i < to - from && ordinals.length < take; i += 1) {
      const block = isAscending ? from + i : to - 1 - i;
      const inBlock = [...indexedIn(block), ...(unindexedIn.get(block) ?? [])].sort(
        (a, b) => (isAscending ? 1 : -1) * (a.updateOrdinal - b.updateOrdinal),
      );
      const shown = inBlock.slice(toSkip, toSkip + take - ordinals.length);
      ordinals.push(...shown.map(({ ordinal }) => ordinal));
      toSkip = Math.max(0, toSkip - inBlock.length);
    }
  }
  return ordinals;
}

/**
 * Yields ranges of blocks from one end to the other. The first has as many blocks as the page probably needs,
 * and each later one doubles the number of blocks read so far.
 */
function* blockRanges(first: number, end: number, expected: number, isAscending: boolean) {
  const all = end - first;
  for (let done = 0, next = expected; done < all; next *= 2) {
    const last = Math.min(next, all);
    yield isAscending ? { from: first + done, to: first + last } : { from: end - last, to: end - done };
    done = last;
  }
}

/**
 * Reads the blocks from `from` up to, but not including, `to`.
 * @returns a function that maps a block's number to the current positions of the given testimonials in it
 */
async function readBlocks(
  reader: ListReader,
  ordinals: Bitmap,
  from: number,
  to: number,
): Promise<(block: number) => Ordinals[]> {
  const [blocks, current] = await Promise.all([
    reader.blocksBetween(from, to - 1),
    // A block also lists former positions of a testimonial. Only the current one has a bit.
    reader.chunksBetween(
      facetPosting('updatedAt', everyTestimonial),
      chunkOf(from * blockSize),
      chunkOf(to * blockSize - 1),
    ),
  ]);
  return (block) => {
    const positions: Ordinals[] = [];
    for (const [i, ordinal] of (blocks.get(block) ?? []).entries()) {
      const updateOrdinal = block * blockSize + i;
      if (ordinals.has(ordinal) && current.has(updateOrdinal)) positions.push({ ordinal, updateOrdinal });
    }
    return positions;
  };
}

/** Looks up the ordinals at the given update ordinals. Omits unknown ones. */
export async function ordinalsAt(
  reader: ListReader,
  updateOrdinals: readonly number[],
): Promise<Map<number, Ordinal>> {
  const numbers = [...new Set(updateOrdinals.map((number) => Math.floor(number / blockSize)))];
  const blocks = await reader.blocks(numbers);
  const blockOf = new Map(numbers.map((number, i) => [number, blocks[i]]));
  return new Map(
    updateOrdinals.flatMap((number) => {
      const ordinal = blockOf.get(Math.floor(number / blockSize))?.[number % blockSize] ?? 0;
      return ordinal > 0 ? [[number, ordinal] as const] : [];
    }),
  );
}
