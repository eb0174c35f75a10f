/** Items that several processes replace, each only the one that it has read. */
import { randomUUID } from 'node:crypto';
import { type Condition, ifAbsent, succeeds } from './conditional-write.ts';
import type { Key } from './keys.ts';
import { getItem, putItem, type Table } from './table.ts';

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
  table: Table,
  key: Key,
  next: Item,
): Promise<Item | undefined> {
  const replaced = { ...next, revision: next.revision + 1 };
  const writeId = randomUUID();
  const isUnchanged: Condition = {
    ConditionExpression: 'revision = :revision',
    ExpressionAttributeValues: { ':revision': next.revision },
  };
  const condition = next.revision === 0 ? ifAbsent : isUnchanged;
  if (await succeeds(putItem(table, { ...key, ...replaced, writeId }, condition))) return replaced;
  return (await getItem(table, key))?.writeId === writeId ? replaced : undefined;
}
