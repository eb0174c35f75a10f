/**
 * The Jest environment of each suite. All suites of a worker share a DynamoDB in this process and the AWS SDK
 * that calls it: to load and warm up the SDK for each suite would take a sixth of the time of all suites.
 */
import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { isNativeError } from 'node:util/types';
import type { DynamoDBClient as Client } from '@aws-sdk/client-dynamodb';
import { TestEnvironment } from 'jest-environment-node';
import { dynalite } from '../lib/local-runner/patched-dynalite.ts';
import type { EngineAnswer, EngineCall, OwnDynamoDb, TestDynamoDb } from './dynamodb.ts';

// Suites get these packages by test/shared, as jest.config.mjs says.
const sharedPackage = createRequire(import.meta.url);
const { DynamoDBClient } = sharedPackage('@aws-sdk/client-dynamodb');
const { DynamoDBDocumentClient } = sharedPackage('@aws-sdk/lib-dynamodb');
const { send } = DynamoDBDocumentClient.prototype;

/** Engines that are called without a connection, by their URLs. */
const direct = new Map<string, OwnDynamoDb>();

const { env } = process;
let started: Promise<TestDynamoDb> | undefined;

export default class DynamoDbEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    started ??= start();
    const testDynamoDb = await started;
    direct.clear();
    if (isEmbedded) direct.set(testDynamoDb.endpoint, { aheadMs: 0, answer: testDynamoDb.call });
    // The last suite may have replaced it (test/iam/acting.ts).
    DynamoDBDocumentClient.prototype.send = send;
    Object.assign(this.global, { sharedPackage, testDynamoDb });
    acceptErrors(this.global.Error as ErrorConstructor);
    // The SDK reads the variables that the suite sets.
    process.env = this.global.process.env;
  }

  override async teardown(): Promise<void> {
    process.env = env;
    await super.teardown();
  }
}

/** Makes errors of Node.js and of the SDK errors of the suite, too, as they are in production. */
function acceptErrors(suiteError: ErrorConstructor): void {
  Object.defineProperty(suiteError, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      const isInstance = Function.prototype[Symbol.hasInstance].call(this, value);
      return isInstance || (this === suiteError && isNativeError(value)); // a subclass inherits this method
    },
  });
}

const isEmbedded = process.env.TEST_DYNAMODB_ENDPOINT === undefined;

async function start(): Promise<TestDynamoDb> {
  const { endpoint, call } = isEmbedded
    ? await embedded()
    : { endpoint: String(process.env.TEST_DYNAMODB_ENDPOINT), call: callOverHttp };
  const { config }: Client = new DynamoDBClient({ region: 'eu-central-1', endpoint });
  callDirectly(Object.getPrototypeOf(config.requestHandler));
  // A signer that omits signatures needs no scheme.
  if (isEmbedded) omitSignatures(Object.getPrototypeOf(await (config.signer as () => Promise<object>)()));
  return { endpoint, call, direct };
}

/** Starts the engine, which also listens for other processes. */
async function embedded() {
  const engine = dynalite({ createTableMs: 0 });
  engine.listen(0, '127.0.0.1').unref();
  await once(engine, 'listening');
  const { port } = engine.address() as AddressInfo; // it listens on a port
  return {
    endpoint: `http://127.0.0.1:${port}`,
    // The engine handles the request as a server would, and writes to this response.
    call: ({ headers, body }: EngineCall) =>
      new Promise<EngineAnswer>((resolve) => {
        const request = Object.assign(new EventEmitter(), { method: 'POST', url: '/', headers });
        const response = {
          statusCode: 200,
          setHeader: () => {},
          end(response: string) {
            resolve({ status: this.statusCode, body: response });
          },
        };
        engine.emit('request', request, response);
        request.emit('data', Buffer.from(body));
        request.emit('end');
      }),
  };
}

async function callOverHttp({ headers, body }: EngineCall): Promise<EngineAnswer> {
  // `fetch` sets the others.
  const names = ['content-type', 'x-amz-target', 'authorization', 'x-amz-date'];
  const response = await fetch(String(process.env.TEST_DYNAMODB_ENDPOINT), {
    method: 'POST',
    headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
    body,
  });
  return { status: response.status, body: await response.text() };
}

interface Request {
  protocol: string;
  hostname: string;
  port?: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

type Handle = (request: Request, options?: { abortSignal?: AbortSignal }) => Promise<unknown>;

/**
 * Makes the handlers of all clients, which have this prototype, call an engine if a request is for its URL.
 */
function callDirectly(handlers: { handle: Handle }): void {
  const connect = handlers.handle;
  handlers.handle = async function (request, options = {}) {
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
}

/** The embedded engine ignores signatures, which would take a sixth of the time of a call. */
function omitSignatures(signers: { sign: (request: Request) => Promise<Request> }): void {
  signers.sign = async ({ headers, ...request }) => {
    const authorization = 'AWS4- Credential=none, SignedHeaders=none, Signature=none';
    return { ...request, headers: { ...headers, authorization, 'x-amz-date': 'none' } };
  };
}
