/** All that a table says, as text: keys, attributes and values. */
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../functions/persistence/table.ts';

export async function textOf({ client, name }: Table): Promise<string> {
  const items = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: name })) items.push(...Items);
  return JSON.stringify(items);
}
