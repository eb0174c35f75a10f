/** Items that several processes replace, each only the one that it has read. */
import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { succeeds } from './conditional-write.ts';
import { type Key, tableKey } from './keys.ts';
import type { Table } from './table.ts';

interface Revised {
  /** Counts the writes of the item; 0 of one that was never written. */
  revision: number;
}

/**
 * Replaces the item that has the revision of `next`, which is raised. A write that was sent twice, because the answer to
 * the first was lost, is known by an id of its own.
 * @returns the item as it is then, or undefined when it had another revision
 */
export async function replaceByRevision<Item extends Revised>(
  { client, name: TableName, options }: Table,
  key: Key,
  next: Item,
): Promise<Item | undefined> {
  const replaced = { ...next, revision: next.revision + 1 };
  const writeId = randomUUID();
  const put = new PutCommand({
    TableName,
    Item: { ...key, ...replaced, writeId },
    ...(next.revision === 0
      ? { ConditionExpression: `attribute_not_exists(${tableKey.partition})` }
      : {
          ConditionExpression: 'revision = :revision',
          ExpressionAttributeValues: { ':revision': next.revision },
        }),
  });
  if (await succeeds(client.send(put, options))) return replaced;
  const there = await client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }), options);
  return there.Item?.writeId === writeId ? replaced : undefined;
}
