/** Finds all testimonials that match a filter, in bounded steps, to change or erase them. */

import {
  OtherEdition,
  type SearchCursor,
  type SeenVersion,
  type ShownList,
  searchStart,
} from '../../domain/outcomes.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import type { TestimonialFilter } from '../../domain/testimonial-filter.ts';
import { type ListDependencies, listTestimonials } from './list-testimonials.ts';

/** The number of testimonials that one step of the desk changes, which takes a second or two. */
export const stepSize = 50;
const maxPagesPerStep = 10;

/**
 * Counts the testimonials that match a filter, as a list that shows nothing written later.
 * @param now the current time; the clock of a function may be ahead of it
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
 * Finds the next testimonials of a shown list that need the change. The list is sorted by `updatedAt` and
 * ends at `until`. A changed testimonial therefore leaves the list, and later ones move to earlier pages. The
 * search reads page after page, over several calls, until a pass from page 1 finds nothing. It can miss a
 * testimonial that moves to a page already read. If the pass finds nothing else, that testimonial stays
 * unchanged.
 *
 * | If a call | the next call begins |
 * |---|---|
 * | finds testimonials | at their first page, because the changed ones leave it |
 * | finds none | at its last page, whose first row shows whether anything has moved to an earlier page |
 * | reaches the end of a pass that has found some | at page 1, with another pass |
 * @param from where to begin: `searchStart`, then the position in the last result
 * @param needsChange returns true if a testimonial needs the change
 * @returns undefined after a pass that found nothing. If `matching` is empty, the search continues
 * @throws {OtherEdition} if an import, an undo or a rebuild has ended since the list was shown
 */
export async function nextMatching(
  deps: ListDependencies,
  organization: string,
  { filter, until, edition }: ShownList,
  from: SearchCursor,
  needsChange: (testimonial: Testimonial) => boolean,
  size = stepSize,
): Promise<{ matching: SeenVersion[]; cursor: SearchCursor } | undefined> {
  let pagesRead = 0;
  const read = async (page: number) => {
    const query = { filter, sort: 'updatedAt', order: 'asc', page, limit: size } as const;
    const listed = await listTestimonials(deps, organization, query);
    if (listed.edition !== edition) throw new OtherEdition();
    pagesRead += 1;
    return listed;
  };
  let { page, lastReadUpdate } = from;
  let listed = await read(page);
  /** True if testimonials that this pass has not read may come before a page. */
  const leavesGap = ({ stored: [first], total }: typeof listed) => {
    if (lastReadUpdate === undefined) return false;
    // Without a row, the page is past the end, or all of its rows are unreadable.
    return first === undefined ? (page - 1) * size >= total : first.updateOrdinal > lastReadUpdate;
  };
  while (page > 1 && leavesGap(listed)) {
    page -= 1;
    if (pagesRead === maxPagesPerStep) return { matching: [], cursor: { ...from, page } };
    listed = await read(page);
  }
  const found: SeenVersion[] = [];
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
      lastReadUpdate = undefined;
    }
    if (lastReadUpdate !== undefined)
      lastReadUpdate = notUpdatedSince.at(-1)?.updateOrdinal ?? lastReadUpdate;
    // A short page is not always the last one, because lists leave out unreadable testimonials.
    const isEnd = notUpdatedSince.length < listed.stored.length || page * size >= listed.total;
    if (isEnd && lastReadUpdate !== undefined) return undefined;
    if (isEnd) return { matching: found.slice(0, size), cursor: searchStart };
    if (pagesRead >= maxPagesPerStep || found.length >= size) {
      const cursor = {
        page: firstFoundPage ?? page,
        ...(lastReadUpdate !== undefined && { lastReadUpdate }),
      };
      return { matching: found.slice(0, size), cursor };
    }
    page += 1;
    listed = await read(page);
  }
}
