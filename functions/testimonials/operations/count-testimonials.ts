/** Counts testimonials: a count is a list without its last phase, the page. */
import { NotReady } from '../../domain/list-query.ts';
import type { Counts } from '../../domain/outcomes.ts';
import type { TestimonialFilter } from '../../domain/testimonial-filter.ts';
import { cells, type Summary, traitsOfCells } from '../list-index/bits/summary.ts';
import { isIndexEmpty } from '../list-index/index-store.ts';
import { correctMatches, readUnindexed } from '../list-index/read/correct.ts';
import { createdSince } from '../list-index/read/created-since.ts';
import { countBelow } from '../list-index/read/matches.ts';
import { readUnderOneHead, remember } from '../list-index/read/one-head.ts';
import { planCounts, planFor, planRatings, ungrouped } from '../list-index/read/plan.ts';
import { canAnswer } from '../list-index/terms-version.ts';
import type { ListDependencies } from './list-testimonials.ts';
import { withinLimit } from './within-limit.ts';

/**
 * Counts an organization's testimonials for each combination of status, type and rating, in the order of
 * `cells`.
 * @param times in milliseconds since 1970
 * @returns the counts of all testimonials, and of the testimonials created before each time
 * @throws {ListTookTooLong}
 */
export function countTestimonials(deps: ListDependencies, organization: string, times: number[] = []) {
  return withinLimit(deps.clock, async () => {
    const firstRound = await readUnderOneHead(deps, organization, planCounts());
    const unindexed = await readUnindexed(deps, firstRound);
    const { matches } = await correctMatches(firstRound, unindexed);
    const all = {
      ...firstRound,
      plan: { ...firstRound.plan, groups: ungrouped, usesSummaries: false },
      bitsOrCounts: undefined,
    };
    const since = times.length > 0 ? await createdSince(times, await correctMatches(all, unindexed)) : [];
    const counts = await countBelow(matches, [Infinity, ...since], cells.length);
    if (firstRound.reader.isOverlapped) return undefined;
    remember(deps, firstRound);
    return counts;
  });
}

/**
 * Counts the testimonials that match each filter, by rating. All filters use one head, and read each posting
 * only once.
 * @returns the counts for each filter: unrated, one star, and so on
 * @throws {ListTookTooLong}
 * @throws {NotReady} if the postings were built with rules that cannot answer a filter
 */
export function countRatings(
  deps: ListDependencies,
  organization: string,
  filters: readonly TestimonialFilter[],
): Promise<number[][]> {
  const [first, ...others] = filters.map(planRatings);
  if (!first) return Promise.resolve([]);
  return withinLimit(deps.clock, async () => {
    const firstRound = await readUnderOneHead(deps, organization, first);
    const { head, reader } = firstRound;
    const plans = [firstRound.plan, ...others.map((plan) => planFor(plan, head))];
    if (!plans.every(({ needs }) => canAnswer(head.terms, needs)))
      throw new NotReady(organization, head.terms);
    const unindexed = await readUnindexed(deps, firstRound);
    // One call for all plans, so that the lists below find their postings already read.
    const postings = plans.flatMap(({ reads }) => reads.flat());
    if (!isIndexEmpty(head)) await reader.bitmapsOf(firstRound.plan.axis, postings);
    const counts: number[][] = [];
    // In sequence, because the bits of all groups at once can need hundreds of megabytes.
    for (const plan of plans) {
      const rows = [...unindexed.tail, ...unindexed.changed];
      const matchingUnindexed = rows.filter(({ testimonial }) => plan.isMatch(testimonial));
      const { matches } = await correctMatches(
        { ...firstRound, plan, bitsOrCounts: undefined },
        { ...unindexed, matchingUnindexed },
      );
      counts.push(...(await countBelow(matches, [Infinity], plan.groups.terms.length)));
    }
    if (firstRound.reader.isOverlapped) return undefined;
    remember(deps, firstRound);
    return counts;
  });
}

/** Names the numbers of a summary. */
export function countsOf(summary: Summary): Counts {
  return traitsOfCells.map((traits, i) => ({ ...traits, count: summary[i] ?? 0 }));
}
