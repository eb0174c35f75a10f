/** The server of the form, when the API answers, refuses, fails or is silent. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createServer } from '../../../examples/collect/server.ts';
import { listen } from '../../listen.ts';
import { runEntry } from '../../service/service-process.ts';

const key = '5f2c1a7e-0f43-4a7d-9d0c-2f6d1c1c9f10';
const typed = {
  content: 'A "great" <product>',
  rating: '4',
  'author.name': 'Jane & Jo',
  'author.email': 'jane@example.com',
  'author.company': '  ',
};

/** The reaction of an API to a request. */
type Reaction = { status: number; body?: unknown } | 'cuts the connection' | 'is silent';

const created = { status: 201, body: { id: 'test_1234567890121' } };
const refusal = (status: number, code: string, details?: Record<string, string>) => ({
  status,
  body: { error: { code, message: 'No.', details, requestId: 'request-1' } },
});

/** The form in front of an API with these reactions, which repeats the last one. */
async function collect(...reactions: Reaction[]) {
  let aheadMs = 0;
  const received: { path: string | undefined; headers: Record<string, unknown>; body: unknown }[] = [];
  const api = await listen(
    createHttpServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      received.push({ path: request.url, headers: request.headers, body: JSON.parse(body) });
      const reaction = reactions.length > 1 ? reactions.shift() : reactions[0];
      if (reaction === undefined || reaction === 'is silent') return;
      if (reaction === 'cuts the connection') return void request.socket.destroy();
      const { status, body: sent } = reaction;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(sent));
    }),
  );
  const logged: string[] = [];
  // Long enough for a request to arrive on a busy machine.
  const patience = { pauseMs: 0, timeoutMs: reactions[0] === 'is silent' ? 700 : 60_000 };
  const server = createServer({
    url: api,
    token: 'a-token',
    log: (line) => logged.push(line),
    now: () => Date.now() + aheadMs,
    ...patience,
  });
  const wait = (milliseconds: number) => {
    aheadMs += milliseconds;
  };
  return { url: await listen(server), received, logged, wait };
}

