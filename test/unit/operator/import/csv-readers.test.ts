/**
 * Why imports have a CSV reader of their own. A stray quote must cost one row. csv-parse and Papa Parse read on to the next quote, so
 * that all rows in between are lost; with their lenient options, a row swallows them without an error.
 */
import { expect, test } from '@jest/globals';
import { type Options, parse } from 'csv-parse/sync';
import { csvRecords } from '../../../../lib/operator/import/csv.ts';

const text = 'content,rating\nA,1\n"He said "hi there,5\nB,2\nC,3\n';

test('our reader loses only the row with the stray quote', () => {
  const readable = Array.from(csvRecords(text, ',')).filter(({ unreadable }) => unreadable === undefined);
  expect(readable.map(({ cells }) => cells)).toEqual([
    ['content', 'rating'],
    ...[
      ['A', '1'],
      ['B', '2'],
      ['C', '3'],
    ],
  ]);
});

test('csv-parse also loses the rows after it', () => {
  const read = (options: Options) => parse(text, { relax_column_count: true, ...options });
  expect(() => read({})).toThrow('Invalid Closing Quote');
  expect(read({ skip_records_with_error: true })).toEqual([
    ['content', 'rating'],
    ['A', '1'],
  ]);
  // An unclosed quote ends the reading even with its lenient option.
  expect(() =>
    parse('content,rating\n"A,1\nB,2\n', { relax_quotes: true, relax_column_count: true }),
  ).toThrow('Quote Not Closed');
});
