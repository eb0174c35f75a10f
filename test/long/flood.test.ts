/**
 * The maximum that an organization can spend with many running functions, and no additional call for ordinary
 * requests.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { budgetCallMs } from '../../functions/timing.ts';
import { budget, dailyBudget, type Flood, type Sent, simulate, type Weather } from './flood.ts';

/** The longest texts: ten thousand different Chinese letters. */
const longestCreate: Sent = { postings: 20_017, milliseconds: 20 };
/** The largest number of postings that is not reserved. */
const unreservedCreate: Sent = { postings: 666, milliseconds: 20 };
/** A page of a hundred of the longest texts, uncompressed. */
const dearestList: Sent = { reads: budget / 1000, milliseconds: 300 };
const slowestList: Sent = { reads: budget / 1000, milliseconds: 950 };
/** A search with every filter in a hundred thousand testimonials. */
const search: Sent = { reads: 73_550, milliseconds: 300 };

const total = (amounts: readonly (number | undefined)[]) =>
  amounts.reduce<number>((sum, amount = 0) => sum + amount, 0);

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

/** Numerical Recipes' linear congruential generator: 32 bits are enough to choose by. */
function chooser(seed: number): (nth: number, count: number) => number {
  let state = seed;
  return (_, count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

test.each<[string, (nth: number) => Sent, number]>([
  ['creates of the longest texts', () => longestCreate, 1.1],
  ['creates that are just not reserved', () => unreservedCreate, 2],
  ['the dearest lists', () => dearestList, 2],
  ['the slowest lists', () => slowestList, 2],
  ['creates of the longest texts and searches', (nth) => (nth % 2 ? longestCreate : search), 2],
])(
  'of %s, 1,000 a second at 1,000 functions spend at most twice the budget in any minute',
  async (_, request, most) => {
    for (const route of [undefined, chooser(7)]) {
      const { times, answered } = await simulate({
        ...many,
        during: threeMinutes,
        request,
        ...(route && { route }),
      });
      expect(times.length).toBeGreaterThanOrEqual(3);
      expect(Math.max(...times)).toBeLessThanOrEqual(most);
      // The organization can spend its budget.
      expect(Math.min(...times.slice(0, 2))).toBeGreaterThanOrEqual(1);
      expect(answered).toBeGreaterThan(0);
    }
  },
);

/** A first page, and every tenth time a short create. */
const ordinaryRequest = (nth: number): Sent =>
  nth % 10 ? { reads: 2400, milliseconds: 30 } : { postings: 86, milliseconds: 20 };

test('ordinary requests have no additional call: each function makes one a second, and one a minute for the budget', async () => {
  const ordinary = { functions: 50, rate: 100, during: [[0, 120]] } as const;
  const shortCreate: Sent = { postings: 86, milliseconds: 20 };
  const light = await simulate({ ...ordinary, request: ordinaryRequest });
  const callsOfFunctions = (outcome: { refused: number; calls: number }) => {
    expect(outcome.refused).toBe(0);
    return outcome.calls / ordinary.functions;
  };
  expect(callsOfFunctions(light)).toBeLessThanOrEqual(120 + 2);
  expect(light.longestWait).toBe(0);
  // No additional call near the limit either: a request waits for the regular call.
  const heavy = await simulate({ ...ordinary, request: (nth) => (nth % 2 ? search : shortCreate) });
  expect(heavy.times[0]).toBeGreaterThan(0.8);
  expect(callsOfFunctions(heavy)).toBeLessThanOrEqual(120 + 2);
  expect(heavy.longestWait).toBe(5);
});

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

test('no minute costs more than twice the budget, for any requests, functions and pauses', async () => {
  await fc.assert(
    fc.asyncProperty(schedules, async ({ pauses, requests, seed, ...flood }) => {
      const request: Flood['request'] = (nth) => requests[nth % requests.length] as Sent; // there is one
      const { times } = await simulate({ ...flood, request, route: chooser(seed), during: duringOf(pauses) });
      expect(Math.max(0, ...times)).toBeLessThanOrEqual(2);
    }),
    { numRuns: 10 },
  );
});

test('while a store fails, requests are admitted with little delay; afterwards they count again', async () => {
  const seconds = fc.integer({ min: 0, max: 61 });
  const kinds = fc.constantFrom<Weather>('throttles', 'hangs');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(seconds, kinds), { maxLength: 6 }),
      fc.array(sent, { minLength: 1, maxLength: 5 }),
      fc.integer(),
      async (storms, requests, seed) => {
        const bad = new Map(storms);
        const { times, longestWait } = await simulate({
          functions: 300,
          rate: 300,
          route: chooser(seed),
          during: [
            [0, 4],
            [58, 63],
            [120, 123],
          ],
          request: (nth) => requests[nth % requests.length] as Sent, // there is one
          weather: (second) => bad.get(second) ?? 'fair',
        });
        // A sum, a reservation, and the cost of a request that has ended.
        expect(longestWait).toBeLessThanOrEqual(3 * budgetCallMs);
        expect(times[2] ?? 0).toBeLessThanOrEqual(2);
      },
    ),
    { numRuns: 10 },
  );
});

