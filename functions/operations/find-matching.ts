/** Finding all testimonials that match a filter, to change them. */
import { type Status, statuses } from '../domain/testimonial.ts';
import { changed, type TestimonialChange } from '../domain/testimonial-change.ts';
import type { TestimonialFilter } from '../domain/testimonial-filter.ts';
import { ListMemory } from '../list-index/read/memory.ts';
import type { Seen } from './attempts.ts';
import { type ListStores, listTestimonials } from './list-testimonials.ts';

/** A testimonial that is to be changed, as it was found. */
export type Matching = Seen & { status: Status };

/**
 * Finds what matches a filter and is another one by a change, status by status, each oldest first.
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
  const list = (status: Status, page: number, limit: number) => {
    const query = { filter: { ...filter, status }, sort: 'createdAt', order: 'asc', page, limit } as const;
    return listTestimonials({ ...stores, memory }, organization, query);
  };
  const { status: wanted = 'all' } = filter;
  const { status: target, addTags = [], removeTags = [] } = change;
  // Testimonials that have the status already are not read, if nothing else is to be changed.
  const isPassed = (status: Status) => status === target && addTags.length + removeTags.length === 0;
  const sources = statuses.filter((status) => !isPassed(status) && (wanted === 'all' || wanted === status));
  const totals = await Promise.all(sources.map(async (status) => (await list(status, 1, 1)).total));
  const total = totals.reduce((sum, each) => sum + each, 0);

  const found: Matching[] = [];
  for (const [i, status] of sources.entries()) {
    // The last page first: what leaves the list meanwhile moves the rest to earlier pages, which are still to come.
    const ofStatus = new Map<string, Matching>();
    for (let page = Math.ceil((totals[i] ?? 0) / pageLength); page > 0; page -= 1) {
      const { testimonials } = await list(status, page, pageLength);
      for (const each of testimonials.toReversed()) {
        const { id, updatedAt } = each;
        if (changed(each, change) !== each) ofStatus.set(id, { id, updatedAt, status });
      }
      progress(found.length + ofStatus.size, total);
    }
    found.push(...[...ofStatus.values()].reverse());
  }
  return found;
}
