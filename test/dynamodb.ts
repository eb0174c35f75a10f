/** The DynamoDB that the suites share. A client in the suite's process calls it without a connection. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '../lib/local-runner/settings.ts';

export interface EngineCall {
  headers: Record<string, string>;
  body: string;
}

export interface EngineAnswer {
  status: number;
  body: string;
}

/** What the environment of the suites brings. */
export interface TestDynamoDb {
  endpoint: string;
  call(call: EngineCall): Promise<EngineAnswer>;
}

const { testDynamoDb } = globalThis as { testDynamoDb?: TestDynamoDb }; // absent where TEST_DYNAMODB_ENDPOINT names another

/** Address of the engine that the suites run on. */
export function testEndpoint(): string {
  return testDynamoDb?.endpoint ?? String(process.env.TEST_DYNAMODB_ENDPOINT);
}

/** Passes a call on to the engine. */
export async function callEngine({ headers, body }: EngineCall): Promise<EngineAnswer> {
  if (testDynamoDb) return testDynamoDb.call({ headers, body });
  const { 'content-type': type, authorization, 'x-amz-date': date, 'x-amz-target': target } = headers;
  const answer = await fetch(testEndpoint(), {
    method: 'POST',
    headers: {
      ...{ 'content-type': String(type), 'x-amz-target': String(target) },
      ...{ authorization: String(authorization), 'x-amz-date': String(date) },
    },
    body,
  });
  return { status: answer.status, body: await answer.text() };
}

/** What a test makes of the engine at an address of its own. */
interface OwnDynamoDb {
  /** How far its clock is ahead. */
  aheadMs: number;
  answer: typeof callEngine;
}

/** Those that are called without a connection, by their addresses. */
const direct = new Map<string, OwnDynamoDb>();
if (testDynamoDb) direct.set(testDynamoDb.endpoint, { aheadMs: 0, answer: callEngine });

/** The same engine at another address, where the clock goes and calls are answered as a test says. */
export function ownDynamoDb(): { state: OwnDynamoDb; endpoint: string } {
  const state = { aheadMs: 0, answer: callEngine };
  const endpoint = `http://own-${direct.size}.localhost:80`;
  direct.set(endpoint, state);
  return { state, endpoint };
}

interface Request {
  protocol: string;
  hostname: string;
  port?: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

// Every client's handler and signer have these prototypes.
const { config } = new DynamoDBClient(localClientConfig(testEndpoint()));
const handlers = Object.getPrototypeOf(config.requestHandler);
const connect = handlers.handle;

/** Calls the engine itself where a request is for one of its addresses. */
handlers.handle = async function (request: Request, options: { abortSignal?: AbortSignal } = {}) {
  const own = direct.get(`${request.protocol}//${request.hostname}:${request.port ?? 80}`);
  if (!own) return Reflect.apply(connect, this, [request, options]);
  const throwIfAborted = () => {
    if (options.abortSignal?.aborted)
      throw Object.assign(new Error('Request aborted'), { name: 'AbortError' });
  };
  throwIfAborted();
  const { status, body } = await own.answer({
    headers: request.headers,
    body: new TextDecoder().decode(request.body),
  });
  throwIfAborted();
  const date = new Date(Date.now() + own.aheadMs).toUTCString();
  const headers = { 'content-type': 'application/x-amz-json-1.0', date };
  return { response: { statusCode: status, headers, body: Buffer.from(body) } };
};

// A sixth of what a call takes is its signature, which the embedded engine does not look at.
if (testDynamoDb) {
  const signers = Object.getPrototypeOf(await (config.signer as () => Promise<object>)()); // it needs no scheme
  signers.sign = async ({ headers, ...request }: Request) => {
    const authorization = 'AWS4- Credential=none, SignedHeaders=none, Signature=none';
    return { ...request, headers: { ...headers, authorization, 'x-amz-date': 'none' } };
  };
}
