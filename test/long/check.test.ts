/** `npm run check` against sound and broken services, and interrupted checks. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import type { ApiResponse } from '../../functions/http/api-event.ts';
import type { ListBody } from '../../functions/list-testimonials/list-body.ts';
import type { Outcome } from '../../lib/check/report.ts';
import { bundling } from '../../lib/infrastructure/function-bundle.ts';
import { directory } from '../file-of.ts';
import { type Breakage, checkOf, runCheckOf, type ServedApi, servedApi } from '../served-api.ts';
import { textOf } from '../stored-items.ts';
import { createTestTable } from '../test-table.ts';

const withHeaders = (response: ApiResponse, headers: Record<string, string>): ApiResponse => ({
  ...response,
  headers: { ...response.headers, ...headers },
});

function withBody(response: ApiResponse, change: (body: ListBody) => ListBody): ApiResponse {
  if (response.statusCode !== 200) return response;
  return { ...response, body: JSON.stringify(change(JSON.parse(response.body ?? ''))) };
}

const lostVary: Breakage = (_, response) =>
  response.headers?.vary ? withHeaders(response, { vary: 'Origin' }) : response;

const sniffed: Breakage = (_, response) => withHeaders(response, { 'x-content-type-options': 'sniff' });

/** Returns each list of the newest testimonial one list late. */
function late(): Breakage {
  let before: ApiResponse | undefined;
  return ({ rawQueryString }, response) => {
    if (rawQueryString !== 'limit=1' || response.statusCode !== 200) return response;
    const stale = before ?? withBody(response, (body) => ({ ...body, testimonials: [] }));
    before = response;
    return stale;
  };
}

test.each<[string, Parameters<typeof servedApi>[1], string[], RegExp]>([
  [
    'moderation, pages and a desk',
    { moderation: true, pages: true, desk: true },
    [],
    /^Found: the API, operations on one testimonial \(moderation\), .+, a desk \(desk\)\. Not found: photos and recordings \(media\)\n/,
  ],
  [
    'none of them',
    {},
    ['--only', 'access', 'forms'],
    /^Found: the API\. Not found: operations .+ \(moderation\), forms .+, photos .+ \(media\), a desk \(desk\)\n/,
  ],
])(
  'of a sound service with %s every rule holds without a word about what it has, and the check leaves nothing behind',
  async (_, has, args, found) => {
    const service = await servedApi(undefined, has);
    const { code, stdout } = await checkOf(service, ...args);
    expect(stdout).toMatch(found);
    expect(stdout).not.toContain('FAILED');
    expect(stdout).toMatch(/\n(\d+) of \1 rules passed, \d+ skipped, [\d,]+ requests, \d+ s\n$/);
    expect(code).toBe(0);
    expect(await textOf(service.table)).not.toContain('check-');
  },
);

describe('the check names a broken rule with the unexpected value and exits with 1:', () => {
  test.each<[defect: string, Breakage, only: string, rule: string, seen: RegExp]>([
    [
      'a lost Vary',
      lostVary,
      'published lists',
      'caches keep a published list per token and page, with the token in the URL, with an Origin',
      /^Vary: Origin\nrequest: GET \/v1\/testimonials\?token=.+origin: .+\nresponse: 200 /,
    ],
    [
      'a read without the last write',
      late(),
      'lists',
      'a list contains a testimonial as soon as its create has returned',
      /^the first: .+ instead of test_\d+\nrequest: GET \/v1\/testimonials\?limit=1\nresponse: 200 /,
    ],
    [
      'a header that is wrong in every response',
      sniffed,
      'cors',
      'X-Content-Type-Options is nosniff',
      /^sniff \(GET \/v1\/testimonials 200\); (\d+) of \1 responses$/,
    ],
  ])('%s', async (_, defect, only, rule, seen) => {
    const service = await servedApi(defect, { pages: true, desk: true });
    const { code, stdout, stderr } = await checkOf(service, '--json', '--only', only);
    const { rules, held }: Outcome = JSON.parse(stdout);
    const notHeld = rules.filter((row) => !row.held);
    expect(notHeld).toContainEqual(expect.objectContaining({ rule, seen: expect.stringMatching(seen) }));
    expect({ code, held }).toEqual({ code: 1, held: rules.length - notHeld.length });
    expect(stderr).not.toContain('Not removed');
    expect(await textOf(service.table)).not.toContain('check-');
  });
});

test('a part that fails is there, and its rules do not hold', async () => {
  const failing: Breakage = ({ rawPath }, response) =>
    rawPath === '/embed.js' ? { ...response, statusCode: 503 } : response;
  const service = await servedApi(failing, { pages: true });
  const { code, stdout } = await checkOf(service, '--json', '--only', 'forms');
  const { found, rules }: Outcome = JSON.parse(stdout);
  expect({ code, found }).toEqual({ code: 1, found: ['pages'] });
  const notHeld = rules.filter(({ held }) => !held).map(({ rule }) => rule);
  expect(notHeld).toEqual([expect.stringMatching(/^\/embed\.js is a script/)]);
});

