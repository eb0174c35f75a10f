/** Reads and writes of items: single items, queries, batches and conditional writes. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  paginateQuery,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { afterPrefix, type Key, tableKey } from './keys.ts';
import { backOffMs, type Table, throttled } from './table.ts';

/** An item as the SDK returns it, unchecked. */
// biome-ignore lint/suspicious/noExplicitAny: as the SDK types it
export type StoredItem = Record<string, any>;

export type Condition = Pick<
  PutCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

export const ifAbsent: Condition = { ConditionExpression: `attribute_not_exists(${tableKey.partition})` };

export const ifPresent = { ConditionExpression: `attribute_exists(${tableKey.partition})` };

/** Returns the result of a conditional write, or undefined if its condition failed. */
export async function unlessRefused<Result>(write: Promise<Result>): Promise<Result | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/** Returns false if the condition of a write failed. */
export async function meetsCondition(write: Promise<unknown>): Promise<boolean> {
  return (await unlessRefused(write.then(() => true))) ?? false;
}

/** Reads an item with a strongly consistent read. */
export async function getItem(
  { client, name: TableName, options }: Table,
  key: Key,
): Promise<StoredItem | undefined> {
  return (await client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }), options)).Item;
}

export async function putItem(
  { client, name: TableName, options }: Table,
  Item: StoredItem & Key,
  condition: Condition = {},
): Promise<void> {
  await client.send(new PutCommand({ TableName, Item, ...condition }), options);
}

export async function deleteItem(
  { client, name: TableName, options }: Table,
  key: Key,
  condition: Condition = {},
): Promise<void> {
  await client.send(new DeleteCommand({ TableName, Key: key, ...condition }), options);
}

/** Updates an item and returns the attributes that `ReturnValues` names. */
export async function updateItem(
  { client, name: TableName, options }: Table,
  key: Key,
  update: Omit<UpdateCommandInput, 'TableName' | 'Key'>,
): Promise<StoredItem> {
  const command = new UpdateCommand({ TableName, Key: key, ...update });
  return (await client.send(command, options)).Attributes ?? {};
}

/** Sets the attributes of an item that have a value. */
export function setAttributes(
  table: Table,
  key: Key,
  attributes: Record<string, unknown>,
  condition: Condition,
): Promise<void> {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return changeItem(table, key, {}, Object.fromEntries(present), condition);
}

/**
 * Changes an item by the difference between two states of it. Attributes and members of maps that are in
 * neither state stay as they are.
 * @param condition must not use `:<attribute>` as a placeholder, which would overwrite the attribute's new
 * value
 */
export async function changeItem(
  table: Table,
  key: Key,
  before: StoredItem,
  after: StoredItem,
  condition: Condition,
): Promise<void> {
  const differences = differencesOf(before, after);
  const named = (path: readonly string[]) => path.map((name) => `#${name}`).join('.');
  const placeholder = (path: readonly string[]) => `:${path.join('_')}`;
  const set = differences.filter(({ value }) => value !== undefined);
  const removed = differences.filter(({ value }) => value === undefined);
  const clauses = [
    set.length > 0 && `SET ${set.map(({ path }) => `${named(path)} = ${placeholder(path)}`).join(', ')}`,
    removed.length > 0 && `REMOVE ${removed.map(({ path }) => named(path)).join(', ')}`,
  ];
  await updateItem(table, key, {
    ...condition,
    UpdateExpression: clauses.filter(Boolean).join(' '),
    ExpressionAttributeNames: {
      ...Object.fromEntries(differences.flatMap(({ path }) => path.map((name) => [`#${name}`, name]))),
      ...condition.ExpressionAttributeNames,
    },
    ExpressionAttributeValues: {
      ...Object.fromEntries(set.map(({ path, value }) => [placeholder(path), value])),
      ...condition.ExpressionAttributeValues,
    },
  });
}

interface Difference {
  path: readonly string[];
  /** Undefined if the attribute is gone. */
  value: unknown;
}

/** Returns what has changed between two states of an item, member by member of its maps. */
function differencesOf(before: StoredItem, after: StoredItem, outer: readonly string[] = []): Difference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name): Difference[] => {
    const path = [...outer, name];
    const [old, value] = [before[name], after[name]];
    if (isMap(old) && isMap(value)) return differencesOf(old, value, path);
    return isDeepStrictEqual(old, value) ? [] : [{ path, value }];
  });
}

