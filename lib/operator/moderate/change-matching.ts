/**
 * Changes all testimonials that match a filter, for the commands `testimonial approve`, `reject` and `tag`.
 */

import { type ShownList, searchStart } from '../../../functions/domain/outcomes.ts';
import { type Status, statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import { applyChange, type TestimonialChange } from '../../../functions/domain/testimonial-change.ts';
import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import type { ListChanges } from '../../../functions/testimonials/list-changes.ts';

/** The testimonials of one status that match a filter. */
export interface StatusMatches extends ShownList {
  status: Status;
  total: number;
}

/** Numbers of testimonials that were changed, needed no change, or would have too many tags. */
export type ChangeTotals = Record<'changed' | 'unchanged' | 'full', number>;

// Testimonials in memory at once.
const stepSize = 500;

/** Counts the matching testimonials by status. Leaves out the new status if the change sets no tags. */
export async function countMatching(
  { showMatching }: ListChanges,
  filter: TestimonialFilter,
  { status: target, addTags = [], removeTags = [] }: TestimonialChange,
): Promise<StatusMatches[]> {
  const { status: wanted = 'all' } = filter;
  const isDone = (status: Status) => status === target && addTags.length + removeTags.length === 0;
  const sources = statuses.filter((status) => !isDone(status) && (wanted === 'all' || wanted === status));
  const lists = sources.map(async (status) => ({ status, ...(await showMatching({ ...filter, status })) }));
  return (await Promise.all(lists)).filter(({ total }) => total > 0);
}

/**
 * Changes the testimonials that `countMatching` counted, except those that have changed since.
 * @param options.pace called before each block of changes, with their number
 * @param options.progress called after each change
 */
export async function changeMatching(
  { changeMany, nextMatching }: ListChanges,
  lists: readonly StatusMatches[],
  change: TestimonialChange,
  { pace, progress }: { pace: (changes: number) => Promise<void>; progress: (counts: ChangeTotals) => void },
): Promise<void> {
  const unchanged = new Set<string>();
  const full = new Set<string>();
  let done = 0;
  const report = (more = 0) => progress({ changed: done + more, unchanged: unchanged.size, full: full.size });
  const needsChange = (testimonial: Testimonial) => {
    const next = applyChange(testimonial, change);
    if (next === 'unchanged') unchanged.add(testimonial.id);
    if (next === 'tooManyTags') full.add(testimonial.id);
    return typeof next !== 'string';
  };
  for (const list of lists) {
    for (let from = searchStart; ; ) {
      const step = await nextMatching(list, from, needsChange, stepSize);
      report();
      if (!step) break;
      const tally = await changeMany(step.matching, change, {
        pace,
        onOutcome: (_id, _outcome, { done: now }) => report(now.length),
      });
      done += tally.done.length;
      from = step.cursor;
    }
  }
}
