/** Once before all suites: synthesizes the app and starts the DynamoDB that the suites make their tables in. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedDynamoDb } from '../lib/local-runner/dynamodb.ts';
import { synthesize } from '../lib/local-runner/synthesize.ts';
import { shared } from './shared-setup.ts';

export default async function setUp(): Promise<void> {
  const outdir = await mkdtemp(join(tmpdir(), 'testimonials-test-'));
  shared.outdir = outdir;
  const template = await synthesize(outdir);
  process.env.TEST_TABLE_DEFINITION = JSON.stringify(template.tables[0]?.definition);
  process.env.TEST_DYNAMODB_ENDPOINT ??= await startEngine();
}

async function startEngine(): Promise<string> {
  shared.dynamoDb = await startEmbeddedDynamoDb(':memory:', 0);
  return shared.dynamoDb.endpoint;
}