test('an option insists on a part', async () => {
  const service = await servedApi();
  const { code, stdout } = await checkOf(service, '--desk', '--json', '--only', 'the desk');
  const { found, rules }: Outcome = JSON.parse(stdout);
  expect({ code, found }).toEqual({ code: 1, found: [] });
  expect(rules.filter(({ suite }) => suite === 'The desk').some(({ held }) => held)).toBe(false);
});

const interrupting: Breakage = ({ body }, response) => {
  if (body?.includes('"rating":4}')) process.emit('SIGINT', 'SIGINT');
  return response;
};

test('after Ctrl-C the check removes its organizations and stops', async () => {
  const service = await servedApi(interrupting);
  const { code, stdout, stderr } = await checkOf(service, '--only', 'fields');
  expect(stdout).toMatch(/\n(\d+) of \1 rules passed, \d+ not checked, .+\n$/);
  expect(stderr).toContain('Stopping: the remaining rules are not checked\n');
  expect(code).toBe(130);
  expect(await textOf(service.table)).not.toContain('check-');
});

test('a failed removal prints the command that repeats it', async () => {
  const service = await servedApi();
  const sleepless = () => Promise.reject(new Error('no further'));
  const { code, stderr } = await checkOf({ ...service, sleep: sleepless }, '--only', 'create');
  expect(code).toBe(1);
  expect(stderr).toContain('Not removed: no further\n');
  const [, remove = ''] = /is not removed\. Run: npm run check -- (.+)\n/.exec(stderr) ?? [];
  expect(await textOf(service.table)).toContain('check-');
  const removed = await runCheckOf(service, remove.split(' '));
  expect(removed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^check-\S+ is removed\. Its Idempotency-Keys .+\n$/),
  });
  const left: { PK: string }[] = JSON.parse(await textOf(service.table));
  expect(left.filter(({ PK }) => !PK.includes('#KEY#'))).toEqual([]);
});

describe('a check that cannot start prints one line and exits with 2', () => {
  test.each([
    [['--what'], "error: unknown option '--what'"],
    [['--url', 'here'], "error: option '--url <url>' argument 'here' is invalid. Use a URL like"],
    [['--table', 'Testimonials'], 'Add --url: cdk deploy printed it as ApiUrl.'],
    [['--origin', 'https://a.b/'], "error: option '--origin <origin>' argument 'https://a.b/' is invalid."],
    [['--remove', 'acme'], "error: option '--remove <check>' argument 'acme' is invalid."],
    [['--only', 'nothing'], 'No suite begins with nothing. The suites are Erasure,'],
  ])('%p', async (args, reason) => {
    const { code, stdout, stderr } = await runCheckOf({ clock: Date.now, sleep: async () => {} }, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^.+\n$/);
    expect(stderr).toContain(reason);
  });

  let service: ServedApi;
  let body: string | undefined;
  beforeAll(async () => {
    service = await servedApi((_, response) => ({ ...response, ...(body !== undefined && { body }) }));
  });

  test('no server responds at the URL', async () => {
    const { code, stderr } = await checkOf({ ...service, url: 'http://127.0.0.1:65535' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^No API responds at http:\S+ \(connect ECONNREFUSED .+\)\. Check --url.+\n$/);
    expect(await textOf(service.table)).toBe('[]');
  });

  test('another program responds at the URL', async () => {
    body = '<html>It works!</html>';
    const { code, stderr } = await checkOf(service);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^http:\S+ is not this API: it responded with 200 <html>It works!<.html>\n$/);
  });

  test('the API uses another table', async () => {
    body = undefined;
    const { code, stderr } = await checkOf({ ...service, table: await createTestTable() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/ does not accept a token just issued in the table test-\S+\. .+\n$/);
    expect(await textOf(service.table)).toBe('[]');
  });
});

test('the bundle of the check before a rollout starts, with the texts of forms beside it', async () => {
  const folder = await directory();
  await build({
    ...bundling,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    entryPoints: ['lib/check/lambda.ts'],
    outfile: join(folder, 'index.mjs'),
  });
  await promisify(execFile)(process.execPath, ['bin/assets.ts', 'pages', folder]);
  const load = `console.log(Object.keys(await import(${JSON.stringify(join(folder, 'index.mjs'))})).join())`;
  const env = {
    TABLE_NAME: 'testimonials',
    QUEUE_URL: 'https://sqs.example',
    AWS_REGION: 'us-east-1',
    VERSIONS: '{}',
    GROUPS: '{}',
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', load], {
    env,
  });
  expect(stdout).toBe('handler\n');
});
