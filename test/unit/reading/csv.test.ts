/**
 * The lines of a file, whichever tool wrote it. A stray quote must cost only one row: csv-parse and Papa
 * Parse read on to the next quote, so that all rows in between are lost.
 */
import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvRecords, separatorOf } from '../../../functions/csv/csv.ts';
import { decodeText } from '../../../functions/csv/decode.ts';
import { readRows } from '../../../functions/reading/check-file.ts';
import { fileFormats, formatOf } from '../../../functions/reading/formats.ts';
import { csvSheet, type FileRow } from '../../../functions/reading/spreadsheet.ts';
import { runsOf } from '../../some-of.ts';

/** The rows of a file with this content, text or bytes. */
function rowsOf(content: string | Uint8Array, format: 'csv' | 'ndjson' = 'csv'): FileRow[] {
  const { text } = decodeText(Buffer.from(content as string), 'a file'); // Buffer.from takes either
  const mapping = { map: {}, defaults: {} };
  const file = format === 'ndjson' ? { text, mapping } : { text, mapping, sheet: csvSheet(text) };
  return [...readRows(file).rows];
}

/** The content of each line of a CSV file, or the reason why it cannot be read, by line number. */
function contents(content: string | Uint8Array): Record<string, unknown> {
  const rows = rowsOf(content);
  return Object.fromEntries(rows.map(({ line, value, unreadable }) => [line, unreadable ?? value?.content]));
}

test('the ending of a file name stands for its format', () => {
  const names = {
    csv: ['reviews.csv', 'REVIEWS.CSV', 'reviews.tsv', 'reviews.txt'],
    ndjson: ['reviews.ndjson', 'reviews.jsonl'],
    xlsx: ['reviews.XLSX'],
    json: ['reviews.json'],
  };
  for (const [format, files] of Object.entries(names))
    for (const file of files) expect(formatOf(file, fileFormats)).toBe(format);
  expect(formatOf('reviews.xls', fileFormats)).toBeUndefined();
});

describe('CSV', () => {
  test.each([
    ['comma', 'content,rating\nA,5\n', 'A,5'],
    ['semicolon', 'content;rating\nA;5\n', 'A;5'],
    ['tab', 'content\trating\nA\t5\n', 'A\t5'],
    ['bar', 'content|rating\nA|5\n', 'A|5'],
  ])('the separator is detected: %s', (_, content, text) => {
    expect(rowsOf(content)).toEqual([
      { line: 2, text, value: { type: 'text', author: {}, content: 'A', rating: 5 } },
    ]);
  });

  test.each([
    ['"a,b,c";d;e\n1,2,3,4,5,6', ';'],
    ['"a\n,b,""c"";d;e\n1";f\n,,,,', ';'],
    ['content', ','],
    ['', ','],
  ])('the separator of %j is %j: it counts in the header and outside of quotes', (text, separator) => {
    expect(separatorOf(text)).toBe(separator);
  });

  test('a byte order mark, Windows line ends and spaces around names are ignored', () => {
    const text = '\ufeff content , "rating" \r\nA,5\r\n"B\r\nb",4\r\n';
    expect(contents(text.replace(' "rating" ', ' "rating"'))).toEqual({ 2: 'A', 3: 'B\nb' });
  });

  test.each(['\n', '\r\n', '\r'])(
    'rows are numbered as a spreadsheet shows them, and need as many cells as the header, with %j',
    (end) => {
      const text = ['content,rating', 'A,1', '', '"B', '', 'b",2', ',', 'C,3', '"D""', '",4', 'E', 'F,5,'];
      expect(contents(text.join(end))).toEqual({
        2: 'A',
        4: 'B\n\nb',
        6: 'C',
        7: 'D"',
        8: 'has 1 cell where the header has 2',
        9: 'has 3 cells where the header has 2',
      });
    },
  );

  test.each([
    ['"He said "hi" there",5', 'has a quote inside a quoted cell: write it twice'],
    ['6" screen,5', 'has a quote in an unquoted cell: quote the whole cell'],
  ])('a misplaced quote costs only its line: %s', (line, unreadable) => {
    expect(contents(`content,rating\nA,1\n${line}\nB,2\n`)).toEqual({ 2: 'A', 3: unreadable, 4: 'B' });
  });

  test('an unclosed quote costs all lines up to the next quote', () => {
    const undoubled = 'has a quote inside a quoted cell: write it twice';
    const open = 'has a quote that is not closed';
    expect(contents('content,rating\nA,1\n"B,2\nC,3\n"D",4\nE,5\n')).toEqual({
      2: 'A',
      3: undoubled,
      4: undoubled,
      5: undoubled,
      6: 'E',
    });
    expect(contents('content,rating\nA,1\n"B,2\nC,3\nD,4')).toEqual({
      2: 'A',
      3: open,
      4: open,
      5: open,
    });
  });

  test.each(['', '"D",4\n'])(
    'a quote that stays open for a megabyte is an error that names its line, before %j',
    (end) => {
      const text = `content,rating\nA,1\n"B,2\n${'C,3\n'.repeat(400_000)}${end}`;
      expect(() => rowsOf(text)).toThrow('The quote in row 3 is not closed');
    },
  );

  test('the lines after an open quote are also read on their own', () => {
    const lines = ['"B, 2', 'C,3', 'He said "hi",4', '"D",4', 'too,many,cells', '', 'E,5'];
    const found = rowsOf(`content,rating\nA,1\n${lines.join('\n')}\n`);
    expect(found.map(({ text, value }) => [text, value?.content])).toEqual([
      ['A,1', 'A'],
      ['"B, 2', undefined],
      ['C,3', 'C'],
      ['He said "hi",4', 'He said "hi"'],
      ['"D",4', 'D'],
      ['too,many,cells', undefined],
      ['E,5', 'E'],
    ]);
  });

  test('a line of more than a megabyte without a quote costs only itself', () => {
    const huge = 'x'.repeat(1_200_000);
    expect(contents(`content,rating\n"A ""b""",1\n${huge},5\nB,1\nC,2\n`)).toEqual({
      2: 'A "b"',
      3: 'is longer than a megabyte',
      4: 'B',
      5: 'C',
    });
  });

  test('an unreadable header is an error', () => {
    expect(() => rowsOf('con"tent,rating\nA,1\n')).toThrow(
      'The header of the file has a quote in an unquoted cell: quote the whole cell.',
    );
  });
});