function isMap(value: unknown): value is StoredItem {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * Replaces an item that several processes write, if the stored item still has the revision of `next` (0 if
 * none is stored), and raises the revision. The SDK may repeat a put that succeeded, which the id of the
 * write detects.
 * @returns the new item, or undefined if the stored one has another revision
 */
export async function replaceByRevision<Item extends { revision: number }>(
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
  if (await meetsCondition(putItem(table, { ...key, ...replaced, writeId }, condition))) return replaced;
  return (await getItem(table, key))?.writeId === writeId ? replaced : undefined;
}

type Query = Omit<QueryCommandInput, 'TableName'>;

/**
 * Returns a strongly consistent query of a partition.
 * @param sortKeys the first and the last sort key, both included; all items if absent
 */
export function inPartition(partition: string, sortKeys?: readonly [string, string]): Query {
  const range = sortKeys ? ` AND ${tableKey.sort} BETWEEN :from AND :to` : '';
  return {
    KeyConditionExpression: `${tableKey.partition} = :partition${range}`,
    ExpressionAttributeValues: {
      ':partition': partition,
      ...(sortKeys && { ':from': sortKeys[0], ':to': sortKeys[1] }),
    },
    ConsistentRead: true,
  };
}

/** Returns a strongly consistent query of the items of a partition whose sort keys have a prefix. */
export function beginningWith(partition: string, prefix: string): Query {
  return inPartition(partition, [prefix, `${prefix}${afterPrefix}`]);
}

/** Yields the items of a query, page after page. */
export async function* queryPages(
  { client, name, options }: Table,
  query: Query,
): AsyncGenerator<{ items: StoredItem[]; isLast: boolean }, void, undefined> {
  for await (const page of paginateQuery({ client }, { TableName: name, ...query }, options)) {
    yield { items: page.Items ?? [], isLast: page.LastEvaluatedKey === undefined };
  }
}

export async function queryAll(table: Table, query: Query): Promise<StoredItem[]> {
  return (await Array.fromAsync(queryPages(table, query))).flatMap(({ items }) => items);
}

// The maximum requests per call (DynamoDB quotas).
const getBatchSize = 100;
const writeBatchSize = 25;

/**
 * Reads the items that exist under the given keys, in no particular order.
 * @param attribute the only attribute to read; all if absent
 */
export async function batchGet(
  table: Table,
  keys: readonly Record<string, unknown>[],
  { consistent, attribute }: { consistent: boolean; attribute?: string },
): Promise<StoredItem[]> {
  const { client, name, options } = table;
  const items: StoredItem[] = [];
  const read = { ConsistentRead: consistent, ...(attribute && { ProjectionExpression: attribute }) };
  await inBatches(table, keys, getBatchSize, async (Keys) => {
    const RequestItems = { [name]: { ...read, Keys } };
    const response = await client.send(new BatchGetCommand({ RequestItems }), options);
    items.push(...(response.Responses?.[name] ?? []));
    return response.UnprocessedKeys?.[name]?.Keys;
  });
  return items;
}

/** Deletes items, unconditionally. */
export function batchDelete(table: Table, keys: readonly Record<string, unknown>[]): Promise<void> {
  return batchWrite(
    table,
    keys.map((Key) => ({ DeleteRequest: { Key } })),
  );
}

/** Writes whole items, unconditionally. */
export function batchPut(table: Table, items: readonly (StoredItem & Key)[]): Promise<void> {
  return batchWrite(
    table,
    items.map((Item) => ({ PutRequest: { Item } })),
  );
}

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

function batchWrite(table: Table, requests: readonly WriteRequest[]): Promise<void> {
  const { client, name, options } = table;
  return inBatches(table, requests, writeBatchSize, async (batch) => {
    const command = new BatchWriteCommand({ RequestItems: { [name]: batch } });
    return (await client.send(command, options)).UnprocessedItems?.[name];
  });
}

/**
 * Sends all parts in parallel batches, and retries the unprocessed parts. When DynamoDB throttles, it returns
 * parts of a batch unprocessed, and the SDK does not retry them
 * (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html).
 * @param send returns the unprocessed parts
 * @throws {Throttled} after `tries` tries in a row that process no part
 */
async function inBatches<Part>(
  { options, tries, wait }: Table,
  parts: readonly Part[],
  size: number,
  send: (batch: Part[]) => Promise<Part[] | undefined>,
): Promise<void> {
  const sendAll = async (batch: Part[]) => {
    let triesWithoutProgress = 0;
    for (let rest = batch, retries = 0; rest.length > 0; retries += 1) {
      if (retries > 0) await wait(backOffMs(retries), options.abortSignal);
      const unprocessed = (await send(rest)) ?? [];
      triesWithoutProgress = unprocessed.length < rest.length ? 0 : triesWithoutProgress + 1;
      if (triesWithoutProgress === tries) throw throttled('no part of a batch was processed');
      rest = unprocessed;
    }
  };
  const starts = Array.from({ length: Math.ceil(parts.length / size) }, (_, i) => i * size);
  await Promise.all(starts.map((start) => sendAll(parts.slice(start, start + size))));
}
