/** `npm run wall`, beside the running service. */
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RunningService, runService } from '../../lib/local-runner/run.ts';
import { readSettings } from '../../lib/local-runner/settings.ts';
import { isolated, runEntry, startNode } from '../service/service-process.ts';

let service: RunningService;
let wall: ChildProcess | undefined;
beforeAll(async () => {
  service = await runService(readSettings(isolated(':memory:')), { log: () => {} });
});
afterAll(async () => {
  wall?.kill();
  await service.stop();
});

const environment = () => isolated(':memory:', { DYNAMODB_ENDPOINT: service.dynamoDbEndpoint });

test('it seeds a demo that has nothing to show, serves its wall until Ctrl-C, and leaves nothing behind', async () => {
  const { child, printed, hasSaid } = startNode(['bin/wall.ts', '--port', '0'], environment());
  wall = child;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  await hasSaid('Ctrl-C stops');
  const [, url = '', folder = ''] = /The wall of demo: (\S+)\nIts files: (\S+)/.exec(printed.stdout) ?? [];
  const html = await (await fetch(url)).text();
  expect(html).toContain('<h1 dir="auto">What our customers say</h1>');
  expect(html.match(/<li class="card">/g)).toHaveLength(24);
  expect(existsSync(folder)).toBe(true);
  child.kill('SIGINT');
  expect(await exit).toBe(0);
  expect(existsSync(folder)).toBe(false);
});

test.each([
  ['http', /^--port must be a port number, or 0 for any free port\.$/],
  ['0', /^Nothing listens at http:\/\/127\.0\.0\.1:9\. Start the service with npm start/],
])('--port %s without a service fails with one clear line', async (port, message) => {
  const environment = isolated(':memory:', { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' });
  const { code, stdout, stderr } = await runEntry(['bin/wall.ts', '--port', port], environment);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trim()).toMatch(message);
});
