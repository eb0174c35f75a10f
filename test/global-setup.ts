/** Synthesizes the app once, before all suites. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { synthesizedApp } from '../lib/local-runner/synthesized-app.ts';
import type { ServiceTemplate } from '../lib/local-runner/template.ts';

export default async function setUp(): Promise<void> {
  // The suites' services find it in the cache.
  const template = await synthesizedApp();
  process.env.TEST_TEMPLATE = templateFile(template);
  process.env.TEST_TABLE_DEFINITION = JSON.stringify(template.table.definition);
}

/** Returns the path of the template, next to the code of the functions. */
function templateFile({ functions }: ServiceTemplate): string {
  const [fn] = functions.values();
  const folder = dirname(String(fn?.codePath));
  return join(folder, String(readdirSync(folder).find((file) => file.endsWith('.template.json'))));
}
