/**
 * How the time of a request grows with its input: doubled again and again, by each text that could be expensive. It prints
 * figures and judges none of them: an exponent of 1 is linear, of 2 quadratic.
 */
import { afterAll, expect, test } from '@jest/globals';
import { wordsOfText } from '../../functions/domain/words.ts';
import { type ApiRequest, testimonialBody } from '../api-client.ts';
import { hostileService } from '../hostile/hostile-service.ts';

type Request = Omit<ApiRequest, 'headers'> & { headers?: Record<string, string> };
type Make = (text: string) => Request;

const get = (query: string, headers = {}): Request => ({ routeKey: 'GET /v1/testimonials', query, headers });
const post = (body: string, headers = {}): Request => ({ routeKey: 'POST /v1/testimonials', body, headers });
const field = (overrides: object) => post(JSON.stringify(testimonialBody({ ...overrides })));

/** A row for each unit that a text is made of. */
const made = (what: string, units: readonly string[], make: Make): Record<string, Make> =>
  Object.fromEntries(
    units.map((unit) => [
      `${what} of ${JSON.stringify(unit)}`,
      (text) => make(text.replaceAll('x', unit).slice(0, text.length)),
    ]),
  );

// The gateway takes a line and headers of 10 KB, a function a body of 6 MB.
const small = [1024, 2048, 4096, 8192];
const large = [64 * 1024, 128 * 1024, 256 * 1024];
const letters = ['a', 'é', '\u0315\u0300', '素', 'ก', '👍'];
const texts = [...letters, ' ', 'a b ', 'a.b.', "a'", 'e\u0301', '\r\n', '\0', '\ud800'];

const bodies: Record<string, Make> = {
  ...made('content', texts, (content) => field({ content })),
  ...made('e-mail address', ['a', 'a.', 'a@', '@', '"', '.'], (email) =>
    field({ author: { name: 'Jane', email } }),
  ),
  tags: (text) => field({ tags: Array.from(text, (_, i) => `t${i}`) }),
  'a field in a field': ({ length }) => post(`{"a":${'['.repeat(length / 2)}${']'.repeat(length / 2)}}`),
  fields: (text) => post(`{${Array.from(text, (_, i) => `"f${i}":1`).join(',')}}`),
  'one field again and again': (text) => post(`{${Array.from(text, () => '"content":1').join(',')}}`),
  'fields of prototypes': (text) => post(`{${Array.from(text, () => '"__proto__":{}').join(',')}}`),
  'blanks before': (text) => post(`${text.replaceAll('x', ' ')}{}`),
  digits: (text) => post(`{"rating":${text.replaceAll('x', '9')}}`),
  escapes: (text) => post(`{"content":"${text.replaceAll('x', '\\u0301')}"}`),
};

const lines: Record<string, Make> = {
  ...made('search', [...letters, 'a ', 'a.b.'], (text) => get(`search=${encodeURIComponent(text)}`)),
  ...made('a tag', ['\u0315\u0300'], (text) => get(`tags=${encodeURIComponent(text)}`)),
  tags: (text) => get(`tags=${text.replaceAll('x', 'a,')}`),
  'one parameter again and again': (text) => get(text.replaceAll('x', 'tags=a&')),
  parameters: (text) => get(Array.from(text, (_, i) => `p${i}=1`).join('&')),
  'a page of zeros': (text) => get(`page=${text.replaceAll('x', '0')}`),
  'a token': (text) => get('', { authorization: `Bearer ${text}` }),
  'blanks before a token': (text) => get('', { authorization: `Bearer${text.replaceAll('x', ' ')}\n` }),
  'a content type': (text) => post('{}', { 'content-type': `application/${text.replaceAll('x', 'a+')}` }),
  'a content type of blanks': (text) =>
    post('{}', { 'content-type': `application/json${text.replaceAll('x', ' ')}x` }),
  'a quoted key': (text) => post('{}', { 'idempotency-key': `"${text.replaceAll('x', '\\"')}` }),
};

const rows: string[] = [];
afterAll(() => void process.stdout.write(`\n${rows.join('\n')}\n`));

/** The least processor time of some runs, in milliseconds. */
async function least(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i += 1) {
    const began = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(began);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

test.each([
  ['bodies', large, bodies],
  ['lines and headers', small, lines],
] as const)('%s', async (_, sizes, inputs) => {
  const service = await hostileService();
  for (const [name, make] of Object.entries(inputs)) {
    const times: number[] = [];
    for (const size of sizes) {
      const { headers, ...request } = make('x'.repeat(size));
      const authorization = `Bearer ${service.tokens.both}`;
      const all = { ...request, headers: { authorization, 'content-type': 'application/json', ...headers } };
      times.push(await least(() => service.answer(all)));
      expect((await service.answer(all)).problems).toEqual([]);
    }
    const exponent = Math.log2((times.at(-1) ?? 0) / (times.at(-2) ?? 1));
    const shown = times.map((time) => time.toFixed(1)).join(', ');
    rows.push(`${name}: ${shown} ms, exponent ${exponent.toFixed(1)}`);
  }
});

// As long as a text may be, and what its words come to.
const contentLength = 10_000;

test.each(texts)('the words of a text of %j together are no longer than so many texts', (unit) => {
  const lengthOf = (text: string) => wordsOfText(text).reduce((sum, word) => sum + word.length, 0);
  const [half = 0, whole = 0] = [2, 1].map((part) =>
    lengthOf(unit.repeat(contentLength / unit.length / part)),
  );
  // Linear in the length, but for the border of a word.
  expect(whole).toBeLessThanOrEqual(2 * half + contentLength);
});
