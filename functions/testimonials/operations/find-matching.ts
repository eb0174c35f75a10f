/** Finds all testimonials that match a filter, in bounded steps, to change or erase them. */

import {
  OtherEdition,
  type SearchPlace,
  type Seen,
  type ShownList,
  searchStart,
} from '../../domain/outcomes.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import type { TestimonialFilter } from '../../domain/testimonial-filter.ts';
import { type ListDependencies, listTestimonials } from './list-testimonials.ts';

/** The number of testimonials that one step of the desk changes: a step takes a second or two. */
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
 * `updatedAt`, so every changed testimonial leaves it, whoever changed it, and later ones move to earlier
 * pages. Testimonials with nothing to change stay, and the search reads on page by page. It ends when a
 * round from page 1 finds nothing, over any number of calls. Between two reads of one call, a testimonial can
 * move to a page that is read already: if the round finds nothing else, it stays as it is.
 *
 * | A call | goes on |
 * |---|---|
 * | finds testimonials | at their first page: what is changed leaves it |
 * | finds none | at its last page again, whose first row shows whether anything has moved to an earlier page |
 * | reaches the end, and the round has found some | at page 1, with another round |
 * @param from where to begin: `searchStart`, then the place of the last result
 * @param needsChange returns true if a testimonial needs the change
 * @returns undefined after a round that found none. `matching` can be empty: then the search goes on
 * @throws {OtherEdition}
 */
export async function nextMatching(
  deps: ListDependencies,
  organization: string,
  { filter, until, edition }: ShownList,
  from: SearchPlace,
  needsChange: (testimonial: Testimonial) => boolean,
  size = stepSize,
): Promise<{ matching: Seen[]; place: SearchPlace } | undefined> {
  let pagesRead = 0;
  const read = async (page: number) => {
    const query = { filter, sort: 'updatedAt', order: 'asc', page, limit: size } as const;
    const listed = await listTestimonials(deps, organization, query);
    if (listed.edition !== edition) throw new OtherEdition();
    pagesRead += 1;
    return listed;
  };
  let { page, foundNoneUpTo } = from;
  let listed = await read(page);
  /** True if testimonials that this round has not read may stand before a page. */
  const leavesGap = ({ stored: [first], total }: typeof listed) => {
    if (foundNoneUpTo === undefined) return false;
    // Without a row, it stands past the end, or all of its rows are unreadable.
    return first === undefined ? (page - 1) * size >= total : first.updateOrdinal > foundNoneUpTo;
  };
  while (page > 1 && leavesGap(listed)) {
    page -= 1;
    if (pagesRead === maxPagesPerStep) return { matching: [], place: { ...from, page } };
    listed = await read(page);
  }
  const found: Seen[] = [];
  let firstFoundPage: number | undefined;
  for (;;) {
    const notUpdatedSince = listed.stored.filter(({ testimonial }) => testimonial.updatedAt <= until);
    // A running import stores testimonials with an earlier `updatedAt`.
    const onShownList = notUpdatedSince
      .filter(({ writtenAt }) => writtenAt <= until)
      .map(({ testimonial }) => testimonial);
    found.push(...onShownList.filter(needsChange).map(({ id, updatedAt }) => ({ id, updatedAt })));
    if (found.length > 0) {
      firstFoundPage ??= page;
      foundNoneUpTo = undefined;
    }
    if (foundNoneUpTo !== undefined) foundNoneUpTo = notUpdatedSince.at(-1)?.updateOrdinal ?? foundNoneUpTo;
    // A short page is not always the last one, because lists leave out unreadable testimonials.
    const isEnd = notUpdatedSince.length < listed.stored.length || page * size >= listed.total;
    if (isEnd && foundNoneUpTo !== undefined) return undefined;
    if (isEnd) return { matching: found.slice(0, size), place: searchStart };
    if (pagesRead >= maxPagesPerStep || found.length >= size) {
      const place = { page: firstFoundPage ?? page, ...(foundNoneUpTo !== undefined && { foundNoneUpTo }) };
      return { matching: found.slice(0, size), place };
    }
    page += 1;
    listed = await read(page);
  }
}
