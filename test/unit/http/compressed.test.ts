import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { compressed, minCompressedBytes } from '../../../functions/http/api-handler.ts';
import { apiEvent, call } from './api-call.ts';

const large = 'é'.repeat(minCompressedBytes / 2);

/** Returns a response with header names in lower case. */
async function leaving(acceptEncoding: string | undefined, body: string, headers = {}) {
  const event = apiEvent({
    headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
  });
  const answer = await call([compressed()], event, async () => ({ statusCode: 200, headers, body }));
  const lowerCased = Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...answer, headers: Object.fromEntries(lowerCased) };
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

test('a small response is not compressed', async () => {
  const { headers, body } = await leaving('gzip', large.slice(1));
  expect([headers, body]).toEqual([{}, large.slice(1)]);
});

test('a response with no-transform is not compressed', async () => {
  const { body } = await leaving('gzip', large, { 'cache-control': 'no-transform' });
  expect(body).toBe(large);
});
