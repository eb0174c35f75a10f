/** Access to the desk on this machine. */
import { expect, test } from '@jest/globals';
import { Hono } from 'hono';
import { safeHeaders } from '../../../functions/serve-desk/desk-app.ts';
import { guard, newSecrets, urlOf } from '../../../functions/serve-desk/on-this-machine/access.ts';
import { onlyOwnForms } from '../../../functions/serve-desk/parts/own-origin.ts';

const access = { port: 4200, key: 'the-key', cookieSecret: 'the-pass' };
const host = '127.0.0.1:4200';
const origin = `http://${host}`;
const cookie = 'desk-4200=the-pass';

const app = new Hono();
app.use(safeHeaders, guard(access), onlyOwnForms);
app.get('*', (c) => c.text('shown'));
app.post('*', (c) => c.text('done'));

const get = (path: string, headers: Record<string, string> = {}) =>
  app.request(`${origin}${path}`, { headers: { host, ...headers } });
const post = (headers: Record<string, string>) =>
  app.request(`${origin}/list`, {
    method: 'POST',
    headers: { host, cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: 'action=approve',
  });

test('key and cookie secret are random, and only the key is in the URL', () => {
  const one = { port: 4200, ...newSecrets() };
  const other = { port: 4200, ...newSecrets() };
  expect(new Set([one.key, one.cookieSecret, other.key, other.cookieSecret]).size).toBe(4);
  expect(one.key).toMatch(/^[\w-]{32}$/);
  expect(urlOf(one)).toBe(`${origin}/?key=${one.key}`);
});

test('the key in the URL becomes a cookie that neither scripts nor other websites can use', async () => {
  const response = await get('/?key=the-key', { 'sec-fetch-site': 'none' });
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/');
  expect(response.headers.get('set-cookie')).toBe('desk-4200=the-pass; Path=/; HttpOnly; SameSite=Strict');
});

test.each([
  ['another key', '/?key=other'],
  ['an empty key', '/?key='],
  ['the key on another page', '/list?key=the-key'],
  ['no key', '/queue'],
])('%s opens nothing', async (_, path) => {
  const response = await get(path);
  expect(response.status).toBe(403);
  expect(response.headers.get('set-cookie')).toBeNull();
  expect(await response.text()).not.toContain('shown');
});

test('the cookie opens every page; the key as a cookie does not', async () => {
  expect((await get('/list', { cookie })).status).toBe(200);
  expect((await get('/list', { cookie: 'desk-4200=the-key' })).status).toBe(403);
  expect((await get('/list', { cookie: 'desk-4201=the-pass' })).status).toBe(403);
});

test.each(['attacker.example', 'attacker.example:4200', '127.0.0.1:4201', '127.0.0.1', '0.0.0.0:4200', ''])(
  'the host %j is refused, even with the key',
  async (other) => {
    expect((await get('/?key=the-key', { host: other })).status).toBe(421);
    expect((await get('/list', { host: other, cookie })).status).toBe(421);
  },
);

test.each(['cross-site', 'same-site'])('requests from a %s page are refused', async (site) => {
  expect((await get('/list', { cookie, 'sec-fetch-site': site })).status).toBe(403);
  expect((await get('/?key=the-key', { 'sec-fetch-site': site })).status).toBe(403);
  expect((await post({ 'sec-fetch-site': site, origin })).status).toBe(403);
});

test('a form must come from a page of the desk', async () => {
  expect((await post({ 'sec-fetch-site': 'same-origin', origin })).status).toBe(200);
  expect((await post({ origin })).status).toBe(200);
  expect((await post({ origin: 'http://127.0.0.1:4201' })).status).toBe(403);
  expect((await post({ origin: 'null' })).status).toBe(403);
  expect((await post({})).status).toBe(403);
});

test.each([
  ['a page', '/list', { cookie }, "default-src 'none'; .*frame-ancestors 'none'"],
  ['a refusal', '/list', {}, "default-src 'none'; .*frame-ancestors 'none'"],
] as const)('%s is not cached and allows no inline code', async (_, path, headers, policy) => {
  const response = await get(path, headers);
  const csp = String(response.headers.get('content-security-policy'));
  expect(csp).toMatch(new RegExp(policy));
  expect(csp).not.toMatch(/unsafe|https?:|\*|data:/);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(response.headers.get('strict-transport-security')).toBeNull();
});
