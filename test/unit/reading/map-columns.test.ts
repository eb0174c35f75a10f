/** From columns to fields, and from cells to values. */
import { describe, expect, test } from '@jest/globals';
import { fieldValue, tagSeparatorOf, textOfHtml } from '../../../functions/reading/field-values.ts';
import { type Mapping, mapColumns } from '../../../functions/reading/map-columns.ts';
import { readFile } from '../../read-file.ts';

const sheetOf = (header: readonly string[], firstRows: readonly (readonly string[])[] = []) => ({
  header,
  firstRows,
});
const ofExport = { exportedAs: 'csv' } as const;

const value = (header: string, line: string, options: Partial<Mapping> = {}) =>
  mapColumns(sheetOf(header.split(',')), { map: {}, defaults: {}, ...options }).toTestimonial(
    line.split(','),
  );

test('a column named after a field is that field', () => {
  expect(value('author.name,content,rating,id', 'Jane,Great,5,7')).toEqual({
    type: 'text',
    author: { name: 'Jane' },
    content: 'Great',
    rating: 5,
    id: '7',
  });
});

test('only columns with the exact names are the page and the time of consent', () => {
  const page = '0123456789abcdefABCDEF';
  expect(value('content,consent.page,consent.at', `A,${page},2026-01-15`)).toEqual({
    type: 'text',
    author: {},
    content: 'A',
    consent: { page, at: '2026-01-15' },
  });
  expect(value('content,consent.page,consent.at', 'A,,')).toEqual({ type: 'text', author: {}, content: 'A' });
  expect(value('content,consent,Consent.Page,page,at', 'A,yes,yes,1,2026-01-15')).not.toHaveProperty(
    'consent',
  );
});

test('a field joins its columns without blank cells', () => {
  const map = {
    content: ['Title', 'Text'],
    'author.name': ['First', 'Last'],
    tags: ['Tag', 'Topic'],
    createdAt: ['Date', 'Time'],
  };
  const header = 'Title,Text,First,Last,Tag,Topic,Date,Time';
  expect(value(header, 'Wow,Great,Jane,Doe,a;b,c,2025-01-02,10:30', { map })).toEqual({
    type: 'text',
    author: { name: 'Jane Doe' },
    content: 'Wow\n\nGreat',
    tags: ['a;b', 'c'],
    createdAt: '2025-01-02 10:30',
  });
  expect(value(header, ' ,Great,Jane,, ,c,,', { map })).toEqual({
    type: 'text',
    author: { name: 'Jane' },
    content: 'Great',
    tags: ['c'],
  });
});

test('a cell without anything visible is blank, and so is a tag', () => {
  const header = 'content,author.name,author.company,tags';
  expect(value(header, 'Great,\u200b,\u3164 \u2800,a;\u200b')).toEqual({
    type: 'text',
    author: {},
    content: 'Great',
    tags: ['a;\u200b'],
  });
  expect(fieldValue('tags', 'a,\u200b, b', ',')).toEqual(['a', 'b']);
  const defaults = { 'author.name': 'A customer' };
  expect(value(header, 'Great,\u200b,,', { defaults })).toMatchObject({ author: { name: 'A customer' } });
});

test('a chosen column replaces the column named after the field', () => {
  expect(value('content,other', 'A,B', { map: { content: ['other'] } })).toMatchObject({ content: 'B' });
});

test('a field with an empty list of columns is left out', () => {
  expect(value('content,status', 'A,published', { map: { status: [] } })).not.toHaveProperty('status');
});

test('missing columns are an error that names the columns of the file', () => {
  expect(() =>
    mapColumns(sheetOf(['A', 'B\x1b[2J']), { map: { content: ['C', 'A', 'D'] }, defaults: {} }),
  ).toThrow('The file has no column "C", "D". Its columns: "A", "B\\u001b[2J".');
});

