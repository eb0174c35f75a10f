/** Personal links, as an owner makes them at the desk. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Page } from '../../../functions/domain/page.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { type Browser, openDesk } from '../../desk-client.ts';
import { plain } from '../../forms.ts';
import { addPage } from '../../page-visitor.ts';
import { storedItems } from '../../stored-items.ts';

let table: Table;
let owner: Browser;
let form: Page;
let at: string;
beforeEach(async () => {
  ({ table, owner } = await openDesk({ pages: true }));
  form = await addPage(table, { title: 'Tell us' });
  at = `/desk/pages/${form.id}/links`;
});

const linkOf = (fragment: string) => `https://api.example.com/f/${form.id}#${fragment}`;

/** Returns the links to copy, one by one. */
const copied = (text: string) =>
  [...text.matchAll(/data-copy="(https[^"]*)"/g)].map(([, link = '']) => plain(link));

/** Sends the form as browsers do, with a file. */
async function sendFile(path: string, content: string | Uint8Array, lines = '', name = 'people.csv') {
  const form = new FormData();
  form.append('lines', lines);
  form.append('file', new File([Buffer.from(content as string)], name)); // Buffer.from takes either
  const body = new Request('https://api.example.com', { method: 'POST', body: form });
  const type = String(body.headers.get('content-type'));
  return owner.ask('POST', path, {
    raw: Buffer.from(await body.arrayBuffer()),
    headers: { 'content-type': type },
  });
}

test('the page of a form leads there; lines become links to copy, and stay for a correction', async () => {
  expect((await owner.get(`/desk/pages/${form.id}`)).text).toContain(`href="${at}"`);
  expect((await owner.get(at)).text).toContain('<textarea id="lines" name="lines"');
  const lines =
    'Jane Doe, jane@example.com, Head of Support, A & B\n, ben@example.com\nAnn Lee, ann@@example';
  const { status, text } = await owner.post(at, { lines });
  expect(status).toBe(200);
  expect(copied(text)).toEqual([
    linkOf('name=Jane%20Doe&role=Head%20of%20Support&company=A%20%26%20B&email=jane%40example.com'),
  ]);
  expect(plain(text)).toMatch(/2 lines were skipped. <a href="#lines">Correct them</);
  expect(plain(text)).toContain('<li>Line 2 has no name: ben@example.com.</li>');
  expect(plain(text)).toContain('“ann@@example” is not an e-mail address.</li>');
  expect(plain(text)).toContain(`\n${lines}</textarea>`);
  // The lines are out of the way unless one has to be corrected.
  const isOpen = (page: string) => /<details ([^>]*)><summary>Change the lines/.exec(page)?.[1] === 'open';
  const right = await owner.post(at, { lines: 'Jane,jane@example.com' });
  expect([isOpen(text), isOpen(right.text)]).toEqual([true, false]);
});

test('several links are copied together as a table', async () => {
  const { text } = await owner.post(at, { lines: 'Jane,jane@example.com\nBen' });
  const [, table = ''] = /data-copy="(Jane[^"]*)"/.exec(text) ?? [];
  expect(plain(table)).toBe(
    `Jane\tjane@example.com\t${linkOf('name=Jane&email=jane%40example.com')}\nBen\t\t${linkOf('name=Ben')}`,
  );
});

test('they come as a file that spreadsheets open, which runs no formula', async () => {
  const lines = 'Jane Doe;jane@example.com;=cmd|x;"Acme; ""Inc."""\nZoë;zoe@example.com';
  const { status, headers, text } = await owner.post(`${at}.csv`, { lines });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-disposition': 'attachment; filename="personal-links.csv"',
    'cache-control': 'no-store',
  });
  expect(text.split('\r\n')).toEqual([
    '\uFEFF"Name";"E-mail address";"Job title";"Company";"Link"',
    `"Jane Doe";"jane@example.com";"'=cmd|x";"Acme; ""Inc.""";"${linkOf('name=Jane%20Doe&role=%3Dcmd%7Cx&company=Acme%3B%20%22Inc.%22&email=jane%40example.com')}"`,
    `"Zoë";"zoe@example.com";;;"${linkOf('name=Zo%C3%AB&email=zoe%40example.com')}"`,
    '',
  ]);
  expect((await owner.post(`${at}.csv`, { lines: 'Jane,jane@example.com' })).text).toContain(
    '"Name","E-mail',
  );
});

test('a file in an encoding of Excel takes the place of the lines', async () => {
  const content = 'Name;E-Mail\r\nZoë Müller;zoe@example.com\r\n';
  const { text } = await sendFile(at, Buffer.from(content, 'latin1'), 'Ben');
  expect(copied(text)).toEqual([linkOf('name=Zo%C3%AB%20M%C3%BCller&email=zoe%40example.com')]);
  expect(plain(text)).toContain('Zoë Müller;zoe@example.com');
});

test('a file that is no text, an empty one and too many lines make no links, and the lines stay', async () => {
  const workbook = Buffer.from('504b0304140006000800000000fffefdc000000000', 'hex');
  for (const [content, reason] of [
    [workbook, 'This is not a text file. Save it as CSV (UTF-8), and choose it again.'],
    [Buffer.from([0xc0, 0xc1, 0xe0, 0xe1, 0xe2]), 'This is not a text file.'],
    ['Jane\n'.repeat(1001), 'Paste at most 1,000 lines at a time.'],
  ] as const) {
    const { status, text } = await sendFile(at, content, 'Ben, ben@example.com');
    expect(status).toBe(422);
    expect(plain(text)).toContain(reason);
    expect(text).toMatch(/<textarea id="lines"[^>]* aria-invalid="true"/);
    expect(copied(text)).toEqual([]);
  }
  expect(copied((await sendFile(at, '', 'Ben')).text)).toEqual([linkOf('name=Ben')]);
  for (const path of [at, `${at}.csv`]) {
    const { status, text } = await owner.post(path, { lines: ' ' });
    expect([status, text.includes('Paste at least one line')]).toEqual([422, true]);
  }
  expect((await owner.post(at, { lines: `Jane,${'x'.repeat(600_000)}` })).status).toBe(413);
});

test('nothing of it is stored or logged', async () => {
  const before = await storedItems(table);
  const lines = 'Quokka Quentin, quokka@example.com\n, wombat@example.com\nWombat, wombat@@example';
  for (const send of [
    () => owner.post(at, { lines }),
    () => owner.post(`${at}.csv`, { lines }),
    () => owner.post(`${at}.csv`, { lines: 'Quokka\n'.repeat(1001) }),
    () => sendFile(at, lines, '', 'quokka.csv'),
  ]) {
    const { logged } = await send();
    expect(logged).toContain(`/desk/pages/${form.id}/links`);
    expect(logged).not.toMatch(/quokka|wombat/i);
  }
  expect(await storedItems(table)).toEqual(before);
});

test('a field that the form hides is in no link', async () => {
  form = await addPage(table, { settings: { hide: 'company,stars' } });
  const { text } = await owner.post(`/desk/pages/${form.id}/links`, {
    lines: 'Jane,jane@example.com,CEO,Acme',
  });
  expect(copied(text)).toEqual([linkOf('name=Jane&role=CEO&email=jane%40example.com')]);
});

test('a wall has none', async () => {
  const { id } = await addPage(table, { kind: 'wall' });
  expect((await owner.get(`/desk/pages/${id}`)).text).not.toContain('/links"');
  for (const end of ['links', 'links.csv'])
    expect((await owner.post(`/desk/pages/${id}/${end}`, { lines: 'Jane' })).status).toBe(404);
});
