/** Counts testimonials: exact and strongly consistent, at a cost that does not grow with their number. */

import type { Counts, RequestContext } from '../domain/outcomes.ts';
import type { TestimonialFilter } from '../domain/testimonial-filter.ts';
import type { Table } from '../dynamodb/table.ts';
import { ListMemory } from './list-index/read/memory.ts';
import type { ListOptions } from './lists.ts';
import { countRatings, countsOf, countTestimonials } from './operations/count-testimonials.ts';
import { listStores } from './table/list-stores.ts';

export interface CountOperations {
  /**
   * Returns the counts of all testimonials, and of the testimonials created before each time.
   * @throws {ListTookTooLong}
   */
  count(createdBefore?: readonly Date[]): Promise<{ all: Counts; before: Counts[] }>;
  /**
   * Returns the number of matching testimonials for each filter and rating: first unrated, then one star, and
   * so on.
   * @throws {ListTookTooLong}
   * @throws {NotReady} if the list index was built with rules that cannot answer a filter
   */
  countRatings(filters: readonly TestimonialFilter[]): Promise<number[][]>;
}

/** Returns the count operations for one organization and request. */
type OpenCounts = (organization: string, request?: Pick<RequestContext, 'signal'>) => CountOperations;

/** Opens counts on a table, once for each process. */
export function openCounts(table: Table, { memory = new ListMemory(), clock }: ListOptions = {}): OpenCounts {
  return (organization, { signal } = {}) => {
    const deps = { ...listStores(table, signal), memory, clock };
    return {
      async count(createdBefore = []) {
        const times = createdBefore.map((time) => time.getTime());
        const [all, ...before] = (await countTestimonials(deps, organization, times)).map(countsOf);
        return { all: all ?? [], before };
      },
      countRatings: (filters) => countRatings(deps, organization, filters),
    };
  };
}