async function send(url: string, fields: Record<string, string>) {
  const answer = await fetch(`${url}/send`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
  const location = answer.headers.get('location');
  expect(await answer.text()).toBe('');
  // A browser follows the redirect.
  const page = await (await fetch(`${url}${location}`)).text();
  return { status: answer.status, location, page };
}

const plain = (text: string | undefined) =>
  text?.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
const valueIn = (page: string, name: string) =>
  plain(new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(page)?.[1]);
const errorIn = (page: string, name: string) =>
  plain(new RegExp(`id="${name}-error">([^<]*)<`).exec(page)?.[1]);
const contentIn = (page: string) => plain(/<textarea[^>]*>\n([^<]*)</.exec(page)?.[1]);
const titleIn = (page: string) => /<title>(.*)<\/title>/.exec(page)?.[1];

const asTyped = (page: string) => ({
  content: contentIn(page),
  rating: /value="(\d)" checked/.exec(page)?.[1],
  'author.name': valueIn(page, 'author.name'),
  'author.email': valueIn(page, 'author.email'),
  'author.company': valueIn(page, 'author.company'),
});

test('a testimonial is created with the key of the form, its blank fields left out', async () => {
  const { url, received } = await collect(created);
  expect(await send(url, { ...typed, key })).toMatchObject({ status: 303, location: '/thanks' });
  expect(received).toMatchObject([
    { path: '/v1/testimonials', headers: { authorization: 'Bearer a-token', 'idempotency-key': key } },
  ]);
  expect(received[0]?.body).toEqual({
    content: typed.content,
    rating: 4,
    author: { name: 'Jane & Jo', email: 'jane@example.com' },
    type: 'text',
  });
});

test('each form has a key of its own', async () => {
  const { url } = await collect(created);
  const keys = await Promise.all([1, 2].map(async () => valueIn(await (await fetch(url)).text(), 'key')));
  expect(new Set(keys).size).toBe(2);
});

test('a failed request is sent again with the same key', async () => {
  const { url, received, logged } = await collect('cuts the connection', { status: 503 }, created);
  expect(await send(url, { ...typed, key })).toMatchObject({ status: 303 });
  expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual([key, key, key]);
  expect(logged).toEqual([]);
});

describe('the form comes back as typed, with the same key,', () => {
  test.each<[string, Reaction, number, string]>([
    ['when the API is silent', 'is silent', 3, 'TimeoutError'],
    ['when the API cuts the connection', 'cuts the connection', 3, 'closed'],
    ['when the API fails', refusal(500, 'internal_error'), 3, 'answers 500, request request-1'],
    ['when API Gateway throttles', { status: 429, body: { message: 'Too Many Requests' } }, 3, 'answers 429'],
    ['when the token is not valid', refusal(401, 'unauthorized'), 1, 'answers 401, request request-1'],
    ['when the token may not create', refusal(403, 'forbidden'), 1, 'answers 403'],
    ['when something else answers', { status: 200, body: 'Welcome' }, 1, 'answers 200'],
  ])('%s', async (_, reaction, tries, reason) => {
    const { url, received, logged } = await collect(reaction);
    const { status, page } = await send(url, { ...typed, key });
    expect(status).toBe(303);
    expect(titleIn(page)).toMatch(/could not be sent/);
    expect(asTyped(page)).toEqual(typed);
    expect(valueIn(page, 'key')).toBe(key);
    expect(received).toHaveLength(tries);
    expect(logged).toEqual([expect.stringContaining(reason)]);
    expect(logged.join()).not.toMatch(/Jane|jane|great|a-token/);
  });

  test('when there is no API', async () => {
    const closed = createHttpServer();
    const address = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    const logged: string[] = [];
    const options = { url: address, token: 'a-token', pauseMs: 0, log: (line: string) => logged.push(line) };
    const { status, page } = await send(await listen(createServer(options)), { ...typed, key });
    expect({ status, typed: asTyped(page), key: valueIn(page, 'key') }).toEqual({ status: 303, typed, key });
    expect(logged).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });
});

test('errors are next to their fields and in the summary, and the key stays', async () => {
  const details = { 'author.email': 'is <required>', content: 'is short', tags: 'are many' };
  const { url } = await collect(refusal(422, 'validation_error', details));
  const { status, page } = await send(url, { ...typed, key });
  expect(status).toBe(303);
  expect(valueIn(page, 'key')).toBe(key);
  expect(asTyped(page)).toEqual(typed);
  expect(['content', 'author.email', 'author.name'].map((name) => errorIn(page, name))).toEqual([
    'Your testimonial is short.',
    'Your e-mail address is <required>.',
    '',
  ]);
  const items = [...page.matchAll(/<li>(.*?)<\/li>/g)].map(([, item]) => plain(item));
  // In the order of the form. Other errors come last, without a link.
  expect(items).toEqual([
    '<a href="#content">Your testimonial is short.</a>',
    '<a href="#author.email">Your e-mail address is <required>.</a>',
    'tags are many.',
  ]);
  expect([...page.matchAll(/aria-invalid="true"/g)]).toHaveLength(2);
});

test('a typed form comes back on every reload for a quarter of an hour, only at its own URL', async () => {
  const { url, wait } = await collect(refusal(422, 'validation_error', { content: 'is short' }));
  const { location } = await send(url, { ...typed, key });
  const again = async (path: string | null) => (await fetch(`${url}${path}`)).text();
  expect(asTyped(await again(location))).toEqual(typed);
  wait(14 * 60_000);
  expect(asTyped(await again(location))).toEqual(typed);
  for (const path of ['/again', '/again?form=', `/again?form=${key}`])
    expect(contentIn(await again(path))).toBe('');
  wait(60_000);
  const page = await again(location);
  expect([contentIn(page), titleIn(page)]).toEqual(['', 'Please write it again – Share your experience']);
});

test('at most 200 forms are kept, and the oldest go first', async () => {
  const { url } = await collect(refusal(422, 'validation_error', {}));
  const sent: (string | null)[] = [];
  for (let i = 0; i <= 200; i += 1) sent.push((await send(url, { content: `text ${i}`, key })).location);
  const texts = [0, 1, 200].map(async (i) => contentIn(await (await fetch(`${url}${sent[i]}`)).text()));
  expect(await Promise.all(texts)).toEqual(['', 'text 1', 'text 200']);
});

test('another text with a used key is refused, and the form has a new key', async () => {
  const details = { 'Idempotency-Key': 'was already used with another body' };
  const { url } = await collect(refusal(422, 'idempotency_key_reused', details));
  const { status, page } = await send(url, { ...typed, key });
  expect(status).toBe(303);
  expect(titleIn(page)).toMatch(/^You have already sent this form/);
  expect(asTyped(page)).toEqual(typed);
  expect(valueIn(page, 'key')).toMatch(/^[0-9a-f-]{36}$/);
  expect(valueIn(page, 'key')).not.toBe(key);
});

test.each([
  ['no key', {}],
  ['a key that the form did not give out', { key: 'order-17' }],
  ['a key with a line break', { key: `${key}\r\nx: y` }],
])('nothing is sent to the API with %s', async (_, fields) => {
  const { url, received } = await collect(created);
  const { status, page } = await send(url, { ...typed, ...fields });
  expect({ status, typed: asTyped(page), received }).toEqual({ status: 303, typed, received: [] });
  expect(valueIn(page, 'key')).toMatch(/^[0-9a-f-]{36}$/);
});

test('a body that is too large is refused, but not the longest testimonial', async () => {
  const { url, received } = await collect(created);
  const { status, page } = await send(url, { ...typed, key, content: 'x'.repeat(300_000) });
  expect({ status, title: titleIn(page) }).toEqual({
    status: 303,
    title: 'Your testimonial is too long – Share your experience',
  });
  expect(received).toEqual([]);
  expect(await send(url, { ...typed, key, content: '😀'.repeat(10_000) })).toMatchObject({ status: 303 });
});

test('the server survives a request that breaks off', async () => {
  const { url, logged } = await collect(created);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const head = 'POST /send HTTP/1.1\r\nHost: form\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n';
  socket.write(head);
  // The server reads the body now.
  await once(socket, 'data');
  socket.destroy();
  while (logged.length === 0) expect((await fetch(url)).status).toBe(200);
  expect(logged).toEqual(['A request failed: aborted']);
});

test.each([
  ['GET', '/', 200, 'private, no-cache'],
  ['HEAD', '/', 200, 'private, no-cache'],
  ['GET', '/thanks', 200, 'no-store'],
  ['GET', '/collect.css', 200, 'no-cache'],
  ['POST', '/send', 303, 'no-store'],
  ['GET', '/again?form=unknown', 200, 'private, no-cache'],
  ['GET', '/send', 303, 'no-store'],
  ['POST', '/', 404, 'no-store'],
  ['GET', '/server.ts', 404, 'no-store'],
  ['GET', '//', 404, 'no-store'],
])('%s %s answers %i, with the headers of a page that loads nothing', async (method, path, status, cache) => {
  const { url } = await collect(created);
  const answer = await fetch(`${url}${path}`, { method, redirect: 'manual' });
  expect(answer.status).toBe(status);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-security-policy':
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': cache,
  });
  expect(await answer.text()).not.toMatch(/<script|style=|https?:/);
});

