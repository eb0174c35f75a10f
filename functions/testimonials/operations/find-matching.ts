/** Finds all testimonials that match a filter, in bounded steps, to change or erase them. */

import { OtherEdition, type Seen, type ShownList } from '../../domain/outcomes.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import type { TestimonialFilter } from '../../domain/testimonial-filter.ts';
import { type ListDependencies, listTestimonials } from './list-testimonials.ts';

/** The number of testimonials that one step of the desk changes. */
export const stepSize = 50;
const maxPagesPerStep = 10;

/**
 * Counts the testimonials that match a filter, as a list that shows nothing written later.
 * @param now a clock of a function may be ahead of it
 */
export async function showMatching(
  deps: ListDependencies,
  organization: string,
  filter: TestimonialFilter,
  now: Date,
): Promise<ShownList & { total: number }> {
  const query = { filter, sort: 'updatedAt', order: 'desc', page: 1, limit: 1 } as const;
  const { total, edition, stored } = await listTestimonials(deps, organization, query);
  const times = stored.flatMap(({ testimonial, writtenAt }) => [testimonial.updatedAt, writtenAt]);
  const until = [now.toISOString(), ...times].toSorted().at(-1) ?? '';
  return { filter, until, edition, total };
}

/**
 * Finds the next testimonials of a shown list to change. The list ends at `until` in the order of
 * `updatedAt`, so every changed testimonial leaves it, whoever changed it. Testimonials with nothing to
 * change stay, and the search skips them page by page. Changes by other people move testimonials to earlier
 * pages, so the search ends only when a pass from page 1 finds nothing.
 * @param page the page to begin with: 1, then the page of the last result
 * @param isOpen returns true if a testimonial needs the change
 * @returns undefined if no testimonial needs the change
 * @throws {OtherEdition}
 */
export async function nextMatching(
  deps: ListDependencies,
  organization: string,
  { filter, until, edition }: ShownList,
  page: number,
  isOpen: (testimonial: Testimonial) => boolean,
  size = stepSize,
): Promise<{ matching: Seen[]; page: number } | undefined> {
  const open: Seen[] = [];
  let next: number | undefined;
  for (let current = page; current < page + maxPagesPerStep && open.length < size; current += 1) {
    const query = { filter, sort: 'updatedAt', order: 'asc', page: current, limit: size } as const;
    const listed = await listTestimonials(deps, organization, query);
    if (listed.edition !== edition) throw new OtherEdition();
    const before = listed.stored.filter(({ testimonial }) => testimonial.updatedAt <= until);
    // A running import stores testimonials with an earlier `updatedAt`.
    const shown = before.filter(({ writtenAt }) => writtenAt <= until).map(({ testimonial }) => testimonial);
    open.push(...shown.filter(isOpen).map(({ id, updatedAt }) => ({ id, updatedAt })));
    next = open.length > 0 ? (next ?? current) : current + 1;
    // A short page is not always the last one, because lists leave out unreadable testimonials.
    if (before.length === listed.stored.length && current * size < listed.total) continue;
    if (open.length === 0 && page === 1) return undefined;
    next = 1;
    break;
  }
  return { matching: open.slice(0, size), page: next ?? 1 };
}
