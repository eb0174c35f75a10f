/** Spreadsheets: the header, the sheet of a workbook, the list of a JSON document. */
import { describe, expect, test } from '@jest/globals';
import { contentOf, csvSheet } from '../../../../lib/operator/import/spreadsheet.ts';
import { workbook } from '../../../files-of-tools/workbook.ts';

const cellsOf = ({ records }: ReturnType<typeof csvSheet>) =>
  Array.from(records(), (each) => ('cells' in each ? [each.line, ...each.cells] : each));

describe('CSV', () => {
  test.each([
    ['its first line', 'A;B\n1;2\n', ['A', 'B'], [[2, '1', '2']], 0],
    ['below a title', 'Reviews, 2024\n\nName;Email\n1;2\n', ['Name', 'Email'], [[4, '1', '2']], 1],
    ['below its separator', 'sep=|\nA|B\n1|2\n', ['A', 'B'], [[2, '1', '2']], 0],
    ['below a quoted one', '"sep=;"\nA;B\n1;2\n', ['A', 'B'], [[2, '1', '2']], 0],
    ['a single column', 'content\nText\n', ['content'], [[2, 'Text']], 0],
  ])('the header is %s', (_, text, header, rows, notes) => {
    const sheet = csvSheet(text);
    expect(sheet.header).toEqual(header);
    expect(cellsOf(sheet)).toEqual(rows);
    expect(sheet.notes).toHaveLength(notes);
  });

  test('familiar column names decide between separators', () => {
    expect(csvSheet('Name;Review, in full, as it stands;Email\nA;B, C, D;E\n').separator).toBe(';');
  });

  test.each(['(', '"', '("', 'name', '"a"', ';'])('a megabyte of %j is read in one pass', (text) => {
    expect(csvSheet(`A,B\n${text.repeat(300_000)}\n`).header).toEqual(['A', 'B']);
  });

  test.each(['(', 'name', '"a"'])('a header of a megabyte of %j is read in one pass', (text) => {
    expect(csvSheet(text.repeat(200_000)).header).toHaveLength(1);
  });
});

describe('a workbook', () => {
  const open = (bytes: Uint8Array) => contentOf(Buffer.from(bytes), 'xlsx', 'reviews.xlsx');

  test('has a sheet for each of its own that is not empty', async () => {
    const reviews = [['Name', 'Email', 'Paid'], [], ['Ann', 5, true], ['Bo', { day: '2024-03-01T10:15' }]];
    const { sheets } = await open(workbook({ Notes: [['a', 'b', 'c', 'd']], Empty: [], Reviews: reviews }));
    expect(sheets.map(({ name, header }) => [name, header])).toEqual([
      ['Notes', ['a', 'b', 'c', 'd']],
      ['Reviews', ['Name', 'Email', 'Paid']],
    ]);
    expect(sheets.slice(1).map(cellsOf)).toEqual([
      [
        [3, 'Ann', '5', 'true'],
        [4, 'Bo', '2024-03-01T10:15:00.000Z', ''],
      ],
    ]);
  });

  test('that is empty has no sheet', async () => {
    expect((await open(workbook({ Reviews: [] }))).sheets).toEqual([]);
  });

  test('that is not a workbook is an error', async () => {
    await expect(open(Buffer.from('Name,Email\n'))).rejects.toThrow(
      'reviews.xlsx is not an Excel workbook. Save it as .xlsx or as CSV.',
    );
  });
});

describe('a JSON document', () => {
  const open = (value: unknown) =>
    contentOf(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), 'json', 'reviews.json');

  test('gives a column per path of its objects, and joins lists of texts', async () => {
    const list = [
      { a: { b: 1, c: { d: 'x' } }, tags: ['p', 'q'], none: null },
      { a: { b: 2 }, yes: true },
    ];
    for (const value of [list, { total: 2, reviews: list }]) {
      const { sheets } = await open(value);
      expect(sheets.map(({ header }) => header)).toEqual([['a.b', 'a.c.d', 'tags', 'yes']]);
      expect(sheets.map(cellsOf)).toEqual([
        [
          [2, '1', 'x', 'p,q', ''],
          [3, '2', '', '', 'true'],
        ],
      ]);
    }
  });

  test.each([
    ['{"a":', 'reviews.json is not JSON. If each line is an object, rename it to .ndjson.'],
    ['{"a":[1]}', 'reviews.json contains no list of objects.'],
    ['[]', 'reviews.json contains no list of objects.'],
  ])('%s is an error', async (text, message) => {
    await expect(open(text)).rejects.toThrow(message);
  });
});
