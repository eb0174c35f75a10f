/** Counts testimonials: exact and strongly consistent, at a cost that does not grow with their number. */

import type { Counts, RequestContext } from '../domain/outcomes.ts';
import { abortable, type Table } from '../persistence/table.ts';
import type { ListStores } from './list-index/index-store.ts';
import { ListMemory } from './list-index/read/memory.ts';
import type { ListOpening } from './lists.ts';
import { countsOf, countTestimonials } from './operations/list-testimonials.ts';
import { indexStore } from './table/index-store.ts';
import { testimonialStore } from './table/testimonial-store.ts';

export interface Counting {
  /**
   * Returns the counts of all testimonials, and then of those created before each time.
   * @throws {ListTookTooLong}
   */
  count(createdBefore?: readonly Date[]): Promise<{ all: Counts; before: Counts[] }>;
}

/** Opens the counts of a request to an organization. */
export type OpenCounts = (organization: string, request?: Pick<RequestContext, 'signal'>) => Counting;

/** Opens the counts of a table, once for each process. */
export function openCounts(table: Table, opening: ListOpening = {}): OpenCounts {
  return countsOn((signal) => {
    const ours = abortable(table, signal);
    return { testimonials: testimonialStore(ours), index: indexStore(ours) };
  }, opening);
}

/** Does the same on any stores. */
export function countsOn(
  storesOf: (signal?: AbortSignal) => ListStores,
  { memory = new ListMemory(), clock }: ListOpening = {},
): OpenCounts {
  return (organization, { signal } = {}) => ({
    async count(createdBefore = []) {
      const times = createdBefore.map((time) => time.getTime());
      const deps = { ...storesOf(signal), memory, clock };
      const [all, ...before] = (await countTestimonials(deps, organization, times)).map(countsOf);
      return { all: all ?? [], before };
    },
  });
}
