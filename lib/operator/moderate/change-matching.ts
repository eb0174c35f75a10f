/**
 * Changes all testimonials that match a filter, for the commands `testimonial approve`, `reject` and `tag`.
 */

import type { ShownList } from '../../../functions/domain/outcomes.ts';
import { type Status, statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import { applyChange, type TestimonialChange } from '../../../functions/domain/testimonial-change.ts';
import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import { changeEach } from '../../../functions/testimonials/operations/change-testimonial.ts';
import { nextMatching } from '../../../functions/testimonials/operations/find-matching.ts';
import {
  type ListDependencies,
  listTestimonials,
} from '../../../functions/testimonials/operations/list-testimonials.ts';

interface Organization extends ListDependencies {
  organization: string;
  now: () => Date;
}

/** The testimonials of one status that match a filter. */
export interface Matching extends ShownList {
  status: Status;
  total: number;
}

/** Numbers of testimonials that were changed, needed no change, or would have too many tags. */
export type Counts = Record<'changed' | 'unchanged' | 'full', number>;

// Testimonials in memory at once.
const stepSize = 500;

/** Counts the testimonials that match, by status. Leaves out the new status if the change sets no tags. */
export async function countMatching(
  deps: Organization,
  filter: TestimonialFilter,
  { status: target, addTags = [], removeTags = [] }: TestimonialChange,
): Promise<Matching[]> {
  const now = deps.now().toISOString();
  const { status: wanted = 'all' } = filter;
  const isDone = (status: Status) => status === target && addTags.length + removeTags.length === 0;
  const sources = statuses.filter((status) => !isDone(status) && (wanted === 'all' || wanted === status));
  const lists = sources.map(async (status): Promise<Matching> => {
    const ofStatus = { ...filter, status };
    const query = { filter: ofStatus, sort: 'updatedAt', order: 'desc', page: 1, limit: 1 } as const;
    const { total, edition, stored } = await listTestimonials(deps, deps.organization, query);
    // The clock of a function may be ahead of this one.
    const times = stored.flatMap(({ testimonial, writtenAt }) => [testimonial.updatedAt, writtenAt]);
    const until = [now, ...times].toSorted().at(-1) ?? now;
    return { status, total, filter: ofStatus, until, edition };
  });
  return (await Promise.all(lists)).filter(({ total }) => total > 0);
}

/**
 * Changes the testimonials that `countMatching` counted, except those changed since.
 * @param pace called before each block of changes, with their number
 * @param progress called after each change
 */
export async function changeMatching(
  deps: Organization & { pace: (changes: number) => Promise<void>; progress: (counts: Counts) => void },
  lists: readonly Matching[],
  change: TestimonialChange,
): Promise<void> {
  const { organization, pace, progress } = deps;
  const unchanged = new Set<string>();
  const full = new Set<string>();
  let done = 0;
  const report = (more = 0) => progress({ changed: done + more, unchanged: unchanged.size, full: full.size });
  const isOpen = (testimonial: Testimonial) => {
    const next = applyChange(testimonial, change);
    if (next === testimonial) unchanged.add(testimonial.id);
    if (!next) full.add(testimonial.id);
    return next !== testimonial && next !== undefined;
  };
  for (const list of lists) {
    for (let page = 1; ; ) {
      const step = await nextMatching(deps, organization, list, page, isOpen, stepSize);
      report();
      if (!step) break;
      const tally = await changeEach(deps, organization, step.matching, change, {
        pace,
        onOutcome: ({ done: now }) => report(now.length),
      });
      done += tally.done.length;
      page = step.page;
    }
  }
}