test('a default fills in missing values', () => {
  const defaults = { 'author.email': 'none@example.com', type: 'audio', tags: 'old, imported' } as const;
  const read = (line: string) => value('content,type,author.email', line, { defaults });
  expect(read('A,,')).toEqual({
    content: 'A',
    type: 'audio',
    tags: ['old', 'imported'],
    author: { email: 'none@example.com' },
  });
  expect(read('A,video,j@example.com')).toMatchObject({ type: 'video', author: { email: 'j@example.com' } });
});

test('names of object properties are ordinary columns', () => {
  expect(value('__proto__,content,constructor', 'X,A,Y')).toEqual({ type: 'text', author: {}, content: 'A' });
  const map = { content: ['__proto__'], 'author.name': ['constructor'] };
  expect(value('__proto__,constructor', 'X,Y', { map })).toMatchObject({
    content: 'X',
    author: { name: 'Y' },
  });
  expect(({} as Record<string, unknown>).content).toBeUndefined();
});

describe('cells', () => {
  test.each([
    ['5', 5],
    ['5.0', 5],
    ['4.5', 4.5],
    ['five', 5],
    ['Five stars', 5],
    ['★★★★★', 5],
    ['★★★☆☆', 3],
    ['⭐️⭐️⭐️⭐️', 4],
    ['80 %', 4],
    ['87%', 4.35],
    ['4.5 Sterne', 4.5],
    ['5/5', 5],
    ['8/10', 4],
    ['4 out of 5 stars', 4],
    ['4 von 5', 4],
    ['0/10', 1],
    ['5점', 5],
    ['٤', 4],
    ['５', 5],
    ['Very satisfied', 5],
    ['Passive', 4],
    ['DETRACTOR', 2],
    ['Très satisfait', 5],
    ['5/0', '5/0'],
    ['six', 'six'],
    ['0x5', '0x5'],
    ['5e0', '5e0'],
    ['-5', '-5'],
    ['Infinity', 'Infinity'],
  ])('rating %s is %j', (cell, rating) => {
    expect(value('rating', cell)).toMatchObject({ rating });
  });

  test.each([
    ['a', ['a']],
    [' a , b ,, ', ['a', 'b']],
    ['', undefined],
    ['["a", "b, c"]', ['a', 'b, c']],
    ['[ ]', []],
    ['[a], [b', ['[a]', '[b']],
  ])('tags %j are %j', (cell, tags) => {
    const read = mapColumns(sheetOf(['content', 'tags']), { map: {}, defaults: {} }).toTestimonial([
      'A',
      cell,
    ]);
    expect(read.tags).toEqual(tags);
  });

  test('tags of an export are separated by commas only', () => {
    const header = ['content', 'author.name', 'tags'];
    const rows = [['A', 'Jane', 'two\nlines']];
    const sheet = { ...sheetOf(header, rows), ...ofExport };
    const { toTestimonial } = mapColumns(sheet, { map: {}, defaults: {} });
    expect(toTestimonial(rows[0] ?? []).tags).toEqual(['two\nlines']);
  });

  test('types and statuses are read in any case', () => {
    expect(value('type,status', 'Video,APPROVED')).toMatchObject({ type: 'video', status: 'approved' });
  });
});

describe('what only an export has', () => {
  const jane = { name: 'Jane Doe', email: 'jane@example.com' };
  const ann = { name: 'Ann Roe', email: 'ann@example.com' };

  test('apostrophes before formulas are removed from its columns, also from those that someone renamed', async () => {
    const contentOf = async (header: string, map = {}) =>
      (await readFile(`${header}\n"'@home is fine",Jane,jane@example.com\n`, { map })).lines[0]?.content;
    expect(await contentOf('content,author.name,author.email')).toBe('@home is fine');
    expect(await contentOf('content,Name,Email')).toBe("'@home is fine");
    expect(await contentOf('Text,author.name,author.email', { content: ['Text'] })).toBe('@home is fine');
    expect(await contentOf('CONTENT,Author.name, author.Email')).toBe('@home is fine');
    expect(await contentOf('Content,Author.name,Author.email', { content: ['Content'] })).toBe(
      '@home is fine',
    );
  });

  test('JSON of other tools is read like their CSV, also below the paths of an export', async () => {
    const list = [
      { author: jane, content: "'@home' is <b>fine</b> &amp; good", rating: 9 },
      { author: ann, content: '<p>It helped us a lot.</p>', rating: 10 },
    ];
    const { lines, columns } = await readFile(JSON.stringify(list), { format: 'json' });
    expect(columns?.isExport).toBe(false);
    expect(lines).toMatchObject([
      { content: "'@home' is fine & good", rating: 5 },
      { content: 'It helped us a lot.', rating: 5 },
    ]);
  });

  test('NDJSON is read as it is, also if someone maps it', async () => {
    const line = { author: jane, content: "'=<b>1</b> &amp; more", type: 'text', status: 'pending' };
    const defaults = { 'author.company': 'Acme' };
    const { lines } = await readFile(JSON.stringify(line), { format: 'ndjson', defaults });
    expect(lines).toMatchObject([{ content: line.content, author: { company: 'Acme' } }]);
  });
});

