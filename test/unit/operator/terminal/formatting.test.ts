import { expect, test } from '@jest/globals';
import { columns, counted, jsonText } from '../../../../lib/operator/terminal/formatting.ts';

test.each([
  [0, '0 requests'],
  [1, '1 request'],
  [2, '2 requests'],
  [20_001, '20,001 requests'],
])('%i is counted in words that fit', (count, text) => {
  expect(counted(count, 'request')).toBe(text);
});

test('an irregular plural is told', () => {
  expect(counted(2, 'index', 'indexes')).toBe('2 indexes');
});

test('columns stand under each other, numbers at their end', () => {
  const rows = [
    ['name', 'count'],
    ['a', '1'],
    ['longer', '1,000'],
  ];
  expect(columns(rows, ['start', 'end'])).toBe('name    count\na           1\nlonger  1,000');
});

test('columns are measured as a terminal shows them: full-width letters, emoji, accents, colours', () => {
  const rows = [
    ['山田', '1'],
    ['👍🏽', '2'],
    ['Zoe\u0308', '3'],
    ['\u001B[31mred\u001B[39m', '4'],
    ['four', '5'],
  ];
  const lines = columns(rows).split('\n');
  expect(lines).toEqual(['山田  1', '👍🏽    2', 'Zoe\u0308   3', '\u001B[31mred\u001B[39m   4', 'four  5']);
});

test('JSON shows the same value without a character that a terminal obeys', () => {
  const value = { content: 'a\u202Eb\u0085c\u2028d\u007Fe\u001Bf', list: ['山田 👍🏽'] };
  const text = jsonText(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).not.toMatch(/[[\p{Cc}\p{Bidi_Control}\u2028]--\n]/v);
  expect(text).toContain('山田 👍🏽');
});
