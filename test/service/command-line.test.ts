import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { ListBody } from '../../functions/list-testimonials/contract.ts';
import { invokeOnce } from '../../lib/local-runner/invoke.ts';
import { type RunningService, runService } from '../../lib/local-runner/run.ts';
import { readSettings } from '../../lib/local-runner/settings.ts';
import { runAdmin } from '../admin.ts';
import { isolated, jsonOf, runEntry } from './service-process.ts';

const quiet = { log: () => {} };
let service: RunningService;

beforeAll(async () => {
  service = await runService(readSettings(isolated(':memory:')), quiet);
});
afterAll(() => service.stop());

const environment = () => isolated(':memory:', { DYNAMODB_ENDPOINT: service.dynamoDbEndpoint });

const admin = (...args: string[]) => runAdmin(args, environment());

async function list(query: string, token: string) {
  const answer = await fetch(`${service.url}/v1/testimonials?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, ...(await jsonOf<ListBody>(answer)) };
}

describe('seed', () => {
  test('fills an organization that lists then show', async () => {
    const issued = await admin(
      ...['token', 'issue', '--organization', 'shop', '--permission', 'testimonials:read'],
    );
    const { code, stdout } = await admin('seed', '--organization', 'shop', '--count', '120');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '120 testimonials added to shop\n' });
    expect(await list('tags=case-study', issued.stdout.trim())).toMatchObject({ pagination: { total: 3 } });
  });

  test('names a count that is none', async () => {
    const { code, stderr } = await admin('seed', '--organization', 'shop', '--count', '1e3');
    expect(code).toBe(1);
    expect(stderr).toContain('It must be a whole number from 1 to 9999999.');
  });
});

describe('the program', () => {
  test('prints its version', async () => {
    expect(await admin('--version')).toMatchObject({ code: 0, stdout: '1.0.0\n' });
  });

  test('says what was meant by a misspelt command', async () => {
    const { code, stderr } = await admin('tokn', 'list');
    expect(code).toBe(1);
    expect(stderr).toBe("error: unknown command 'tokn' (Did you mean token?)\n");
  });
});

const bothToRead = ['testimonials:read', 'testimonials:read-published'];

describe('every failure is one line and exit code 1', () => {
  test.each([
    [['token', 'issue', '--organization', 'acme'], "required option '--permission"],
    [['token', 'issue', '--organization', 'Acme', '--permission', 'testimonials:read'], 'must be 1 to 63 of'],
    [['token', 'issue', '--organization', 'acme', '--permission', 'all'], 'Allowed choices are'],
    [
      ['token', 'issue', '--organization', 'acme', '--permission', ...bothToRead],
      'with testimonials:read-published has no other permission',
    ],
    [['testimonial', 'show', '--organization', 'acme'], "missing required argument 'id'"],
    [['token', 'nonsense'], "unknown command 'nonsense'"],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await admin(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

test('npm run admin prints what a command prints, and ends with its exit code', async () => {
  const listed = await runEntry(['bin/admin.ts', 'token', 'list', '--organization', 'demo'], environment());
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(/^demo\.\w{12} /m);
  const refused = await runEntry(
    ['bin/admin.ts', 'token', 'list', '--endpoint', 'http://127.0.0.1:9'],
    environment(),
  );
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^No DynamoDB answers at http:\/\/127\.0\.0\.1:9: .*\n$/);
});

test.each([
  [['--help']],
  [['token', '--help']],
  [['token', 'issue', '--help']],
  [['testimonial', 'approve', '--help']],
])('%j explains itself', async (args) => {
  const { code, stdout } = await admin(...args);
  expect(code).toBe(0);
  expect(stdout).toContain('Usage: admin');
});

describe('invoke', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'testimonials-data-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  const invoke = (name: string, event: string, variables: NodeJS.ProcessEnv) =>
    invokeOnce(name, `test/events/${event}.json`, variables, quiet);

  test('runs one function on the running service, in a process that shows its steps and the answer, its body to be read', async () => {
    const { code, stdout, stderr } = await runEntry(['bin/invoke.ts', 'list', 'test/events/list.json'], {
      ...environment(),
      TESTIMONIALS_TOKEN: service.token,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ statusCode: 200, body: { pagination: { page: 1 } } });
    expect(stderr).toMatch(
      /^Using DynamoDB at \S+ …\nInvoking ListTestimonials …\nGET \/v1\/testimonials 200 \d+ ms demo\n$/m,
    );
  });

  test('runs on the stored data when no service runs', async () => {
    const env = isolated(dataDir, { DYNAMODB_PORT: '9' });
    expect(await invoke('create', 'create', env)).toMatchObject({ statusCode: 201 });
    const listed = v.parse(v.object({ body: v.string() }), await invoke('list', 'list', env));
    expect(JSON.parse(listed.body).pagination.total).toBe(1);
  });

  test.each([
    ['list', 'test/events/absent.json', 'There is no file test/events/absent.json'],
    ['list', 'tsconfig.json', 'tsconfig.json is no event: one of API Gateway has a routeKey'],
    ['list', 'LICENSE', 'LICENSE is not JSON'],
    ['nonsense', 'test/events/list.json', 'There is no function nonsense'],
  ])('%s %s fails with one clear line', async (name, file, message) => {
    const failure = await invokeOnce(name, file, isolated(':memory:')).catch((error: Error) => error.message);
    expect(failure).toContain(message);
    expect(String(failure).split('\n')).toHaveLength(1);
  });

  test('without a file says how it is used, in one line and with exit code 1', async () => {
    const { code, stdout, stderr } = await runEntry(['bin/invoke.ts', 'list'], isolated(':memory:'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Usage: npm run invoke.*\n$/);
  });
});
