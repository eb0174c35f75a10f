/** The second phase of a list: reads the index, the tail and the change markers under one head (rule 16). */
import type { WalkedRow } from '../../model/testimonial-store.ts';
import { type IndexHead, isSameHead, type ListStores, noIndex, type RecentItems } from '../index-store.ts';
import { type BitsOrCounts, ListReader } from './list-reader.ts';
import type { KnownPage, ListMemory } from './memory.ts';
import { type ListPlan, planFor, type QueryPlan } from './plan.ts';

export interface ReadDependencies extends ListStores {
  /** The function's memory of earlier lists. */
  memory: ListMemory;
}

/** Everything that a list read in its first round, under a head that the table confirmed. */
export interface FirstRound {
  organization: string;
  head: IndexHead;
  /** The plan for that head. */
  plan: ListPlan;
  reader: ListReader;
  /** The tail and the change markers. */
  recent: RecentItems;
  /** The page that this function found earlier for the same query and head. */
  knownPage: KnownPage | undefined;
  /** Absent if the page is known. */
  bitsOrCounts: BitsOrCounts | undefined;
  /**
   * Rows that were read in advance: of the known page, or the first of the secondary index. If an unindexed
   * testimonial has changed since, the page may need other rows; `completeRows` reads those.
   */
  rows: WalkedRow[] | undefined;
}

/**
 * Reads under the remembered head while it requests the current one from the table. If the two differ, drops
 * everything that it read and restarts with the current head.
 */
export async function readUnderOneHead(
  deps: ReadDependencies,
  organization: string,
  query: QueryPlan,
): Promise<FirstRound> {
  const { memory, index } = deps;
  const remembered = memory.get(organization);
  for (let head = remembered.head ?? (await index.readHead(organization)) ?? noIndex; ; ) {
    const plan = planFor(query, head);
    const reader = new ListReader(deps, organization, head, remembered);
    const knownPage = remembered.page(head, plan.key);
    const { walk } = plan;
    const rowRead = knownPage?.rowRead ?? (walk && { by: 'walk', options: walk });
    // In one round, because none of the three waits for another.
    const [recent, bitsOrCounts, rows] = await Promise.all([
      index.readRecent(organization, head.indexed),
      knownPage ? undefined : reader.bitsOrCounts(plan),
      rowRead && reader.rows(rowRead),
    ]);
    const current = recent.head ?? noIndex;
    if (isSameHead(current, head)) {
      return { organization, head, plan, reader, recent, knownPage, bitsOrCounts, rows };
    }
    head = current;
  }
}

/** Remembers the index reads and the page of a list that no index update overlapped (rule 39). */
export function remember({ memory }: ReadDependencies, firstRound: FirstRound, page?: KnownPage): void {
  const { organization, head, reader, plan } = firstRound;
  const remembered = memory.get(organization);
  remembered.cache(head, reader.readFromTable);
  if (page) remembered.cachePage(head, plan.key, page);
  memory.trim(organization);
}
