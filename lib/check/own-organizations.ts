/** The organizations of a check, which it removes in the end. */
import { randomBytes } from 'node:crypto';
import pMap from 'p-map';
import { batchDelete, inPartition, queryPages } from '../../functions/persistence/items.ts';
import {
  budgetKey,
  idempotencyKeyKey,
  organizationPartition,
  tableKey,
} from '../../functions/persistence/keys.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { partitions } from '../../functions/testimonials/list-index/index-terms.ts';
import { forEachAtOnce, settledMs } from '../../functions/timing.ts';
import type { TableStores } from '../operator/table-stores.ts';

type Sleep = (milliseconds: number) => Promise<unknown>;

interface Own {
  name: string;
  /** The keys of its creates. */
  idempotencyKeys: Iterable<string>;
}

/** Returns a unique name with the time of the check, the prefix of its organizations' names. */
export function newName(now: Date): string {
  const [date, time] = now.toISOString().replace(/[-:]/g, '').split(/[T.]/);
  return `check-${date}-${time}-${randomBytes(3).toString('hex')}`;
}

export function isNameOfCheck(name: string): boolean {
  return /^check-\d{8}-\d{6}-[0-9a-f]{6}$/.test(name);
}

/**
 * Removes the organizations of a check, in any state.
 * @param known those that the check still knows
 */
export async function removeOwn(
  operator: TableStores,
  check: string,
  known: readonly Own[],
  sleep: Sleep,
): Promise<void> {
  const names = (await operator.organizations.list()).filter((name) => name.startsWith(`${check}-`));
  await pMap(names, (name) => {
    const organization = known.find((each) => each.name === name) ?? { name, idempotencyKeys: [] };
    return removeOrganization(operator, organization, sleep);
  });
}

/**
 * Revokes an organization's tokens, removes its pages and deletes its items. Unnamed Idempotency-Keys expire
 * within 24 hours, those of forms within 30 days, and contain no text. Repeats the deletion until it finds
 * nothing, because running requests and index updates may still write. Can be stopped and run again.
 */
export async function removeOrganization(
  operator: TableStores,
  { name, idempotencyKeys }: Own,
  sleep: Sleep,
): Promise<void> {
  const { table, index, tokens, pages } = operator;
  for (let generations = 1, deleted = Number.POSITIVE_INFINITY; deleted > 0; ) {
    for (const { id } of await tokens.list(name)) await tokens.revoke(id);
    for (const page of await pages.list(name)) await pages.remove(page);
    const head = await index.readHead(name);
    generations = Math.max(generations, head?.generation ?? 0, head?.building?.generation ?? 0);
    deleted = await deletePartition(table, organizationPartition(name));
    const parts = Array.from({ length: generations }, (_, i) =>
      partitions.map((partition) => ({ generation: i + 1, partition })),
    ).flat();
    await forEachAtOnce(parts, async ({ generation, partition }) => {
      deleted += await index.deletePartition(name, generation, partition);
    });
    // Until then, running requests and index updates have ended.
    if (deleted > 0) await sleep(settledMs);
  }
  await batchDelete(
    table,
    Array.from(idempotencyKeys, (key) => idempotencyKeyKey(name, key)),
  );
  await deletePartition(table, budgetKey(name).PK);
  // Last: the removal can be repeated as long as the name is there.
  await operator.organizations.remove(name);
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
