/** The OpenAPI document as a deployment serves it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { documentHandler } from '../../../functions/list-testimonials/document.ts';
import { openApiDocument } from '../../../lib/openapi/document.ts';
import { contextOf, eventOf } from '../../api-client.ts';
import { noBudgets } from '../../no-budgets.ts';
import { WatchedLogger } from '../../watched-logs.ts';

/** Returns the document that a deployment serves to a request. */
async function served(headers: Record<string, string>, options = {}) {
  const meter = { reset: () => {}, cost: () => ({ units: 0, writeUnits: 0 }) };
  const deps = { logger: new WatchedLogger(), budgets: noBudgets, meter, now: () => new Date() };
  const handler = documentHandler(deps, () => openApiDocument('1.0.0', options));
  const { body = '' } = await handler(eventOf({ routeKey: 'GET /docs/openapi.json', headers }), contextOf());
  return JSON.parse(body);
}

test.each([
  [
    'abcdef1234.execute-api.eu-west-1.amazonaws.com',
    'https://abcdef1234.execute-api.eu-west-1.amazonaws.com',
  ],
  ['api.acme.test', 'https://api.acme.test'],
  ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['localhost:3000', 'http://localhost:3000'],
  ['[::1]:3000', 'http://[::1]:3000'],
])('a document served at %s names %s', async (host, url) => {
  expect((await served({ host })).servers).toEqual([{ url }]);
});

test('documents of all options pass strict rules', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  const documents = {
    'all.json': openApiDocument('1.0.0'),
    'moderation.json': await served({ host: 'api.acme.test' }, { moderation: true }),
    'none.json': await served({ host: '127.0.0.1:3000' }, { moderation: false }),
  };
  const files = Object.entries(documents).map(([name, document]) => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(document));
    return file;
  });
  // It throws with what the rules say.
  execFileSync('npm', ['run', '--silent', 'openapi:lint', '--', ...files], { stdio: 'pipe' });
  rmSync(folder, { recursive: true });
}, 120_000);
