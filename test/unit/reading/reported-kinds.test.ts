/** Statuses, misread letters, names, replies and dates of the kinds that public reports showed. */
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'csv-stringify/sync';
import { correctedTexts } from '../../../functions/csv/decode.ts';
import { dateFormatsOf } from '../../../functions/reading/detect-date-format.ts';
import { fieldValue } from '../../../functions/reading/field-values.ts';
import type { FileFormat } from '../../../functions/reading/formats.ts';
import { timeReader } from '../../../functions/reading/times.ts';
import { people, tableWith, texts } from '../../files-of-tools/table.ts';
import { workbook } from '../../files-of-tools/workbook.ts';
import { readFile } from '../../read-file.ts';

const readBytes = (bytes: string | Uint8Array, format: FileFormat = 'csv') => readFile(bytes, { format });

const readWith = (columns: Record<string, readonly string[]>) => readBytes(tableWith(columns));

const statusesOf = async (columns: Record<string, readonly string[]>) =>
  (await readWith(columns)).lines.map(({ status }) => status);

describe('a status', () => {
  test.each(['is_approved', 'comment_approved', 'isPublished', 'Approved?', 'Freigegeben', 'Approuvé'])(
    'under %s is approved or pending',
    async (heading) => {
      for (const cells of [
        ['1', '0'],
        ['yes', 'no'],
        ['TRUE', 'FALSE'],
        ['Y', 'N'],
        ['1.0', '0.0'],
        ['sí', 'no'],
        ['approved', 'unapproved'],
        ['approved', 'hold'],
        ['publish', 'private'],
      ]) {
        const { lines } = await readWith({ [heading]: cells });
        expect(lines.map(({ status }) => status)).toEqual(['approved', 'pending']);
        for (const line of lines) expect(line).not.toHaveProperty('rating');
      }
    },
  );

  test.each(['spam', 'trash', 'post-trashed'])('%s is rejected', async (word) => {
    const expected = ['approved', 'pending', 'rejected'];
    expect(await statusesOf({ comment_approved: ['1', '0', word] })).toEqual(expected);
  });

  test.each(['hidden', 'is_hidden', 'isHidden', 'spam', 'is_spam', 'Versteckt', 'Oculto'])(
    'under %s is the other way round',
    async (heading) => {
      for (const [yes = '', no = ''] of [
        ['1', '0'],
        ['yes', 'no'],
        ['true', 'false'],
        ['oui', 'non'],
      ])
        expect(await statusesOf({ [heading]: [yes, no] })).toEqual(['rejected', 'approved']);
    },
  );

  test('is the strictest of several columns', async () => {
    const columns = { approved: ['1', '1', '0'], spam: ['0', '1', '0'] };
    expect(await statusesOf(columns)).toEqual(['approved', 'rejected', 'pending']);
  });

  test.each(['maybe', '2'])('is not guessed from an approval that may be %s', async (other) => {
    const { lines, text } = await readWith({ approved: ['1', other, '0'], stars: ['5', '4', '2'] });
    expect(lines.map(({ status, rating }) => [status, rating])).toEqual([
      [undefined, 5],
      [undefined, 4],
      [undefined, 2],
    ]);
    expect(text).toMatch(/^approved \(.*\) is not used for status: too many values do not fit\./m);
  });

  test('leaves a column of dates to the date', async () => {
    const { lines, map } = await readWith({ Published: ['2024-03-01', '2024-03-02'] });
    expect(map).toMatchObject({ createdAt: ['Published'] });
    expect(lines[0]).not.toHaveProperty('status');
  });
});

describe('zeros and ones', () => {
  test.each(['rating', 'Would you recommend us?', 'flag', 'Verified buyer', 'helpful', 'thumbs_up'])(
    'are no stars: %s',
    async (heading) => {
      const { lines, text } = await readWith({ [heading]: ['1', '0', '1'] });
      for (const line of lines) expect(line).not.toHaveProperty('rating');
      expect(lines).toHaveLength(3);
      expect(text).toMatch(/Not used: .*\(“1”, “0”\)|\(“1”, “0”\) is not used for rating/);
    },
  );

  test('are part of a scale that the heading names', async () => {
    const { lines } = await readWith({ 'Rating (0-10)': ['1', '0', '1'] });
    expect(lines.map(({ rating }) => rating)).toEqual([1, 1, 1]);
  });

  test('can be one star among others', async () => {
    const { lines } = await readWith({ rating: ['1', '5', '1'] });
    expect(lines.map(({ rating }) => rating)).toEqual([1, 5, 1]);
  });
});

