/** No cell that a spreadsheet would run, and none that an import finds changed. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { defuse, fuse } from '../../../lib/export/formulas.ts';

const begins = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
const cell = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom("'", 'a', ' ', ...begins), maxLength: 6 }),
);

test('a defused cell begins with nothing that a spreadsheet runs', () => {
  fc.assert(
    fc.property(cell, (text) => {
      expect(begins).not.toContain(defuse(text)[0]);
    }),
  );
});

test('a cell that was defused is found as it was', () => {
  fc.assert(
    fc.property(cell, (text) => {
      expect(fuse(defuse(text))).toBe(text);
    }),
  );
});

test.each(['Great', '', "'tis great", '5', "''", 'a=b'])('%j is left as it is', (text) => {
  expect(defuse(text)).toBe(text);
  expect(fuse(text)).toBe(text);
});
