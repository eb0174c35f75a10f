/** Changing all testimonials that match a filter. */
import { forEachAtOnce } from '../../../functions/concurrency.ts';
import { matcherOf } from '../../../functions/domain/matcher.ts';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import { type Status, statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import {
  changed,
  type TestimonialChange,
  TooManyTags,
} from '../../../functions/domain/testimonial-change.ts';
import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import { ListMemory } from '../../../functions/list-index/read/memory.ts';
import { changeTestimonial, TestimonialChanged } from '../../../functions/operations/change-testimonial.ts';
import { TestimonialNotFound } from '../../../functions/operations/find-testimonial.ts';
import { type ListStores, listTestimonials } from '../../../functions/operations/list-testimonials.ts';

/** The testimonials of one status that are to be changed. */
export interface Matching {
  status: Status;
  /** With that status: what must still hold when each is changed. */
  filter: TestimonialFilter;
  /** Oldest first. */
  ids: string[];
}

/** Whether there is something to change of a testimonial; also where the change is more than it may have. */
export function changes(testimonial: Testimonial, change: TestimonialChange): boolean {
  try {
    return changed(testimonial, change) !== testimonial;
  } catch (error) {
    if (error instanceof TooManyTags) return true;
    throw error;
  }
}

/**
 * Finds what matches a filter and is another one by a change.
 * @param progress told how many were found of how many
 * @param pageLength testimonials whose texts are in memory at once
 */
export async function findMatching(
  stores: ListStores,
  organization: string,
  { filter, change }: { filter: TestimonialFilter; change: TestimonialChange },
  progress: (found: number, total: number) => void = () => {},
  pageLength = 500,
): Promise<Matching[]> {
  const memory = new ListMemory();
  const list = (narrowed: TestimonialFilter, page: number, limit: number) => {
    const query = { filter: narrowed, sort: 'createdAt', order: 'asc', page, limit } as const;
    return listTestimonials({ ...stores, memory }, organization, query);
  };
  const { status: wanted = 'all' } = filter;
  const target = 'status' in change ? change.status : undefined;
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
      for (const each of testimonials.toReversed()) if (changes(each, change)) ids.add(each.id);
      progress(count + ids.size, total);
    }
    count += ids.size;
    if (ids.size > 0) found.push({ status, filter: narrowed, ids: [...ids].reverse() });
  }
  return found;
}

/** How many were changed so far, and how many not: they no longer match, or would have too many tags. */
export interface Changes {
  changed: number;
  leftAlone: number;
  full: number;
}

/**
 * Changes testimonials that still match. It may stop anywhere: those that were changed match no longer, so
 * that finding and changing again does the rest.
 * @param progress told after each
 * @throws the first error, once all that was begun has ended
 */
export async function changeMatching(
  deps: { testimonials: TestimonialStore; now: () => Date },
  organization: string,
  { matching, change }: { matching: readonly Matching[]; change: TestimonialChange },
  progress: (changes: Changes) => void,
): Promise<void> {
  const done: Changes = { changed: 0, leftAlone: 0, full: 0 };
  let failure: { error: unknown } | undefined;
  await forEachAtOnce(eachOf(matching), async ({ id, matches }) => {
    if (failure) return;
    try {
      const isAnother = (current: Testimonial) => matches(current) && changes(current, change);
      await changeTestimonial(deps, organization, id, change, isAnother);
      done.changed += 1;
    } catch (error) {
      const noLongerMatches = error instanceof TestimonialChanged || error instanceof TestimonialNotFound;
      if (noLongerMatches) done.leftAlone += 1;
      else if (error instanceof TooManyTags) done.full += 1;
      else failure ??= { error };
    }
    progress(done);
  });
  if (failure) throw failure.error;
}

function* eachOf(matching: readonly Matching[]) {
  for (const { filter, ids } of matching) {
    const matches = matcherOf(filter);
    for (const id of ids) yield { id, matches };
  }
}
