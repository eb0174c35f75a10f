/** The queue of those who moderate: what waits for a decision, oldest first. */
import type { Testimonial } from '../../domain/testimonial.ts';
import type { TestimonialFilter } from '../../domain/testimonial-filter.ts';
import { type ListDependencies, listTestimonials } from '../../operations/list-testimonials.ts';

/**
 * Finds the oldest pending testimonial that matches a filter, by one list.
 * @param filter its status is not asked for
 * @param passed ids of those that are not to be found
 * @returns it, where one is left, and how many are pending and match, those that were passed over included
 */
export async function oldestPending(
  deps: ListDependencies,
  organization: string,
  filter: TestimonialFilter,
  passed: readonly string[] = [],
): Promise<{ testimonial?: Testimonial; total: number }> {
  const pending = { ...filter, status: 'pending' } as const;
  // At most so many of the page are passed over, so that another one is among them, if there is one.
  for (let limit = passed.length + 1; ; limit *= 2) {
    const query = { filter: pending, sort: 'createdAt', order: 'asc', page: 1, limit } as const;
    const { testimonials, total } = await listTestimonials(deps, organization, query);
    const testimonial = testimonials.find(({ id }) => !passed.includes(id));
    if (testimonial) return { testimonial, total };
    // A list leaves out a testimonial that somebody decided on meanwhile, or that cannot be read: another one may be behind it.
    const isShort = testimonials.length < Math.min(limit, total);
    if (!isShort || limit >= 2 * total) return { total };
  }
}
