import { expect, test } from '@jest/globals';
import { columns, counted } from '../../../lib/operator/text.ts';

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
