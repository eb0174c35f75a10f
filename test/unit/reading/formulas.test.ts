/**
 * Formulas: a spreadsheet runs no exported cell, whatever the separator, and an import reads each cell
 * unchanged.
 */
import { expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { quoteFormulas, unquoteFormulas } from '../../../functions/csv/csv.ts';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { exportText } from '../../../functions/reading/export.ts';
import { anyText } from '../../any-text.ts';
import { runsOf } from '../../some-of.ts';

const begins = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
const separators = [',', ';', '\t', '|', '\n', '\r\n', '\r'];
const cell = fc.oneof(
  anyText(),
  fc.string({
    unit: fc.constantFrom("'", '"', 'a', ' ', '\u00A0', ...separators, ...begins),
    maxLength: 12,
  }),
);

test('unquoteFormulas reverses quoteFormulas', () => {
  fc.assert(
    fc.property(cell, (text) => {
      expect(unquoteFormulas(quoteFormulas(text))).toBe(text);
    }),
    { numRuns: runsOf(600) },
  );
});

test('no part of an exported line begins a formula, whatever separator splits it', async () => {
  await fc.assert(
    fc.asyncProperty(cell, cell, cell, fc.array(cell), async (content, name, company, tags) => {
      const text = await exportedCsv({ content, author: { name, email: name, company }, tags });
      for (const separator of separators) {
        expect(text.split(separator).filter(isRun)).toEqual([]);
        expect(quotedCells(text, separator).filter(isRun)).toEqual([]);
      }
    }),
    { numRuns: runsOf(200) },
  );
});

/** True of a cell that a spreadsheet may run, without its quotes and spaces. */
function isRun(text: string): boolean {
  return begins.some((each) => text.startsWith(each) || text.replace(/^[" \u00A0]+/, '').startsWith(each));
}

/** The cells that a reader of another separator finds (RFC 4180). */
function quotedCells(text: string, separator: string): string[] {
  const ends = {
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'].filter((each) => each !== separator),
  };
  return parse(text, { ...ends, relax_quotes: true, relax_column_count: true }).flat();
}

async function exportedCsv(texts: Pick<StoredTestimonial['testimonial'], 'content' | 'author' | 'tags'>) {
  const time = '2026-01-15T10:30:00.000Z';
  const testimonial: StoredTestimonial['testimonial'] = {
    id: 'test_1',
    type: 'text',
    status: 'pending',
    createdAt: time,
    updatedAt: time,
    ...texts,
  };
  async function* pages() {
    yield [{ testimonial, update: 1 }];
  }
  return (await Array.fromAsync(exportText(pages(), 'csv'))).join('');
}

test.each(['Great', '', "'tis great", '5', "''", 'a=b', 'fast - and cheap', 'me@example.com', 'a, b; c'])(
  '%j is not changed',
  (text) => {
    expect(quoteFormulas(text)).toBe(text);
    expect(unquoteFormulas(text)).toBe(text);
  },
);
