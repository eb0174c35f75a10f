/** DynamoDB on a laptop: the embedded engine, and the table made as the template says. */
import { mkdir } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  UpdateTableCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { ClassicLevel } from 'classic-level';
import { localClientConfig } from './connection.ts';
import { dynalite } from './mended-dynalite.ts';
import { refusingPages } from './no-pages.ts';
import type { StreamViewType, TemplateTable } from './template.ts';

/** A write of an item that is about to be stored; its attributes as DynamoDB writes them in JSON. */
export interface ItemWrite {
  tableName: string;
  before: Record<string, unknown> | undefined;
  after: Record<string, unknown> | undefined;
}

export interface RunningDynamoDb {
  endpoint: string;
  /**
   * Of the embedded engine: tells of each write before it is stored, and calls what is returned when it is.
   * @returns ends it
   */
  watch?(told: (write: ItemWrite) => (() => void) | undefined): () => void;
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB (dynalite), for programs only: it takes any credentials.
 * @param dataDir the folder that keeps the data, or `:memory:`
 * @param port 0 for a free one
 * @throws when the port or the folder is in use
 */
export async function startEmbeddedDynamoDb(dataDir: string, port: number): Promise<RunningDynamoDb> {
  const path = dataDir === ':memory:' ? undefined : join(dataDir, 'dynamodb');
  if (path) await checkFolder(path);
  const watching = new Set<Parameters<NonNullable<RunningDynamoDb['watch']>>[0]>();
  const server = dynalite({
    ...(path && { path }),
    createTableMs: 0,
    onWrite: (write) => {
      const calls = Array.from(watching, (told) => ({ told, call: told(write) })).filter(({ call }) => call);
      if (calls.length === 0) return undefined;
      return () => {
        for (const { told, call } of calls) if (watching.has(told)) call?.();
      };
    },
  });
  const [listener] = server.listeners('request');
  // An HTTP server's listeners of requests are of this form.
  server.removeAllListeners('request').on('request', refusingPages(listener as RequestListener));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // The server listens on a port, not on a pipe.
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${actualPort}`,
    watch(told) {
      watching.add(told);
      return () => void watching.delete(told);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Creates a table as the template defines it, unless it exists.
 * @throws when a table of that name exists with other indexes
 */
export async function ensureTable(endpoint: string, { name, definition }: TemplateTable): Promise<void> {
  await withClient(endpoint, async (client) => {
    const existing = await describe(client, name);
    if (!existing) {
      const create = { ...definition, TableName: name, BillingMode: 'PAY_PER_REQUEST' } as const;
      await client.send(new CreateTableCommand(create));
      await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 0.1 }, { TableName: name });
      return;
    }
    const wanted = definition.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).sort();
    const found = (existing.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName).sort();
    if (String(wanted) !== String(found)) {
      throw new Error(
        `The table ${name} at ${endpoint} has other indexes than the template: delete its data, or name another DATA_DIR.`,
      );
    }
  });
}

/**
 * Gives a table of an external DynamoDB its stream, also one that was made without.
 * @returns the stream's ARN, or undefined when that DynamoDB has no streams
 */
export async function ensureStream(
  endpoint: string,
  tableName: string,
  streamViewType: StreamViewType,
): Promise<string | undefined> {
  return withClient(endpoint, async (client) => {
    const existing = await describe(client, tableName);
    if (existing?.StreamSpecification?.StreamEnabled) return existing.LatestStreamArn;
    const StreamSpecification = { StreamEnabled: true, StreamViewType: streamViewType };
    const update = new UpdateTableCommand({ TableName: tableName, StreamSpecification });
    // Dynalite, of another local service, knows no StreamSpecification and finds nothing left to update.
    const updated = await client.send(update).catch(unless('ValidationException'));
    return updated?.TableDescription?.LatestStreamArn;
  });
}

/** Does work with a client for an endpoint, which is closed afterwards. */
export async function withClient<Result>(
  endpoint: string,
  work: (client: DynamoDBClient) => Promise<Result>,
): Promise<Result> {
  const client = new DynamoDBClient({ ...localClientConfig(endpoint), maxAttempts: 2 });
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}

/** Undefined for an error of this name; throws any other. */
function unless(name: string): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof Error && error.name === name) return undefined;
    throw error;
  };
}

async function describe(client: DynamoDBClient, name: string) {
  const found = client.send(new DescribeTableCommand({ TableName: name }));
  return (await found.catch(unless('ResourceNotFoundException')))?.Table;
}

// Dynalite ends the process when it cannot open its store; opened here first, the reason can be told.
async function checkFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  const store = new ClassicLevel(path);
  try {
    await store.open();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED') {
      throw new Error(
        `${path} is in use by another local service: stop it, or set DATA_DIR to another folder.`,
      );
    }
    throw new Error(
      `The data in ${path} cannot be opened: ${cause instanceof Error ? cause.message : error}`,
    );
  } finally {
    await store.close();
  }
}
