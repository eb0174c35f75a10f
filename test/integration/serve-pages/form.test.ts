/** Forms as strangers send them. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Page, pathOfPage } from '../../../functions/domain/page.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { eraseTestimonial } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { storesOf } from '../../api-client.ts';
import { addPage, hiddenFieldsOf, typedFields, type Visitor, visitorOf } from '../../page-visitor.ts';
import { storedItems, storedTestimonials } from '../../stored-items.ts';
import { createTestTable } from '../../test-table.ts';

let table: Table;
let visitor: Visitor;
let form: Page;
beforeEach(async () => {
  table = await createTestTable();
  visitor = visitorOf(table);
  form = await addPage(table, { settings: { tags: 'website, \u200b,fo\u00adrm' } });
});

const stored = () => storedTestimonials(table);

const thanks = () => `${pathOfPage(form)}/thanks`;

test('a form creates a testimonial with its visible texts, the tags of the page and the consent', async () => {
  const texts = {
    content: 'The first line\vand the second',
    'author.role': ' Head of Support ',
    'author.company': ' Acme Inc. ',
  };
  await visitor.send(form, typedFields({ ...(await visitor.opened(form)), ...texts }));
  const [only] = await stored();
  expect(only?.testimonial).toMatchObject({
    // Presentations have other line breaks.
    content: 'The first line\nand the second',
    author: { name: 'Jane Doe', email: 'jane@example.com', role: 'Head of Support', company: 'Acme Inc.' },
    tags: ['website', 'form'],
  });
  expect(only?.consent).toEqual({ page: form.id, at: only?.testimonial.createdAt });
});

test('a form with stored settings that are not valid is a page that says so', async () => {
  const broken = await addPage(table, { settings: { lang: 'klingon!' } });
  for (const path of [pathOfPage(broken), `${pathOfPage(broken)}/thanks`]) {
    const { status, text } = await visitor.get(path);
    expect({ path, status }).toEqual({ path, status: 500 });
    expect(text).toContain('This page cannot be shown now. Try again later.');
  }
});

describe('a personal link whose # was escaped on its way', () => {
  const values = 'name=Quokka%20Quentin&company=A%26B&email=quokka%2Bnews@example.com';

  test.each(['%23', '#'])('(%s) leads to the form with its values, which no log has', async (sign) => {
    const { status, headers, text, logged } = await visitor.get(`${pathOfPage(form)}${sign}${values}`);
    expect([status, text]).toEqual([303, '']);
    expect(headers).toMatchObject({
      location: `${pathOfPage(form)}#name=Quokka%20Quentin&company=A%26B&email=quokka%2Bnews%40example.com`,
      'cache-control': 'no-store',
    });
    expect(logged).toContain(form.id);
    expect(logged).not.toMatch(/quokka/i);
  });

  test('for a removed form or a wall is a 404, and its values are in no log', async () => {
    const wall = await addPage(table, { kind: 'wall' });
    for (const path of [
      '/f/0123456789abcdefghijkl',
      pathOfPage(wall),
      `/f/${wall.id}`,
      `${pathOfPage(form)}/thanks`,
    ]) {
      const { status, logged } = await visitor.get(`${path}%23${values}`);
      expect(status).toBe(404);
      expect(logged).not.toMatch(/quokka/i);
    }
    const { status } = await visitor.ask('POST', `${pathOfPage(form)}%23${values}`, { form: typedFields() });
    expect([status, await stored()]).toEqual([405, []]);
  });
});

test('texts without anything visible are missing, and an optional one is left out', async () => {
  const hidden = await visitor.opened(form);
  const nothing = { content: '\u200b'.repeat(12), 'author.name': '\u3164', 'author.email': '\u2800\u00ad' };
  const back = await visitor.send(form, typedFields({ ...hidden, ...nothing }));
  expect(back.status).toBe(422);
  for (const missing of ['write your testimonial', 'enter your name', 'enter your e-mail address'])
    expect(back.text).toContain(`-error">Please ${missing}.</p>`);
  const short = await visitor.send(
    form,
    typedFields({ ...hidden, content: `too short${'\u200b'.repeat(9)}` }),
  );
  expect(short.text).toContain('content-error">Please write 10 to 10,000 characters.');
  const blank = { 'author.role': '\u2800', 'author.company': '\u200b \u3164', rating: '\u200b' };
  expect((await visitor.send(form, typedFields({ ...hidden, ...blank }))).status).toBe(303);
  const [{ testimonial } = {}] = await stored();
  expect(testimonial?.author).toEqual({ name: 'Jane Doe', email: 'jane@example.com' });
});

describe('a form in another encoding is shown again with the reason at each field, and stores nothing:', () => {
  const rule = 'must not contain U+FFFD, which stands for a character that was read in a wrong encoding';
  const typed = {
    content: 'Café très agréable',
    'author.name': 'Zoë Müller',
    'author.role': 'Gérante',
    'author.company': 'Crêpes',
  };
  const escaped = (body: string) =>
    body.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);

  test.each<[string, (characters: string) => string | Uint8Array]>([
    ['bytes that are not UTF-8', (body) => Buffer.from(body, 'latin1')],
    ['escaped bytes that are not UTF-8', escaped],
    ['a text that was broken before', (body) => body.replace(/[\x80-\xff]/g, '%EF%BF%BD')],
  ])('%s', async (_, bodyOf) => {
    const fields = typedFields({ ...(await visitor.opened(form)), ...typed });
    const body = Object.entries(fields).map(
      ([name, value]) => `${name}=${String(value).replaceAll(' ', '+')}`,
    );
    const { status, text } = await visitor.ask('POST', pathOfPage(form), { body: bodyOf(body.join('&')) });
    expect(status).toBe(422);
    for (const name of Object.keys(typed)) expect(text).toContain(`id="${name}-error">${rule}`);
    expect(text).toContain('Caf\ufffd tr\ufffds agr\ufffdable</textarea>');
    expect(await stored()).toEqual([]);
  });
});

test('10,000 letters are stored, 10,001 come back whole', async () => {
  const hidden = await visitor.opened(form);
  const long = `${'ä'.repeat(9998)}!!`;
  const back = await visitor.send(form, typedFields({ ...hidden, content: `${long}x` }));
  expect([back.status, back.text.includes(`${long}x</textarea>`)]).toEqual([422, true]);
  expect((await visitor.send(form, typedFields({ ...hidden, content: long }))).status).toBe(303);
  expect((await stored())[0]?.testimonial.content).toBe(long);
});

test('more than a form can hold is refused, and going back keeps it', async () => {
  const fields = typedFields({ ...(await visitor.opened(form)), content: 'ä'.repeat(600_000) });
  const text = expect.stringContaining('Please go back and make it shorter.');
  expect(await visitor.send(form, fields)).toMatchObject({ status: 413, text });
  expect(await stored()).toEqual([]);
});

test('a form that is sent again after two days creates one testimonial', async () => {
  const fields = typedFields(await visitor.opened(form));
  visitor.clock.offset += 2 * 24 * 60 * 60 * 1000;
  for (const _ of [1, 2]) expect((await visitor.send(form, fields)).status).toBe(303);
  visitor.clock.offset += 2 * 24 * 60 * 60 * 1000;
  expect((await visitor.send(form, fields)).status).toBe(303);
  expect(await stored()).toHaveLength(1);
});

test('a form that was open for more than 30 days, or lost its key, is shown again with its text', async () => {
  const hidden = await visitor.opened(form);
  visitor.clock.offset += 31 * 24 * 60 * 60 * 1000;
  for (const fields of [hidden, { ...hidden, key: 'x' }, { ...hidden, shownAt: 'soon' }]) {
    const { status, text } = await visitor.send(form, typedFields(fields));
    expect(status).toBe(422);
    expect(text).toContain('jane@example.com');
    expect(await stored()).toEqual([]);
    const again = hiddenFieldsOf(text);
    expect(again.key).not.toBe(hidden.key);
    expect(await visitor.send(form, typedFields(again))).toMatchObject({ status: 303 });
    const [created] = await stored();
    await eraseTestimonial({ ...storesOf(table), now: table.now }, 'acme', created?.testimonial.id ?? '');
  }
});

test('a robot that sends at once sees success and stores nothing', async () => {
  const hidden = await visitor.opened(form);
  visitor.clock.offset -= 2500;
  for (const subject of ['', 'Cheap watches']) {
    const { status, headers, logged } = await visitor.send(form, typedFields({ ...hidden, subject }));
    expect({ status, location: headers.location }).toEqual({ status: 303, location: thanks() });
    expect(logged).toContain('"isRobot":true');
    expect(logged).not.toMatch(/isAskedAgain|isSentAgain/);
  }
  expect(await stored()).toEqual([]);
});

describe('a form whose hidden field is filled', () => {
  test('is logged when it is asked about, and when it is sent again', async () => {
    const [asked, sentAgain] = ['"isAskedAgain":true', '"isSentAgain":true'];
    const fields = typedFields({ ...(await visitor.opened(form)), subject: 'Director of Sales' });
    const back = await visitor.send(form, fields);
    expect(back.text).toContain('Please press Send again</h2>');
    expect(back.logged).toContain(asked);
    expect(back.logged).not.toContain(sentAgain);
    // The same request is asked about every time.
    expect((await visitor.send(form, fields)).status).toBe(422);
    expect(await stored()).toEqual([]);
    // The browser fills the field once more.
    const again = await visitor.send(form, { ...fields, ...hiddenFieldsOf(back.text), again: 'yes' });
    expect(again.logged).toContain(sentAgain);
    expect(again.logged).not.toContain(asked);
  });

  test('is asked about once, also with errors or a lost key', async () => {
    const hidden = await visitor.opened(form);
    for (const wrong of [{ content: 'short' }, { key: 'x' }]) {
      const fields = typedFields({ ...hidden, subject: 'x', ...wrong });
      const back = await visitor.send(form, fields);
      expect(back.status).toBe(422);
      expect(back.text).toContain('<input type="hidden" name="again" value="yes" autocomplete="off">');
      const still = await visitor.send(form, { ...fields, again: 'yes' });
      expect(still.text).toContain('name="again"');
      const { key, shownAt } = hiddenFieldsOf(back.text);
      const corrected = typedFields({ key, shownAt, subject: 'x', again: 'yes', content: 'Good as ever.' });
      expect((await visitor.send(form, corrected)).status).toBe(303);
    }
  });
});

test('the stored fingerprint of a form cannot confirm a guessed text', async () => {
  const fields = typedFields(await visitor.opened(form));
  await visitor.send(form, fields);
  const other = await addPage(table);
  await visitor.send(other, typedFields(await visitor.opened(other)));
  const fingerprints = (await storedItems(table)).flatMap(({ fingerprint }) => fingerprint ?? []);
  expect(new Set(fingerprints).size).toBe(2);
});

test('hidden fields are ignored', async () => {
  form = await addPage(table, { settings: { hide: 'stars, company, role' } });
  const hidden = { rating: '1', 'author.role': 'CEO', 'author.company': 'Acme' };
  await visitor.send(form, typedFields({ ...(await visitor.opened(form)), ...hidden }));
  const [only] = await stored();
  expect(only?.testimonial).not.toHaveProperty('rating');
  expect(only?.testimonial.author).toEqual({ name: 'Jane Doe', email: 'jane@example.com' });
});

test.each([
  ['a minute', { rate: 0.4 }, 'Please try again in a minute'],
  ['a day', { dailyDollars: 0.0002 }, 'Please try again tomorrow'],
])('beyond the budget of %s, a form keeps its text and says when to try again', async (_, limits, title) => {
  const noon = new Date().setUTCHours(12, 0, 10);
  const limited = visitorOf(table, { limits, now: () => new Date(noon) });
  const fields = typedFields(await limited.opened(form));
  const responses = [];
  for (let i = 0; i < 20; i += 1)
    responses.push(await limited.send(form, { ...fields, content: `A text, number ${i}` }));
  const refused = responses.find(({ status }) => status === 429);
  expect(refused?.headers['retry-after']).toMatch(/^\d+$/);
  for (const part of [title, 'A text, number', 'jane@example.com']) expect(refused?.text).toContain(part);
  expect(hiddenFieldsOf(refused?.text ?? '').key).toBe(fields.key);
});

test('a request is answered with a page that no cache keeps, whether it exists or not', async () => {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-cache' };
  for (const [method, path, status] of [
    ['GET', `/f/${form.id}/other`, 404],
    ['DELETE', `/f/${form.id}`, 405],
    ['HEAD', `/f/${form.id}`, 200],
  ] as const)
    expect(await visitor.ask(method, path)).toMatchObject({ status, headers });
});
