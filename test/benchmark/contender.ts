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
