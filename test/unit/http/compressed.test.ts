import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { compressed, leastBytes } from '../../../functions/http/api-handler.ts';
import { apiEvent, call } from './api-call.ts';

const large = 'é'.repeat(leastBytes / 2);

/** An answer as it leaves, its header names in lower case. */
async function leaving(acceptEncoding: string | undefined, body: string, headers = {}) {
  const event = apiEvent({
    headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
  });
  const answer = await call([compressed()], event, async () => ({ statusCode: 200, headers, body }));
  const lowerCased = Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...answer, headers: Object.fromEntries(lowerCased) };
}

test.each(['gzip', 'GZIP', 'br, gzip', 'gzip, deflate, br, zstd', 'gzip;q=0.1', '*', 'br;q=1.0, *; q=0.5'])(
  'a large answer leaves compressed where %s is accepted',
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
  'it leaves as it is where %s is accepted, and says that another may not',
  async (acceptEncoding) => {
    const { headers, body, isBase64Encoded } = await leaving(acceptEncoding, large);
    expect([headers, body, isBase64Encoded]).toEqual([{ vary: 'Accept-Encoding' }, large, undefined]);
  },
);

test.each(['gzip', 'br'])('what the answer depends on otherwise stays (%s)', async (acceptEncoding) => {
  const { headers } = await leaving(acceptEncoding, large, { vary: 'Authorization, Origin' });
  expect(headers.vary).toBe('Authorization, Origin, Accept-Encoding');
});

test('a small answer leaves as it is', async () => {
  const { headers, body } = await leaving('gzip', large.slice(1));
  expect([headers, body]).toEqual([{}, large.slice(1)]);
});

test('an answer that is not to be transformed is not', async () => {
  const { body } = await leaving('gzip', large, { 'cache-control': 'no-transform' });
  expect(body).toBe(large);
});
