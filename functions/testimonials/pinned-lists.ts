/** Lists testimonials with pinned ones first, for walls. */
import type { ListQuery, ListResult } from '../domain/list-query.ts';
import type { RequestContext } from '../domain/outcomes.ts';
import type { Table } from '../dynamodb/table.ts';
import type { ListStores } from './list-index/index-store.ts';
import { ListMemory } from './list-index/read/memory.ts';
import type { ListOptions } from './lists.ts';
import { listPinnedFirst } from './operations/list-pinned-first.ts';
import { listStores } from './table/list-stores.ts';

export interface PinnedLists {
  /**
   * Lists one page: first the pinned testimonials that match the query, in the order of their ids, then all
   * others. Totals and pages are those of the list.
   * @param pinned ids; unknown ones and those of other organizations are ignored
   * @throws {ListTookTooLong}
   * @throws {NotReady} if the list index was built with rules that cannot answer the query
   */
  listPinnedFirst(query: ListQuery, pinned: readonly string[]): Promise<ListResult>;
}

/** Returns the list operation for one organization and request. */
export type OpenPinnedLists = (organization: string, request?: Pick<RequestContext, 'signal'>) => PinnedLists;

/** Opens pinned lists on a table, once for each process, because they keep what they read. */
export function openPinnedLists(table: Table, options: ListOptions = {}): OpenPinnedLists {
  return pinnedListsOn((signal) => listStores(table, signal), options);
}

/** Like `openPinnedLists`, on any stores. */
export function pinnedListsOn(
  storesOf: (signal?: AbortSignal) => ListStores,
  { memory = new ListMemory(), clock }: ListOptions = {},
): OpenPinnedLists {
  return (organization, { signal } = {}) => {
    const deps = { ...storesOf(signal), memory, clock };
    return {
      listPinnedFirst: (query, pinned) => listPinnedFirst(deps, organization, query, pinned),
    };
  };
}
