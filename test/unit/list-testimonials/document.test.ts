/** The OpenAPI document as a deployment serves it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  ['api.acme.test', 'https://api.acme.test'],
  ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['localhost:3000', 'http://localhost:3000'],
  ['[::1]:3000', 'http://[::1]:3000'],
])('a document served at %s names %s', async (host, url) => {
  expect((await served({ host })).servers).toEqual([{ url }]);
});

test('the document of a deployment without media names nothing of them, and that of one with media the same as docs', async () => {
  const host = 'api.acme.test';
  const plain = await served({ host }, { media: false });
  expect(JSON.stringify(plain)).not.toMatch(/media=true|\/v1\/uploads|"media"|Media(?!\s?type)|recording/);
  expect(Object.keys(plain.paths)).toEqual(['/v1/testimonials', '/v1/testimonials/{id}']);
  const whole = await served({ host }, { media: true });
  const published = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  expect(whole.paths).toEqual(published.paths);
  expect(whole.components).toEqual(published.components);
});

test('documents of all options pass strict rules', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  const documents = {
    'all.json': openApiDocument('1.0.0'),
    'moderation.json': await served({ host: 'api.acme.test' }, { moderation: true }),
    'none.json': await served({ host: '127.0.0.1:3000' }, { moderation: false, media: false }),
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
