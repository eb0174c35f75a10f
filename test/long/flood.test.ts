/** The maximum that an organization can spend with many running functions. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nanodollarsOf } from '../../functions/fair-use/prices.ts';
import { budget, type Sent, simulate } from './flood.ts';

/** The longest texts: ten thousand different Chinese letters. */
const longestCreate: Sent = { postings: 20_017, milliseconds: 20 };
/** The largest number of postings that is not reserved. */
const unreservedCreate: Sent = { postings: 666, milliseconds: 20 };
/** A page of a hundred of the longest texts, uncompressed. */
const slowestList: Sent = { reads: budget / 1000, milliseconds: 950 };

const total = (amounts: readonly (number | undefined)[]) =>
  amounts.reduce<number>((sum, amount = 0) => sum + amount, 0);

/** The budget of an organization per day, in nanodollars. */
const dailyBudget = nanodollarsOf(10);

const many = { functions: 1000, rate: 1000 };

/**
 * At the start, then across the ends of two minutes that used up their budget. In between, functions refuse
 * from memory.
 */
const threeMinutes = [
  [0, 2.5],
  [59.5, 62],
  [119.5, 122],
] as const;

test.each<[string, Sent, number]>([
  ['creates of the longest texts', longestCreate, 1.1],
  ['creates that are just not reserved', unreservedCreate, 2],
  ['the slowest lists', slowestList, 2],
])(
  'of %s, 1,000 a second at 1,000 functions spend at most twice the budget in any minute',
  async (_, request, most) => {
    for (const seed of [undefined, 7]) {
      const routed = seed === undefined ? {} : { seed };
      const { times, answered } = await simulate({
        ...many,
        ...routed,
        during: threeMinutes,
        requests: [request],
      });
      expect(times.length).toBeGreaterThanOrEqual(3);
      expect(Math.max(...times)).toBeLessThanOrEqual(most);
      // The organization can spend its budget.
      expect(Math.min(...times.slice(0, 2))).toBeGreaterThanOrEqual(1);
      expect(answered).toBeGreaterThan(0);
    }
  },
);

const sent: fc.Arbitrary<Sent> = fc.oneof(
  fc.record({
    postings: fc.integer({ min: 1, max: 20_017 }),
    milliseconds: fc.integer({ min: 5, max: 900 }),
  }),
  fc.record({
    reads: fc.integer({ min: 1, max: budget / 1000 }),
    milliseconds: fc.integer({ min: 5, max: 900 }),
  }),
);

const schedules = fc.record({
  functions: fc.integer({ min: 1, max: 1000 }),
  rate: fc.integer({ min: 20, max: 1000 }),
  // Pauses of any length, also over the end of minutes.
  pauses: fc.array(fc.tuple(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 1, max: 3 })), {
    minLength: 1,
    maxLength: 4,
  }),
  requests: fc.array(sent, { minLength: 1, maxLength: 5 }),
  seed: fc.integer(),
  callMs: fc.integer({ min: 2, max: 60 }),
  /** The budget of a day in tenths of that of a minute; none if absent. */
  tenths: fc.option(fc.integer({ min: 1, max: 30 })),
});

/** Returns the times of requests from pauses and durations. */
function duringOf(pauses: [number, number][]): [number, number][] {
  let at = 0;
  return pauses.map(([pause, seconds]) => {
    const from = at + pause;
    at = from + seconds;
    return [from, at];
  });
}

test('no minute costs more than twice its budget, and no day more than its own and one of a minute, for any requests, functions and pauses', async () => {
  await fc.assert(
    fc.asyncProperty(schedules, async ({ pauses, tenths, ...flood }) => {
      const ofDay = tenths === null ? undefined : (tenths / 10) * budget;
      const during = duringOf(pauses);
      const { spent, times } = await simulate({ ...flood, during, ...(ofDay && { dailyBudget: ofDay }) });
      expect(Math.max(0, ...times)).toBeLessThanOrEqual(2);
      if (ofDay) expect(total(spent)).toBeLessThanOrEqual(ofDay + budget);
    }),
    { numRuns: 20 },
  );
});

/** The first second of 22 minutes, which use up the day's budget, then of some hours, and of the next day. */
const oneDay = [
  ...Array.from({ length: 22 }, (_, minute) => [minute * 60, minute * 60 + 1.2] as const),
  ...[6, 12, 18, 24].map((hour) => [hour * 3600, hour * 3600 + 1.2] as const),
];
const nextDay = 24 * 60;

test.each<[string, Sent]>([
  ['creates that are just not reserved', unreservedCreate],
  ['the slowest lists', slowestList],
])(
  'of %s, 1,000 a second at 1,000 functions cost at most 1.05 times the budget of a day',
  async (_, request) => {
    const { spent } = await simulate({ ...many, dailyBudget, during: oneDay, requests: [request] });
    const ofDay = total(spent.slice(0, nextDay)) / dailyBudget;
    expect(ofDay).toBeLessThanOrEqual(1.05);
    expect(ofDay).toBeGreaterThan(0.99);
    // At midnight the next day begins.
    expect(Number(spent[nextDay]) / budget).toBeGreaterThanOrEqual(1);
  },
);
