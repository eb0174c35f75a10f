/** A table of the synthesized template on the shared engine. */
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { openTable, type Table } from '../functions/dynamodb/table.ts';
import { localClientConfig } from '../lib/local-runner/settings.ts';
import { testEndpoint } from './dynamodb.ts';

// Without time limits, which have their own tests.
const config = { ...localClientConfig(testEndpoint()), requestHandler: {} };
// The local runner would load the engine once more into every suite.
const client = new DynamoDBClient(config);

/** Creates an empty table and opens it. */
export async function createTestTable(): Promise<Table> {
  const name = `test-${randomUUID()}`;
  const definition = JSON.parse(String(process.env.TEST_TABLE_DEFINITION));
  await client.send(
    new CreateTableCommand({ ...definition, TableName: name, BillingMode: 'PAY_PER_REQUEST' }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 0.01 }, { TableName: name });
  return openTable(name, { config });
}
