/** Once before all suites: synthesizes the app and starts the DynamoDB that the suites make their tables in. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startEmbeddedDynamoDb } from '../lib/local-runner/dynamodb.ts';
import { synthesizedApp } from '../lib/local-runner/synthesized-app.ts';
import type { ServiceTemplate } from '../lib/local-runner/template.ts';
import { shared } from './shared-setup.ts';

export default async function setUp(): Promise<void> {
  // The services that suites start find it there.
  const template = await synthesizedApp();
  process.env.TEST_TEMPLATE = templateFile(template);
  process.env.TEST_TABLE_DEFINITION = JSON.stringify(template.tables[0]?.definition);
  process.env.TEST_DYNAMODB_ENDPOINT ??= await startEngine();
}

async function startEngine(): Promise<string> {
  shared.dynamoDb = await startEmbeddedDynamoDb(':memory:', 0);
  return shared.dynamoDb.endpoint;
}

/** The template itself, which stands beside the code of the functions. */
function templateFile({ functions }: ServiceTemplate): string {
  const [fn] = functions.values();
  const folder = dirname(String(fn?.codePath));
  return join(folder, String(readdirSync(folder).find((file) => file.endsWith('.template.json'))));
}
