/** All that a table says, as text: keys, attributes and values. */
import type { Table } from '../functions/persistence/table.ts';
import { storedItems } from './stored-items.ts';

export async function textOf(table: Table): Promise<string> {
  return JSON.stringify(await storedItems(table));
}
