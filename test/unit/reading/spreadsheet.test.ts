/** Spreadsheets: the header, the sheet of a workbook, the list of a JSON document. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chooseSheet } from '../../../functions/reading/open-file.ts';
import { contentOf, csvSheet } from '../../../functions/reading/spreadsheet.ts';
import { workbook } from '../../files-of-tools/workbook.ts';
import { readFile } from '../../read-file.ts';

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

  test('names are on one line, and each is there once', () => {
    const { header } = csvSheet('"Your\nname",Text,,Text,\nA,B,C,D,\n');
    expect(header).toEqual(['Your name', 'Text (1)', 'column 3', 'Text (2)', '']);
  });

  const word = fc.stringMatching(/^[b-df-hj-np-tv-z]{3,9}$/);
  test('the header is found below titles and groups of columns, whatever its names', () => {
    const table = fc.record({
      header: fc.uniqueArray(word, { minLength: 4, maxLength: 8 }),
      titles: fc.array(fc.tuple(word, fc.boolean()), { maxLength: 3 }),
      hasGroups: fc.boolean(),
      stars: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 20 }),
    });
    fc.assert(
      fc.property(table, ({ header, titles, hasGroups, stars }) => {
        const blank = header.map(() => '');
        const above = [
          ...titles.map(([title, isSecond]) => blank.with(Number(isSecond), title)),
          ...(hasGroups ? [header.map((_, i) => (i % 3 === 0 ? `group ${i}` : ''))] : []),
        ];
        const rows = stars.map((each, i) =>
          header.map((_, column) =>
            column === 1 ? `a${i}@b.cd` : column === 2 ? String(each) : 'some words',
          ),
        );
        const lines = [...above, header, ...rows].map((cells) => cells.join(';'));
        const sheet = csvSheet(`${lines.join('\n')}\n`);
        expect(sheet.header).toEqual(header);
        expect(Array.from(sheet.records(), ({ cells }) => cells)).toEqual(rows);
      }),
      { numRuns: 200 },
    );
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

  test('that unpacks to more than its limit is refused before it is unpacked', async () => {
    const bytes = Buffer.from(
      workbook({ Reviews: [['Name'], ...Array.from({ length: 2000 }, () => ['Ann'])] }),
    );
    const read = (maxUnpackedBytes: number) => contentOf(bytes, 'xlsx', 'reviews.xlsx', { maxUnpackedBytes });
    await expect(read(16 * 1024)).rejects.toThrow(
      'reviews.xlsx unpacks to more than 0.015625 MB. Save its sheet as CSV, and import that.',
    );
    expect((await read(1024 * 1024)).sheets).toHaveLength(1);
  });
});

describe('a JSON document', () => {
  const open = (value: unknown) =>
    contentOf(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), 'json', 'reviews.json');

  test('gives a column per path of its objects, counts them from 1, and joins lists of texts', async () => {
    const list = [
      { a: { b: 1, c: { d: 'x' } }, tags: ['p', 'q'], none: null },
      { a: { b: 2 }, yes: true },
    ];
    for (const value of [list, { total: 2, reviews: list }]) {
      const { sheets } = await open(value);
      expect(sheets.map(({ header }) => header)).toEqual([['a.b', 'a.c.d', 'tags', 'yes']]);
      expect(sheets.map(cellsOf)).toEqual([
        [
          [1, '1', 'x', 'p,q', ''],
          [2, '2', '', '', 'true'],
        ],
      ]);
    }
  });

  test('has a sheet for each list of objects at any depth, also for lists in the items of a list', async () => {
    const reviews = (...texts: string[]) =>
      texts.map((text) => ({ node: { author: { name: 'Ann' }, text } }));
    const products = [
      { name: 'Mug', reviews: reviews('a', 'b') },
      { name: 'Cup', reviews: reviews('c') },
    ];
    const { sheets } = await open({ data: { shop: { products } }, errors: [] });
    expect(sheets.map(({ name, header }) => [name, header])).toEqual([
      ['data.shop.products', ['name']],
      ['data.shop.products.reviews', ['author.name', 'text']],
    ]);
    expect(sheets.slice(1).map(cellsOf)).toEqual([
      [
        [1, 'Ann', 'a'],
        [2, 'Ann', 'b'],
        [3, 'Ann', 'c'],
      ],
    ]);
    const deep = `${'{"a":'.repeat(50)}[{"b":1}]${'}'.repeat(50)}`;
    await expect(open(deep)).rejects.toThrow('reviews.json contains no list of objects.');
  });

  test.each([
    ['{"a":', 'reviews.json is not JSON. If each line is an object, rename it to .ndjson.'],
    ['{"a":[1]}', 'reviews.json contains no list of objects.'],
    ['[]', 'reviews.json contains no list of objects.'],
  ])('%s is an error', async (text, message) => {
    await expect(open(text)).rejects.toThrow(message);
  });
});

describe('NDJSON', () => {
  const open = (lines: readonly unknown[]) =>
    contentOf(Buffer.from(lines.map((each) => JSON.stringify(each)).join('\n')), 'ndjson', 'a.ndjson');
  const own = { content: 'A', author: { name: 'Ann', email: 'a@b.cd' }, type: 'text' };

  test('in the format of exports is read without its sheet, unless someone chose columns', async () => {
    const file = { name: 'a.ndjson', format: 'ndjson', hash: '', modifiedAt: new Date() } as const;
    for (const lines of [[own], [own, { other: 1 }], [[1], 'x']]) {
      expect(chooseSheet(file, await open(lines), { map: {}, defaults: {} }).sheet).toBeUndefined();
    }
    const mapped = chooseSheet(file, await open([own]), { map: {}, defaults: { status: 'approved' } });
    expect(mapped.sheet?.header).toEqual(['content', 'author.name', 'author.email', 'type']);
  });

  test.each([
    ['no type', { type: undefined }],
    ['another type', { type: 'Text' }],
    ['another status', { status: 'published' }],
    ['a rating in quotes', { rating: '5' }],
  ])('with %s is another tool’s, whatever its names', async (_, other) => {
    const line = { ...own, content: 'It helped us a lot.', ...other };
    const { lines, rejected } = await readFile(JSON.stringify(line), { format: 'ndjson' });
    expect({ lines, rejected }).toMatchObject({ lines: [{ type: 'text' }], rejected: 0 });
  });

  test('keeps the format of exports if a few lines have mistakes', async () => {
    const { needsNoSheet } = await open([own, { ...own, rating: '5' }, own, { ...own, type: 'fax' }]);
    expect(needsNoSheet).toBe(true);
  });

  test('of another format is a sheet, with the numbers of its lines', async () => {
    const { sheets } = await open([{ text: 'A' }, [1], { text: 'B', late: { at: 2 } }]);
    expect(sheets.map(({ header }) => header)).toEqual([['text', 'late.at']]);
    expect(sheets.map(({ records }) => [...records()])).toEqual([
      [
        { line: 1, text: '{"text":"A"}', cells: ['A', ''] },
        { line: 2, text: '[1]', unreadable: 'is not a JSON object' },
        { line: 3, text: '{"text":"B","late":{"at":2}}', cells: ['B', '2'] },
      ],
    ]);
  });
});
