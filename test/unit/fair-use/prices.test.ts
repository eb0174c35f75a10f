import { expect, test } from '@jest/globals';
import { costOf, dollarsOf, nanodollarsOf, prices } from '../../../functions/fair-use/prices.ts';

const nothing = { bytesIn: 0, bytesOut: 0, milliseconds: 0, readUnits: 0, writeUnits: 0, postings: 0 };

test.each([
  ['a request to the gateway and an invocation', {}, 1.2],
  ['a list with its time and its read units', { milliseconds: 20, readUnits: 6.5 }, 1.2 + 0.266_668 + 0.8125],
  ['a started millisecond', { milliseconds: 1.2 }, 1.2 + 2 * 0.013_333_4],
  ['a body of 512 KB', { bytesIn: 524_288 }, 1.2],
  ['a body of one byte more', { bytesIn: 524_289 }, 2.2],
  ['a body of 5.9 MB', { bytesIn: 5.9 * 1024 * 1024 }, 12.2],
  ['a response of a hundred texts of 10,000 emoji', { bytesOut: 4_000_000 }, 1.2 + 360],
  [
    'a create with its write units, and a read and a write of each posting',
    { writeUnits: 8, postings: 35 },
    1.2 + 8 * 0.625 + 35 * 0.75,
  ],
])('the price of a million: %s', (_, usage, dollars) => {
  expect(1e6 * dollarsOf(costOf({ ...nothing, ...usage }))).toBeCloseTo(dollars, 2);
});

test('a cost is a whole number, so that sums are exact', () => {
  for (let milliseconds = 0; milliseconds < 100; milliseconds += 7.3) {
    expect(Number.isInteger(costOf({ ...nothing, milliseconds, readUnits: 0.5 }))).toBe(true);
  }
});

test('dollars convert to nanodollars and back', () => {
  for (const dollars of [0, 0.000_000_001, 0.1, 0.5, 2, 1000.55]) {
    expect(dollarsOf(nanodollarsOf(dollars))).toBe(dollars);
  }
  expect(nanodollarsOf(prices.readUnit / 1e9)).toBe(125);
});
