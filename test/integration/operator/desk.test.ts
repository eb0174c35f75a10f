/** The pages of a desk by requests, under the policy of an operator who writes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Hono } from 'hono';
import { deskApp } from '../../../lib/operator/desk/desk-app.ts';
import { adminOf } from '../../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { actAs } from '../../iam/acting.ts';
import { openTestDesk } from '../../open-desk.ts';
import { hostileTexts } from '../../unit/operator/wall/hostile.ts';

let api: ApiClient;
let app: Hono;
let close = () => {};
beforeAll(async () => {
  api = await createApiClient();
  const opened = openTestDesk(api.table);
  ({ close } = opened);
  app = deskApp(opened.desk, { port: 4200, key: 'key', pass: 'pass' });
});
afterAll(() => close());

const host = '127.0.0.1:4200';
const headers = { host, cookie: 'desk-4200=pass', 'sec-fetch-site': 'same-origin' };

async function get(path: string): Promise<{ status: number; text: string }> {
  const answer = await actAs('Operator/Write', () => app.request(`http://${host}${path}`, { headers }));
  return { status: answer.status, text: await answer.text() };
}

/** Sends a form and follows its answer. */
async function send(path: string, fields: Record<string, string | string[]> | FormData) {
  const form = fields instanceof FormData ? fields : new URLSearchParams();
  for (const [name, values] of fields instanceof FormData ? [] : Object.entries(fields)) {
    for (const value of [values].flat()) form.append(name, value);
  }
  const answer = await actAs('Operator/Write', () =>
    app.request(`http://${host}${path}`, { method: 'POST', headers, body: form }),
  );
  if (answer.status !== 303) return { status: answer.status, text: await answer.text() };
  return get(String(answer.headers.get('location')));
}

interface Created {
  id: string;
  updatedAt: string;
  status: string;
  tags?: string[];
}
async function create(overrides: Record<string, unknown> = {}): Promise<Created> {
  return (await api.create(testimonialBody(overrides))).body;
}
async function find(search: string): Promise<Created[]> {
  return (await api.list(`search=${search}`)).body.testimonials;
}
const seen = ({ id, updatedAt }: Created) => `${id}@${updatedAt}`;

test('texts are never markup, on any page', async () => {
  for (const text of hostileTexts) {
    await create({
      content: `Hostile words: ${text}`,
      author: { name: text.slice(0, 200), email: 'jane@example.com', company: text.slice(0, 200) },
      tags: [Array.from(text).slice(0, 50).join('').replaceAll(',', ';').trim()],
    });
  }
  const all = await find('hostile');
  const asked = new URLSearchParams(all.map((each) => ['seen', seen(each)] satisfies [string, string]));
  for (const path of ['/queue', '/list?search=hostile', `/erase?${asked}`]) {
    const { status, text } = await get(path);
    expect(status).toBe(200);
    expect(text.match(/<(script|img|svg|h1)\b/g)?.sort()).toEqual(['<h1', '<script', '<script']);
    expect(text).not.toMatch(/<[^>]* on\w+=[^>]*>/);
  }
  const typed = new URLSearchParams({
    search: '"><script>alert(1)</script>',
    tags: "' onclick='x",
    page: '0',
  });
  const { status, text } = await get(`/list?${typed}`);
  expect(status).toBe(400);
  expect(text).toContain('<strong>page</strong> must be a whole number');
  expect(text).toContain('value="&quot;&gt;&lt;script&gt;');
  expect((text.match(/<script/g) ?? []).length).toBe(2);
});

test('the list has every parameter of the API', async () => {
  const { text } = await get('/list');
  for (const name of ['search', 'status', 'type', 'rating', 'tags', 'sort', 'order', 'limit']) {
    expect(text).toContain(`name="${name}"`);
  }
  await create({ content: 'A zebra of five', rating: 5, tags: ['stripes'] });
  await create({ content: 'A zebra of three', rating: 3, tags: ['stripes'] });
  const one = await get('/list?search=zebra&rating=4&tags=Stripes&status=pending&type=text');
  expect(one.text).toContain('>1 testimonial<');
  const asc = await get('/list?search=zebra&sort=rating&order=asc&limit=1&page=2');
  expect(asc.text).toContain('A zebra of five');
  expect(asc.text).not.toContain('A zebra of three');
  expect(asc.text).toMatch(/name="page"[^>]*value="2"/);
  expect((await get('/list?search=zebra&page=7')).text).toContain('No such page.');
});

test('a selection is approved, tagged and erased; what somebody else changed is marked and left alone', async () => {
  const [a, b, c] = [
    await create({ content: 'Giraffe one of some' }),
    await create({ content: 'Giraffe two of some' }),
    await create({ content: 'Giraffe three of some' }),
  ];
  await adminOf(api.table)('testimonial', 'reject', b.id, '--organization', 'acme');
  const told = await send('/list', {
    ...{ action: 'approve', back: 'search=giraffe' },
    seen: [a, b, c].map(seen),
  });
  expect(told.text).toContain('2 testimonials approved.');
  expect(told.text).toMatch(/Changed by somebody else since you saw it[\s\S]*Giraffe two/);
  expect((await find('giraffe')).map(({ status }) => status)).toEqual(['approved', 'rejected', 'approved']);

  const now = await find('giraffe');
  const tagged = await send('/list', { action: 'tag', tags: ' featured, Best ', seen: now.map(seen) });
  expect(tagged.text).toContain('3 testimonials tagged.');
  const [first] = await find('giraffe');
  expect(first?.tags).toEqual(['featured', 'Best']);
  expect((await send('/list', { action: 'tag', tags: 'x'.repeat(51), seen: now.map(seen) })).text).toContain(
    `The tag “${'x'.repeat(51)}” must`,
  );
  expect((await send('/list', { action: 'approve' })).text).toContain('Select testimonials first.');

  const asked = await send('/list', { one: `erase ${seen(first as Created)}`, back: 'search=giraffe' });
  expect(asked.text).toContain('Erase 1 testimonial for good?');
  expect(await find('giraffe')).toHaveLength(3);
  // What was shown before the tag is not what is erased.
  const stale = await send('/erase', { seen: seen(c), back: 'search=giraffe' });
  expect(stale.text).toContain('Changed by somebody else since you saw it');
  expect(await find('giraffe')).toHaveLength(3);
  const erased = await send('/erase', { seen: seen(first as Created), back: 'search=giraffe' });
  expect(erased.text).toContain('1 testimonial erased');
  expect(await find('giraffe')).toHaveLength(2);
});