test.each([
  [['New York, NY', 'vip']],
  [['one|two', 'three;four']],
  [['Sales | Marketing']],
  [['plain', 'words']],
])('the tags of a list in JSON stay whole: %j', async (tags) => {
  const one = { name: 'Jane Doe', email: 'jane@example.com', review: 'It helped us a lot.', tags };
  const { lines, reasons } = await readFile(JSON.stringify([one]), { format: 'json' });
  const hasComma = tags.some((tag) => tag.includes(','));
  expect(lines).toMatchObject(hasComma ? [] : [{ tags }]);
  expect(reasons).toMatchObject(hasComma ? [{ field: 'tags.0', lines: [1] }] : []);
});

test('a header with too long a name is an error', () => {
  const cells = ['content', '('.repeat(1_000_000)];
  expect(() => mapColumns(sheetOf(cells), { map: {}, defaults: {} })).toThrow(
    'The header of the file has more than 1000 columns, or a name with more than 500 characters.',
  );
});

test.each([
  ['Published', 'approved'],
  ['LIVE', 'approved'],
  ['TRUE', 'approved'],
  ['Unpublished', 'pending'],
  ['In review', 'pending'],
  ['no', 'pending'],
  ['Hidden', 'rejected'],
  ['spam', 'rejected'],
  // Judge.me, Google, Shopify, Windows-style spelling.
  ['ok', 'approved'],
  ['not-yet', 'pending'],
  ['NOT_POSTED', 'pending'],
  ['DISAPPROVED', 'rejected'],
  ['flagged', 'pending'],
  ['Veröffentlicht', 'approved'],
  // Unknown words are rejected later.
  ['Fulfilled', 'fulfilled'],
  ['constructor', 'constructor'],
])('the status %s is %s', (word, status) => {
  expect(fieldValue('status', word, ',')).toBe(status);
});

test.each([
  [['a;b', 'c'], ';', ['a', 'b']],
  [['a, b', 'c;d'], ',', ['a', 'b']],
  [['a|b', ''], '|', ['a', 'b']],
  [['a\nb'], '\n', ['a', 'b']],
  [['a'], ',', ['a']],
])('tags of a column with %j are separated by %j', ([first = '', ...others], separator, tags) => {
  expect(tagSeparatorOf([first, ...others])).toBe(separator);
  expect(fieldValue('tags', first, separator)).toEqual(tags);
});

test.each([
  ['Score (out of 10)', ['8', '10', '2'], [4, 5, 1]],
  ['Score (1-5)', ['3', '5'], [3, 5]],
  ['0–10', ['0', '7'], [1, 3.5]],
  ['NPS', ['3', '4'], [1.5, 2]],
  ['10点満点', ['6'], [3]],
  ['Von 1 bis 7', ['7', '4'], [5, 2.86]],
  ['Score', ['9', '4', '5'], [4.5, 2, 2.5]],
  // Most are stars; one is a mistake.
  ['Score', ['5', '4', '5', '9'], [5, 4, 5, 9]],
  ['Score', ['4', '8', '6', '10'], [2, 4, 3, 5]],
  ['Score', ['8/10', '4/5'], [4, 4]],
])('ratings under %j of %j are %j', (heading, cells, ratings) => {
  const rows = cells.map((cell) => [cell]);
  const { toTestimonial } = mapColumns(sheetOf([heading], rows), {
    map: { rating: [heading] },
    defaults: {},
  });
  expect(rows.map((row) => toTestimonial(row).rating)).toEqual(ratings);
});

