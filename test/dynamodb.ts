/** The DynamoDB that the suites share. Clients in this process call it without a connection. */
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

/** The engine that the Jest environment provides. */
export interface TestDynamoDb {
  endpoint: string;
  call(call: EngineCall): Promise<EngineAnswer>;
}

const { testDynamoDb } = globalThis as { testDynamoDb?: TestDynamoDb }; // absent if TEST_DYNAMODB_ENDPOINT names another

/** Returns the URL of the engine of the suites. */
export function testEndpoint(): string {
  return testDynamoDb?.endpoint ?? String(process.env.TEST_DYNAMODB_ENDPOINT);
}

/** Passes a call to the engine. */
export async function callEngine({ headers, body }: EngineCall): Promise<EngineAnswer> {
  if (testDynamoDb) return testDynamoDb.call({ headers, body });
  const { 'content-type': type, authorization, 'x-amz-date': date, 'x-amz-target': target } = headers;
  const answer = await fetch(testEndpoint(), {
    method: 'POST',
    headers: {
      'content-type': String(type),
      'x-amz-target': String(target),
      authorization: String(authorization),
      'x-amz-date': String(date),
    },
    body,
  });
  return { status: answer.status, body: await answer.text() };
}

/** The engine at a URL of its own, as a test changes it. */
interface OwnDynamoDb {
  /** Milliseconds that its clock is ahead. */
  aheadMs: number;
  answer: typeof callEngine;
}

/** Engines that are called without a connection, by their URLs. */
const direct = new Map<string, OwnDynamoDb>();
if (testDynamoDb) direct.set(testDynamoDb.endpoint, { aheadMs: 0, answer: callEngine });

/** Returns the engine at another URL, where a test sets the clock and the responses. */
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

// The handlers and signers of all clients have these prototypes.
const { config } = new DynamoDBClient(localClientConfig(testEndpoint()));
const handlers = Object.getPrototypeOf(config.requestHandler);
const connect = handlers.handle;

/** Calls the engine directly if a request is for one of its URLs. */
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

// The embedded engine ignores signatures, which would take a sixth of the time of a call.
if (testDynamoDb) {
  const signers = Object.getPrototypeOf(await (config.signer as () => Promise<object>)()); // it needs no scheme
  const { sign } = signers;
  signers.sign = async function (this: { service: string }, ...args: [Request]) {
    // The bucket of tests verifies them.
    if (this.service !== 'dynamodb') return Reflect.apply(sign, this, args);
    const [{ headers, ...request }] = args;
    const authorization = 'AWS4- Credential=none, SignedHeaders=none, Signature=none';
    return { ...request, headers: { ...headers, authorization, 'x-amz-date': 'none' } };
  };
}
