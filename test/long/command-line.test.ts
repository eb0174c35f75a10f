import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { invokeOnce } from '../../lib/local-runner/invoke.ts';
import { type RunningService, runService } from '../../lib/local-runner/run.ts';
import { readSettings } from '../../lib/local-runner/settings.ts';
import { runAdmin } from '../admin.ts';
import { isolated, runEntry } from '../service/service-process.ts';

const quiet = { log: () => {} };
let service: RunningService;

beforeAll(async () => {
  service = await runService(readSettings(isolated(':memory:')), quiet);
});
afterAll(() => service.stop());

const environment = () => isolated(':memory:', { DYNAMODB_ENDPOINT: service.dynamoDbEndpoint });

const admin = (...args: string[]) => runAdmin(args, environment());

test('seed adds testimonials to an organization, and lists show them', async () => {
  const issued = await admin('token', 'issue', '--organization', 'shop', '--permission', 'testimonials:read');
  const { code, stdout } = await admin('seed', '--organization', 'shop', '--count', '120');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '120 testimonials added to shop\n' });
  const response = await fetch(`${service.url}/v1/testimonials?tags=case-study`, {
    headers: { authorization: `Bearer ${issued.stdout.trim()}` },
  });
  expect(await response.json()).toMatchObject({ pagination: { total: 3 } });
});

test('the program prints its version and its usage', async () => {
  expect(await admin('--version')).toMatchObject({ code: 0, stdout: '1.0.0\n' });
  const { code, stdout } = await admin('token', 'issue', '--help');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Usage: admin token issue') });
});

const issue = ['token', 'issue', '--organization'];

test.each([
  [['tokn', 'list'], "error: unknown command 'tokn' (Did you mean token?)\n"],
  [[...issue, 'acme'], "required option '--permission"],
  [[...issue, 'Acme', '--permission', 'testimonials:read'], 'must be 1 to 63 of'],
  [[...issue, 'acme', '--permission', 'all'], 'Allowed choices are'],
  [['testimonial', 'show', '--organization', 'acme'], "missing required argument 'id'"],
  [['seed', '--organization', 'shop', '--count', '1e3'], 'It must be a whole number from 1 to 9999999.'],
  [
    [
      'testimonial',
      'approve',
      '--organization',
      'demo',
      '--where',
      'status=pending',
      '--where=rating=1',
      '--yes',
    ],
    "option '--where <query>' is given more than once: --where takes one value",
  ],
  [['stats', '--organization', 'demo', '--organization', 'shop'], '--organization takes one value'],
  [['--table', 'a', 'token', 'list', '--table=b'], '--table takes one value'],
  [['--organization', 'demo', 'stats', '--organization', 'shop'], "unknown option '--organization'"],
  [
    ['testimonial', 'tag', 'test_1', '--organization', 'demo', '--add', '--remove', 'draft'],
    "option '--add <tag>' has no value: --remove follows it",
  ],
  [['organization', 'budget', '--organization', '-h'], "'--organization <name>' has no value: -h follows it"],
  [['token', 'revoke', 'demo.1', 'demo.2'], 'too many arguments'],
  [
    ['import', 'a.csv', '--organization', 'demo', '--default', 'type=text', '--default', 'type=video'],
    'type already has a --default.',
  ],
  [
    ['import', 'a.csv', '--organization', 'demo', '--map', 'rating=', '--map', 'rating=Stars'],
    'rating= ignores the field, but another --map gives it a column.',
  ],
])('%j is refused in one line, with exit code 1', async (args, message) => {
  const { code, stdout, stderr } = await admin(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('npm run admin prints the output of a command, and ends with its exit code', async () => {
  const listed = await runEntry(['bin/admin.ts', 'token', 'list', '--organization', 'demo'], environment());
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(/^demo\.\w{12} /m);
  const refused = await runEntry(
    ['bin/admin.ts', 'token', 'list', '--endpoint', 'http://127.0.0.1:9'],
    environment(),
  );
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^Nothing listens at http:\/\/127\.0\.0\.1:9\. .*\n$/);
});

describe('invoke', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'testimonials-data-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  const invoke = (name: string, event: string, variables: NodeJS.ProcessEnv) =>
    invokeOnce(name, `test/events/${event}.json`, variables, quiet);

  test('runs one function on the running service, and prints its steps and the response with a readable body', async () => {
    const { code, stdout, stderr } = await runEntry(['bin/invoke.ts', 'list', 'test/events/list.json'], {
      ...environment(),
      TESTIMONIALS_TOKEN: service.token,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ statusCode: 200, body: { pagination: { page: 1 } } });
    expect(stderr).toMatch(
      /^Using DynamoDB at \S+ …\nInvoking ListTestimonials …\n\{.+"Request completed".+\}\n$/m,
    );
  });

  test('knows the functions of a stage that has more, by its values', async () => {
    const args = ['-c', 'moderation=true', 'moderate', 'test/events/list.json'];
    const { stderr } = await runEntry(['bin/invoke.ts', ...args], environment());
    // The event is for another function.
    expect(stderr).toMatch(/Invoking ModerateTestimonials[\s\S]+No operation has this method and path/);
    const desk = await runEntry(['bin/invoke.ts', 'desk', 'test/events/desk.json'], environment());
    expect([desk.code, JSON.parse(desk.stdout)]).toEqual([0, expect.objectContaining({ statusCode: 200 })]);
    const without = await runEntry(
      ['bin/invoke.ts', 'desk', 'test/events/desk.json', '-c', 'desk=false'],
      environment(),
    );
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('There is no function desk')]);
  });

  test('runs on the stored data if no service runs', async () => {
    const env = isolated(dataDir, { DYNAMODB_PORT: '9' });
    expect(await invoke('create', 'create', env)).toMatchObject({ statusCode: 201 });
    const listed = v.parse(v.object({ body: v.string() }), await invoke('list', 'list', env));
    expect(JSON.parse(listed.body).pagination.total).toBe(1);
  });

  test.each([
    ['list', 'test/events/absent.json', 'test/events/absent.json cannot be read. See test/events'],
    ['list', 'LICENSE', 'LICENSE is not an event in JSON'],
    ['list', 'package.json', 'package.json is not an event in JSON'],
    ['nonsense', 'test/events/list.json', 'There is no function nonsense'],
  ])('%s %s fails with one line', async (name, file, message) => {
    const failure = await invokeOnce(name, file, isolated(':memory:')).catch((error: Error) => error.message);
    expect(failure).toMatch(new RegExp(`^.*${message}.*$`));
  });

  test('without a file prints its usage in one line, with exit code 1; with --help, with exit code 0', async () => {
    const { code, stdout, stderr } = await runEntry(['bin/invoke.ts', 'list'], isolated(':memory:'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Usage: npm run invoke.*\n$/);
    for (const option of ['--help', '-h']) {
      const helped = await runEntry(['bin/invoke.ts', option], isolated(':memory:'));
      expect(helped).toEqual({ code: 0, stdout: stderr, stderr: '' });
    }
  });
});
