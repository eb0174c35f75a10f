/** The organizations that a check makes for itself, and leaves nothing of. */
import { randomBytes } from 'node:crypto';
import pMap from 'p-map';
import { forEachAtOnce } from '../../functions/concurrency.ts';
import { partitions } from '../../functions/list-index/index-terms.ts';
import { batchDelete, inPartition, queryPages } from '../../functions/persistence/items.ts';
import {
  budgetKey,
  idempotencyKeyKey,
  organizationPartition,
  tableKey,
} from '../../functions/persistence/keys.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { settledMs } from '../../functions/timing.ts';
import type { Operator } from '../../lib/operator/session.ts';

type Sleep = (milliseconds: number) => Promise<unknown>;

interface Own {
  name: string;
  /** Those that its creates had. */
  idempotencyKeys: Iterable<string>;
}

/** A name that tells when the check was begun, and that no other check has: its organizations have it with a number. */
export function newName(now: Date): string {
  const [date, time] = now.toISOString().replace(/[-:]/g, '').split(/[T.]/);
  return `check-${date}-${time}-${randomBytes(3).toString('hex')}`;
}

/** Whether a check has this name. */
export function isNameOfCheck(name: string): boolean {
  return /^check-\d{8}-\d{6}-[0-9a-f]{6}$/.test(name);
}

/**
 * Removes all that there is of a check, in any state.
 * @param known the organizations that the check still knows
 */
export async function removeOwn(
  operator: Operator,
  check: string,
  known: readonly Own[],
  sleep: Sleep,
): Promise<void> {
  const own = (await operator.organizations.list()).filter((name) => name.startsWith(`${check}-`));
  await pMap(own, (name) => {
    const found = known.find((each) => each.name === name);
    return removeOrganization(operator, found ?? { name, idempotencyKeys: [] }, sleep);
  });
}

/**
 * Revokes an organization's tokens, and deletes all that the table has of it; keys that are not named expire within 24 hours, and say
 * nothing of a testimonial. What a request or an index update that was under way writes afterwards is deleted too: it looks again until
 * nothing is left. It can be stopped anywhere and done again.
 */
export async function removeOrganization(
  operator: Operator,
  { name, idempotencyKeys }: Own,
  sleep: Sleep,
): Promise<void> {
  const { table, index, tokens } = operator;
  for (let generations = 1, found = Number.POSITIVE_INFINITY; found > 0; ) {
    for (const { id } of await tokens.list(name)) await tokens.revoke(id);
    const head = await index.readHead(name);
    generations = Math.max(generations, head?.generation ?? 0, head?.building?.generation ?? 0);
    found = await deletePartition(table, organizationPartition(name));
    const places = Array.from({ length: generations }, (_, i) =>
      partitions.map((partition) => ({ generation: i + 1, partition })),
    ).flat();
    await forEachAtOnce(places, async ({ generation, partition }) => {
      found += await index.deletePartition(name, generation, partition);
    });
    // By then whatever was under way has ended.
    if (found > 0) await sleep(settledMs);
  }
  await batchDelete(
    table,
    Array.from(idempotencyKeys, (key) => idempotencyKeyKey(name, key)),
  );
  await deletePartition(table, budgetKey(name).PK);
  // Last: as long as its name stands there, it can be found.
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
