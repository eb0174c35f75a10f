/**
 * A DynamoDB and a bucket that fail at one chosen call. The real client of DynamoDB sends its calls over a
 * real connection to a server in front of the engine. The fault is chosen when a call is sent, so that the
 * same call is hit each time; the server plays it.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { openTable, type Table, type TableOptions } from '../../functions/dynamodb/table.ts';
import { requestTries } from '../../functions/timing.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import { failingDynamoDb, pass } from '../failing-dynamodb.ts';
import type { TestBucket } from '../media-bucket.ts';
import { bucketCallOf, labelOf } from './calls.ts';
import { type FaultName, faults, pastTimeout } from './faults.ts';

/** A call, by its label and its number among calls with that label, from 1. */
export interface Call {
  label: string;
  nth: number;
  operation: string;
}

/** The call that fails, and its fault. */
export interface Hit {
  call: Pick<Call, 'label' | 'nth'>;
  fault: FaultName;
  /** True to hit every call from this one on, not only its first try. */
  isLasting: boolean;
  /** Limits the calls to these labels. */
  among?: RegExp;
}

export type FaultyDynamoDb = Awaited<ReturnType<typeof faultyDynamoDb>>;

const faultHeader = 'x-fault';

/** @param tableName of a table of the test engine */
export async function faultyDynamoDb(tableName: string, bucket: TestBucket) {
  const { state, endpoint } = await failingDynamoDb();
  const late: (() => Promise<unknown>)[] = [];
  const calls: Call[] = [];
  const sent = new Map<string, Call>();
  // The client of the bucket does not name its calls. After a fault it tries the same call again.
  const failedInBucket = new Map<string, string>();
  let underWay = 0;
  let hit: Hit | undefined;
  let isReached = false;

  state.fault = (call, forward) => {
    const name = String(call.headers[faultHeader] ?? '');
    if (!isFault(name)) return pass(call, forward);
    return faults[name].play({ isLasting: hit?.isLasting ?? false, late }, call, forward);
  };

  /** Returns the fault of a try that is about to be sent. */
  const faultOf = (id: string, operation: string, label: string): FaultName | undefined => {
    const before = sent.get(id);
    const call = before ?? callOf(operation, label, calls);
    if (!before) {
      calls.push(call);
      sent.set(id, call);
    }
    if (!hit || !faults[hit.fault].hits(operation)) return undefined;
    const isTheCall = call.label === hit.call.label && call.nth === hit.call.nth;
    isReached ||= isTheCall;
    const isHit = hit.isLasting ? isReached && (hit.among?.test(call.label) ?? true) : isTheCall && !before;
    return isHit ? hit.fault : undefined;
  };

  bucket.fault = async (request, number, forward) => {
    const { operation, label } = bucketCallOf(request);
    const id = failedInBucket.get(request) ?? `bucket ${number}`;
    const name = faultOf(id, operation, label);
    if (!name) {
      failedInBucket.delete(request);
      return undefined;
    }
    failedInBucket.set(request, id);
    const made = async () => ({ status: (await forward()).status, body: '' });
    const circumstances = { isLasting: hit?.isLasting ?? false, late };
    const response = await faults[name].play(circumstances, { operation, body: '', headers: {} }, made);
    if (response === 'cut' || response === pastTimeout) throw new TypeError('fetch failed');
    return new Response(null, { status: response.status });
  };

  const open = (patience: NonNullable<TableOptions['patience']>): Table => {
    const config: DynamoDBClientConfig = {
      ...localClientConfig(endpoint),
      requestHandler: {},
      retryStrategy: atOnce,
    };
    const table = openTable(tableName, { patience, wait: async () => {}, config });
    table.client.middlewareStack.add(
      (next) => async (args) => {
        underWay += 1;
        try {
          return await next(args);
        } finally {
          underWay -= 1;
        }
      },
      { step: 'initialize', name: 'underWay' },
    );
    const { requestHandler } = table.client.config;
    const handle = requestHandler.handle.bind(requestHandler);
    requestHandler.handle = (request, options) => {
      const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
      const id = String(request.headers['amz-sdk-invocation-id']);
      const fault = faultOf(id, operation, labelOf(operation, new TextDecoder().decode(request.body)));
      if (fault === undefined) return handle(request, options);
      return handle({ ...request, headers: { ...request.headers, [faultHeader]: fault } }, options).then(
        giveUp,
      );
    };
    return table;
  };

  return {
    forRequests: open('request'),
    inBackground: open('background'),
    /** Begins to count the calls, and hits the chosen one. */
    begin(next: Hit | undefined) {
      hit = next;
      isReached = false;
      calls.length = 0;
      sent.clear();
      failedInBucket.clear();
    },
    /**
     * Waits for the unfinished calls of a failed work. Afterwards nothing fails.
     * @returns the calls since the beginning, and whether the chosen one was reached
     */
    async end() {
      for (let quiet = 0; quiet < 5; quiet = underWay === 0 ? quiet + 1 : 0) await turn();
      const met = { calls: [...calls], isReached };
      this.begin(undefined);
      return met;
    },
    /** Delivers the late calls. Returns their number. */
    async arrive(): Promise<number> {
      const all = late.splice(0);
      for (const arrive of all) await arrive();
      return all.length;
    },
  };
}

/** Returns the response, or throws the client's error for a timeout. No test waits that long. */
function giveUp<Result extends { response: { statusCode: number } }>(result: Result): Result {
  if (result.response.statusCode !== pastTimeout.status) return result;
  throw Object.assign(new Error('Request timed out'), { name: 'TimeoutError', code: 'ETIMEDOUT' });
}

function callOf(operation: string, label: string, calls: readonly Call[]): Call {
  return { label, operation, nth: 1 + calls.filter((each) => each.label === label).length };
}

function isFault(name: string): name is FaultName {
  return name in faults;
}

/** Retries as often as the client of a request, without pauses. Calls in the background have more tries. */
const atOnce: NonNullable<Extract<DynamoDBClientConfig['retryStrategy'], { recordSuccess: unknown }>> = {
  acquireInitialRetryToken: async () => token(0),
  async refreshRetryTokenForRetry(before, { errorType }) {
    const retries = before.getRetryCount() + 1;
    if (errorType === 'CLIENT_ERROR' || retries >= requestTries) throw new Error('No further try');
    return token(retries);
  },
  recordSuccess: () => {},
};

function token(retries: number) {
  return { getRetryCount: () => retries, getRetryDelay: () => 0 };
}