const latin1 = (text: string) => Buffer.from(text).toString('latin1');
const windows = (text: string) =>
  Array.from(Buffer.from(text), (byte) => new TextDecoder('windows-1252').decode(Uint8Array.of(byte))).join(
    '',
  );

describe('UTF-8 that was read as something else', () => {
  const right = 'Très bien – “schön”, l’été, 5 € 😀 Łódź 素晴らしい';

  test.each([
    ['Latin-1', latin1(right)],
    ['Windows-1252', windows(right)],
    ['Latin-1 twice', latin1(latin1(right))],
    ['Windows-1252 twice', windows(windows(right))],
    ['Latin-1 with a byte order mark', latin1(`\uFEFF${right}`)],
    ['Latin-1 to which someone added emoji', `${latin1(right)} 👍🏽❤️`, `${right} 👍🏽❤️`],
  ])('is decoded: %s', (_, wrong, expected = right) => {
    expect(correctedTexts([wrong, 'plain'])).toEqual([expected, 'plain']);
  });

  test.each([
    ['a capital', ['SÃO PAULO']],
    ['an example beside a right letter', ['It showed Ã© there', 'José']],
    ['one right letter', [latin1('Très'), 'Zoë']],
    ['another script', [latin1('Très'), '佐藤']],
    ['ASCII', ['plain']],
    ['no text', []],
  ])('is left alone with %s', (_, all) => {
    expect(correctedTexts(all)).toBeUndefined();
  });

  const review = { name: 'Zoé', email: 'a@b.cd', text: 'C’était très bien.' };
  const escaped = (json: string) =>
    json.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const wrong = Object.fromEntries(Object.entries(review).map(([name, text]) => [name, windows(text)]));
  test.each([
    ['csv', stringify([wrong], { header: true })],
    ['json', JSON.stringify([wrong])],
    ['json', escaped(JSON.stringify({ reviews: [wrong] }))],
    ['ndjson', escaped(JSON.stringify(wrong))],
    ['ndjson', JSON.stringify({ content: wrong.text, author: { name: wrong.name, email: wrong.email } })],
    ['xlsx', workbook({ Sheet: [Object.keys(wrong), Object.values(wrong)] })],
  ] as const)('is decoded in %s, and the report says so', async (format, bytes) => {
    const { lines, text } = await readBytes(bytes, format);
    expect(lines).toMatchObject([{ content: review.text, author: { name: review.name } }]);
    expect(text).toContain('Some letters were garbled');
  });

  test('stays as an escaped backslash', async () => {
    const { lines } = await readBytes(
      String.raw`[{"name":"A","email":"a@b.cd","text":"\\u00c3\\u00a8"}]`,
      'json',
    );
    expect(lines).toMatchObject([{ content: String.raw`\u00c3\u00a8` }]);
  });
});