test('typed texts and messages of the API come back as text and change nothing else', async () => {
  const details: Record<string, string> = {};
  const { url } = await collect(refusal(422, 'validation_error', details));
  const markup = fc.constantFrom(
    '</textarea>',
    '"><script>',
    "' onfocus=",
    '<!--',
    '&amp;',
    '${',
    '\n',
    '$&',
  );
  const text = fc.array(fc.oneof(markup, fc.string({ unit: 'grapheme' }))).map((parts) => parts.join(''));
  const tags = (page: string) => page.match(/<[^>]*>/g)?.map((tag) => tag.replace(/ value="[^"]*"/, ''));
  details.content = 'is short';
  const usual = tags((await send(url, { key })).page);
  await fc.assert(
    fc.asyncProperty(
      fc.record({ content: text, 'author.name': text, 'author.email': text }),
      text,
      async (fields, said) => {
        details.content = said;
        const { page } = await send(url, { ...fields, key });
        expect(asTyped(page)).toMatchObject(fields);
        expect(errorIn(page, 'content')).toBe(`Your testimonial ${said}.`);
        expect(tags(page)).toEqual(usual);
      },
    ),
    { numRuns: 50 },
  );
});

test('it imports only Node.js and its own files', () => {
  const folder = new URL('../../../examples/collect/', import.meta.url);
  const imported = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [
      ...readFileSync(new URL(name, folder), 'utf8').matchAll(/(?:from|import)\W+'([^']+)'/g),
    ])
    .map(([, name]) => name);
  expect(imported.length).toBeGreaterThan(3);
  expect(imported.filter((name) => !/^(node:|\.\/[^/]+$)/.test(name ?? ''))).toEqual([]);
});

test.each([
  [{}, /^Please set TESTIMONIALS_URL, .+; and TESTIMONIALS_TOKEN, .+\.\n$/],
  [{ TESTIMONIALS_URL: 'http://127.0.0.1:1' }, /^Please set TESTIMONIALS_TOKEN, .+\.\n$/],
  [
    { TESTIMONIALS_URL: 'http://127.0.0.1:1', TESTIMONIALS_TOKEN: 't', COLLECT_PORT: '99999' },
    /^Please set COLLECT_PORT, .+\.\n$/,
  ],
])('with the settings %j it prints one line with the missing ones', async (settings, line) => {
  const finished = await runEntry(['examples/collect/server.ts'], { PATH: process.env.PATH, ...settings });
  expect(finished).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) });
});
