/** The Jest environment of each suite, with a DynamoDB in this process that all suites of a worker share. */
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { TestEnvironment } from 'jest-environment-node';
import { dynalite } from '../lib/local-runner/patched-dynalite.ts';
import type { TestDynamoDb } from './dynamodb.ts';

let started: Promise<TestDynamoDb> | undefined;

export default class DynamoDbEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    if (process.env.TEST_DYNAMODB_ENDPOINT === undefined) {
      started ??= start();
      Object.assign(this.global, { testDynamoDb: await started });
    }
  }
}

/** Starts the engine, which also listens for other processes. */
async function start(): Promise<TestDynamoDb> {
  const engine = dynalite({ createTableMs: 0 });
  engine.listen(0, '127.0.0.1').unref();
  await once(engine, 'listening');
  const { port } = engine.address() as AddressInfo; // it listens on a port
  return {
    endpoint: `http://127.0.0.1:${port}`,
    // The engine handles the request as a server would, and writes to this response.
    call: ({ headers, body }) =>
      new Promise((resolve) => {
        const request = Object.assign(new EventEmitter(), { method: 'POST', url: '/', headers });
        const response = {
          statusCode: 200,
          setHeader: () => {},
          end(answer: string) {
            resolve({ status: this.statusCode, body: answer });
          },
        };
        engine.emit('request', request, response);
        request.emit('data', Buffer.from(body));
        request.emit('end');
      }),
  };
}
