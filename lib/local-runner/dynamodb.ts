/** DynamoDB on a laptop: the embedded engine, and the table made as the template says. */
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { listenOnLoopback } from '../../functions/serve-on-loopback.ts';
import { failureText, prepareFolder } from './data-folder.ts';
import { dynalite } from './mended-dynalite.ts';
import { localClientConfig } from './settings.ts';
import type { TemplateTable } from './template.ts';

/** A write of an item that was stored; its attributes as DynamoDB writes them in JSON. */
export interface ItemWrite {
  tableName: string;
  before: Record<string, unknown> | undefined;
  after: Record<string, unknown> | undefined;
}

export interface RunningDynamoDb {
  endpoint: string;
  /** Tells one listener of each write once it is stored; only the embedded engine does. */
  watch?(told: (write: ItemWrite) => void): void;
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB (dynalite), for programs only: it takes any credentials.
 * @param dataDir the folder that keeps the data, or `:memory:`
 * @param port 0 for a free one
 * @param onFailure told why the data cannot be read or written any more; the process ends by default
 * @throws one line when the port or the folder is in use, or the data cannot be opened
 */
export async function startEmbeddedDynamoDb(
  dataDir: string,
  port: number,
  onFailure: (why: string) => void = endProcess,
): Promise<RunningDynamoDb> {
  const path = dataDir === ':memory:' ? undefined : join(dataDir, 'dynamodb');
  if (path) await prepareFolder(path);
  const tell = (error: Error) => failureText(path ?? dataDir, error);
  const options: Parameters<typeof dynalite>[0] = {
    ...(path && { path }),
    createTableMs: 0,
    onFailure: (error) => onFailure(tell(error)),
  };
  const server = dynalite(options);
  await options.opened?.catch((error: Error) => {
    throw new Error(tell(error));
  });
  const [listener] = server.listeners('request');
  // An HTTP server's listeners of requests are of this form.
  const { answer, settle } = settling(listener as RequestListener);
  server.removeAllListeners('request').on('request', refusingPages(answer));
  const { port: actualPort, stop } = await listenOnLoopback(server, port, 'DYNAMODB_PORT');
  return {
    endpoint: `http://127.0.0.1:${actualPort}`,
    watch(told) {
      options.onWrite = told;
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
 * Creates a table as the template defines it, unless it exists.
 * @throws when a table of that name exists with other indexes
 */
export async function ensureTable(endpoint: string, { name, definition }: TemplateTable): Promise<void> {
  const client = new DynamoDBClient({ ...localClientConfig(endpoint), maxAttempts: 2 });
  try {
    const { Table: existing } = await client.send(new DescribeTableCommand({ TableName: name }));
    const [wanted, found] = [definition, existing].map((each) =>
      each?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort(),
    );
    if (String(wanted) === String(found)) return;
    throw new Error(
      `The table ${name} at ${endpoint} has other indexes than the template: delete its data, or name another DATA_DIR.`,
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
 * What answers, until `settle` is called: then nothing is begun any more, and what was begun is waited for, also where its client
 * has gone. Dynalite ends the process when its store is closed under a request.
 */
function settling(listener: RequestListener): { answer: RequestListener; settle: () => Promise<unknown> } {
  const begun = new Set<Promise<void>>();
  let isOver = false;
  const answer: RequestListener = (request, response) => {
    if (isOver) return request.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.add(promise);
    const done = () => {
      begun.delete(promise);
      resolve();
    };
    const end = response.end.bind(response);
    response.end = (...args: []) => {
      done();
      return end(...args);
    };
    // It is never answered when it has not arrived as a whole.
    request.once('close', () => request.complete || done());
    return listener(request, response);
  };
  return {
    answer,
    settle() {
      isOver = true;
      return Promise.all(begun);
    },
  };
}

/**
 * Refuses with 403 what has an `Origin`, preflights too: a browser sends it with every request of a page but plain reads
 * (https://fetch.spec.whatwg.org/#origin-header), also where a name of the page's own leads to this machine.
 */
function refusingPages(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.origin === undefined) listener(request, response);
    else response.writeHead(403).end();
  };
}
