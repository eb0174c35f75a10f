/** Changing the status of all testimonials that match a filter. */
import { forEachAtOnce } from '../../../functions/concurrency.ts';
import { matcherOf } from '../../../functions/domain/matcher.ts';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import { type Status, statuses } from '../../../functions/domain/testimonial.ts';
import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import { changeStatus, TestimonialChanged } from '../../../functions/operations/change-status.ts';
import { TestimonialNotFound } from '../../../functions/operations/find-testimonial.ts';
import { type ListStores, listTestimonials } from '../../../functions/operations/list-testimonials.ts';

/** The testimonials of one status that are to get another. */
export interface Matching {
  status: Status;
  /** With that status: what must still hold when each is changed. */
  filter: TestimonialFilter;
  /** Oldest first. */
  ids: string[];
}

/**
 * Finds what matches a filter and has another status than `target`.
 * @param progress told how many were found of how many
 * @param pageLength testimonials whose texts are in memory at once
 */
export async function findMatching(
  stores: ListStores,
  organization: string,
  { filter, target }: { filter: TestimonialFilter; target: Status },
  progress: (found: number, total: number) => void = () => {},
  pageLength = 500,
): Promise<Matching[]> {
  const heads = new Map();
  const list = (narrowed: TestimonialFilter, page: number, limit: number) => {
    const query = { filter: narrowed, sort: 'createdAt', order: 'asc', page, limit } as const;
    return listTestimonials({ ...stores, heads }, organization, query);
  };
  const { status: wanted = 'all' } = filter;
  const sources = statuses.filter((status) => status !== target && (wanted === 'all' || wanted === status));
  const totals = await Promise.all(
    sources.map(async (status) => (await list({ ...filter, status }, 1, 1)).total),
  );
  const total = totals.reduce((sum, each) => sum + each, 0);

  const found: Matching[] = [];
  let count = 0;
  for (const [i, status] of sources.entries()) {
    const narrowed = { ...filter, status };
    // The last page first: what leaves the list meanwhile moves the rest to earlier pages, which are still to come.
    const ids = new Set<string>();
    for (let page = Math.ceil((totals[i] ?? 0) / pageLength); page > 0; page -= 1) {
      const { testimonials } = await list(narrowed, page, pageLength);
      for (const { id } of testimonials.toReversed()) ids.add(id);
      progress(count + ids.size, total);
    }
    count += ids.size;
    if (ids.size > 0) found.push({ status, filter: narrowed, ids: [...ids].reverse() });
  }
  return found;
}

/** How many were changed so far, and how many not, because they no longer match. */
export interface Changes {
  changed: number;
  leftAlone: number;
}

/**
 * Gives a status to testimonials that still match. It may stop anywhere: those that were changed match no longer, so
 * that finding and changing again does the rest.
 * @param progress told after each
 * @throws the first error, once all that was begun has ended
 */
export async function changeMatching(
  deps: { testimonials: TestimonialStore; now: () => Date },
  organization: string,
  { matching, target }: { matching: readonly Matching[]; target: Status },
  progress: (changes: Changes) => void,
): Promise<void> {
  const changes: Changes = { changed: 0, leftAlone: 0 };
  let failure: { error: unknown } | undefined;
  await forEachAtOnce(eachOf(matching), async ({ id, matches }) => {
    if (failure) return;
    try {
      await changeStatus(deps, organization, id, target, matches);
      changes.changed += 1;
    } catch (error) {
      const noLongerMatches = error instanceof TestimonialChanged || error instanceof TestimonialNotFound;
      if (noLongerMatches) changes.leftAlone += 1;
      else failure ??= { error };
    }
    progress(changes);
  });
  if (failure) throw failure.error;
}

function* eachOf(matching: readonly Matching[]) {
  for (const { filter, ids } of matching) {
    const matches = matcherOf(filter);
    for (const id of ids) yield { id, matches };
  }
}
