/** Removing an organization whole: for one that was made for a time, and that nobody calls any more. */
import { setTimeout as wait } from 'node:timers/promises';
import { forEachAtOnce } from '../../functions/concurrency.ts';
import type { OrganizationStore, TokenStore } from '../../functions/domain/stores.ts';
import type { IndexStore } from '../../functions/list-index/index-store.ts';
import { partitions } from '../../functions/list-index/index-terms.ts';
import {
  budgetKey,
  idempotencyKeyKey,
  organizationPartition,
  tableKey,
} from '../../functions/persistence/keys.ts';
import { batchDelete, inPartition, queryPages, type Table } from '../../functions/persistence/table.ts';
import { settledMs } from '../../functions/timing.ts';

export interface RemoveDependencies {
  table: Table;
  tokens: TokenStore;
  index: IndexStore;
  organizations: Pick<OrganizationStore, 'remove'>;
}

/**
 * Revokes an organization's tokens, and deletes all that the table has of it. What a request or an index update that was
 * under way writes afterwards is deleted too: it looks again until nothing is left. It can be stopped anywhere and done
 * again.
 * @param idempotencyKeys that its creates had; others expire within 24 hours, and say nothing of a testimonial
 */
export async function removeOrganization(
  deps: RemoveDependencies,
  organization: string,
  {
    idempotencyKeys = [],
    sleep = wait,
  }: { idempotencyKeys?: Iterable<string>; sleep?: (milliseconds: number) => Promise<unknown> } = {},
): Promise<void> {
  const { table, index } = deps;
  for (let generations = 1, found = Number.POSITIVE_INFINITY; found > 0; ) {
    await revokeTokens(deps, organization);
    const head = await index.readHead(organization);
    generations = Math.max(generations, head?.generation ?? 0, head?.building?.generation ?? 0);
    found = await deletePartition(table, organizationPartition(organization));
    found += await deletePostings(index, organization, generations);
    // By then whatever was under way has ended.
    if (found > 0) await sleep(settledMs);
  }
  await batchDelete(
    table,
    Array.from(idempotencyKeys, (key) => idempotencyKeyKey(organization, key)),
  );
  await deletePartition(table, budgetKey(organization).PK);
  // Last: as long as its name stands there, it can be found.
  await deps.organizations.remove(organization);
}

async function revokeTokens(
  { tokens }: Pick<RemoveDependencies, 'tokens'>,
  organization: string,
): Promise<void> {
  for (const { id } of await tokens.list(organization)) await tokens.revoke(id);
}

async function deletePartition(table: Table, partition: string): Promise<number> {
  const { partition: pk, sort: sk } = tableKey;
  let count = 0;
  for await (const { items } of queryPages(table, {
    ...inPartition(partition),
    ProjectionExpression: `${pk}, ${sk}`,
  })) {
    await batchDelete(table, items);
    count += items.length;
  }
  return count;
}

async function deletePostings(index: IndexStore, organization: string, generations: number): Promise<number> {
  const places = Array.from({ length: generations }, (_, i) =>
    partitions.map((partition) => ({ generation: i + 1, partition })),
  ).flat();
  let count = 0;
  await forEachAtOnce(places, async ({ generation, partition }) => {
    count += await index.deletePartition(organization, generation, partition);
  });
  return count;
}
