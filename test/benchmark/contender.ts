/** What is compared: something that answers lists. */
import type { ListQuery } from '../../functions/domain/list-query.ts';

export interface ListAnswer {
  /** In the order of the page. */
  ids: string[];
  total: number;
}

export interface Contender {
  list(query: ListQuery): Promise<ListAnswer>;
}

/** A contender with a process of its own, and the processor time that it has taken so far, in milliseconds; undefined where nothing tells. */
export interface MeteredContender extends Contender {
  cpuMs(): number | undefined;
}