/** The first second of 22 minutes, which use up the day's budget, then of some hours, and of the next day. */
const oneDay = [
  ...Array.from({ length: 22 }, (_, minute) => [minute * 60, minute * 60 + 1.2] as const),
  ...[6, 12, 18, 24].map((hour) => [hour * 3600, hour * 3600 + 1.2] as const),
];
const nextDay = 24 * 60;

test.each<[string, (nth: number) => Sent]>([
  ['creates that are just not reserved', () => unreservedCreate],
  ['the slowest lists', () => slowestList],
])(
  'of %s, 1,000 a second at 1,000 functions cost at most 1.05 times the budget of a day',
  async (_, request) => {
    const { spent } = await simulate({ ...many, isDayLimited: true, during: oneDay, request });
    const ofDay = total(spent.slice(0, nextDay)) / dailyBudget;
    expect(ofDay).toBeLessThanOrEqual(1.05);
    expect(ofDay).toBeGreaterThan(0.99);
    // At midnight the next day begins.
    expect(Number(spent[nextDay]) / budget).toBeGreaterThanOrEqual(1);
  },
);

test('beyond the budget of a day, a function that has just started answers one request', async () => {
  const [functions, minutes] = [100, 5];
  const { times } = await simulate({
    functions,
    rate: functions,
    isDayLimited: true,
    areFunctionsNew: true,
    request: () => dearestList,
    // The first minutes use up the budget.
    own: () => ({ dailyBudget: 2 * budget }),
    during: Array.from({ length: minutes }, (_, minute) => [minute * 60, minute * 60 + 13] as const),
  });
  const later = times.slice(2);
  expect(later).toHaveLength(minutes - 2);
  // Some of them end before the day is added up.
  for (const each of later) expect(each).toBeLessThanOrEqual((functions + 5) / 1000);
});

test('ordinary requests have no additional call because of the budget of a day: an organization has two a minute', async () => {
  const ordinary = { functions: 50, rate: 100, during: [[0, 180]], request: ordinaryRequest } as const;
  const [without, withDay] = [await simulate(ordinary), await simulate({ ...ordinary, isDayLimited: true })];
  // None in the first minute of a day.
  expect(withDay.calls - without.calls).toBe(2 * 2);
  expect(withDay).toMatchObject({ refused: 0, longestWait: 0 });
  // With little traffic it has none at all.
  const quiet = { ...ordinary, rate: 1 };
  expect((await simulate({ ...quiet, isDayLimited: true })).calls).toBe((await simulate(quiet)).calls);
});

test('no day costs more than its budget and one of a minute, for any requests, functions and pauses', async () => {
  const minutes = fc.integer({ min: 1, max: 30 });
  await fc.assert(
    fc.asyncProperty(schedules, minutes, async ({ pauses, requests, seed, ...flood }, tenths) => {
      const dailyBudget = (tenths / 10) * budget;
      const request: Flood['request'] = (nth) => requests[nth % requests.length] as Sent; // there is one
      const { spent } = await simulate({
        ...flood,
        request,
        route: chooser(seed),
        during: duringOf(pauses),
        isDayLimited: true,
        own: () => ({ dailyBudget }),
      });
      expect(total(spent)).toBeLessThanOrEqual(dailyBudget + budget);
    }),
    { numRuns: 10 },
  );
});
