/** Testimonials that people at the desk add by hand. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { type Browser, type Desk, deskOf } from '../../desk-client.ts';
import { fieldsOf, seen } from '../../forms.ts';
import { storedTestimonials } from '../../stored-items.ts';
import { onTableCall } from '../../table-calls.ts';
import { createTestTable } from '../../test-table.ts';

let table: Table;
let desk: Desk;
let moderator: Browser;
beforeEach(async () => {
  table = await createTestTable();
  desk = await deskOf(table, { pages: true });
  moderator = await desk.signedIn({ role: 'moderator' });
});

const stored = () => storedTestimonials(table);

const typed = {
  content: 'You answered within the hour, on a Sunday.',
  'author.name': ' Jane Doe ',
  'author.email': 'jane@example.com',
};
const all = {
  ...typed,
  'author.role': 'CEO',
  'author.company': 'Acme',
  rating: '4',
  tags: 'mail, , Featured',
  source: ' E-mail of March 4 ',
};

/** Opens the page and returns the fields that its button sends. */
const opened = async (browser = moderator) =>
  fieldsOf((await browser.get('/desk/add')).text, 'Add testimonial');

test('a moderator adds one with all fields; it is pending, and the desk alone shows where it came from', async () => {
  expect((await moderator.get('/desk/list')).text).toContain('href="/desk/add"');
  const page = await moderator.send('/desk/add', { ...(await opened()), ...all });
  expect(page.text).toContain('Jane Doe’s testimonial was added to the queue.');
  expect(page.text).toContain('<dt>Source</dt><dd><bdi>E-mail of March 4</bdi></dd>');
  const [only, ...others] = await stored();
  expect(others).toEqual([]);
  expect(only).toMatchObject({ source: 'E-mail of March 4' });
  expect(only?.testimonial).toMatchObject({
    content: typed.content,
    author: { name: 'Jane Doe', email: 'jane@example.com', role: 'CEO', company: 'Acme' },
    rating: 4,
    tags: ['mail', 'Featured'],
    type: 'text',
    status: 'pending',
  });
  expect(JSON.stringify(only?.testimonial)).not.toContain('March');
});

test('with the required fields alone, it has no others', async () => {
  const blank = { source: ' \u200b ', rating: '', tags: ' , ' };
  await moderator.send('/desk/add', { ...(await opened()), ...typed, ...blank });
  const [only] = await stored();
  expect(only).not.toHaveProperty('source');
  const { id, createdAt, updatedAt, ...fields } = only?.testimonial ?? unreachable();
  expect(fields).toEqual({
    content: typed.content,
    author: { name: 'Jane Doe', email: 'jane@example.com' },
    type: 'text',
    status: 'pending',
  });
});

test('sent twice, at once or later, it is added once; with other words, the page asks', async () => {
  const fields = { ...(await opened()), ...all };
  await Promise.all([moderator.post('/desk/add', fields), moderator.post('/desk/add', fields)]);
  await moderator.post('/desk/add', fields);
  expect(await stored()).toHaveLength(1);
  const content = 'Some other words of hers.';
  const other = await moderator.post('/desk/add', { ...fields, content });
  expect(other.status).toBe(422);
  expect(other.text).toContain('You already added a testimonial with this form.');
  expect(other.text).toContain(content);
  await moderator.send('/desk/add', { ...fields, ...fieldsOf(other.text, 'Add testimonial'), content });
  expect(await stored()).toHaveLength(2);
});

test('sent again after its erasure, the page says so', async () => {
  const fields = { ...(await opened()), ...all };
  await moderator.post('/desk/add', fields);
  const [{ testimonial } = unreachable()] = await stored();
  await moderator.post('/desk/list', { action: 'erase', seen: seen(testimonial) });
  const { status, text } = await moderator.post('/desk/add', fields);
  expect([status, await stored()]).toEqual([422, []]);
  expect(text).toContain('You added this testimonial, and it was erased since.');
});

test('corrected after the first try stopped, it is added once', async () => {
  const fields = { ...(await opened()), ...all };
  onTableCall(table, (_, input) => {
    if (JSON.stringify(input).includes(all.content)) throw new Error('stopped');
  });
  expect((await moderator.post('/desk/add', fields)).status).toBe(500);
  onTableCall(table, () => {});
  const content = 'You answered within the hour, on Sunday.';
  expect((await moderator.post('/desk/add', { ...fields, content })).status).toBe(303);
  expect(await stored()).toMatchObject([{ testimonial: { content } }]);
});

test.each<[string, object, string]>([
  ['no text', { content: ' ' }, 'Write what they said.'],
  ['a short text', { content: 'Short' }, 'Must have 10 to 10,000 characters.'],
  ['no name', { 'author.name': '\u200b' }, 'Enter a name.'],
  ['a wrong address', { 'author.email': 'jane@' }, 'id="add-author-email-problem"'],
  ['a long job title', { 'author.role': 'r'.repeat(201) }, 'Must have 1 to 200 characters.'],
  ['six stars', { rating: '6' }, 'Must be a whole number from 1 to 5.'],
  ['a long tag', { tags: `ok,${'t'.repeat(51)}` }, 'Must have 1 to 50 characters.'],
  ['a long source', { source: 's'.repeat(201) }, 'Must have 1 to 200 characters.'],
])('%s is named at its field, keeps what was typed, and adds nothing', async (_, wrong, text) => {
  const back = await moderator.post('/desk/add', { ...(await opened()), ...all, ...wrong });
  expect(back.status).toBe(422);
  expect(back.text).toContain(text);
  expect(back.text.match(/aria-invalid/g)).toHaveLength(1);
  expect(back.text).toContain('value="Acme"');
  expect(await stored()).toEqual([]);
});

test('a form without a key is out of date, and a stranger cannot add', async () => {
  expect((await moderator.post('/desk/add', all)).text).toContain(
    'This form is out of date. Reload the page.',
  );
  expect((await desk.browser().post('/desk/add', { ...(await opened()), ...all })).status).toBe(401);
  expect(await stored()).toEqual([]);
});

function unreachable(): never {
  throw new Error('There is a testimonial');
}
