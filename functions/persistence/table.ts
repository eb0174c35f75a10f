/** The connection to DynamoDB: its clock, the limit on calls in flight, how calls are tried again; and batches. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateQuery,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { callsAtOnce } from '../concurrency.ts';
import { Throttled } from '../domain/try-later.ts';
import type { Unreadable } from '../domain/unreadable.ts';
import {
  backgroundTries,
  believedClockErrorMs,
  callTimeoutMs,
  connectTimeoutMs,
  longestBackOffMs,
  requestTries,
} from '../timing.ts';
import type { Condition } from './conditional-write.ts';
import { afterPrefix, type Key, tableKey } from './keys.ts';

/** A table and the client to reach it with. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
  /** The time as the database tells it. */
  now: () => Date;
  /** Goes with each call. */
  options: { abortSignal?: AbortSignal };
  /** Tries of a call that is throttled. */
  tries: number;
  wait: Wait;
  /** Told of an item that is left out because it cannot be read. */
  onUnreadable: (error: Unreadable) => void;
}

type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;

/** The same table, all of whose calls `signal` aborts: for the stores of one request. */
export function abortable(table: Table, signal: AbortSignal): Table {
  return { ...table, options: { abortSignal: signal } };
}

export interface TableOptions {
  /** While a client waits, a call is tried for seconds; in the background, for as long as a minute. */
  patience?: 'request' | 'background';
  /** The clock of this machine. */
  clock?: () => number;
  /** Between two tries. */
  wait?: Wait;
  /** Without it, an item that cannot be read is an error wherever it is met. */
  onUnreadable?: Table['onUnreadable'];
  config?: DynamoDBClientConfig;
}

const rethrowUnreadable = (error: Unreadable) => {
  throw error;
};

const waitHere: Wait = (milliseconds, signal) => sleep(milliseconds, undefined, signal ? { signal } : {});

/** Opens a table, each of whose calls throws `Throttled` when DynamoDB has throttled all of its tries. */
export function openTable(
  name: string,
  {
    patience = 'request',
    clock = Date.now,
    wait = waitHere,
    onUnreadable = rethrowUnreadable,
    config = {},
  }: TableOptions = {},
): Table {
  const client = new DynamoDBClient({
    maxAttempts: requestTries,
    ...(patience === 'background' && { retryStrategy: patientRetries(wait) }),
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: callTimeoutMs,
      throwOnRequestTimeout: true,
    },
    // The SDK's own checks each text by a regular expression first, which is half of the time to read postings.
    base64Decoder: (text) => Buffer.from(text, 'base64'),
    ...config,
  });
  // It copies every answer for a log that nobody asked for.
  client.middlewareStack.remove('loggerMiddleware');
  const inFlight = pLimit(callsAtOnce);
  // Each try on its own: a call that waits to be tried again is not in flight.
  client.middlewareStack.add((next) => (args) => inFlight(() => next(args)), {
    step: 'finalizeRequest',
    priority: 'low',
    name: 'callsAtOnce',
  });
  client.middlewareStack.add((next) => (args) => next(args).catch(rethrow), {
    step: 'initialize',
    priority: 'high',
    name: 'throttled',
  });
  return {
    // A number that JavaScript has not exactly would be an error of the whole call.
    client: DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: Number } }),
    name,
    now: databaseClock(client, clock),
    options: {},
    tries: patience === 'request' ? requestTries : backgroundTries,
    wait,
    onUnreadable,
  };
}

// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/throttling-diagnosing-workflow.html
const throttlingErrors = [
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
];

function throttled(how: string, cause?: unknown): Throttled {
  return new Throttled(`DynamoDB throttles the table (${how}): try again later`, { cause });
}

/** Throws what a call ended with after its last try. */
function rethrow(error: unknown): never {
  const isThrottled = error instanceof Error && throttlingErrors.includes(error.name);
  throw isThrottled ? throttled(error.name, error) : error;
}

// An answer's time has whole seconds.
const halfASecond = 500;

/**
 * A clock that the `Date` of each answer (RFC 9110, 6.6.1) corrects. As long as they agree, it is this
 * machine's, to the millisecond.
 */
function databaseClock(client: DynamoDBClient, clock: () => number): () => Date {
  let offset = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { response } = result;
      const date =
        typeof response === 'object' && response !== null && 'headers' in response
          ? Date.parse((response.headers as Record<string, string>).date ?? '') // of an HTTP response
          : Number.NaN;
      const difference = date + halfASecond - clock();
      if (!Number.isNaN(difference)) offset = Math.abs(difference) <= believedClockErrorMs ? 0 : difference;
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'databaseClock' },
  );
  return () => new Date(clock() + offset);
}

type RetryStrategy = Extract<DynamoDBClientConfig['retryStrategy'], { recordSuccess: unknown }>;
type RetryToken = Awaited<ReturnType<RetryStrategy['acquireInitialRetryToken']>>;

/**
 * Tries again whatever may succeed later, with exponential back-off and full jitter. The SDK's own strategy shares a
 * quota between all calls, which a throttled table uses up.
 */
function patientRetries(wait: Wait): RetryStrategy {
  return {
    acquireInitialRetryToken: async () => retryToken(0),
    async refreshRetryTokenForRetry(token, { errorType, error }) {
      const tries = token.getRetryCount() + 1;
      // Where nobody listens, nobody will soon.
      const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
      const mostTries = isRefused ? requestTries : backgroundTries;
      if (errorType === 'CLIENT_ERROR' || tries >= mostTries) throw new Error('No further try');
      await wait(backOffMs(tries));
      return retryToken(tries);
    },
    recordSuccess: () => {},
  };
}

