/** Deletes everything that an organization has in the table and in the list index. */

import { forEachAtOnce } from '../../concurrency.ts';
import { batchDelete, inPartition, queryPages } from '../../dynamodb/items.ts';
import { budgetKey, idempotencyKeyKey, organizationPartition, tableKey } from '../../dynamodb/keys.ts';
import type { Table } from '../../dynamodb/table.ts';
import { settledMs } from '../../timing.ts';
import { partitions } from '../list-index/index-terms.ts';
import { indexStore } from './index-store.ts';

/**
 * Deletes all items of an organization, its idempotency keys and its budget. Repeats the deletion until it
 * finds nothing, because running requests and index updates may still write. Can be stopped and run again.
 * @param prepare is awaited before each deletion
 */
export async function removeOrganization(
  table: Table,
  organization: string,
  idempotencyKeys: Iterable<string>,
  { sleep, prepare }: { sleep: (milliseconds: number) => Promise<unknown>; prepare: () => Promise<void> },
): Promise<void> {
  const index = indexStore(table);
  for (let generations = 1, deleted = Number.POSITIVE_INFINITY; deleted > 0; ) {
    await prepare();
    const head = await index.readHead(organization);
    generations = Math.max(generations, head?.generation ?? 0, head?.building?.generation ?? 0);
    deleted = await deletePartition(table, organizationPartition(organization));
    const parts = Array.from({ length: generations }, (_, i) =>
      partitions.map((partition) => ({ generation: i + 1, partition })),
    ).flat();
    await forEachAtOnce(parts, async ({ generation, partition }) => {
      deleted += await index.deletePartition(organization, generation, partition);
    });
    // Until then, running requests and index updates have ended.
    if (deleted > 0) await sleep(settledMs);
  }
  await batchDelete(
    table,
    Array.from(idempotencyKeys, (key) => idempotencyKeyKey(organization, key)),
  );
  await deletePartition(table, budgetKey(organization).PK);
}

async function deletePartition(table: Table, partition: string): Promise<number> {
  const ProjectionExpression = `${tableKey.partition}, ${tableKey.sort}`;
  let count = 0;
  for await (const { items } of queryPages(table, { ...inPartition(partition), ProjectionExpression })) {
    await batchDelete(table, items);
    count += items.length;
  }
  return count;
}
