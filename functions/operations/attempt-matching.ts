/** Attempts with all testimonials that match a filter, in steps that are bounded and may stop anywhere. */
import type { TestimonialFilter } from '../domain/testimonial-filter.ts';
import type { Seen, Tally } from './attempts.ts';
import { type ListDependencies, listTestimonials } from './list-testimonials.ts';

/** What one step takes at most. */
export const stepSize = 50;

export interface Reached {
  /** How many stay in front because there was nothing to change of them. */
  passed: number;
  /** The id of the last of these; empty before the first. */
  last: string;
}

export interface Matching {
  filter: TestimonialFilter;
  /** ISO 8601: what was changed since is left as it is. */
  until: string;
}

/**
 * Takes the next step. What matches is taken by its updatedAt, which a change moves: what is done leaves the front of that order,
 * and whoever changed a testimonial since `until` keeps what they decided. Where somebody changed what was passed, the others are
 * no longer where they were: it begins again, and changes nothing twice.
 * @param attempt with some testimonials as they were found
 * @returns what was done, and how far this has come; undefined where nothing was left
 */
export async function stepThroughMatching(
  deps: ListDependencies,
  organization: string,
  { filter, until, passed, last }: Matching & Reached,
  attempt: (some: readonly Seen[]) => Promise<Tally>,
): Promise<(Reached & { done: number }) | undefined> {
  const pageWith = async (place: number) => {
    const page = Math.floor(place / stepSize) + 1;
    const query = { filter, sort: 'updatedAt', order: 'asc', page, limit: stepSize } as const;
    return (await listTestimonials(deps, organization, query)).testimonials;
  };
  const found = await pageWith(passed);
  // Read after what follows it: what is in its place now was there before.
  const front = passed % stepSize === 0 && passed > 0 ? await pageWith(passed - 1) : found;
  if (passed > 0 && front[(passed - 1) % stepSize]?.id !== last) return { done: 0, passed: 0, last: '' };
  const some = found.slice(passed % stepSize).filter(({ updatedAt }) => updatedAt <= until);
  if (some.length === 0) return undefined;
  const { done, already, tooManyTags } = await attempt(some);
  const stay = new Set([...already, ...tooManyTags]);
  return {
    done: done.length,
    passed: passed + stay.size,
    last: some.findLast(({ id }) => stay.has(id))?.id ?? last,
  };
}
