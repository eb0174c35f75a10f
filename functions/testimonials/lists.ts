/** Lists testimonials: exact and strongly consistent, at a cost that does not grow with their number. */
import type { ListQuery, ListResult } from '../domain/list-query.ts';
import type { RequestContext } from '../domain/outcomes.ts';
import type { Table } from '../dynamodb/table.ts';
import type { ListStores } from './list-index/index-store.ts';
import { ListMemory } from './list-index/read/memory.ts';
import { type ListExplanation, listTestimonials } from './operations/list-testimonials.ts';
import { listStores } from './table/list-stores.ts';

export { type ListExplanation, ListMemory };

interface TestimonialList extends ListResult {
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
}

/** Returns the list operation for one organization and request. */
export type OpenLists = (organization: string, request?: Pick<RequestContext, 'signal'>) => Lists;

export interface ListOptions {
  /** The memory that lists keep until the process ends. Shared with `openCounts` and `openListChanges`. */
  memory?: ListMemory;
  /** This machine's clock by default, in milliseconds. */
  clock?: () => number;
}

/** Opens lists on a table, once for each process, because they keep what they read. */
export function openLists(table: Table, options: ListOptions = {}): OpenLists {
  return listsOn((signal) => listStores(table, signal), options);
}

/** Like `openLists`, on any stores. */
export function listsOn(
  storesOf: (signal?: AbortSignal) => ListStores,
  { memory = new ListMemory(), clock }: ListOptions = {},
): OpenLists {
  return (organization, { signal } = {}) => {
    const deps = { ...storesOf(signal), memory, clock };
    return {
      list: (query) => listTestimonials(deps, organization, query),
    };
  };
}