test('an export has no other scale', () => {
  const header = ['rating', 'author.name'];
  const sheet = { ...sheetOf(header, [['10', 'A']]), ...ofExport };
  const { toTestimonial } = mapColumns(sheet, { map: {}, defaults: {} });
  expect(toTestimonial(['10', 'A'])).toMatchObject({ rating: 10 });
});

test('several texts stand below their headings, but a title or a lone text has none', () => {
  const map = { content: ['Title', 'Pros', 'Cons'] };
  expect(value('Title,Pros,Cons', 'Wow,Fast,Dear', { map })).toMatchObject({
    content: 'Wow\n\nPros\nFast\n\nCons\nDear',
  });
  expect(value('Title,Pros,Cons', ',,Dear', { map })).toMatchObject({ content: 'Dear' });
  expect(value('Title,Pros,Cons', 'Wow,,Dear', { map })).toMatchObject({ content: 'Wow\n\nDear' });
});

test.each([
  ['Jane Doe <jane@example.com>', 'Jane Doe', 'jane@example.com'],
  ['Jane Doe (jane@example.com)', 'Jane Doe', 'jane@example.com'],
  ['<jane@example.com>', '<jane@example.com>', 'jane@example.com'],
  ['jane@example.com', 'jane@example.com', 'jane@example.com'],
  ['Jane (Janie) Doe', 'Jane (Janie) Doe', 'Jane (Janie) Doe'],
  ['Doe, Jane', 'Doe, Jane', 'Doe, Jane'],
  ['[Jane Doe](https://people.example/jane)', 'Jane Doe', 'Jane Doe'],
  ['Jane Doe <https://people.example>', 'Jane Doe', 'Jane Doe'],
  ['mailto:jane@example.com', 'mailto:jane@example.com', 'jane@example.com'],
  ['[Jane Doe](mailto:jane@example.com)', 'Jane Doe', 'jane@example.com'],
  ['[Jane](mailto:jane@example.com?subject=Hi)', 'Jane', 'jane@example.com'],
  ['[jane@example.com](mailto:jane@example.com)', 'jane@example.com', 'jane@example.com'],
])('%s is the name %s and the address %s', (cell, name, email) => {
  expect([fieldValue('author.name', cell), fieldValue('author.email', cell)]).toEqual([name, email]);
});

describe('HTML', () => {
  test.each([
    ['It&#39;s great<br>Really<br />good', "It's great\nReally\ngood"],
    ['<p>A &amp; B</p>\n\n<p>C</p>', 'A & B\n\nC'],
    ['<ul><li>quick</li><li>good</li></ul>', 'quick\n\ngood'],
    ['<b>Great</b>, <a href="https://example.com">look</a>', 'Great, look'],
    ['caf&eacute;&nbsp;5&euro;', 'café 5€'],
    ['&lt;b&gt; is bold', '<b> is bold'],
  ])('%j becomes %j', (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });

  test.each(['I <3 this & that', 'a < b > c', '1 &copy 2', 'AT&T', '<your name>', 'Q&A;', ''])(
    '%j is not HTML and stays',
    (text) => {
      expect(textOfHtml(text)).toBe(text);
    },
  );

  test.each(['<a ', '<br', '&#', '&amp', '<', '</p'])('a megabyte of %j is read in one pass', (text) => {
    expect(textOfHtml(text.repeat(300_000)).length).toBeGreaterThan(0);
  });
});

test.each(['★', '5', '(', 'stars ', '5 '])(
  'a megabyte of %j is not a rating, and is read in one pass',
  (text) => {
    const huge = `${text.repeat(300_000)}x`;
    expect(fieldValue('rating', huge, ',')).toBe(huge);
  },
);
