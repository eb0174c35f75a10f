/** Attempts with all testimonials that match a filter, in steps that are bounded and may stop anywhere. */
import type { TestimonialFilter } from '../domain/testimonial-filter.ts';
import type { Seen, Tally } from './attempts.ts';
import { type ListDependencies, listTestimonials } from './list-testimonials.ts';

/** What one step takes at most. */
export const stepSize = 50;

export interface Reached {
  /** ISO 8601: what was changed since is left as it is. */
  until: string;
  /** How many stay in front because there was nothing to change of them. */
  passed: number;
}

/**
 * Takes the next step. What matches is taken by its updatedAt, which a change moves: what is done leaves the front of that order,
 * and whoever changed a testimonial since `until` keeps what they decided.
 * @param attempt with some testimonials as they were found
 * @returns the tally, and how far this has come; undefined where nothing was left
 */
export async function stepThroughMatching(
  deps: ListDependencies,
  organization: string,
  { filter, until, passed }: Reached & { filter: TestimonialFilter },
  attempt: (some: readonly Seen[]) => Promise<Tally>,
): Promise<{ tally: Tally; passed: number } | undefined> {
  const page = Math.floor(passed / stepSize) + 1;
  const query = { filter, sort: 'updatedAt', order: 'asc', page, limit: stepSize } as const;
  const { testimonials } = await listTestimonials(deps, organization, query);
  const some = testimonials.slice(passed % stepSize).filter(({ updatedAt }) => updatedAt <= until);
  if (some.length === 0) return undefined;
  const tally = await attempt(some);
  return { tally, passed: passed + tally.already.length + tally.tooManyTags.length };
}
