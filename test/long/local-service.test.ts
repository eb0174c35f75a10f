import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { openTable } from '../../functions/dynamodb/table.ts';
import type { ListBody } from '../../functions/list-testimonials/list-body.ts';
import { indexStore } from '../../functions/testimonials/table/index-store.ts';
import { type RunningService, runService } from '../../lib/local-runner/run.ts';
import { localClientConfig, localTableName, readSettings } from '../../lib/local-runner/settings.ts';
import { openApiDocument } from '../../lib/openapi/document.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { testimonialBody } from '../api-client.ts';
import {
  isolated,
  jsonOf,
  runEntry,
  type ServiceProcess,
  startNode,
  startService,
} from '../service/service-process.ts';
import { expectNoLeak, remember } from '../watched-logs.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'testimonials-data-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** A service in this process or in its own. */
type Service = Pick<RunningService, 'url' | 'token'>;

const { content, author } = testimonialBody();
remember(String(content), String(Object(author).name));

const post = (service: Service, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/v1/testimonials`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const get = (service: Service, query = '', headers: Record<string, string> = {}) =>
  fetch(`${service.url}/v1/testimonials${query}`, {
    headers: { authorization: `Bearer ${service.token}`, ...headers },
  });

describe('a running service', () => {
  let service: RunningService;
  let logged = '';
  beforeAll(async () => {
    // The JSON log has everything that functions log.
    service = await runService(readSettings(isolated(':memory:', { LOG_FORMAT: 'json' })), {
      log: (text) => {
        logged += text;
      },
    });
  });
  afterAll(async () => {
    await service.stop();
    expect(logged).toContain('Request completed');
    expectNoLeak(logged);
  });

  /** Sends an unchanged path, and returns the response without unpacking it. */
  async function sent(path: string, headers = {}): Promise<IncomingMessage> {
    const { hostname, port } = new URL(service.url);
    const authorization = `Bearer ${service.token}`;
    const [response] = await once(
      request({ hostname, port, path, headers: { authorization, ...headers } }).end(),
      'response',
    );
    return response;
  }

  test('its link opens the desk', async () => {
    const [address = '', secret = ''] = service.deskLink?.split('#') ?? [];
    // An IP address can be no relying party of passkeys.
    const { origin, hostname } = new URL(address);
    expect(hostname).toBe('localhost');
    const body = new URLSearchParams({ invitation: secret });
    const opened = await fetch(address, { method: 'POST', body, headers: { origin }, redirect: 'manual' });
    const [cookie = ''] = String(opened.headers.getSetCookie()).split(';');
    const queue = await fetch(`${origin}${opened.headers.get('location')}`, { headers: { cookie } });
    expect(queue.status).toBe(200);
    const icon = await fetch(`${service.url}${/href="([^"]*icon\.svg)"/.exec(await queue.text())?.[1]}`);
    expect(icon.headers.get('cache-control')).toContain('immutable');
  });

  test('redirects from / to the docs page', async () => {
    const response = await fetch(`${service.url}/`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
  });

  test('documents only the operations that it has, at its URL', async () => {
    const response = await fetch(`${service.url}/docs/openapi.json`);
    expect(await response.json()).toEqual({
      ...JSON.parse(JSON.stringify(openApiDocument(packageJson.version, { moderation: false }))),
      servers: [{ url: service.url }],
    });
  });

  test.each([
    // Below the limit of a function, which refuses it.
    ['5 MB', testimonialBody({ content: 'x'.repeat(5 * 1024 * 1024) }), 422, { error: expect.anything() }],
    [
      '7 MB',
      testimonialBody({ content: 'x'.repeat(7 * 1024 * 1024) }),
      500,
      { message: 'Internal Server Error' },
    ],
    ['10 MB and a byte', 'x'.repeat(10 * 1024 * 1024 + 1), 413, { message: 'Request Entity Too Large' }],
  ])('responds to a body of %s as the gateway does', async (_, body, status, said) => {
    const response = await post(service, body);
    expect([response.status, await response.json()]).toEqual([status, said]);
  });

  test('passes on compressed responses unchanged', async () => {
    for (let i = 0; i < 12; i += 1) await post(service, testimonialBody());
    const response = await sent('/v1/testimonials', { 'accept-encoding': 'br, gzip' });
    const body = await buffer(response);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'content-length': String(body.length),
      vary: 'Accept-Encoding',
    });
    const plain = await (await get(service, '', { 'accept-encoding': 'identity' })).text();
    expect(gunzipSync(body).toString()).toBe(plain);
    expect(body.length).toBeLessThan(plain.length / 2);
  });

  test('survives malformed HTTP', async () => {
    const paths = ['/v1/testimonials?%ZZ=%', '//', '/%00', '/v1/testimonials?search=%FF'];
    const responses = await Promise.all(paths.map((path) => sent(path)));
    expect(responses.map((response) => response.resume().statusCode)).toEqual([200, 404, 404, 400]);
  });
});

