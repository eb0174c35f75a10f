import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { httpClient } from '../../check/http-client.ts';
import { answerText } from '../../contract/requests.ts';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

type Planned = [status: number, headers?: Record<string, string>];

/** A client of an API whose answers are these, the last of them for good; and what it did. */
async function clientOf(...planned: [Planned, ...Planned[]]) {
  const done = { slept: [] as number[], told: [] as string[] };
  const server = createServer((_, response) => {
    const [status, headers] = (planned.length > 1 ? planned.shift() : planned[0]) ?? [500];
    response.writeHead(status, { connection: 'close', ...headers });
    response.end(JSON.stringify({ error: { code: `code_${status}` } }));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const client = httpClient({
    url: `http://127.0.0.1:${port}`,
    signal: new AbortController().signal,
    sleep: async (milliseconds) => done.slept.push(milliseconds),
    onWait: (why, seconds) => done.told.push(`${why}: ${seconds} s`),
  });
  return { ...client, done };
}

test('a request comes again when Retry-After says, and only the last answer counts', async () => {
  const { send, counts, done } = await clientOf(
    [429, { 'retry-after': '37' }],
    [503, { 'retry-after': '2' }],
    [200],
  );
  expect((await send({})).status).toBe(200);
  expect(done).toEqual({ slept: [37_000, 2000], told: ['429 code_429: 37 s', '503 code_503: 2 s'] });
  expect(counts).toEqual({ requests: 3, waits: 2 });
});

test('a throttle that does not say when is asked again after a second', async () => {
  const { send, done } = await clientOf([429], [201]);
  expect((await send({ method: 'POST' })).status).toBe(201);
  expect(done.slept).toEqual([1000]);
});

test('a 503 that does not say when is an answer, as is a 429 in the end', async () => {
  const unavailable = await clientOf([503]);
  expect((await unavailable.send({})).status).toBe(503);
  expect(unavailable.done.slept).toEqual([]);
  const throttled = await clientOf([429]);
  expect((await throttled.send({})).status).toBe(429);
  expect(throttled.done.slept).toHaveLength(10);
});

test('a challenge that the gateway has renamed is one', async () => {
  const { send } = await clientOf([401, { 'x-amzn-remapped-www-authenticate': 'Bearer' }]);
  expect((await send({})).headers['www-authenticate']).toBe('Bearer');
});

test('an answer in a few words names the request that failed', () => {
  const headers = { 'x-request-id': 'abc' };
  const body = { error: { code: 'internal_error' } };
  expect(answerText({ status: 500, headers, body })).toBe('500 internal_error (request abc)');
  expect(answerText({ status: 404, headers, body: 'no' })).toBe('404 no');
});
