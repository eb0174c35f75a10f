/** Reads the current state of the testimonials and imports that the table's stream names. */
import type { CurrentItem, StreamChange } from '../domain/outcomes.ts';
import type { Table } from '../dynamodb/table.ts';
import type { EventItemStore } from './model/event-item-store.ts';
import { eventItemStore } from './table/event-item-store.ts';
import { currentItems } from './table/stream-items.ts';

/**
 * Reads each item that an organization's changes name once, with strong consistency. Reports and leaves out
 * unreadable items. Leaves out imports that have not ended.
 */
export type ReadCurrentItems = (
  organization: string,
  changes: readonly StreamChange[],
) => Promise<Map<StreamChange, CurrentItem>>;

/** Opens current items on a table, once for each process. */
export function openCurrentItems(table: Table): ReadCurrentItems {
  return currentItemsOn(eventItemStore(table));
}

/** Like `openCurrentItems`, on any store. */
export function currentItemsOn(store: EventItemStore): ReadCurrentItems {
  return (organization, changes) => currentItems(store, organization, changes);
}
