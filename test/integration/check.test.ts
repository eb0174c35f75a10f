/** `npm run check`, where it does not come to its end; test/long plays all of it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkOf, runCheckOf } from '../check.ts';
import { closeFailingDynamoDbs } from '../failing-dynamodb.ts';
import { closeServedApis, type ServedApi, servedApi } from '../served-api.ts';
import { textOf } from '../table-text.ts';
import { createTestTable } from '../test-table.ts';

afterAll(() => {
  closeServedApis();
  closeFailingDynamoDbs();
});

test('Ctrl-C ends it; what could not be removed is said, with the command that removes it', async () => {
  const service = await servedApi(({ headers }, answer) => {
    if (headers['idempotency-key'] === 'refused') process.emit('SIGINT', 'SIGINT');
    return answer;
  });
  const { sleep } = service;
  const failing = {
    ...service,
    sleep: async () => {
      throw new Error('no further');
    },
  };
  const { code, stdout, stderr } = await checkOf(failing);
  expect(stderr).toContain('Stopping: the rest is not played\n');
  expect(stdout).toMatch(/\nNOT HELD +nothing of this check is left .+ no further\n/);
  const [, remove = ''] = /is left\. Remove it by: npm run check -- (.+)\n/.exec(stderr) ?? [];
  expect(code).toBe(130);
  expect(await textOf(service.table)).toContain('check-');
  const removed = await runCheckOf({ ...service, sleep }, remove.split(' '));
  expect(removed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^check-\S+ removed; its Idempotency-Keys .+\n$/),
  });
  const left: { PK: string }[] = JSON.parse(await textOf(service.table));
  expect(left.filter(({ PK }) => !PK.includes('#KEY#'))).toEqual([]);
});

/** Where nothing listens any more. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

describe('2 is the exit code where it cannot begin, and the reason is one line', () => {
  test.each([
    [['--what'], "error: unknown option '--what'"],
    [['--url', 'here'], "error: option '--url <url>' argument 'here' is invalid. It must be a URL like"],
    [['--table', 'Testimonials'], 'Name the API with --url: cdk deploy printed it as ApiUrl.'],
    [['--origin', 'https://a.b/'], "error: option '--origin <origin>' argument 'https://a.b/' is invalid."],
    [['--remove', 'acme'], "error: option '--remove <organization>' argument 'acme' is invalid."],
  ])('%p', async (args, reason) => {
    const { code, stdout, stderr } = await runCheckOf({ clock: Date.now, sleep: async () => {} }, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^.+\n$/);
    expect(stderr).toContain(reason);
  });

  let service: ServedApi;
  let body: string | undefined;
  beforeAll(async () => {
    service = await servedApi((_, answer) => ({ ...answer, ...(body !== undefined && { body }) }));
  });

  test('nothing answers at the URL', async () => {
    const { code, stderr } = await checkOf({ ...service, url: await closedUrl() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^No API answers at http:\S+ \(connect ECONNREFUSED .+\): look at --url.+\n$/);
    expect(await textOf(service.table)).toBe('[]');
  });

  test('another program answers there', async () => {
    body = '<html>It works!</html>';
    const { code, stderr } = await checkOf(service);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^What answers at http:\S+ is not this API: 200 <html>It works!<.html>\n$/);
  });

  test('the API has another table', async () => {
    body = undefined;
    const { code, stderr } = await checkOf({ ...service, table: await createTestTable() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/ does not know a token that was just issued in the table test-\S+: .+\n$/);
    expect(await textOf(service.table)).toBe('[]');
  });
});
