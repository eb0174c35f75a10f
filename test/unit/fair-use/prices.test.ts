import { expect, test } from '@jest/globals';
import { costOf, dollarsOf, nanodollarsOf, prices } from '../../../functions/fair-use/prices.ts';

const nothing = { bytesIn: 0, bytesOut: 0, milliseconds: 0, readUnits: 0, writeUnits: 0, postings: 0 };

/** Dollars for a million requests. */
const million = (usage: Partial<typeof nothing>) => 1e6 * dollarsOf(costOf({ ...nothing, ...usage }));

test('every request costs a gateway request and an invocation', () => {
  expect(million({})).toBeCloseTo(1.2, 6);
});

test('a list costs its time and its read units', () => {
  expect(million({ milliseconds: 20, readUnits: 6.5 })).toBeCloseTo(1.2 + 20 * 0.0133334 + 6.5 * 0.125, 2);
});

test('a body is metered in started units of 512 KB', () => {
  const requests = (bytesIn: number) => (million({ bytesIn }) - 0.2) / 1;
  expect([0, 1, 524_288, 524_289, 5.9 * 1024 * 1024].map((bytes) => Math.round(requests(bytes)))).toEqual([
    1, 1, 1, 2, 12,
  ]);
});

test('a response costs its bytes: a hundred texts of 10,000 emoji a third of a thousandth of a dollar', () => {
  expect(dollarsOf(costOf({ ...nothing, bytesOut: 4_000_000 }))).toBeCloseTo(0.00036, 5);
});

test('time is charged by the started millisecond', () => {
  expect(costOf({ ...nothing, milliseconds: 1.2 })).toBe(costOf({ ...nothing, milliseconds: 2 }));
});

test('a create costs its write units, and a read and a write of each posting', () => {
  expect(million({ writeUnits: 8, postings: 35 })).toBeCloseTo(1.2 + 8 * 0.625 + 35 * 0.75, 6);
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
