/** The connection to DynamoDB, and what takes several calls: queries, batches. */
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandOutput,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';

/** A table and the client to reach it with. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
}

/**
 * Opens a table. Throttled, failed and slow calls are tried up to four times with exponential back-off; a call
 * that does not answer within 1.5 s counts as failed, so that all tries fit into a function's 10 s.
 */
export function openTable(name: string, config: DynamoDBClientConfig = {}): Table {
  const client = new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 1500, throwOnRequestTimeout: true },
    // The SDK's own checks each text by a regular expression first, which is half of the time to read postings.
    base64Decoder: (text) => Buffer.from(text, 'base64'),
    ...config,
  });
  // It copies every answer for a log that nobody asked for.
  client.middlewareStack.remove('loggerMiddleware');
  return { client: DynamoDBDocumentClient.from(client), name };
}

/** The options of a call that `signal` aborts. */
export function abortable(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal ? { abortSignal: signal } : {};
}

type Item = Record<string, unknown>;

/** What the SDK returns; each store knows the shape of its own items. */
// biome-ignore lint/suspicious/noExplicitAny: as the SDK types it
export type StoredItem = Record<string, any>;

export interface QueryPage {
  items: StoredItem[];
  /** False on the last page. */
  more: boolean;
}

/** Runs a query page after page. */
export async function* queryPages(
  { client, name }: Table,
  query: Omit<QueryCommandInput, 'TableName'>,
  signal?: AbortSignal,
): AsyncGenerator<QueryPage, void, undefined> {
  let ExclusiveStartKey: Item | undefined;
  do {
    const answer = await client.send(
      new QueryCommand({ TableName: name, ...query, ...(ExclusiveStartKey && { ExclusiveStartKey }) }),
      abortable(signal),
    );
    ExclusiveStartKey = answer.LastEvaluatedKey;
    yield { items: answer.Items ?? [], more: ExclusiveStartKey !== undefined };
  } while (ExclusiveStartKey);
}

// A BatchGetItem call takes at most 100 keys (DynamoDB quota).
const batchSize = 100;
// More would wait for one of the client's 50 connections, and time out while they do.
const batchesAtOnce = 32;

/** Reads the items that exist of some keys, in no order; up to 32 calls at once. */
export async function batchGet(
  table: Table,
  keys: Item[],
  options: { consistent: boolean },
  signal?: AbortSignal,
): Promise<StoredItem[]> {
  const batches = Array.from({ length: Math.ceil(keys.length / batchSize) }, (_, i) =>
    keys.slice(i * batchSize, (i + 1) * batchSize),
  );
  const found: StoredItem[] = [];
  const reader = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      found.push(...(await getBatch(table, batch, options, signal)));
    }
  };
  await Promise.all(Array.from({ length: Math.min(batchesAtOnce, batches.length) }, reader));
  return found;
}

// A BatchWriteItem call takes at most 25 requests (DynamoDB quota).
const writeBatchSize = 25;

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>;
export type WriteRequest = WriteRequests[string][number];

/** Writes and deletes items, unconditionally, call after call; waits as long as the table is throttled. */
export async function batchWrite({ client, name }: Table, requests: readonly WriteRequest[]): Promise<void> {
  for (let i = 0; i < requests.length; i += writeBatchSize) {
    let rest: WriteRequests | undefined = { [name]: requests.slice(i, i + writeBatchSize) };
    for (let attempt = 0; rest && Object.keys(rest).length > 0; attempt += 1) {
      if (attempt > 0) await wait(backOffMs(attempt));
      const all: WriteRequests = rest;
      rest = await client.send(new BatchWriteCommand({ RequestItems: all })).then(
        ({ UnprocessedItems }) => UnprocessedItems,
        (error: unknown) => {
          if (!isThrottled(error)) throw error;
          return all;
        },
      );
    }
  }
}

// What DynamoDB answers when none of a batch was processed.
function isThrottled(error: unknown): boolean {
  const names = ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'];
  return error instanceof Error && names.includes(error.name);
}

// DynamoDB leaves some of a batch unprocessed when it throttles; the SDK does not wait for these by itself.
function backOffMs(attempt: number): number {
  return Math.min(25 * 2 ** attempt, 1000);
}

async function getBatch(
  { client, name }: Table,
  keys: Item[],
  { consistent }: { consistent: boolean },
  signal?: AbortSignal,
): Promise<StoredItem[]> {
  const found: StoredItem[] = [];
  let rest: Item[] | undefined = keys;
  for (let attempt = 0; rest && rest.length > 0; attempt += 1) {
    if (attempt > 0) await wait(backOffMs(attempt), undefined, signal ? { signal } : {});
    const answer: BatchGetCommandOutput = await client.send(
      new BatchGetCommand({ RequestItems: { [name]: { Keys: rest, ConsistentRead: consistent } } }),
      abortable(signal),
    );
    found.push(...(answer.Responses?.[name] ?? []));
    rest = answer.UnprocessedKeys?.[name]?.Keys;
  }
  return found;
}
