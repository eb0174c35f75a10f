/** The pending testimonials of an organization in the order in which a review shows them. */
import { matcherOf } from '../../../functions/domain/matcher.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import { ListMemory } from '../../../functions/list-index/read/memory.ts';
import { type ListStores, listTestimonials } from '../../../functions/operations/list-testimonials.ts';
import type { ReviewDependencies } from './review.ts';

// Read at once; each is read again when its turn comes.
const pageLength = 100;

interface Found {
  testimonials: Testimonial[];
  /** How many there are with those on later pages. */
  left: number;
}

/**
 * Returns what gives the oldest pending testimonial, each once: what is decided leaves the list, and what is skipped
 * the caller names.
 * @param filter narrows them further; its status is not asked for
 * @param limit testimonials that are read at once
 */
export function pendingTestimonials(
  stores: ListStores,
  organization: string,
  filter: TestimonialFilter = {},
  limit = pageLength,
): ReviewDependencies['next'] {
  const memory = new ListMemory();
  const pending = { ...filter, status: 'pending' } as const;
  const matches = matcherOf(pending);
  const list = (page: number) => {
    const query = { filter: pending, sort: 'createdAt', order: 'asc', page, limit } as const;
    return listTestimonials({ ...stores, memory }, organization, query);
  };

  const find = async (skipped: ReadonlySet<string>): Promise<Found> => {
    let totalAtFirst = 0;
    let before = 0;
    // From the first page on, every time: what others decide moves the rest to earlier pages.
    for (let page = 1; ; ) {
      const { testimonials, total } = await list(page);
      if (page === 1) totalAtFirst = total;
      const others = testimonials.filter(({ id }) => !skipped.has(id));
      before += testimonials.length - others.length;
      if (others.length > 0) return { testimonials: others, left: total - before };
      const isLast = testimonials.length < limit;
      // Nothing moved while the pages were read.
      if (isLast && (page === 1 || total === totalAtFirst)) return { testimonials: [], left: 0 };
      if (isLast) before = 0;
      page = isLast ? 1 : page + 1;
    }
  };

  let found: Found = { testimonials: [], left: 0 };
  return async (skipped) => {
    for (;;) {
      if (found.testimonials.length === 0) found = await find(skipped);
      const listed = found.testimonials.shift();
      if (!listed) return undefined;
      const { left } = found;
      found.left -= 1;
      const current = (await stores.testimonials.find(organization, ordinalOf(listed.id)))?.testimonial;
      if (current && matches(current)) return { testimonial: current, left };
    }
  };
}
