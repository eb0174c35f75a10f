/**
 * Lists testimonials with pinned ones first. Totals and pages are those of the list: each testimonial is on
 * exactly one page.
 */
import { type ListQuery, type ListResult, matcherOf, windowOf } from '../../domain/list-query.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { ordinalOfId } from '../../domain/testimonial-id.ts';
import { comparison, sortOf } from '../../domain/testimonial-order.ts';
import { findTestimonials } from './find-testimonial.ts';
import { type ListDependencies, listTestimonials } from './list-testimonials.ts';

type Listed = Awaited<ReturnType<typeof listTestimonials>>;

/**
 * Lists a page of an organization's testimonials: first the pinned ones that match the query, in the order of
 * their ids, then all others. Reads the pinned ones in parallel with the list on page 1, and on every page of
 * other sorts. On later pages sorted by `createdAt` it reads them after the list, and not at all if they all
 * come before the page.
 * @param pinned ids; unknown ones and those of other organizations are ignored
 * @throws the errors of `listTestimonials`
 */
export async function listPinnedFirst(
  deps: ListDependencies,
  organization: string,
  query: ListQuery,
  pinned: readonly string[],
): Promise<ListResult> {
  if (pinned.length === 0) return listTestimonials(deps, organization, query);
  const isFirst = query.page === 1;
  const readPinned = () => findMatching(deps, organization, query, pinned);
  const readsAtOnce = isFirst || !isInOrderOfCreation(query);
  const [listed, readWithIt] = await Promise.all([
    listTestimonials(deps, organization, query),
    readsAtOnce ? readPinned() : undefined,
  ]);
  if (!readWithIt && areAllBefore(listed, query, pinned)) return listed;
  const rows = readWithIt ?? (await readPinned());
  if (isFirst) return withPinned(listed, query, rows);
  const { length } = pinnedBefore(listed, query, rows);
  if (length === rows.length) return listed;
  const window = { ...query, before: rows.length };
  return withPinned(await listTestimonials(deps, organization, window), query, rows);
}

function isInOrderOfCreation({ sort }: ListQuery): boolean {
  const { axis, byGroup } = sortOf(sort);
  return axis === 'createdAt' && !byGroup;
}

async function findMatching(
  { testimonials }: ListDependencies,
  organization: string,
  { filter, view }: ListQuery,
  pinned: readonly string[],
): Promise<StoredTestimonial[]> {
  const matches = matcherOf(filter, view);
  const rows = await findTestimonials(testimonials, organization, pinned);
  return rows.filter(({ testimonial }) => matches(testimonial));
}

/** True if, in the order of creation, the list has no pinned testimonial on this page or after it. */
function areAllBefore({ ordinals }: Listed, { order }: ListQuery, pinned: readonly string[]): boolean {
  const [first] = ordinals;
  if (first === undefined) return true;
  const sign = order === 'asc' ? 1 : -1;
  return pinned.every((id) => {
    const ordinal = ordinalOfId(id);
    return ordinal === undefined || sign * (ordinal - first) < 0;
  });
}

/** Returns the pinned testimonials whose own positions are before everything listed. */
function pinnedBefore(
  { stored: [first], ordinals }: Listed,
  { sort, order }: ListQuery,
  rows: readonly StoredTestimonial[],
): StoredTestimonial[] {
  if (!first) return ordinals.length === 0 ? [...rows] : [];
  const compare = comparison(sort, order);
  const listed = new Set(ordinals);
  return rows.filter((row) => !listed.has(row.ordinal) && compare(row, first) < 0);
}

/**
 * Moves the pinned testimonials to the front of the whole list.
 * @param listed the page, preceded by as many testimonials as are pinned
 */
function withPinned(listed: Listed, query: ListQuery, rows: readonly StoredTestimonial[]): ListResult {
  const { page, limit } = query;
  const shown = rows.slice((page - 1) * limit, page * limit);
  const isPinned = new Set(rows.map(({ ordinal }) => ordinal));
  const others = listed.ordinals.filter((ordinal) => !isPinned.has(ordinal));
  // Every pinned testimonial that normally comes before this page moves the others one position forward.
  const isWholeStart = windowOf({ ...query, before: rows.length }).first === 0;
  const skip = isWholeStart ? 0 : pinnedBefore(listed, query, rows).length;
  const taken = others.slice(skip, skip + limit - shown.length);
  const byOrdinal = new Map(listed.stored.map((row) => [row.ordinal, row]));
  const all = [...shown, ...taken.flatMap((ordinal) => byOrdinal.get(ordinal) ?? [])];
  return { testimonials: all.map(({ testimonial }) => testimonial), total: listed.total };
}
