/** Files without a header, and headers with rows of descriptions. */
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'csv-stringify/sync';
import { csvSheet } from '../../../functions/reading/spreadsheet.ts';
import { questionText } from '../../../lib/operator/import/command-texts.ts';
import { workbook } from '../../files-of-tools/workbook.ts';
import { readFile } from '../../read-file.ts';

const rows = [
  ['Ann', 'ann@example.org', '5', 'The workshop changed how we plan our weeks.', '2024-03-04'],
  ['Bo', 'bo@example.org', '4', 'Good food, and better talks than I expected.', '2024-03-05'],
  ['Cy', 'cy@example.org', '5', 'I would send my whole team there again.', '2024-03-06'],
];
const names = (lines: Awaited<ReturnType<typeof readFile>>['lines']) =>
  lines.map(({ author }) => author.name);
const asCells = (all: readonly (readonly string[])[]) =>
  all.map((row) => row.map((cell) => (/^\d$/.test(cell) ? Number(cell) : cell)));

describe('a file without a header', () => {
  test.each([
    ['commas', stringify(rows), {}],
    ['semicolons, and commas in texts', stringify(rows, { delimiter: ';' }), {}],
    ['tabs', stringify(rows, { delimiter: '\t' }), {}],
    ['a workbook', workbook({ Sheet: asCells(rows) }), { format: 'xlsx' as const }],
  ])('keeps its first row, and says so: %s', async (_, content, options) => {
    const { lines, text, rejected, opened } = await readFile(content, options);
    expect(names(lines)).toEqual(['Ann', 'Bo', 'Cy']);
    expect(lines[0]).toMatchObject({
      author: { email: 'ann@example.org' },
      rating: 5,
      content: rows[0]?.[3],
      createdAt: Date.parse('2024-03-04'),
    });
    expect(rejected).toBe(0);
    expect(text).toContain('No header row was found');
    const { mapping, guess, sheet } = opened;
    const question = questionText(
      { good: 3, repeated: 0, repeatedInFile: 0, rejectedLoseDates: false, rejected, mapping, guess, sheet },
      { file: 'a.csv', organization: 'acme' },
    );
    expect(question).toContain('The first row counts as a testimonial.');
  });

  test.each([
    ['an address', ['Ida', 'ida@example.org', 'A fine course'], ['Jon', 'jon@example.org', 'A good one']],
    ['a date', ['Ida', '2024-03-04', 'A fine course'], ['Jon', '2024-03-05', 'A good one']],
    ['a date in words', ['Ida', 'March 4, 2024', 'A fine course'], ['Jon', 'May 5, 2024', 'A good one']],
    ['a number', ['Ida', '5', 'A fine course'], ['Jon', '4', 'A good one']],
    ['a sentence', ['Ida', 'It has helped us a lot.'], ['Jon', 'We will come again next year.']],
  ])('is told by %s in its first row', (_, ...two) => {
    expect(csvSheet(stringify(two)).header[0]).toBe('column 1');
    expect([...csvSheet(stringify(two)).records()]).toHaveLength(2);
  });

  test('keeps a first row that has fewer cells than others', async () => {
    const { opened, reasons } = await readFile(
      stringify([rows[0]?.with(1, '').with(4, ''), ...rows.slice(1)]),
    );
    expect(opened.sheet?.isHeadless).toBe(true);
    expect(reasons).toMatchObject([{ field: 'author.email', lines: [1] }]);
  });

  test('can have a title', async () => {
    const { lines, rejected, text } = await readFile(`Reviews of the year\n${stringify(rows)}`);
    expect([names(lines), rejected]).toEqual([['Ann', 'Bo', 'Cy'], 0]);
    expect(text).toContain('1 line above the rows is ignored.');
  });

  test.each(['My reviews', 'My reviews,,,,'])('never has the title %j as its header', (title) => {
    const { otherHeadings = [] } = csvSheet(`${title}\n${stringify(rows)}`);
    expect(otherHeadings.map(({ header }) => header[0])).toEqual(['Ann']);
  });

  test('has the header that someone names', async () => {
    const map = { 'author.name': ['Ann'] };
    expect(names((await readFile(stringify(rows), { map })).lines)).toEqual(['Bo', 'Cy']);
    const titled = `Reviews of the year\n${stringify(rows)}`;
    const { lines, rejected } = await readFile(titled, { map });
    expect([names(lines), rejected]).toEqual([['Bo', 'Cy'], 0]);
    const headed = stringify([['Wer', 'Wohin', 'Punkte', 'Was', 'Wann'], ...rows]);
    const numbered = await readFile(headed, { map: { 'author.name': ['column 1'], content: ['column 4'] } });
    expect(numbered.reasons).toContainEqual(expect.objectContaining({ field: 'author.email', lines: [1] }));
    expect(names(numbered.lines)).toEqual(['Ann', 'Bo', 'Cy']);
  });

  test('can be told by the columns of all fields, without a question', async () => {
    const map = {
      'author.name': ['column 1'],
      'author.email': ['column 2'],
      rating: ['column 3'],
      content: ['column 4'],
      createdAt: ['column 5'],
    };
    const { opened, lines } = await readFile(stringify(rows), { map });
    expect(opened.guess).toBeUndefined();
    expect(lines).toHaveLength(3);
  });
});

