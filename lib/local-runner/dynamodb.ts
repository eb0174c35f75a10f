/** DynamoDB on a laptop: the embedded engine, and the table made as the template says. */
import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  UpdateTableCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { ClassicLevel } from 'classic-level';
import { localClientConfig } from './connection.ts';
import { dynalite } from './mended-dynalite.ts';
import type { StreamViewType, TemplateTable } from './template.ts';

export interface RunningDynamoDb {
  endpoint: string;
  /** Of the embedded engine: where writes can be observed. */
  server?: Server;
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB (dynalite).
 * @param dataDir the folder that keeps the data, or `:memory:`
 * @param port 0 for a free one
 * @throws when the port or the folder is in use
 */
export async function startEmbeddedDynamoDb(dataDir: string, port: number): Promise<RunningDynamoDb> {
  const path = dataDir === ':memory:' ? undefined : join(dataDir, 'dynamodb');
  if (path) await checkFolder(path);
  const server = dynalite({ ...(path && { path }), createTableMs: 0 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // The server listens on a port, not on a pipe.
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${actualPort}`,
    server,
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
  const client = new DynamoDBClient({ ...localClientConfig(endpoint), maxAttempts: 2 });
  try {
    const existing = await describe(client, name);
    if (!existing) {
      await client.send(
        new CreateTableCommand({
          ...definition,
          TableName: name,
          BillingMode: 'PAY_PER_REQUEST',
        }),
      );
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
  } finally {
    client.destroy();
  }
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
  const client = new DynamoDBClient({ ...localClientConfig(endpoint), maxAttempts: 2 });
  try {
    const existing = await describe(client, tableName);
    if (existing?.StreamSpecification?.StreamEnabled) return existing.LatestStreamArn;
    const { TableDescription } = await client.send(
      new UpdateTableCommand({
        TableName: tableName,
        StreamSpecification: { StreamEnabled: true, StreamViewType: streamViewType },
      }),
    );
    return TableDescription?.LatestStreamArn;
  } catch (error) {
    // Dynalite, of another local service, knows no StreamSpecification and finds nothing left to update.
    if (error instanceof Error && error.name === 'ValidationException') return undefined;
    throw error;
  } finally {
    client.destroy();
  }
}

async function describe(client: DynamoDBClient, name: string) {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
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
