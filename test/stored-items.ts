/** Everything that a table holds. */
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../functions/persistence/table.ts';

/** Reads all items in the order of their keys, so that two readings can be compared. */
export async function storedItems({ client, name }: Table): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for await (const page of paginateScan({ client }, { TableName: name, ConsistentRead: true })) {
    items.push(...(page.Items ?? []));
  }
  const keyOf = ({ PK, SK }: Record<string, unknown>) => `${PK}\n${SK}`;
  return items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** All that a table says, as text: keys, attributes and values. */
export async function textOf(table: Table): Promise<string> {
  return JSON.stringify(await storedItems(table));
}
