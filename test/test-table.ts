/** A table of its own for a suite, made from the synthesized template on the shared engine. */
import { randomUUID } from 'node:crypto';
import { openTable, type Table } from '../functions/persistence/table.ts';
import { localClientConfig } from '../lib/local-runner/connection.ts';
import { ensureTable } from '../lib/local-runner/dynamodb.ts';
import { testEndpoint } from './dynamodb.ts';

/** Creates an empty table and opens it. */
export async function createTestTable(): Promise<Table> {
  const name = `test-${randomUUID()}`;
  const definition = JSON.parse(String(process.env.TEST_TABLE_DEFINITION));
  await ensureTable(testEndpoint(), { name, definition });
  // As long as a call takes: what gives a call up has its own tests.
  const config = { ...localClientConfig(testEndpoint()), requestHandler: {} };
  return openTable(name, { config });
}
