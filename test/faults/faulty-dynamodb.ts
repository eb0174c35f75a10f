/**
 * A DynamoDB that fails at one place, as told: the real client sends its calls over a real connection to a server before the
 * engine. Where to fail is decided when a call is sent, so that the same place is hit each time; the server plays it.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { openTable, type Table, type TableOptions } from '../../functions/persistence/table.ts';
import { requestTries } from '../../functions/timing.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import { failingDynamoDb, pass } from '../failing-dynamodb.ts';
import { labelOf } from './calls.ts';
import { type FaultName, faults, pastTimeout } from './faults.ts';

/** A call, by what it is about and by how many such calls came before it, from 1. */
export interface Call {
  label: string;
  nth: number;
  operation: string;
}

/** Which call goes wrong, and how. */
export interface Hit {
  call: Pick<Call, 'label' | 'nth'>;
  fault: FaultName;
  /** Not only its first try: from this call on every one that the fault can hit. */
  isLasting: boolean;
  /** Where it is not every one: of these kinds. */
  among?: RegExp;
}

export type FaultyDynamoDb = Awaited<ReturnType<typeof faultyDynamoDb>>;

const faultHeader = 'x-fault';

/** @param tableName of a table of the test engine */
export async function faultyDynamoDb(tableName: string) {
  const { state, endpoint } = await failingDynamoDb();
  const late: (() => Promise<unknown>)[] = [];
  const calls: Call[] = [];
  const sent = new Map<string, Call>();
  let underWay = 0;
  let hit: Hit | undefined;
  let isReached = false;

  state.fault = (call, forward) => {
    const name = String(call.headers[faultHeader] ?? '');
    if (!isFault(name)) return pass(call, forward);
    return faults[name].play({ isLasting: hit?.isLasting ?? false, late }, call, forward);
  };

  /** The fault of a try that is about to be sent. */
  const faultOf = (id: string, operation: string, body: string): FaultName | undefined => {
    const before = sent.get(id);
    const call = before ?? callOf(operation, body, calls);
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
      const fault = faultOf(id, operation, new TextDecoder().decode(request.body));
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
    /** Begins to count the calls; from then on the place is hit. */
    begin(next: Hit | undefined) {
      hit = next;
      isReached = false;
      calls.length = 0;
      sent.clear();
    },
    /**
     * Lets what is under way end, which a work that failed has left; then nothing fails any more.
     * @returns the calls since the beginning, and whether the place was met
     */
    async end() {
      for (let quiet = 0; quiet < 5; quiet = underWay === 0 ? quiet + 1 : 0) await turn();
      const met = { calls: [...calls], isReached };
      this.begin(undefined);
      return met;
    },
    /** Lets arrive what was held up; returns how many calls that were. */
    async arrive(): Promise<number> {
      const all = late.splice(0);
      for (const arrive of all) await arrive();
      return all.length;
    },
  };
}

/** The answer, or what the client throws that has waited for it in vain. No test waits so long. */
function giveUp<Answer extends { response: { statusCode: number } }>(answer: Answer): Answer {
  if (answer.response.statusCode !== pastTimeout.status) return answer;
  throw Object.assign(new Error('Request timed out'), { name: 'TimeoutError', code: 'ETIMEDOUT' });
}

function callOf(operation: string, body: string, calls: readonly Call[]): Call {
  const label = labelOf(operation, body);
  return { label, operation, nth: 1 + calls.filter((each) => each.label === label).length };
}

function isFault(name: string): name is FaultName {
  return name in faults;
}

/** As many tries as the client of a request has, without waiting in between; in the background there are more of them. */
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
