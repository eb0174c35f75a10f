/** The identity of an import, and the mapping that it keeps. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fingerprintOf } from '../../../functions/reading/import-file.ts';
import { type Mapping, readMapping } from '../../../functions/reading/map-columns.ts';
import { workbook } from '../../files-of-tools/workbook.ts';
import { readFile } from '../../read-file.ts';

const csv = 'Name,E-mail,rating,Review,Date\nAnn Doe,ann@example.org,5,"It was fine for us.",2024-03-04\n';
const nameOf = async (chosen: Partial<Mapping> = {}) => fingerprintOf((await readFile(csv, chosen)).opened);

test('is the same whether columns are chosen or guessed', async () => {
  const { map } = await readFile(csv);
  expect(await nameOf({ map })).toBe(await nameOf());
  expect(await nameOf({ map: { ...map, rating: ['rating'], tags: [], updatedAt: [] } })).toBe(await nameOf());
  expect(await nameOf({ map: { rating: ['rating'] }, roundRatings: false, keepHtml: false })).toBe(
    await nameOf(),
  );
});

test.each<[string, Partial<Mapping>]>([
  ['a column is left out', { map: { rating: [] } }],
  ['a column is another field', { map: { 'author.role': ['Name'] } }],
  ['a value is filled in', { defaults: { status: 'approved' } }],
  ['dates have another format', { dateFormat: 'yyyy-dd-MM' }],
  ['the dates are ignored', { asNew: true }],
])('is another one if %s', async (_, chosen) => expect(await nameOf(chosen)).not.toBe(await nameOf()));

test('a stored mapping is read again, and that of another version is none', async () => {
  const { opened } = await readFile(csv);
  expect(readMapping(JSON.stringify(opened.mapping))).toEqual(opened.mapping);
  for (const other of ['{"columns":{}}', '{"map":{"x":["y"]},"defaults":{}}', '7', '{'])
    expect(readMapping(other)).toBeUndefined();
  fc.assert(fc.property(fc.json(), (json) => void readMapping(json)));
  expect(readMapping(undefined)).toBeUndefined();
});

test('a sheet with too many columns does not keep others from being read', async () => {
  const wide = Array.from({ length: 1001 }, (_, i) => `Column ${i}`);
  const bytes = workbook({
    Pivot: [wide, wide.map(() => 'x')],
    Reviews: [
      ['Name', 'E-mail', 'Review'],
      ['Ann Doe', 'ann@example.org', 'It was fine for us.'],
    ],
  });
  const { lines, text } = await readFile(bytes, { format: 'xlsx' });
  expect(lines).toMatchObject([{ author: { name: 'Ann Doe' } }]);
  expect(text).toContain('Ignored: Pivot');
});

test.each([
  ['one list', (wide: object) => ({ a: [wide] })],
  ['two lists', (wide: object) => ({ a: [wide], b: [wide] })],
  ['a list of empty objects beside one', (wide: object) => ({ a: [{}], b: [wide] })],
])('too many columns are named as the reason, and not an empty file: %s', async (_, documentOf) => {
  const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`member${i}`, 'x']));
  await expect(readFile(JSON.stringify(documentOf(wide)), { format: 'json' })).rejects.toThrow(
    'The header of the file has more than 1000 columns',
  );
});

const manyVotes = () => {
  const votes = (i: number) => Object.fromEntries(Array.from({ length: 60 }, (_, k) => [`user${i}x${k}`, 1]));
  return JSON.stringify({
    reviews: Array.from({ length: 100 }, (_, i) => ({ name: 'Jo', votes: votes(i) })),
  });
};
const farCell = (rows: number) =>
  workbook({
    S: Array.from({ length: rows }, (_, i) => {
      const row = ['Jane', `j${i}@example.com`, 'This really helped us a lot.'];
      return i === 1 ? [...row, ...Array.from({ length: 16_380 }, () => undefined), 'x'] : row;
    }),
  });
test.each<[string, 'csv' | 'json' | 'xlsx', () => string | Uint8Array, string]>([
  ['headings that repeat', 'csv', () => `${'name,'.repeat(60_000)}\nx\n`, 'has more than 1000 columns'],
  ['wide rows', 'csv', () => `${'x,'.repeat(4000)}\n`.repeat(30), 'has more than 1000 columns'],
  ['members that are ids', 'json', manyVotes, 'has more than 1000 columns'],
  ['a cell far from the others', 'xlsx', () => farCell(5000), 'reaches to column XFD, row 5,000'],
])('a file with too many columns is refused: %s', async (_, format, make, text) => {
  await expect(readFile(make(), { format })).rejects.toThrow(text);
});

test('headings that repeat get names of their own, whatever the others are', async () => {
  const { opened } = await readFile('Text,Text,Text (1),,column 4\nIt was fine.,a,b,c,d\n');
  const { header = [] } = opened.sheet ?? {};
  expect(new Set(header).size).toBe(5);
  expect(header).toContain('Text (1)');
});

test('a column that its heading names wrongly gives way to another one', async () => {
  const { map, text } = await readFile(
    'Review,Name,E-mail,status,Review status\nIt was fine for us.,Ann Doe,ann@example.org,shipped,approved\nWe liked it a lot there.,Bo Roe,bo@example.org,delivered,rejected\n',
  );
  expect(map.status).toEqual(['Review status']);
  expect(text).toContain('status (“shipped”, “delivered”) is not used for status');
});

test('a rating on which 1 is the best is told, even if nothing else is guessed', async () => {
  const { text } = await readFile(
    'content,author.name,author.email,Note (1 = very good)\nIt was fine for us.,Ann Doe,ann@example.org,1\n',
  );
  expect(text).toContain('its scale is reversed');
});

test('ratings are rounded unless someone says no', async () => {
  const half = csv.replace(',5,', ',4.5,');
  expect((await readFile(half)).lines).toMatchObject([{ rating: 5 }]);
  expect((await readFile(half, { roundRatings: false })).rejected).toBe(1);
});
