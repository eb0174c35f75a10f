/** The connection to DynamoDB: its clock, its retries and its limit on calls in flight. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import type { Unreadable } from '../domain/unreadable.ts';
import {
  backgroundTries,
  callsAtOnce,
  clientOptions,
  longestBackOffMs,
  requestTries,
  toleratedClockErrorMs,
} from '../timing.ts';
import { absentKey } from './keys.ts';
import { Throttled } from './throttled.ts';

/** The DynamoDB table and its client. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
  /** The time according to the database. */
  now: () => Date;
  /** The options of each call. */
  options: { abortSignal?: AbortSignal };
  /** The number of tries for a throttled call. */
  tries: number;
  wait: Wait;
  /** Receives the error of an unreadable item that a read skips. */
  onUnreadable: (error: Unreadable) => void;
}

type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;

/** Returns the table for the stores of one request. `signal`, if any, aborts its calls. */
export function abortable(table: Table, signal: AbortSignal | undefined): Table {
  return signal ? { ...table, options: { abortSignal: signal } } : table;
}

export interface TableOptions {
  /** The duration of retries: seconds while a client waits, up to a minute in the background. */
  patience?: 'request' | 'background';
  /** This machine's clock by default. */
  clock?: () => number;
  /** The wait between two tries. */
  wait?: Wait;
  /** Throws the error by default. */
  onUnreadable?: Table['onUnreadable'];
  config?: DynamoDBClientConfig;
}

const rethrowUnreadable = (error: Unreadable) => {
  throw error;
};

const sleepUntilAborted: Wait = (milliseconds, signal) =>
  sleep(milliseconds, undefined, signal ? { signal } : {});

/** Opens a table. Its calls throw `Throttled` when DynamoDB throttles their last try. */
export function openTable(
  name: string,
  {
    patience = 'request',
    clock = Date.now,
    wait = sleepUntilAborted,
    onUnreadable = rethrowUnreadable,
    config = {},
  }: TableOptions = {},
): Table {
  const client = new DynamoDBClient({
    ...clientOptions,
    ...(patience === 'background' && { retryStrategy: patientRetries(wait) }),
    // The SDK's decoder first checks each text with a regular expression, which takes half of the time for
    // reading postings.
    base64Decoder: (text) => Buffer.from(text, 'base64'),
    ...config,
  });
  // This middleware copies every response for a log that is not read.
  client.middlewareStack.remove('loggerMiddleware');
  const inFlight = pLimit(callsAtOnce);
  // Limits each try separately, so that a call that waits for its next try is not in flight.
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
    // Without `wrapNumbers` a number beyond JavaScript's precision fails the whole call.
    client: DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: Number } }),
    name,
    now: databaseClock(client, clock),
    options: {},
    tries: patience === 'request' ? requestTries : backgroundTries,
    wait,
    onUnreadable,
  };
}

// Less than the 10 s that Lambda allows for the initialization.
const openingTimeoutMs = 2000;

/**
 * Opens connections by reading an item that does not exist, at half a read unit each. This saves the first
 * request the TLS handshakes and the SDK's first run. Ignores errors, because the first request reports them.
 */
export async function openConnections(table: Table, count: number): Promise<void> {
  const opening = abortable(table, AbortSignal.timeout(openingTimeoutMs));
  await Promise.allSettled(Array.from({ length: count }, () => synchronizeClock(opening)));
}

/** Sets the table's clock to the database's time by reading an item that does not exist. */
export async function synchronizeClock({ client, name, options }: Table): Promise<void> {
  await client.send(new GetCommand({ TableName: name, Key: absentKey }), options);
}

// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/throttling-diagnosing-workflow.html
const throttlingErrors = [
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
];

export function throttled(reason: string, cause?: unknown): Throttled {
  return new Throttled(`DynamoDB is throttling the table (${reason}). Try again in a minute.`, { cause });
}

function rethrow(error: unknown): never {
  const isThrottled = error instanceof Error && throttlingErrors.includes(error.name);
  throw isThrottled ? throttled(error.name, error) : error;
}

// The `Date` of a response is in whole seconds.
const halfASecond = 500;

/**
 * Returns a clock that the `Date` of each response (RFC 9110, 6.6.1) corrects. While the two agree, it equals
 * this machine's clock to the millisecond.
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
      if (!Number.isNaN(difference)) offset = Math.abs(difference) <= toleratedClockErrorMs ? 0 : difference;
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'databaseClock' },
  );
  return () => new Date(clock() + offset);
}

type RetryStrategy = Extract<DynamoDBClientConfig['retryStrategy'], { recordSuccess: unknown }>;
type RetryToken = Awaited<ReturnType<RetryStrategy['acquireInitialRetryToken']>>;

/**
 * Retries every transient error, with exponential back-off and full jitter. In the SDK's own strategy all
 * calls share a retry quota, which a throttled table uses up.
 */
function patientRetries(wait: Wait): RetryStrategy {
  return {
    acquireInitialRetryToken: async () => retryToken(0),
    async refreshRetryTokenForRetry(token, { errorType, error }) {
      const tries = token.getRetryCount() + 1;
      // A refused connection stays refused for longer than these retries last.
      const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
      const maxTries = isRefused ? requestTries : backgroundTries;
      if (errorType === 'CLIENT_ERROR' || tries >= maxTries) throw new Error('No further try');
      await wait(backOffMs(tries));
      return retryToken(tries);
    },
    recordSuccess: () => {},
  };
}

function retryToken(retries: number): RetryToken {
  return { getRetryCount: () => retries, getRetryDelay: () => 0 };
}

/** Returns the milliseconds to wait before a retry. */
export function backOffMs(retries: number): number {
  return Math.random() * Math.min(25 * 2 ** retries, longestBackOffMs);
}