test.each([
  ['Name', 'Email', 'Rating (1-5)', 'Review', '2024'],
  ['Wer', 'Wohin', '2024', 'Was', 'Wann'],
  ['Wer', 'Wohin', 'Q1', 'Was', '2024-03'],
  ['Wer', 'Wohin', 'Score 5', 'Was', 'Wann'],
  ['Person', 'Contact', 'Stars', 'Tell us how it went.', 'When'],
  ['', 'mail', 'stars', 'text', 'date'],
])('headings with a number are a header: %j', (...header) => {
  const sheet = csvSheet(stringify([header, ...rows]));
  expect(sheet.isHeadless).toBeUndefined();
  expect([...sheet.records()]).toHaveLength(3);
});

test('a header alone is a header', () => {
  const header = ['Name', 'Email', 'Rating (1-5)', 'Review', '2024'];
  expect(csvSheet(stringify([header]))).toMatchObject({ header, firstRows: [] });
});

describe('rows of descriptions', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `{"ImportId":"QID${i}"}`);
  const codes = ['RecipientLastName', 'RecipientFirstName', 'RecipientEmail', 'Q1', 'Q2', 'EndDate'];
  const questions = [
    'Recipient Last Name',
    'Recipient First Name',
    'Recipient Email',
    'How satisfied are you with us?',
    'What has changed for you?',
    'End Date',
  ];
  const responses = rows.map(([name = '', email = '', ...others]) => ['Doe', name, email, ...others]);
  const all = [codes, questions, ids(6), ...responses];

  test('are skipped, and questions are headings', async () => {
    const { lines, text, opened } = await readFile(stringify(all));
    expect(names(lines)).toEqual(['Ann Doe', 'Bo Doe', 'Cy Doe']);
    expect(lines[0]).toMatchObject({ rating: 5, content: rows[0]?.[3] });
    expect(text).toContain('2 rows of descriptions below the header are skipped.');
    expect(opened.sheet?.header).toContain('How satisfied are you with us?');
  });

  test('leave the numbers of rows as they are in the file, and codes can be chosen', async () => {
    const wrong = stringify([...all, ['Roe', 'Di', 'di(at)example.org', '5', 'It was good.', '2024-03-07']]);
    const { reasons, lines } = await readFile(wrong, { map: { content: ['Q2'] } });
    expect(reasons).toMatchObject([{ field: 'author.email', lines: [7] }]);
    expect(lines).toHaveLength(3);
  });

  test.each([
    ['Open-Ended Response', 'Response'],
    ['Offene Antwort', 'Antwort'],
    ['Réponse ouverte', 'Réponse'],
    ['Respuesta abierta', 'Respuesta'],
  ])('name answers and parts of questions: %s', async (open, response) => {
    const header = ['Respondent ID', 'End Date', 'How was it?', 'Tell us more', 'Who are you?', ''];
    const described = ['', '', response, open, 'Name', 'E-mail'];
    const each = rows.map(([name, email, stars, text, day], i) => [
      `${700 + i}`,
      day,
      stars,
      text,
      name,
      email,
    ]);
    const { lines, text } = await readFile(stringify([header, described, ...each]));
    expect(names(lines)).toEqual(['Ann', 'Bo', 'Cy']);
    expect(text).toContain('1 row of descriptions below the header is skipped.');
  });

  test.each([
    ['an address', ['Di', 'di@example.org', 'n/a', 'It was good.', 'unknown']],
    ['an address and two mistakes', ['Di', 'di@example.org', 'great', 'It was good.', 'soon']],
    ['blank cells', ['Di', '', '', 'It was good.', '']],
    ['one mistake', ['Di', 'by phone', '', 'It was good.', '']],
    ['words for nothing', ['Di', 'anonymous', 'n/a', 'It was good.', 'Unknown']],
  ])('are no testimonials with %s', (_, first) => {
    const header = ['Name', 'Email', 'Rating', 'Review', 'Date'];
    expect([...csvSheet(stringify([header, first, ...rows])).records()]).toHaveLength(4);
  });
});
