/** The stack's work on every response. */
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { ApiEvent } from '../../../functions/http/api-event.ts';
import { compressed, minCompressedBytes, strictTransport } from '../../../functions/http/api-handler.ts';
import { apiEvent, call } from './api-call.ts';

const large = 'é'.repeat(minCompressedBytes / 2);

/** Returns a response with header names in lower case. */
async function leaving(acceptEncoding: string | undefined, body: string, headers = {}) {
  const event = apiEvent({
    headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
  });
  const response = await call([compressed()], event, async () => ({ statusCode: 200, headers, body }));
  const lowerCased = Object.entries(response.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  return { ...response, headers: Object.fromEntries(lowerCased) };
}

test.each(['gzip', 'GZIP', 'br, gzip', 'gzip, deflate, br, zstd', 'gzip;q=0.1', '*', 'br;q=1.0, *; q=0.5'])(
  'a large response is compressed if the request accepts %s',
  async (acceptEncoding) => {
    const { headers, body = '', isBase64Encoded } = await leaving(acceptEncoding, large);
    expect([headers, isBase64Encoded]).toEqual([
      { 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
      true,
    ]);
    expect(gunzipSync(Buffer.from(body, 'base64')).toString()).toBe(large);
  },
);

test.each([undefined, '', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.0, *', '*;q=0', 'x-gzip'])(
  'it is not compressed if the request accepts %s, and has a Vary header',
  async (acceptEncoding) => {
    const { headers, body, isBase64Encoded } = await leaving(acceptEncoding, large);
    expect([headers, body, isBase64Encoded]).toEqual([{ vary: 'Accept-Encoding' }, large, undefined]);
  },
);

test.each(['gzip', 'br'])('the Vary header of the operation stays (%s)', async (acceptEncoding) => {
  const { headers } = await leaving(acceptEncoding, large, { vary: 'Authorization, Origin' });
  expect(headers.vary).toBe('Authorization, Origin, Accept-Encoding');
});

test('a small response, and one with no-transform, are not compressed', async () => {
  const small = await leaving('gzip', large.slice(1));
  expect([small.headers, small.body]).toEqual([{}, large.slice(1)]);
  const { body } = await leaving('gzip', large, { 'cache-control': 'no-transform' });
  expect(body).toBe(large);
});

const html = { 'Content-Type': 'text/html; charset=utf-8' };

/** Returns the header of a response to a request for a host. */
async function transportOf(domainName: string, protocol: string, headers: Record<string, string>) {
  const event = apiEvent({
    headers: { 'x-forwarded-proto': protocol },
    // It reads no other part.
    requestContext: { requestId: 'r', domainName } as ApiEvent<unknown>['requestContext'],
  });
  const response = await call([strictTransport()], event, async () => ({
    statusCode: 200,
    headers,
    body: '',
  }));
  return response.headers?.['strict-transport-security'];
}

test.each([
  ['of a URL that AWS assigned', 'abc.execute-api.eu-central-1.amazonaws.com', 'https', html],
  ['of a URL that AWS assigned in China', 'abc.execute-api.cn-north-1.amazonaws.com.cn', 'https', html],
  ['on this machine', '127.0.0.1', 'http', html],
  ['of the API, which no browser shows', 'api.example.com', 'https', { 'content-type': 'application/json' }],
])('a response %s does not tell browsers to use HTTPS only', async (_, domainName, protocol, headers) => {
  expect(await transportOf(domainName, protocol, headers)).toBeUndefined();
});
