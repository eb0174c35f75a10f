/** Lists and counts testimonials. Lists and counts are exact and strongly consistent, at a cost that does not grow with their number. */
import type { ListQuery, ListResult } from '../domain/list-query.ts';
import type { ListStores } from '../list-index/index-store.ts';
import { ListMemory } from '../list-index/read/memory.ts';
import {
  countsOf,
  countTestimonials,
  type ListExplanation,
  listTestimonials,
} from '../operations/list-testimonials.ts';
import { indexStore } from '../persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { abortable, type Table } from '../persistence/table.ts';
import type { Counts, RequestContext } from './testimonials.ts';

export { type ListExplanation, ListMemory };

/** A page of testimonials. */
export interface TestimonialList extends ListResult {
  /** Changes when an import, an undo or a rebuild ends, because lists then show other testimonials. */
  edition: string;
  /** Facts about the making of the list, for the request log. */
  explanation: ListExplanation;
}

export interface Lists {
  /**
   * Lists one page.
   * @throws {ListTookTooLong}
   * @throws {NotReady} if the list index was built with rules that cannot answer the query
   */
  list(query: ListQuery): Promise<TestimonialList>;

  /**
   * Returns the counts of all testimonials, and then of those created before each time.
   * @throws {ListTookTooLong}
   */
  count(createdBefore?: readonly Date[]): Promise<{ all: Counts; before: Counts[] }>;
}

/** Opens the lists of a request to an organization. */
export type OpenLists = (organization: string, request?: Pick<RequestContext, 'signal'>) => Lists;

interface Opening {
  /** What lists keep until the process ends; shared with `openListChanges`. */
  memory?: ListMemory;
  /** The clock of this machine, in milliseconds. */
  clock?: () => number;
}

/** Opens the lists of a table, once for each process: they keep what they read. */
export function openLists(table: Table, opening: Opening = {}): OpenLists {
  const storesOf = (signal?: AbortSignal) => {
    const ours = abortable(table, signal);
    return { testimonials: testimonialStore(ours), index: indexStore(ours) };
  };
  return listsOn(storesOf, opening);
}

/** Does the same on any stores. */
export function listsOn(
  storesOf: (signal?: AbortSignal) => ListStores,
  { memory = new ListMemory(), clock }: Opening = {},
): OpenLists {
  return (organization, { signal } = {}) => {
    const deps = { ...storesOf(signal), memory, clock };
    return {
      list: (query) => listTestimonials(deps, organization, query),
      async count(createdBefore = []) {
        const times = createdBefore.map((time) => time.getTime());
        const [all, ...before] = (await countTestimonials(deps, organization, times)).map(countsOf);
        return { all: all ?? [], before };
      },
    };
  };
}
