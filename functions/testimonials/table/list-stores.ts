/** The stores that lists read, for one request. */
import { abortable, type Table } from '../../dynamodb/table.ts';
import type { ListStores } from '../list-index/index-store.ts';
import { indexStore } from './index-store.ts';
import { testimonialStore } from './testimonial-store.ts';

/** @param signal aborts their calls */
export function listStores(table: Table, signal: AbortSignal | undefined): ListStores {
  const requestTable = abortable(table, signal);
  return { testimonials: testimonialStore(requestTable), index: indexStore(requestTable) };
}
