/** Finding all testimonials that match a filter, in bounded steps, to change or erase them. */
import type { Testimonial } from '../domain/testimonial.ts';
import type { TestimonialFilter } from '../domain/testimonial-filter.ts';
import type { Seen } from './attempts.ts';
import { type ListDependencies, listTestimonials } from './list-testimonials.ts';

/** The testimonials that one step of the desk changes. */
export const stepSize = 50;
// The pages that one step reads at most.
const stepPages = 10;

/** A list as a person saw it. Later testimonials and changes are not part of it. */
export interface ShownList {
  filter: TestimonialFilter;
  /** When the list was shown, ISO 8601. */
  until: string;
  edition: string;
}

/** An import, an undo or a rebuild has ended since the list was shown, so older testimonials may match now. */
export class OtherEdition extends Error {
  override name = 'OtherEdition';

  constructor() {
    super('An import or an undo may have changed which testimonials match since they were shown.');
  }
}

/**
 * Finds the next testimonials of a shown list to change. Changed testimonials leave the list, because it ends at `until` in
 * the order of `updatedAt`; a testimonial that somebody else changed leaves it likewise. Unchanged ones are passed page by
 * page. Other people can shorten the pages before, so the search ends only when a pass from the first page finds nothing.
 * @param page the page to begin with: 1, then the page of the last result
 * @param isOpen true if there is something to change
 * @returns undefined when no testimonial is left
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
  for (let current = page; current < page + stepPages && open.length < size; current += 1) {
    const query = { filter, sort: 'updatedAt', order: 'asc', page: current, limit: size } as const;
    const listed = await listTestimonials(deps, organization, query);
    if (listed.edition !== edition) throw new OtherEdition();
    const before = listed.stored.filter(({ testimonial }) => testimonial.updatedAt <= until);
    // A running import stores testimonials with earlier times.
    const shown = before.filter(({ writtenAt }) => writtenAt <= until).map(({ testimonial }) => testimonial);
    open.push(...shown.filter(isOpen).map(({ id, updatedAt }) => ({ id, updatedAt })));
    next = open.length > 0 ? (next ?? current) : current + 1;
    // A short page is not always the last one: a list leaves out unreadable testimonials.
    if (before.length === listed.stored.length && current * size < listed.total) continue;
    if (open.length === 0 && page === 1) return undefined;
    next = 1;
    break;
  }
  return { matching: open.slice(0, size), page: next ?? 1 };
}
