/** The connection to DynamoDB: its clock, the limit on calls in flight, how calls are tried again; and batches. */
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { callsAtOnce, forEachAtOnce } from '../concurrency.ts';
import {
  backgroundTries,
  believedClockErrorMs,
  callTimeoutMs,
  connectTimeoutMs,
  longestBackOffMs,
  requestTries,
} from '../timing.ts';
import { afterPrefix, tableKey } from './keys.ts';

/** A table and the client to reach it with. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
  /** The time as the database tells it. */
  now: () => Date;
  /** Goes with each call. */
  options: { abortSignal?: AbortSignal };
}

/** The same table, all of whose calls `signal` aborts: for the stores of one request. */
export function abortable(table: Table, signal: AbortSignal): Table {
  return { ...table, options: { abortSignal: signal } };
}

export interface TableOptions {
  /** While a client waits, a call is tried for seconds; in the background, for as long as a minute. */
  patience?: 'request' | 'background';
  /** Of this machine. */
  clock?: () => number;
  config?: DynamoDBClientConfig;
}

/** Opens a table. */
export function openTable(
  name: string,
  { patience = 'request', clock = Date.now, config = {} }: TableOptions = {},
): Table {
  const client = new DynamoDBClient({
    maxAttempts: requestTries,
    ...(patience === 'background' && { retryStrategy: patientRetries }),
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
  return {
    client: DynamoDBDocumentClient.from(client),
    name,
    now: databaseClock(client, clock),
    options: {},
  };
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
const patientRetries: RetryStrategy = {
  acquireInitialRetryToken: async () => retryToken(0),
  async refreshRetryTokenForRetry(token, { errorType, error }) {
    const tries = token.getRetryCount() + 1;
    // Where nobody listens, nobody will soon.
    const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
    const mostTries = isRefused ? requestTries : backgroundTries;
    if (errorType === 'CLIENT_ERROR' || tries >= mostTries) throw new Error('No further try');
    return retryToken(tries);
  },
  recordSuccess: () => {},
};

function retryToken(retries: number): RetryToken {
  return { getRetryCount: () => retries, getRetryDelay: () => backOffMs(retries) };
}

function backOffMs(retries: number): number {
  return retries === 0 ? 0 : Math.random() * Math.min(25 * 2 ** retries, longestBackOffMs);
}

/** What the SDK returns; each store knows the shape of its own items. */
// biome-ignore lint/suspicious/noExplicitAny: as the SDK types it
export type StoredItem = Record<string, any>;

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

/** Reads the items that exist of some keys, in no order. */
export async function batchGet(
  { client, name, options }: Table,
  keys: readonly Record<string, unknown>[],
  { consistent }: { consistent: boolean },
): Promise<StoredItem[]> {
  const found: StoredItem[] = [];
  await forEachAtOnce(batchesOf(keys, getBatchSize), async (batch) => {
    let rest: BatchGetCommandInput['RequestItems'] = { [name]: { Keys: batch, ConsistentRead: consistent } };
    for (let retries = 0; rest?.[name]; retries += 1) {
      if (retries > 0) await pause(retries, options);
      const answer: BatchGetCommandOutput = await client.send(
        new BatchGetCommand({ RequestItems: rest }),
        options,
      );
      found.push(...(answer.Responses?.[name] ?? []));
      rest = answer.UnprocessedKeys;
    }
  });
  return found;
}

/** Deletes the items of some keys, unconditionally. */
export async function batchDelete(
  { client, name, options }: Table,
  keys: readonly Record<string, unknown>[],
): Promise<void> {
  const requests = keys.map((Key) => ({ DeleteRequest: { Key } }));
  await forEachAtOnce(batchesOf(requests, writeBatchSize), async (batch) => {
    let rest: BatchWriteCommandInput['RequestItems'] = { [name]: batch };
    for (let retries = 0; rest?.[name]; retries += 1) {
      if (retries > 0) await pause(retries, options);
      rest = (await client.send(new BatchWriteCommand({ RequestItems: rest }), options)).UnprocessedItems;
    }
  });
}

/** DynamoDB leaves some of a batch undone when it throttles; the SDK does not wait for these by itself. */
async function pause(retries: number, { abortSignal: signal }: Table['options']): Promise<void> {
  await wait(backOffMs(retries), undefined, signal ? { signal } : {});
}

function batchesOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
