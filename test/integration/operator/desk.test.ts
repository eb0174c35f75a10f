/** The pages of a desk by requests, under the policy of an operator who writes. */
import { createHash } from 'node:crypto';
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

/** Drops a file on the page; returns that, and where it is. */
async function drop(csv: string, name: string) {
  const form = new FormData();
  form.append('do', 'take');
  form.append('file', new File([csv], name));
  const { text } = await send('/files', form);
  return { text, path: `/files?of=${createHash('sha256').update(csv).digest('hex')}` };
}

/** What a button of a page sends, by its label. */
function fieldsOf(text: string, label: string): Record<string, string> {
  const forms = text.match(/<form method="post"[\s\S]*?<\/form>/g) ?? [];
  const form = forms.find((each) => each.includes(`>${label}</button>`)) ?? '';
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return Object.fromEntries(
    fields.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]),
  );
}

/** The page once nothing is done any more. */
async function ended(path: string): Promise<string> {
  let { text } = await get(path);
  while (text.includes('hx-trigger="every')) ({ text } = await get(path));
  return text;
}

test('a file is checked, then stored, and what was refused can be downloaded', async () => {
  const csv =
    'content,author.name,author.email,rating\nAn okapi is a fine animal,Ann,ann@example.com,5\nshort,Bo,bo@example.com,9\n';
  const { text, path } = await drop(csv, '../okapis.csv');
  expect(text).toContain('1 testimonial would be imported into acme.');
  expect(text).toContain('line 3: content must have');
  expect(await find('okapi')).toHaveLength(0);
  await send('/files', fieldsOf(text, 'Import 1 testimonial'));
  expect(await ended(path)).toContain('1 testimonial imported into acme.');
  expect(await find('okapi')).toHaveLength(1);
  const rejected = await get(path.replace('?', '/rejected?'));
  expect(JSON.parse(rejected.text)).toMatchObject({ content: 'short', rejected: { line: 3 } });
});

test('an import is undone once its page has told what that erases, also when its file is dropped again', async () => {
  const csv =
    'content,author.name,author.email\nA tapir is a fine animal,Ann,ann@example.com\nTapirs are shy,Bo,bo@example.com\n';
  const first = await drop(csv, 'tapirs.csv');
  expect(first.text).not.toContain('Undo this import');
  await send('/files', fieldsOf(first.text, 'Import 2 testimonials'));
  expect(await ended(first.path)).toContain('Undo this import');
  const [ann] = await find('fine tapir');
  await adminOf(api.table)('testimonial', 'approve', '--organization', 'acme', ann?.id ?? '');
  const again = await drop(csv, 'tapirs.csv');
  expect(again.text).toContain('was imported into acme before');
  const asked = await send('/files', fieldsOf(again.text, 'Undo this import'));
  expect(asked.text).toMatch(
    /tapirs\.csv, imported into acme on [^:]*:\d\d UTC: 1 testimonial would be erased/,
  );
  expect(asked.text).toContain('1 was changed since and stays.');
  expect(await find('tapir')).toHaveLength(2);
  await send('/files', fieldsOf(asked.text, 'Undo this import for good'));
  expect(await ended(first.path)).toContain('is undone: 1 testimonial erased.');
  expect(await find('tapir')).toMatchObject([{ id: ann?.id }]);
  const fresh = await drop(csv, 'tapirs.csv');
  expect(fresh.text).toContain('2 testimonials would be imported into acme.');
  expect(fresh.text).not.toContain('Undo this import');
});