function retryToken(retries: number): RetryToken {
  return { getRetryCount: () => retries, getRetryDelay: () => 0 };
}

function backOffMs(retries: number): number {
  return Math.random() * Math.min(25 * 2 ** retries, longestBackOffMs);
}

/** An item as the SDK returns it; each store knows the shape of its own. */
// biome-ignore lint/suspicious/noExplicitAny: as the SDK types it
export type StoredItem = Record<string, any>;

/** Reads an item, strongly consistent. */
export async function getItem(
  { client, name: TableName, options }: Table,
  key: Key,
): Promise<StoredItem | undefined> {
  return (await client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }), options)).Item;
}

/** Writes an item, in place of the one that is there; a condition that is not met is an error. */
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

/** Updates an item; returns what is asked for by `ReturnValues`. */
export async function updateItem(
  { client, name: TableName, options }: Table,
  key: Key,
  update: Omit<UpdateCommandInput, 'TableName' | 'Key'>,
): Promise<StoredItem> {
  const command = new UpdateCommand({ TableName, Key: key, ...update });
  return (await client.send(command, options)).Attributes ?? {};
}

/** Gives attributes of an item these values. */
export async function setAttributes(
  table: Table,
  key: Key,
  attributes: Record<string, unknown>,
  condition: Condition,
): Promise<void> {
  const entries = Object.entries(attributes);
  await updateItem(table, key, {
    ...condition,
    UpdateExpression: `SET ${entries.map(([name]) => `#${name} = :${name}`).join(', ')}`,
    ExpressionAttributeNames: {
      ...Object.fromEntries(entries.map(([name]) => [`#${name}`, name])),
      ...condition.ExpressionAttributeNames,
    },
    ExpressionAttributeValues: {
      ...Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
      ...condition.ExpressionAttributeValues,
    },
  });
}

/**
 * A strongly consistent query of a partition.
 * @param sortKeys from the first to the last, both included; all when absent
 */
export function inPartition(
  partition: string,
  sortKeys?: readonly [string, string],
): Omit<QueryCommandInput, 'TableName'> {
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

/** A strongly consistent query of the items of a partition whose sort keys begin with a prefix. */
export function beginningWith(partition: string, prefix: string): Omit<QueryCommandInput, 'TableName'> {
  return inPartition(partition, [prefix, `${prefix}${afterPrefix}`]);
}

/** Runs a query page after page. */
export async function* queryPages(
  { client, name, options }: Table,
  query: Omit<QueryCommandInput, 'TableName'>,
): AsyncGenerator<{ items: StoredItem[]; isLast: boolean }, void, undefined> {
  for await (const page of paginateQuery({ client }, { TableName: name, ...query }, options)) {
    yield { items: page.Items ?? [], isLast: page.LastEvaluatedKey === undefined };
  }
}

// Requests a call takes, at most (DynamoDB quotas).
const getBatchSize = 100;
const writeBatchSize = 25;

/**
 * Reads the items that exist of some keys, in no order.
 * @param attribute all that is read of them; everything when absent
 */
export async function batchGet(
  table: Table,
  keys: readonly Record<string, unknown>[],
  { consistent, attribute }: { consistent: boolean; attribute?: string },
): Promise<StoredItem[]> {
  const { client, name, options } = table;
  const found: StoredItem[] = [];
  const read = { ConsistentRead: consistent, ...(attribute && { ProjectionExpression: attribute }) };
  const batches = batchesOf(keys, getBatchSize).map((batch) =>
    untilProcessed(table, batch, async (Keys) => {
      const RequestItems = { [name]: { ...read, Keys } };
      const answer = await client.send(new BatchGetCommand({ RequestItems }), options);
      found.push(...(answer.Responses?.[name] ?? []));
      return answer.UnprocessedKeys?.[name]?.Keys;
    }),
  );
  await Promise.all(batches);
  return found;
}

/** Deletes the items of some keys, unconditionally. */
export function batchDelete(table: Table, keys: readonly Record<string, unknown>[]): Promise<void> {
  return batchWrite(
    table,
    keys.map((Key) => ({ DeleteRequest: { Key } })),
  );
}

/** Writes some items, unconditionally, in place of those that are there. */
export function batchPut(table: Table, items: readonly (StoredItem & Key)[]): Promise<void> {
  return batchWrite(
    table,
    items.map((Item) => ({ PutRequest: { Item } })),
  );
}

async function batchWrite(table: Table, requests: readonly WriteRequest[]): Promise<void> {
  const { client, name, options } = table;
  const batches = batchesOf(requests, writeBatchSize).map((batch) =>
    untilProcessed(table, batch, async (some) => {
      const command = new BatchWriteCommand({ RequestItems: { [name]: some } });
      return (await client.send(command, options)).UnprocessedItems?.[name];
    }),
  );
  await Promise.all(batches);
}

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/**
 * Sends what is left of a batch until nothing is. DynamoDB leaves some of it when it throttles, and the SDK does not wait
 * for that by itself (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html).
 * @param send returns what is left
 * @throws {Throttled} when as many tries in a row as a call has got nothing done
 */
async function untilProcessed<Part>(
  { options, tries, wait }: Table,
  batch: Part[],
  send: (parts: Part[]) => Promise<Part[] | undefined>,
): Promise<void> {
  let vain = 0;
  for (let rest = batch, retries = 0; rest.length > 0; retries += 1) {
    if (retries > 0) await wait(backOffMs(retries), options.abortSignal);
    const left = (await send(rest)) ?? [];
    vain = left.length < rest.length ? 0 : vain + 1;
    if (vain === tries) throw throttled('nothing of a batch is processed');
    rest = left;
  }
}

function batchesOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
