/**
 * The processor time of a request grows with its input: a quadratic step would take minutes for the
 * largest ones.
 */
import { expect, test } from '@jest/globals';
import { wordsOfText } from '../../functions/domain/words.ts';
import { type ApiRequest, testimonialBody } from '../api-client.ts';
import { hostileService } from '../hostile/hostile-service.ts';

type Make = (text: string) => Omit<ApiRequest, 'headers'> & { headers?: Record<string, string> };

const get = (query: string, headers = {}) => ({ routeKey: 'GET /v1/testimonials', query, headers });
const post = (body: string, headers = {}) => ({ routeKey: 'POST /v1/testimonials', body, headers });
const field = (overrides: object) => post(JSON.stringify(testimonialBody({ ...overrides })));

/** Returns a case for each unit that a text is made of. */
const madeOf = (name: string, units: readonly string[], make: Make): Record<string, Make> =>
  Object.fromEntries(
    units.map((unit) => [
      `${name} of ${JSON.stringify(unit)}`,
      (text) => make(text.replaceAll('x', unit).slice(0, text.length)),
    ]),
  );

const letters = ['a', 'é', '\u0315\u0300', '素', 'ก', '👍'];
const texts = [...letters, ' ', 'a b ', 'a.b.', "a'", 'e\u0301', '\r\n', '\0', '\ud800'];

const bodies: Record<string, Make> = {
  ...madeOf('content', texts, (content) => field({ content })),
  ...madeOf('e-mail address', ['a', 'a.', 'a@', '@', '"', '.'], (email) =>
    field({ author: { name: 'Jane', email } }),
  ),
  tags: (text) => field({ tags: Array.from(text, (_, i) => `t${i}`) }),
  'nested fields': ({ length }) => post(`{"a":${'['.repeat(length / 2)}${']'.repeat(length / 2)}}`),
  // As many as fit into the body that a function accepts.
  fields: ({ length }) => post(`{${Array.from({ length: length / 2 }, (_, i) => `"f${i}":1`).join(',')}}`),
  'a repeated field': (text) => post(`{${Array.from(text, () => '"content":1').join(',')}}`),
  'fields of prototypes': (text) => post(`{${Array.from(text, () => '"__proto__":{}').join(',')}}`),
  'leading blanks': (text) => post(`${text.replaceAll('x', ' ')}{}`),
  digits: (text) => post(`{"rating":${text.replaceAll('x', '9')}}`),
  escapes: (text) => post(`{"content":"${text.replaceAll('x', '\\u0301')}"}`),
};

const lines: Record<string, Make> = {
  ...madeOf('search', [...letters, 'a ', 'a.b.'], (text) => get(`search=${encodeURIComponent(text)}`)),
  ...madeOf('a tag', ['\u0315\u0300'], (text) => get(`tags=${encodeURIComponent(text)}`)),
  tags: (text) => get(`tags=${text.replaceAll('x', 'a,')}`),
  'a repeated parameter': (text) => get(text.replaceAll('x', 'tags=a&')),
  parameters: (text) => get(Array.from(text, (_, i) => `p${i}=1`).join('&')),
  'a page of zeros': (text) => get(`page=${text.replaceAll('x', '0')}`),
  'a token': (text) => get('', { authorization: `Bearer ${text}` }),
  'blanks before a token': (text) => get('', { authorization: `Bearer${text.replaceAll('x', ' ')}\n` }),
  'a content type': (text) => post('{}', { 'content-type': `application/${text.replaceAll('x', 'a+')}` }),
  'a content type of blanks': (text) =>
    post('{}', { 'content-type': `application/json${text.replaceAll('x', ' ')}x` }),
  'a quoted key': (text) => post('{}', { 'idempotency-key': `"${text.replaceAll('x', '\\"')}` }),
};

// The gateway accepts a line and headers of 10 KB, and a function a body of 6 MB.
test.each([
  ['a body', 1024 * 1024, bodies],
  ['a line or a header', 8192, lines],
] as const)('%s of %i characters takes seconds at most', async (_, length, inputs) => {
  const service = await hostileService();
  const slow: string[] = [];
  for (const [name, make] of Object.entries(inputs)) {
    const { headers, ...request } = make('x'.repeat(length));
    const authorization = `Bearer ${service.tokens.both}`;
    const all = { ...request, headers: { authorization, 'content-type': 'application/json', ...headers } };
    const before = process.cpuUsage();
    expect((await service.respond(all)).problems).toEqual([]);
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    if (seconds > 5) slow.push(`${name}: ${seconds} s`);
  }
  expect(slow).toEqual([]);
});

// The longest text.
const contentLength = 10_000;

test.each(texts)('the words of a long text of %j are no longer than those of two halves', (unit) => {
  const lengthOf = (text: string) => wordsOfText(text).reduce((sum, word) => sum + word.length, 0);
  const [half = 0, whole = 0] = [2, 1].map((part) =>
    lengthOf(unit.repeat(contentLength / unit.length / part)),
  );
  // Linear in the length, except at the border between the halves.
  expect(whole).toBeLessThanOrEqual(2 * half + contentLength);
});