describe('records', () => {
  const piece = fc.constantFrom('a', '"', ',', '\n', ' ', ';', '""', '",', ',"', '"\n');

  test('of valid CSV are those of csv-parse', () => {
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 40 }), (text) => {
        const options = { delimiter: separatorOf(text), record_delimiter: '\n', ltrim: true };
        let expected: string[][];
        try {
          expected = parse(text, { ...options, relax_column_count: true });
        } catch {
          return;
        }
        const found = [...csvRecords(text, separatorOf(text))];
        const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '');
        expect(found.map(({ cells }) => cells)).toEqual(expected.filter((cells) => !isBlank(cells)));
        let end = 0;
        for (const { text: its } of found) {
          const begin = text.indexOf(its, end);
          expect(begin).toBeGreaterThanOrEqual(end);
          end = begin + its.length;
        }
      }),
      { numRuns: runsOf(1000) },
    );
  });

  test.each([
    ['lines without a separator', 'a\n'],
    ['lines that a quote tears', '"a" b\n'],
    ['cells that a quote opens', '"a,"\n'],
    ['quotes', '""'],
    ['separators', ','],
  ])('of a megabyte of %s are read in one pass', (_, text) => {
    const all = [...csvRecords(`a,b\n${text.repeat(400_000)}`, ',')];
    expect(all.length).toBeGreaterThan(0);
  });
});

describe('NDJSON', () => {
  test('each line is an object; other lines are unreadable', () => {
    const text = '\ufeff{"content":"A"}\r\n\n  \n[1]\n"x"\n5\nnull\n{"content":\n{"content":"B\u2028b"}';
    const notObject = (line: number, its: string) => ({
      line,
      text: its,
      unreadable: 'is not a JSON object',
    });
    const object = (line: number, its: string) => ({ line, text: its, value: JSON.parse(its) });
    expect(rowsOf(text, 'ndjson')).toEqual([
      object(1, '{"content":"A"}'),
      notObject(4, '[1]'),
      notObject(5, '"x"'),
      notObject(6, '5'),
      notObject(7, 'null'),
      { line: 8, text: '{"content":', unreadable: 'is not JSON' },
      // A Unicode line separator does not end a line.
      object(9, '{"content":"B\u2028b"}'),
    ]);
  });
});

describe('encoding', () => {
  const long = 'x'.repeat(70_000);
  test.each([
    ['UTF-8 that was damaged', `José, Zoé, Noël ${long}\n`],
    ['a Cyrillic alphabet', '\xcf\xf0\xe8\xe2\xe5\xf2\n'],
    ['bytes that stand for nothing', '\x81\x8d\n'],
  ])('that is unknown is an error that names the line: %s', (_, text) => {
    const before = Buffer.from(`content,rating\nA,1\n${text}`, text.includes('é') ? 'utf8' : 'latin1');
    const bytes = Buffer.concat([before, Buffer.from('Jos\xe9,3\n', 'latin1')]);
    expect(() => rowsOf(bytes)).toThrow(/^Line [34] of .* is not UTF-8\. Save the file as UTF-8/);
  });

  const text = 'content,author.name\n“Süß, très bon”,José\n';
  const swapped = Buffer.from(text, 'utf16le').swap16();
  test.each([
    ['UTF-8 with its mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 without its mark', Buffer.from(text, 'utf16le')],
    ['UTF-16, the other half first', Buffer.concat([Buffer.from([0xfe, 0xff]), swapped])],
    ['UTF-16 of that kind without its mark', swapped],
    ['Windows-1252', Buffer.from(text.replace('“', '\x93').replace('”', '\x94'), 'latin1')],
  ])('%s is detected', (name, bytes) => {
    const read = decodeText(bytes, 'a file');
    expect(read.text).toBe(text);
    expect(read.notes).toHaveLength(name === 'Windows-1252' ? 1 : 0);
  });

  test('a replacement character is text', () => {
    expect(contents('content\nA \ufffd\n')).toEqual({ 2: 'A \ufffd' });
  });
});
