import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { answerText, DeployedApi } from '../../../lib/check/deployed-api.ts';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

type Planned = [status: number, headers?: Record<string, string>];

/** An API whose answers are these, the last of them for good; and what its client did. */
async function apiAnswering(...planned: [Planned, ...Planned[]]) {
  const done = { slept: [] as number[], told: [] as string[], seen: 0, authorizations: [] as unknown[] };
  const server = createServer((request, response) => {
    done.authorizations.push(request.headers.authorization);
    const [status, headers] = (planned.length > 1 ? planned.shift() : planned[0]) ?? [500];
    response.writeHead(status, { connection: 'close', ...headers });
    response.end(JSON.stringify({ error: { code: `code_${status}` } }));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const api = new DeployedApi({
    url: `http://127.0.0.1:${port}`,
    token: 'usual',
    signal: new AbortController().signal,
    sleep: async (milliseconds) => {
      done.slept.push(milliseconds);
    },
    onAnswer: () => {
      done.seen += 1;
    },
    onWait: (why, seconds) => {
      done.told.push(`${why}: ${seconds} s`);
    },
  });
  return { api, done };
}

test('a request comes again when Retry-After says, and only the last answer counts', async () => {
  const { api, done } = await apiAnswering(
    [429, { 'retry-after': '37' }],
    [503, { 'retry-after': '2' }],
    [200],
  );
  expect((await api.list()).status).toBe(200);
  expect(done).toMatchObject({
    slept: [37_000, 2000],
    seen: 1,
    told: ['429 code_429: 37 s', '503 code_503: 2 s'],
  });
  expect(api.waits).toBe(2);
});

test('a throttle that does not say when is asked again after a second', async () => {
  const { api, done } = await apiAnswering([429], [201]);
  expect((await api.create({})).status).toBe(201);
  expect(done.slept).toEqual([1000]);
});

test('a 503 that does not say when is an answer, as is a 429 in the end', async () => {
  const unavailable = await apiAnswering([503]);
  expect((await unavailable.api.list()).status).toBe(503);
  expect(unavailable.done.slept).toEqual([]);
  const throttled = await apiAnswering([429]);
  expect((await throttled.api.list()).status).toBe(429);
  expect(throttled.done.slept).toHaveLength(10);
});

test('requests have the usual token, another one, or none', async () => {
  const { api, done } = await apiAnswering([200]);
  for (const token of [undefined, 'other', '']) await api.send({ ...(token !== undefined && { token }) });
  expect(done.authorizations).toEqual(['Bearer usual', 'Bearer other', undefined]);
});

test('it knows the Idempotency-Keys that were sent', async () => {
  const { api } = await apiAnswering([201]);
  await api.create({}, { 'idempotency-key': 'a' });
  await api.create({});
  expect([...api.idempotencyKeys]).toEqual(['a']);
});

test('an answer in a few words names the request that failed', () => {
  const headers = new Headers({ 'x-request-id': 'abc' });
  const body = { error: { code: 'internal_error' } };
  expect(answerText({ status: 500, headers, body, text: '' })).toBe('500 internal_error (request abc)');
  expect(answerText({ status: 404, headers, body: undefined, text: 'no' })).toBe('404 no');
});