describe('a name', () => {
  const rows = 3;
  /** A table without the column `name`; a column with one cell has it in every row. */
  const table = (columns: Record<string, readonly string[]>) => {
    const filled = Object.entries(columns).map(([heading, cells]) => [
      heading,
      Array.from({ length: rows }, (_, i) => cells[i] ?? cells[0] ?? ''),
    ]);
    return readWith({ ...Object.fromEntries(filled), name: [] });
  };

  test.each(['profile_name', 'recommenderName', 'Sender name', 'fb_username'])(
    'under %s wins over values',
    async (heading) => {
      const { map } = await table({ recommendation_type: ['positive', 'negative'], [heading]: people });
      expect(map).toMatchObject({ 'author.name': [heading] });
    },
  );

  test.each([
    ['one value in every row', ['Example App']],
    ['yes and no', ['yes', 'no', 'yes']],
    ['oui et non', ['oui', 'non', 'oui']],
    ['buyers that are verified', ['Verified Buyer', 'Verified Buyer', 'Not verified']],
    ['ids', ['a1b2c30f', 'b1c2d3e4', 'c1d2e3f4']],
    ['answers', ['Very satisfied', 'Satisfied', 'Neutral']],
  ])('is not %s', async (_, cells) => {
    const { map } = await table({ Qux: cells, Quy: people });
    expect(map).toMatchObject({ 'author.name': ['Quy'] });
    const alone = await table({ Qux: cells });
    expect(alone.opened.guess).toMatchObject({ withPlaceholder: ['author.name'], withoutColumn: [] });
  });

  test('can be asked for in a heading that names other things', async () => {
    const { map } = await table({ 'App name': ['One', 'Two'], 'Name, as in our online shop': people });
    expect(map).toMatchObject({ 'author.name': ['Name, as in our online shop'] });
  });

  test('is that of the recipient in two parts', async () => {
    const { map } = await table({ RecipientLastName: ['Doe'], RecipientFirstName: ['Ann', 'Bo', 'Cy'] });
    expect(map).toMatchObject({ 'author.name': ['RecipientFirstName', 'RecipientLastName'] });
  });
});

test.each([
  ['Acme Inc. (https://www.notion.so/Acme-Inc-0123456789)', 'Acme Inc.'],
  ['Acme (../Companies/Acme%200123.md)', 'Acme'],
  ['Acme (https://www.notion.so/a), Beta (https://www.notion.so/b)', 'Acme, Beta'],
  ['Acme (Europe)', 'Acme (Europe)'],
  ['(https://example.com)', '(https://example.com)'],
  ['[Acme](https://company.example)', 'Acme'],
  ['Acme <https://company.example>', 'Acme'],
  ['Acme [https://company.example/a]', 'Acme'],
])('the company %s is %s', (cell, company) => {
  expect(fieldValue('author.company', cell)).toBe(company);
});

describe('a reply of the merchant', () => {
  const replies = ['Thank you so much, we are glad to read this.', '', 'Thanks a lot for these words.'];

  test.each([
    'ownmsg',
    'reply',
    'owner answer',
    'developerReply',
    'Our answer',
    'Company Reply Content',
    'Antwort des Inhabers',
    'Réponse',
    'Comentário do vendedor',
    'ショップコメント',
  ])('under %s is never joined to the text', async (heading) => {
    const { lines } = await readWith({ [heading]: replies });
    expect(lines.map(({ content }) => content)).toEqual(texts.slice(0, 3));
    // The text has no heading that anyone knows.
    const unknown = await readWith({ text: [], Qux: texts.slice(0, 3), [heading]: replies });
    expect(unknown.map).toMatchObject({ content: ['Qux'] });
  });

  test.each(['Your response', 'Ihre Antwort', 'What do you say about the quick response of our team?'])(
    'is not the answer to %s',
    async (heading) => {
      const { map } = await readWith({ text: [], [heading]: texts.slice(0, 1) });
      expect(map).toMatchObject({ content: [heading] });
    },
  );

  test('is a question if it is the only text', async () => {
    const { opened } = await readWith({ text: [], Response: texts.slice(0, 1) });
    expect(opened.guess).toMatchObject({ withoutColumn: ['content'] });
  });
});

