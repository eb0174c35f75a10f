/** The embedded DynamoDB, and the table of the template in it. */
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { listenOnLoopback } from '../serve-on-loopback.ts';
import { failureText, prepareFolder } from './data-folder.ts';
import { dynalite } from './patched-dynalite.ts';
import { localClientConfig } from './settings.ts';
import type { TemplateTable } from './template.ts';

/** A stored write of an item, with attributes in DynamoDB's JSON format. */
export interface ItemWrite {
  tableName: string;
  before: Record<string, unknown> | undefined;
  after: Record<string, unknown> | undefined;
}

export interface RunningDynamoDb {
  endpoint: string;
  /** Sets the listener for stored writes. Only the embedded engine supports this. */
  watch?(listener: (write: ItemWrite) => void): void;
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB (dynalite). It accepts any credentials, but rejects requests from web pages.
 * @param dataDir the folder for the data, or `:memory:`
 * @param port 0 for a free one
 * @param onFailure receives the reason if the data can no longer be read or written; ends the process by
 * default
 * @throws one line if the port or the folder is in use, or the data cannot be opened
 */
export async function startEmbeddedDynamoDb(
  dataDir: string,
  port: number,
  onFailure: (why: string) => void = endProcess,
): Promise<RunningDynamoDb> {
  const path = dataDir === ':memory:' ? undefined : join(dataDir, 'dynamodb');
  if (path) await prepareFolder(path);
  const textOf = (error: Error) => failureText(path ?? dataDir, error);
  const options: Parameters<typeof dynalite>[0] = {
    ...(path && { path }),
    createTableMs: 0,
    onFailure: (error) => onFailure(textOf(error)),
  };
  const server = dynalite(options);
  await options.opened?.catch((error: Error) => {
    throw new Error(textOf(error));
  });
  const [listener] = server.listeners('request');
  // All listeners of this event have this type.
  const { respond, settle } = settling(listener as RequestListener);
  server.removeAllListeners('request').on('request', refusingPages(respond));
  const { port: actualPort, stop } = await listenOnLoopback(server, port, 'DYNAMODB_PORT');
  return {
    endpoint: `http://127.0.0.1:${actualPort}`,
    watch(onWrite) {
      options.onWrite = onWrite;
    },
    async stop() {
      await settle();
      await stop();
    },
  };
}

function endProcess(why: string): void {
  console.error(why);
  process.exit(1);
}

/**
 * Creates the table of the template, unless it exists.
 * @throws if it exists and its indexes differ
 */
export async function ensureTable(endpoint: string, { name, definition }: TemplateTable): Promise<void> {
  const client = new DynamoDBClient({ ...localClientConfig(endpoint), maxAttempts: 2 });
  try {
    const { Table: existing } = await client.send(new DescribeTableCommand({ TableName: name }));
    const [expected, actual] = [definition, existing].map((table) =>
      table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort(),
    );
    if (String(expected) === String(actual)) return;
    throw new Error(
      `The indexes of the table ${name} at ${endpoint} differ from the template. Delete its data, or set DATA_DIR to another folder.`,
    );
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    const create = { ...definition, TableName: name, BillingMode: 'PAY_PER_REQUEST' } as const;
    await client.send(new CreateTableCommand(create));
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 0.01 }, { TableName: name });
  } finally {
    client.destroy();
  }
}

/**
 * Wraps a listener. `settle` rejects new requests and waits for the running ones, even if their clients have
 * disconnected, because dynalite ends the process if its store closes during a request.
 */
function settling(listener: RequestListener): { respond: RequestListener; settle: () => Promise<unknown> } {
  const running = new Set<Promise<void>>();
  let isOver = false;
  const respond: RequestListener = (request, response) => {
    if (isOver) return request.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    running.add(promise);
    const done = () => {
      running.delete(promise);
      resolve();
    };
    const end = response.end.bind(response);
    response.end = (...args: []) => {
      done();
      return end(...args);
    };
    // An incomplete request gets no response.
    request.once('close', () => request.complete || done());
    return listener(request, response);
  };
  return {
    respond,
    settle() {
      isOver = true;
      return Promise.all(running);
    },
  };
}

/**
 * Responds with 403 if a request or preflight has an `Origin`. Browsers send this header with every request
 * of a page except plain reads (https://fetch.spec.whatwg.org/#origin-header), even if the page's own domain
 * resolves to this machine.
 */
function refusingPages(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.origin === undefined) listener(request, response);
    else response.writeHead(403).end();
  };
}