test('a form that no page of the desk makes is refused, and nothing is done', async () => {
  expect((await send('/list', { action: 'approve', seen: 'nonsense' })).status).toBe(422);
  expect((await send('/list', { action: 'drop', seen: 'test_1@2026' })).text).toContain(
    'nothing that can be done',
  );
  expect((await send('/files', { do: 'store' })).status).toBe(422);
  expect((await get('/absent')).status).toBe(404);
  expect((await get('/wall/built/..%2f..%2fetc/passwd')).status).toBe(404);
});

test('a file is checked, then stored, and what was refused can be downloaded', async () => {
  const csv =
    'content,author.name,author.email,rating\nAn okapi is a fine animal,Ann,ann@example.com,5\nshort,Bo,bo@example.com,9\n';
  const form = new FormData();
  form.append('do', 'take');
  form.append('file', new File([csv], '../okapis.csv'));
  const checked = await send('/files', form);
  expect(checked.text).toContain('1 testimonial would be imported into acme.');
  expect(checked.text).toContain('line 3: content must have');
  expect(await find('okapi')).toHaveLength(0);
  await send('/files', { do: 'store' });
  let page = await get('/files');
  while (page.text.includes('hx-trigger="every')) page = await get('/files');
  expect(page.text).toContain('1 testimonial imported into acme.');
  expect(await find('okapi')).toHaveLength(1);
  const rejected = await get('/files/rejected');
  expect(JSON.parse(rejected.text)).toMatchObject({ content: 'short', rejected: { line: 3 } });
});

test('an import is undone once its page has told what that erases, also when its file is dropped again', async () => {
  const csv =
    'content,author.name,author.email\nA tapir is a fine animal,Ann,ann@example.com\nTapirs are shy,Bo,bo@example.com\n';
  const drop = () => {
    const form = new FormData();
    form.append('do', 'take');
    form.append('file', new File([csv], 'tapirs.csv'));
    return send('/files', form);
  };
  const ended = async () => {
    let page = await get('/files');
    while (page.text.includes('hx-trigger="every')) page = await get('/files');
    return page.text;
  };
  expect((await drop()).text).not.toContain('Undo this import');
  await send('/files', { do: 'store' });
  expect(await ended()).toContain('Undo this import');
  expect((await send('/files', { do: 'undo' })).status).toBe(422);
  const [ann] = await find('fine tapir');
  await adminOf(api.table)('testimonial', 'approve', '--organization', 'acme', ann?.id ?? '');
  const again = await drop();
  expect(again.text).toContain('was imported into acme before');
  const asked = await send('/files', { do: 'ask to undo' });
  expect(asked.text).toMatch(
    /tapirs\.csv, imported into acme on [^:]*:\d\d UTC: 1 testimonial would be erased/,
  );
  expect(asked.text).toContain('1 was changed since and stays.');
  expect(await find('tapir')).toHaveLength(2);
  await send('/files', { do: 'undo' });
  expect(await ended()).toContain('is undone: 1 testimonial erased.');
  expect(await find('tapir')).toMatchObject([{ id: ann?.id }]);
  const fresh = await drop();
  expect(fresh.text).toContain('2 testimonials would be imported into acme.');
  expect(fresh.text).not.toContain('Undo this import');
});

test('columns that are missing are named by the page, with what they look like', async () => {
  const csv = 'Review,Customer,Mail\nA quagga is a fine animal,Ann,ann@example.com\n';
  const form = new FormData();
  form.append('do', 'take');
  form.append('file', new File([csv], 'quaggas.csv'));
  const checked = await send('/files', form);
  expect(checked.text).toContain('has no\n      column for Text, Name and E-mail.');
  for (const column of ['Review', 'Customer', 'Mail']) expect(checked.text).toContain(`selected>${column}<`);
  const again = await send('/files', {
    ...{ do: 'check', 'column content': '["Review"]', 'column author.name': '["Customer"]' },
    'column author.email': '["Mail"]',
  });
  expect(again.text).toContain('1 testimonial would be imported into acme.');
});

test('an export has what the list has', async () => {
  const { text } = await get('/files/export?format=ndjson&search=zebra&status=all');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).content);
  expect(lines).toEqual(['A zebra of five', 'A zebra of three']);
  const csv = await get('/files/export?format=csv&search=zebra&rating=4');
  expect(csv.text.split('\r\n')).toHaveLength(3);
});

test('numbers are those of stats', async () => {
  const { stdout } = await adminOf(api.table)('stats', '--organization', 'acme');
  const { text } = await get('/numbers');
  const cells = [...text.matchAll(/<t[hd][^>]*>([^<]*)<\/t[hd]>/g)].map(([, cell = '']) =>
    cell.toLowerCase(),
  );
  expect(cells.slice(1)).toEqual(
    stdout
      .trimEnd()
      .split(/\s{2,}|\n/)
      .slice(1),
  );
});