describe('a date', () => {
  test.each([
    ['Mon Aug 10 2015 14:16:38 GMT+0000 (Coordinated Universal Time)', '2015-08-10T14:16:38Z'],
    ['Mon Aug 10 2015 14:16:38 GMT+0200 (Mitteleuropäische Sommerzeit)', '2015-08-10T12:16:38Z'],
    ['Mon Aug 10 2015 14:16:38 GMT+0300 (GMT+03:00)', '2015-08-10T11:16:38Z'],
    ['Mon Aug 10 2015 14:16:38 GMT-0330 (heure d’été de Terre-Neuve)', '2015-08-10T17:46:38Z'],
    ['Mon Aug 10 2015 14:16:38 GMT+0500 (Екатеринбург, стандартное время (лето))', '2015-08-10T09:16:38Z'],
    ['Mon, 10 Aug 2015 14:16:38 GMT', '2015-08-10T14:16:38Z'],
    ['Mon, 10 Aug 2015 14:16:38 +0200', '2015-08-10T12:16:38Z'],
    ['8/30/2015, 2:16:38 PM', '2015-08-30T14:16:38Z'],
    ['8/30/2015, 2:16:38\u202fPM', '2015-08-30T14:16:38Z'],
    ['30/08/2015, 14:16:38', '2015-08-30T14:16:38Z'],
    ['30.8.2015, 14:16:38', '2015-08-30T14:16:38Z'],
    ['Monday, August 10, 2015 at 2:16:38 PM Coordinated Universal Time', '2015-08-10T14:16:38Z'],
    ['Reviewed in the United States on March 4, 2024', '2024-03-04'],
    ['Reviewed in Canada 🇨🇦 on 4 March 2024', '2024-03-04'],
    ['Rezension aus Deutschland vom 4. März 2024', '2024-03-04'],
    ['Avis laissé en France le 4 mars 2024', '2024-03-04'],
    ['Calificado en España el 4 de marzo de 2024', '2024-03-04'],
    ['Avaliado no Brasil em 4 de março de 2024', '2024-03-04'],
    ['Recensito in Italia il 4 marzo 2024', '2024-03-04'],
    ['Bewertet am 14.03.2024', '2024-03-14'],
  ])('is read from %s', (text, time) => {
    const { format } = dateFormatsOf([text]) ?? {};
    expect(timeReader(format).millisecondsOf(text)).toBe(Date.parse(time));
  });

  test.each([
    'Room 5 on March 4, 2024',
    'March 4, 2024 10:15 Central European Time',
    'between March 4, 2024 and March 6, 2024',
    'in March 2024',
  ])('is not guessed from %s', (text) => {
    expect(dateFormatsOf([text])).toBeUndefined();
  });

  const [first, second] = [
    ['2024-03-01 11:00', '2024-03-02 11:00'],
    ['2024-03-05 10:00', '2024-03-07 10:00'],
  ] as const;

  test.each([
    ['Start Date', 'End Date'],
    ['Started', 'Submitted'],
    ['Submit time', 'Completion time'],
    ['date', 'date_gmt'],
    ['Startzeit', 'Fertigstellungszeit'],
    ['Last update time', 'Time of visit'],
    ['Heure de début', 'Heure de fin'],
  ])('is taken from the better of %s and %s', async (worse, better) => {
    for (const columns of [
      { [worse]: first, [better]: second },
      { [better]: second, [worse]: first },
    ]) {
      const { map, text } = await readWith(columns);
      expect(map).toMatchObject({ createdAt: [better] });
      expect(text).toContain(
        `createdAt is read from ${better}. Other dates, to choose with --map: ${worse} (`,
      );
    }
  });

  test('is a question between two columns that nothing tells apart', async () => {
    const { opened, text } = await readWith({ Qux: first, Quy: second });
    expect(opened.guess?.choices).toMatchObject({ createdAt: ['Qux', 'Quy'] });
    expect(text).not.toContain('No date was found');
  });

  test('of something else is a question, but one of birth is not', async () => {
    const { opened, text } = await readWith({ 'Order date': first, Price: ['1234.50', '1250.75'] });
    expect(opened.guess?.choices).toMatchObject({ createdAt: ['Order date'] });
    expect(text).not.toContain('No date was found');
    const seconds = await readWith({ Qux: ['1709288100', '1705255320'] });
    expect(seconds.opened.guess?.choices).toMatchObject({ createdAt: ['Qux'] });
    expect((await readWith({ Birthday: first })).text).toContain('No date was found');
  });

  test('is that of the first of two columns with the same times', async () => {
    expect((await readWith({ Qux: first, Quy: first })).map).toMatchObject({ createdAt: ['Qux'] });
  });

  test('is not the text of a testimonial that names one', async () => {
    const { map } = await readWith({ text: [], Qux: ['We have been there since March 4, 2024.'] });
    expect(map).toMatchObject({ content: ['Qux'] });
  });
});