test('of lines that are there already, only the new ones or all are stored', async () => {
  const header = 'content,author.name,author.email\n';
  const line = (i: number) => `A gnu of the number ${i},Ann,ann@example.com\n`;
  const january = await drop(header + line(1), 'january.csv');
  await send('/files', fieldsOf(january.text, 'Import 1 testimonial'));
  await ended(january.path);
  const february = await drop(header + line(1) + line(2), 'february.csv');
  expect(february.text).toContain(
    '1 of 2 lines of february.csv is in acme already, with the same text and author.',
  );
  const all = fieldsOf(february.text, 'Import all 2 testimonials');
  // Something else is there by then: what was agreed to is not so any more.
  await create({ content: 'A gnu of the number 2', author: { name: 'Ann', email: 'ann@example.com' } });
  await send('/files', all);
  expect(await ended(february.path)).toContain('Nothing is stored: what is there is not as it was shown.');
  expect(await find('gnu')).toHaveLength(2);
  const checked = await drop(header + line(1) + line(2) + line(3), 'march.csv');
  await send('/files', fieldsOf(checked.text, 'Import the 1 new one'));
  expect(await ended(checked.path)).toContain('2 lines left out: there already.');
  expect(await find('gnu')).toHaveLength(3);
});

test('two tabs work on two files beside each other; a form about one that is not open is refused by its name', async () => {
  const csv = (animal: string) =>
    `content,author.name,author.email\nA ${animal} is a fine animal,Ann,ann@example.com\n`;
  const a = await drop(csv('lynx'), 'a.csv');
  const stored = await send('/files', fieldsOf(a.text, 'Import 1 testimonial'));
  expect(stored.text).toContain('a.csv');
  await ended(a.path);
  const asked = await send('/files', fieldsOf(await ended(a.path), 'Undo this import'));
  // The other tab.
  const b = await drop(csv('puma'), 'b.csv');
  await send('/files', fieldsOf(b.text, 'Import 1 testimonial'));
  const other = await send('/files', fieldsOf(await ended(b.path), 'Undo this import'));
  expect(other.text).toContain('b.csv, imported into acme');
  await send('/files', fieldsOf(asked.text, 'Undo this import for good'));
  expect(await ended(a.path)).toContain('a.csv, imported into acme');
  expect({ lynx: await find('lynx'), puma: await find('puma') }).toMatchObject({ lynx: [], puma: [{}] });

  const checked = await drop(csv('lynx'), 'a.csv');
  const forms = [
    ...[fieldsOf(checked.text, 'Import 1 testimonial'), fieldsOf(checked.text, 'Check again')],
    ...[fieldsOf(asked.text, 'Undo this import for good'), fieldsOf(checked.text, 'Do nothing')],
    { ...fieldsOf(asked.text, 'Undo this import for good'), do: 'ask to undo' },
  ];
  expect(forms.map((each) => each.do)).toEqual(['store', 'check', 'undo', 'forget', 'ask to undo']);
  for (const { of, name } of forms) expect({ of, name }).toEqual({ of: a.path.split('=')[1], name: 'a.csv' });
  // Forgotten in one tab, it is still shown in another.
  await send('/files', fieldsOf(checked.text, 'Do nothing'));
  for (const fields of forms) {
    const { status, text } = await send('/files', fields);
    expect(status).toBe(422);
    expect(text).toMatch(/This page was about a\.csv; .*b\.csv.* open now: drop it again\./);
  }
  expect({ lynx: await find('lynx'), puma: await find('puma') }).toMatchObject({ lynx: [], puma: [{}] });
});

test('columns that are missing are named by the page, with what they look like', async () => {
  const csv = 'Review,Customer,Mail\nA quagga is a fine animal,Ann,ann@example.com\n';
  const { text, path } = await drop(csv, 'quaggas.csv');
  expect(text).toContain('has no\n      column for Text, Name and E-mail.');
  for (const column of ['Review', 'Customer', 'Mail']) expect(text).toContain(`selected>${column}<`);
  const again = await send('/files', {
    ...fieldsOf(text, 'Check again'),
    ...{ 'column content': '["Review"]', 'column author.name': '["Customer"]' },
    'column author.email': '["Mail"]',
  });
  expect(again.text).toContain('1 testimonial would be imported into acme.');
  await send('/files', fieldsOf(again.text, 'Import 1 testimonial'));
  expect(await ended(path)).toContain('1 testimonial imported into acme.');
  expect(await find('quagga')).toHaveLength(1);
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
