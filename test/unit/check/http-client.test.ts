import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { responseText } from '../../../lib/check/contract/requests.ts';
import { httpClient } from '../../../lib/check/http-client.ts';
import { listen } from '../../listen.ts';

type Planned = [status: number, headers?: Record<string, string>];

/** Returns a client of an API with these responses, which repeats the last one, and the client's waits. */
async function clientOf(...planned: [Planned, ...Planned[]]) {
  const done = { slept: [] as number[], waits: [] as string[] };
  const server = createServer((_, response) => {
    const [status, headers] = (planned.length > 1 ? planned.shift() : planned[0]) ?? [500];
    response.writeHead(status, { ...headers });
    response.end(JSON.stringify({ error: { code: `code_${status}` } }));
  });
  const client = httpClient({
    url: await listen(server),
    signal: new AbortController().signal,
    sleep: async (milliseconds) => done.slept.push(milliseconds),
    onWait: (reason, seconds) => done.waits.push(`${reason}: ${seconds} s`),
  });
  return { ...client, done };
}

test('a request is repeated when Retry-After says, and only the last response counts', async () => {
  const { send, counts, done } = await clientOf(
    [429, { 'retry-after': '37' }],
    [503, { 'retry-after': '2' }],
    [200],
  );
  expect((await send({})).status).toBe(200);
  expect(done).toEqual({ slept: [37_000, 2000], waits: ['429 code_429: 37 s', '503 code_503: 2 s'] });
  expect(counts).toEqual({ requests: 3, waits: 2 });
});

test('a throttled request without Retry-After is repeated after a second', async () => {
  const { send, done } = await clientOf([429], [201]);
  expect((await send({ method: 'POST' })).status).toBe(201);
  expect(done.slept).toEqual([1000]);
});

test('a 503 without Retry-After is not repeated, and a 429 ten times', async () => {
  const unavailable = await clientOf([503]);
  expect((await unavailable.send({})).status).toBe(503);
  expect(unavailable.done.slept).toEqual([]);
  const throttled = await clientOf([429]);
  expect((await throttled.send({})).status).toBe(429);
  expect(throttled.done.slept).toHaveLength(10);
});

test('a challenge that the gateway has renamed gets its name back', async () => {
  const { send } = await clientOf([401, { 'x-amzn-remapped-www-authenticate': 'Bearer' }]);
  expect((await send({})).headers['www-authenticate']).toBe('Bearer');
});

test('the text of a response names the request that failed', () => {
  const headers = { 'x-request-id': 'abc' };
  const body = { error: { code: 'internal_error' } };
  expect(responseText({ status: 500, headers, body })).toBe('500 internal_error (request abc)');
  expect(responseText({ status: 404, headers, body: 'no' })).toBe('404 no');
});