test('logs one line for each request, and the reason of an error', async () => {
  let logged = '';
  const log = (text: string) => {
    logged += text;
  };
  const service = await runService(readSettings(isolated(':memory:')), { log });
  await get(service, '?limit=0');
  await post(service, testimonialBody());
  await fetch(`${service.url}/docs`);
  await service.stop();
  expect(logged.replaceAll(/ \d+ ms/g, ' … ms')).toBe(
    'GET /v1/testimonials 400 … ms demo: The request has invalid parameters. limit must be a whole number from 1 to 100\n' +
      'POST /v1/testimonials 201 … ms demo\n',
  );
  expectNoLeak(logged);
});

const quiet = { log: () => {} };

describe('stopping and starting', () => {
  let service: ServiceProcess | undefined;
  afterEach(async () => {
    await service?.end('SIGKILL');
  });

  test('prints its links, URLs, a token and two curl commands; keeps data, pages and tokens after a stop and a crash, and indexes what they left', async () => {
    service = await startService(isolated(dataDir));
    const pages = () =>
      service?.stdout
        .match(/^http:\/\/127\.0\.0\.1:\d+\/[fw]\/\w{22}$/gm)
        ?.map((link) => new URL(link).pathname);
    expect(pages()).toHaveLength(2);
    const before = pages();
    expect(service.stdout).toMatch(/^http:\/\/localhost:\d+\/desk\/open#tsi_\w{36}$/m);
    expect(service.stdout).toMatch(/^export TESTIMONIALS_URL=http:\/\/127\.0\.0\.1:\d+$/m);
    expect(service.stdout).toMatch(/^export TESTIMONIALS_TOKEN=tst_\w{36}$/m);
    expect(service.stdout).toMatch(/^export DYNAMODB_ENDPOINT=http:\/\/127\.0\.0\.1:\d+$/m);
    expect(service.stdout.match(/^curl /gm)).toHaveLength(2);
    const { token } = service;
    const samples = (await jsonOf<ListBody>(await get(service))).pagination.total;
    // Long enough for an index update.
    const long = testimonialBody({ content: `Long ${'€'.repeat(6000)}` });
    const first = await jsonOf<Testimonial>(await post(service, long));
    expect(await service.end('SIGTERM')).toBe(0);

    service = await startService(isolated(dataDir));
    const second = await jsonOf<Testimonial>(await post(service, testimonialBody()));
    await service.end('SIGKILL');

    service = await startService(isolated(dataDir));
    expect(pages()).toEqual(before);
    const { client, ...table } = openTable(localTableName, { config: localClientConfig(service.endpoint) });
    const { readHead } = indexStore({ ...table, client });
    for (let indexed = 0; indexed <= ordinalOf(second.id); await wait(250)) {
      ({ indexed } = (await readHead('demo')) ?? { indexed });
      const listed = await jsonOf<ListBody>(await get(service, '', { authorization: `Bearer ${token}` }));
      expect(listed.pagination.total).toBe(samples + 2);
      // The samples of the desk are older.
      expect(listed.testimonials.slice(0, 2).map(({ id }) => id)).toEqual([second.id, first.id]);
    }
    client.destroy();
    expect(await service.end('SIGINT')).toBe(0);
  });

  test.each([
    ['Synthesizing the CDK app', 'npm start with all its processes', -1],
    ['Synthesizing the CDK app', 'its first process', 1],
    ['Starting DynamoDB', 'its first process', 1],
  ])('at the step %s, a signal to %s stops it without a link', async (step, _, sign) => {
    // The variable lets it synthesize again, and the separate group lets the signal reach only this service.
    const env = isolated(':memory:', step.startsWith('Synth') ? { CDK_TEST: `${Date.now()}` } : {});
    const { child, printed } = startNode(['bin/local.ts'], env, { detached: true });
    const ended = once(child, 'close');
    while (!printed.stderr.includes(step)) await once(child.stderr ?? child, 'data');
    process.kill(sign * (child.pid ?? Number.NaN), 'SIGINT');
    const [code] = await ended;
    expect({ code, ...printed }).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^${step}.* …\n$`)),
    });
  });

  /** Returns the reason why a service does not start, which `npm start` prints as its last line. */
  const refusal = (variables: NodeJS.ProcessEnv) =>
    Promise.try(() => runService(readSettings(variables), quiet)).then(
      () => 'it has started',
      (error: Error) => error.message,
    );

  test.each(['PORT', 'DYNAMODB_PORT'])(
    'reports in one line that the port of %s is in use',
    async (setting) => {
      const blocker = createServer().listen(0, '127.0.0.1');
      await once(blocker, 'listening');
      const port = String((blocker.address() as AddressInfo).port); // a TCP server's address
      expect(await refusal(isolated(':memory:', { [setting]: port }))).toBe(
        `Port ${port} is in use. Stop the program that uses it, or set another port with ${setting} (0 for a free one).`,
      );
      blocker.close();
    },
  );

  test('reports in one line that the data folder is in use', async () => {
    const here = await runService(readSettings(isolated(dataDir)), quiet);
    const { code, stderr } = await runEntry(['bin/local.ts'], isolated(dataDir));
    await here.stop();
    expect(code).toBe(1);
    expect(stderr).toContain('is in use by another local service');
  });

  test('reports in one line that data which it reads is damaged, and ends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'testimonials-damaged-'));
    const path = join(folder, 'dynamodb');
    try {
      // The second start turns the log of the first into a table.
      for (const _ of [1, 2]) await (await runService(readSettings(isolated(folder)), quiet)).stop();
      const tables = (await readdir(path)).filter((name) => name.endsWith('.ldb'));
      for (const name of tables) await truncate(join(path, name), 100);
      const { code, stderr } = await runEntry(['bin/local.ts'], isolated(folder));
      expect(code).toBe(1);
      expect(stderr.trim().split('\n').slice(1)).toEqual([
        expect.stringContaining(`The data in ${path} is damaged (`),
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each([
    [{ PORT: 'http' }, 'PORT must be a port number'],
    [{ PORT: '4100', DYNAMODB_PORT: '4100' }, 'PORT and DYNAMODB_PORT must differ: both are 4100.'],
    [{ PORT: '8000', DYNAMODB_PORT: '' }, 'PORT and DYNAMODB_PORT must differ: both are 8000.'],
    [
      { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' },
      'Nothing responds at http://127.0.0.1:9. Start DynamoDB there, or unset DYNAMODB_ENDPOINT (here or in .env) to use the embedded one.',
    ],
  ])('rejects %j with one line that says what to do', async (variables, line) => {
    expect(await refusal(isolated(':memory:', variables))).toBe(line);
  });

  test('rejects a second value of a context value', async () => {
    const args = ['bin/local.ts', '-c', 'desk=true', '-c', 'desk=false'];
    expect(await runEntry(args, isolated(':memory:'))).toMatchObject({
      code: 1,
      stderr: '-c desk is repeated: give it one value\n',
    });
  });

  test('reports an invalid context value with its rule', async () => {
    const { code, stderr } = await runEntry(['bin/local.ts', '-c', 'stage=PROD'], isolated(':memory:'));
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').slice(1)).toEqual([
      'The CDK app cannot be synthesized: The values of stage PROD are not valid:',
      '  "stage" must be 1 to 20 of a-z, 0-9 and -, beginning with a letter, not "PROD"',
    ]);
  });

  test('reports missing packages with any version of Node.js', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'testimonials-clone-'));
    try {
      await cp('bin/installed.js', join(folder, 'bin/installed.js'));
      await cp('package.json', join(folder, 'package.json'));
      const { code, stderr } = await runEntry([join(folder, 'bin/installed.js')], isolated(':memory:'));
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'The packages are not installed. Run: npm ci\n',
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    const { code } = await runEntry(['bin/installed.js'], isolated(':memory:'));
    expect(code).toBe(0);
  });
});
