import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { Payer } from '../../../functions/domain/payer.ts';
import { Throttled } from '../../../functions/dynamodb/throttled.ts';
import { mediaShares } from '../../../functions/fair-use/account.ts';
import type {
  BudgetStore,
  MinuteSpending,
  OwnBudgets,
  SpendingSums,
} from '../../../functions/fair-use/budget-store.ts';
import { type Budgets, budgetsOf } from '../../../functions/fair-use/budgets.ts';
import { budgetMinuteMs, syncEveryMs } from '../../../functions/timing.ts';

const organization = 'acme';
const payer: Payer = { organization, budget: 'general', share: 1 };
const publishedPayer: Payer = { organization, budget: 'published', share: 1 / 2 };
const second = 1000;

/** The outcome of a call: one without a response may have arrived or not. */
type Fate = 'answered' | 'throttled' | 'arrives unanswered' | 'never arrives';

const dayOf = (minute: number) => Math.floor(minute / (24 * 60));

/** A table in memory and its calls. `lost` is the spending of calls that never arrived, by minute. */
function fakeStore() {
  const sums = new Map<number, Omit<SpendingSums, 'day'>>();
  const earlier = new Map<number, number>();
  const lost = new Map<number, number>();
  const own = new Map<string, OwnBudgets>();
  const calls: string[] = [];
  const state = { fate: 'answered' as Fate };
  const throwIfFailing = () => {
    if (state.fate === 'throttled') throw new Throttled('Too much');
    if (state.fate !== 'answered') throw new Error('No answer');
  };
  const sumOf = (minute: number): SpendingSums => {
    const { spent, requests } = sums.get(minute) ?? { spent: 0, requests: 0 };
    return { spent, requests, day: earlier.has(minute) ? Number(earlier.get(minute)) + spent : 0 };
  };
  const add = (minute: number, { spent, requests }: MinuteSpending) => {
    const before = sumOf(minute);
    if (state.fate === 'never arrives') lost.set(minute, (lost.get(minute) ?? 0) + spent);
    else if (state.fate !== 'throttled') {
      sums.set(minute, { spent: before.spent + spent, requests: before.requests + requests });
    }
    throwIfFailing();
    return sumOf(minute);
  };
  const store: BudgetStore = {
    async addSpending(_, minute, spending) {
      calls.push(`add ${spending.spent}`);
      return add(minute, spending);
    },
    async reserveSpending(_, minute, spending, below) {
      calls.push(`reserve ${spending.spent} of ${below}`);
      if (sumOf(minute).spent < below) return add(minute, spending);
      throwIfFailing();
      return undefined;
    },
    async findSpending(_, minute) {
      calls.push('read');
      throwIfFailing();
      return sumOf(minute);
    },
    async addUpDay(_, minute) {
      calls.push('add up');
      throwIfFailing();
      const isEarlier = (each: number) => each < minute && dayOf(each) === dayOf(minute);
      const total = [...sums].reduce((sum, [each, { spent }]) => sum + (isEarlier(each) ? spent : 0), 0);
      earlier.set(minute, total);
      return total;
    },
    async findBudgets(name) {
      calls.push('budget');
      throwIfFailing();
      return own.get(name) ?? {};
    },
  };
  return { store, sumOf, sums, lost, own, calls, state };
}

/**
 * Running functions on one store and one clock, which begins with a minute. `requests` are those of a minute.
 */
function world({ budget = 1000, requests = 0, day = 0, functions = 1 } = {}) {
  const fake = fakeStore();
  const clock = { ms: 1000 * budgetMinuteMs };
  const warnings: unknown[] = [];
  const keepers = Array.from({ length: functions }, () =>
    budgetsOf({
      limits: { spent: budget, requests, day },
      now: () => new Date(clock.ms),
      store: () => fake.store,
      logger: { warn: (...line) => void warnings.push(line) },
    }),
  );
  const [keeper] = keepers;
  if (!keeper) throw new Error('There is no function');
  const share = (which = keeper) => which.syncSpending(payer);
  /** The calls since the last check. */
  const calls = () => fake.calls.splice(0);
  return { ...fake, calls, clock, warnings, keepers, keeper, share };
}

/** Returns the seconds that a payer must wait. */
const secondsOf = (keeper: Budgets, of = payer) => keeper.refusal(of)?.seconds;

test('a call that does not respond ends after half a second', async () => {
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  await world().share();
  const limits = timeout.mock.calls.flat();
  timeout.mockRestore();
  expect(new Set(limits)).toEqual(new Set([500]));
});

test('the first request reads the budget and the sum, and costs are gathered and added once a second', async () => {
  const { keeper, share, calls, clock, sums } = world({ budget: 1_000_000 });
  await share();
  expect(calls().sort()).toEqual(['budget', 'read']);
  for (let request = 0; request < 10; request += 1) {
    keeper.spend(payer, 7);
    clock.ms += 99;
    await share();
  }
  expect(calls()).toEqual([]);
  clock.ms += 10;
  await share();
  expect(calls()).toEqual(['add 70']);
  expect([...sums.values()]).toEqual([{ spent: 70, requests: 10 }]);
});

test.each([
  ['budget', { budget: 1000 }, 2, 5],
  ['requests of a minute', { budget: 0, requests: 500 }, 5, 1],
])('a hundredth of the %s is added with the next request', async (_, limits, requests, cost) => {
  const { keeper, share, calls } = world(limits);
  await share();
  calls();
  for (let request = 1; request < requests; request += 1) keeper.spend(payer, cost);
  await share();
  expect(calls()).toEqual([]);
  keeper.spend(payer, cost);
  await share();
  expect(calls()).toEqual([`add ${requests * cost}`]);
});

test('requests count at any cost, and are refused beyond the limit per minute', async () => {
  const { keeper, share, clock, sums } = world({ budget: 0, requests: 100 });
  await share();
  for (let request = 0; request < 99; request += 1) keeper.spend(payer, 1);
  expect(keeper.refusal(payer)).toBeUndefined();
  keeper.spend(payer, 1);
  expect(keeper.refusal(payer)).toEqual({ of: 'requests', seconds: 60 });
  await share();
  expect([...sums.values()]).toEqual([{ spent: 100, requests: 100 }]);
  expect(keeper.refusal(payer)).toEqual({ of: 'requests', seconds: 60 });
  clock.ms += budgetMinuteMs;
  expect(keeper.refusal(payer)).toBeUndefined();
});

test.each([
  ['spent', { budget: 1000 }],
  ['day', { budget: 0, day: 1000 }],
  ['requests', { budget: 0, requests: 10 }],
])('tokens in web pages have their own half of the limit %s', (of, limits) => {
  const { keeper } = world(limits);
  for (let request = 0; request < 4; request += 1) keeper.spend(publishedPayer, 100);
  expect(keeper.refusal(publishedPayer)).toBeUndefined();
  keeper.spend(publishedPayer, 100);
  expect(keeper.refusal(publishedPayer)).toMatchObject({ of });
  expect(keeper.refusal(payer)).toBeUndefined();
});

/** One function whose calls the test answers, in any order. */
function heldWorld() {
  const clock = { ms: 1000 * budgetMinuteMs };
  const calls: PromiseWithResolvers<SpendingSums>[] = [];
  const held = () => {
    const call = Promise.withResolvers<SpendingSums>();
    calls.push(call);
    return call.promise;
  };
  const store = (): BudgetStore => ({
    findBudgets: async () => ({}),
    addUpDay: async () => 0,
    addSpending: held,
    reserveSpending: held,
    findSpending: held,
  });
  const limits = { spent: 1000, requests: 0, day: 0 };
  const logger = { warn: () => {} };
  return { clock, calls, keeper: budgetsOf({ limits, now: () => new Date(clock.ms), store, logger }) };
}

test('two shares at the same time count the spending of others once', async () => {
  const { calls, keeper } = heldWorld();
  keeper.spend(payer, 100);
  const one = keeper.syncSpending(payer);
  keeper.spend(payer, 100);
  const other = keeper.syncSpending(payer);
  calls[0]?.resolve({ spent: 600, requests: 2, day: 0 });
  await one;
  calls[1]?.resolve({ spent: 700, requests: 3, day: 0 });
  await other;
  keeper.spend(payer, 299);
  expect(secondsOf(keeper)).toBeUndefined();
  keeper.spend(payer, 1);
  expect(secondsOf(keeper)).toBe(60);
});

test('spending of an earlier minute that could not be added refuses no request', async () => {
  const { calls, keeper, clock } = heldWorld();
  keeper.spend(payer, 1100);
  const throttled = keeper.syncSpending(payer);
  clock.ms += budgetMinuteMs;
  const read = keeper.syncSpending(payer);
  calls[0]?.reject(new Throttled('Too much'));
  await throttled;
  calls[1]?.resolve({ spent: 0, requests: 0, day: 0 });
  await read;
  expect(secondsOf(keeper)).toBeUndefined();
});

test.each([
  [{ budget: 10_000 }, ['reserve 11 of 10000']],
  [{ budget: 0, day: 10_000 }, ['add 11', 'add up']],
  [{ budget: 20_000, day: 10_000 }, ['reserve 11 of 20000', 'add up']],
])('of %j more than a thousandth is reserved: added to the sum in advance', async (limits, made) => {
  const { keeper, calls, sums } = world(limits);
  expect([10, 11].map((cost) => keeper.mustReserve(payer, cost))).toEqual([false, true]);
  expect([5, 6].map((cost) => keeper.mustReserve(publishedPayer, cost))).toEqual([false, true]);
  expect(await keeper.reserve(payer, 11)).toBeUndefined();
  expect(calls()).toEqual(made);
  expect([...sums.values()]).toEqual([{ spent: 11, requests: 0 }]);
  // Of the rest of the same request, half a thousandth is added before the response leaves.
  await keeper.addLargeCost(payer, 4);
  expect(calls()).toEqual([]);
  keeper.spend(payer, 5);
  await keeper.addLargeCost(payer, 5);
  expect([...sums.values()]).toEqual([{ spent: 16, requests: 1 }]);
});

test.each([
  ['spent', { budget: 1000, day: 0 }],
  ['day', { budget: 0, day: 1000 }],
])('media are refused from half of the limit %s on, and other requests are not', async (of, limits) => {
  const { keepers } = world({ ...limits, functions: 2 });
  const [one, two] = keepers as [Budgets, Budgets]; // as many as asked for
  expect(await one.reserve(payer, 500, mediaShares)).toBeUndefined();
  for (const keeper of [one, two]) {
    expect(await keeper.reserve(payer, 1, mediaShares)).toMatchObject({ of });
    expect(keeper.refusal(payer, mediaShares)).toMatchObject({ of });
    expect(keeper.refusal(payer)).toBeUndefined();
    expect(await keeper.reserve(payer, 1)).toBeUndefined();
  }
});

test('a reservation beyond the sum adds nothing, and the function refuses from memory afterwards', async () => {
  const { keepers, calls, sums, clock } = world({ budget: 1000, functions: 3 });
  const [one, two, three] = keepers as [Budgets, Budgets, Budgets]; // as many as asked for
  expect(await one.reserve(payer, 900)).toBeUndefined();
  expect(await two.reserve(payer, 900)).toBeUndefined();
  clock.ms += 10.5 * second;
  calls();
  expect(await three.reserve(payer, 900)).toEqual({ of: 'spent', seconds: 50 });
  expect([...sums.values()]).toEqual([{ spent: 1800, requests: 0 }]);
  expect(secondsOf(three)).toBe(50);
  expect(await three.reserve(payer, 900)).toEqual({ of: 'spent', seconds: 50 });
  expect(calls()).toEqual(['reserve 900 of 1000']);
});

test.each<[Fate, number | undefined, string[]]>([
  ['throttled', undefined, ['add 1100']],
  ['arrives unanswered', 60, ['read']],
  ['never arrives', 60, ['read']],
])(
  'a reservation that fails (%s) admits the request, and counts until the next sum is read or is added later',
  async (fate, seconds, later) => {
    const { keeper, share, calls, state, clock, warnings } = world({ budget: 1000 });
    await share();
    state.fate = fate;
    expect(await keeper.reserve(payer, 1100)).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(secondsOf(keeper)).toBe(seconds);
    state.fate = 'answered';
    clock.ms += syncEveryMs;
    calls();
    await share();
    expect(calls()).toEqual(later);
  },
);

test.each([
  ['fails', new Error('No answer'), 0, undefined],
  ['is throttled', new Throttled('Too much'), 1100, 60],
])(
  'a reservation that %s as its minute ends refuses no request before the sum of the next one',
  async (_, error, sum, seconds) => {
    const { calls, keeper, clock } = heldWorld();
    const reserving = keeper.reserve(payer, 1100);
    clock.ms += budgetMinuteMs;
    expect(secondsOf(keeper)).toBeUndefined();
    calls[0]?.reject(error);
    await reserving;
    expect(secondsOf(keeper)).toBeUndefined();
    const sharing = keeper.syncSpending(payer);
    calls[1]?.resolve({ spent: sum, requests: 0, day: 0 });
    await sharing;
    expect(secondsOf(keeper)).toBe(seconds);
  },
);

test('after a minute that used up the budget, a function waits for the first sum of the new one', async () => {
  const { keeper, share, clock, calls } = world({ budget: 1000 });
  clock.ms += 59.8 * second;
  await share();
  keeper.spend(payer, 1000);
  clock.ms += 0.3 * second;
  calls();
  expect(keeper.waitsForSum(payer)).toBe(true);
  const sharing = share();
  expect(calls().sort()).toEqual(['add 1000', 'budget']);
  expect(keeper.waitsForSum(payer)).toBe(true);
  await sharing;
  // Spending that was carried over also uses up this minute.
  expect(secondsOf(keeper)).toBe(60);
  clock.ms += budgetMinuteMs;
  expect(keeper.waitsForSum(payer)).toBe(true);
  await share();
  expect(keeper.waitsForSum(payer)).toBe(false);
});

test('a function waits for the sum from half of a limit on, once a second', async () => {
  const { keeper, share, clock, calls } = world({ budget: 1000 });
  await share();
  keeper.spend(payer, 499);
  expect(keeper.waitsForSum(payer)).toBe(false);
  keeper.spend(payer, 1);
  expect(keeper.waitsForSum(payer)).toBe(true);
  await share();
  calls();
  for (let request = 0; request < 10; request += 1) {
    clock.ms += 99;
    await share();
  }
  expect(calls()).toEqual([]);
  clock.ms += budgetMinuteMs;
  expect(keeper.waitsForSum(payer)).toBe(false);
});

test('no request waits while calls fail', async () => {
  const { keeper, share, clock, state } = world({ budget: 1000 });
  await share();
  keeper.spend(payer, 500);
  state.fate = 'never arrives';
  clock.ms += syncEveryMs;
  expect(keeper.waitsForSum(payer)).toBe(true);
  await share();
  expect(keeper.waitsForSum(payer)).toBe(false);
  state.fate = 'answered';
  clock.ms += syncEveryMs;
  await share();
  expect(keeper.waitsForSum(payer)).toBe(true);
});

test('a request of half a thousandth of the budget is added at its end, but not a cheaper one, nor while calls fail', async () => {
  const { keeper, share, calls, state, clock } = world({ budget: 10_000 });
  await share();
  calls();
  keeper.spend(payer, 4);
  await keeper.addLargeCost(payer, 4);
  expect(calls()).toEqual([]);
  keeper.spend(payer, 5);
  await keeper.addLargeCost(payer, 5);
  expect(calls()).toEqual(['add 9']);
  state.fate = 'throttled';
  clock.ms += syncEveryMs;
  await share();
  calls();
  keeper.spend(payer, 500);
  await keeper.addLargeCost(payer, 500);
  expect(calls()).toEqual([]);
});

test("an organization's own budget is read once a minute", async () => {
  const { keeper, share, own, clock, calls } = world({ budget: 1000 });
  await share();
  own.set(organization, { budget: 10 });
  keeper.spend(payer, 20);
  await share();
  expect(secondsOf(keeper)).toBeUndefined();
  expect(calls().filter((call) => call === 'budget')).toHaveLength(1);
  clock.ms += budgetMinuteMs;
  keeper.spend(payer, 10);
  await share();
  expect(secondsOf(keeper)).toBe(60);
  own.delete(organization);
  clock.ms += budgetMinuteMs;
  keeper.spend(payer, 500);
  await share();
  expect(secondsOf(keeper)).toBeUndefined();
});

test.each([
  ['of the deployment', 0, {}],
  ['of its own', 1000, { budget: 0, dailyBudget: 0 }],
])('a budget %s of 0 is no limit: nothing is added or reserved', async (_, limit, itsOwn) => {
  const { keeper, share, own, clock, calls } = world({ budget: limit, day: limit });
  own.set(organization, itsOwn);
  await share();
  calls();
  for (let request = 0; request < 5; request += 1) {
    keeper.spend(payer, 1_000_000);
    clock.ms += syncEveryMs;
    await share();
  }
  expect(secondsOf(keeper)).toBeUndefined();
  expect(keeper.mustReserve(payer, 1e12)).toBe(false);
  expect(calls()).toEqual([]);
});

test('an organization can have its own budget without one of the deployment, in the same shares', async () => {
  const { keeper, own } = world({ budget: 0 });
  own.set(organization, { budget: 10 });
  await keeper.syncSpending(publishedPayer);
  keeper.spend(publishedPayer, 4);
  expect(secondsOf(keeper, publishedPayer)).toBeUndefined();
  keeper.spend(publishedPayer, 1);
  expect(secondsOf(keeper, publishedPayer)).toBe(60);
});

describe('the budget of a day', () => {
  const midnight = 24 * 60 * budgetMinuteMs;

  test('refuses until midnight; once a minute a request waits, because an operator may have raised it', async () => {
    const { keeper, share, calls, clock, own } = world({ budget: 0, day: 1000 });
    await share();
    keeper.spend(payer, 999);
    expect(keeper.refusal(payer)).toBeUndefined();
    keeper.spend(payer, 1);
    calls();
    expect(keeper.refusal(payer)).toEqual({ of: 'day', seconds: (midnight - clock.ms) / second });
    expect(calls()).toEqual([]);
    for (const made of [
      ['add 1000', 'budget', 'add up'],
      ['budget', 'read'],
    ]) {
      clock.ms += budgetMinuteMs;
      expect([keeper.refusal(payer), keeper.waitsForSum(payer)]).toEqual([undefined, true]);
      await share();
      expect(calls().toSorted()).toEqual(made.toSorted());
      expect(keeper.refusal(payer)).toEqual({ of: 'day', seconds: (midnight - clock.ms) / second });
    }
    own.set(organization, { dailyBudget: 1001 });
    clock.ms += budgetMinuteMs;
    await share();
    expect(keeper.refusal(payer)).toBeUndefined();
    keeper.spend(payer, 1);
    expect(keeper.refusal(payer)).toMatchObject({ of: 'day' });
    clock.ms = midnight;
    await share();
    expect(keeper.refusal(payer)).toBeUndefined();
  });

  test('is added up by one function in a minute that costs a ten-thousandth of it; all others learn it', async () => {
    const { keepers, share, calls, clock } = world({ budget: 0, day: 1_000_000, functions: 4 });
    const [first, one, other, last] = keepers as [Budgets, Budgets, Budgets, Budgets]; // as many as asked for
    const spend = async (keeper: Budgets, nanodollars: number) => {
      keeper.spend(payer, nanodollars);
      clock.ms += syncEveryMs;
      await share(keeper);
      return calls().filter((call) => call !== 'budget');
    };
    // Nothing precedes it on that day.
    expect(await spend(first, 900_000)).toEqual(['add 900000', 'add up']);
    clock.ms += budgetMinuteMs;
    expect(await spend(one, 99)).toEqual(['add 99']);
    expect(await spend(one, 1)).toEqual(['add 1', 'add up']);
    expect(await spend(other, 49_900)).toEqual(['add 49900']);
    expect([one, other].map((keeper) => keeper.refusal(payer))).toEqual([undefined, undefined]);
    expect(await spend(other, 50_000)).toEqual(['add 50000']);
    expect(other.refusal(payer)).toMatchObject({ of: 'day' });
    await share(last);
    expect(last.refusal(payer)).toMatchObject({ of: 'day' });
    // A function remembers it in the next minute, at first without a sum of that minute.
    clock.ms += budgetMinuteMs;
    await share(one);
    expect(one.refusal(payer)).toBeUndefined();
    await share(other);
    expect(other.refusal(payer)).toMatchObject({ of: 'day' });
  });

  test('has nothing to add up in the first minute of a day', async () => {
    const { keeper, share, calls, clock } = world({ budget: 0, day: 1000 });
    clock.ms = midnight;
    keeper.spend(payer, 900);
    await share();
    expect(calls().toSorted()).toEqual(['add 900', 'budget']);
    keeper.spend(payer, 100);
    expect(keeper.refusal(payer)).toMatchObject({ of: 'day', seconds: 24 * 60 * 60 });
  });

  test('that cannot be added up leaves the sum of the minute known, and is tried again', async () => {
    const { keeper, share, calls, clock, store, warnings } = world({ budget: 500, day: 1000 });
    keeper.spend(payer, 400);
    await share();
    clock.ms += budgetMinuteMs;
    const { addUpDay } = store;
    store.addUpDay = () => Promise.reject(new Throttled('Too much'));
    calls();
    keeper.spend(payer, 100);
    await share();
    expect(warnings).toHaveLength(1);
    Object.assign(store, { addUpDay });
    keeper.spend(payer, 300);
    await share();
    expect(calls()).toEqual(['budget', 'add 100', 'add 300', 'add up']);
    keeper.spend(payer, 100);
    expect(keeper.refusal(payer)).toMatchObject({ of: 'spent' });
  });

  test('refuses a reservation that finds it used up', async () => {
    const { keepers, share, calls, clock } = world({ budget: 1000, day: 1000, functions: 2 });
    const [one, started] = keepers as [Budgets, Budgets]; // as many as asked for
    one.spend(payer, 1000);
    await share(one);
    clock.ms += budgetMinuteMs;
    calls();
    expect(await started.reserve(payer, 10)).toMatchObject({ of: 'day' });
    expect(calls()).toEqual(['reserve 10 of 1000', 'add up']);
    clock.ms = midnight;
    // The last reservation within it succeeds.
    expect(await started.reserve(payer, 900)).toBeUndefined();
    clock.ms += budgetMinuteMs;
    expect(await started.reserve(payer, 900)).toBeUndefined();
    expect(await started.reserve(payer, 900)).toMatchObject({ of: 'day' });
  });
});

test.each<Fate>(['throttled', 'arrives unanswered', 'never arrives'])(
  'calls that fail (%s) let requests pass, and are logged once until they succeed',
  async (fate) => {
    const { keeper, share, clock, state, warnings } = world({ budget: 1_000_000 });
    const seconds = async (count: number) => {
      for (let i = 0; i < count; i += 1) {
        keeper.spend(payer, 1);
        clock.ms += syncEveryMs;
        await share();
        expect(secondsOf(keeper)).toBeUndefined();
      }
    };
    state.fate = fate;
    await seconds(3);
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(warnings)).toContain(fate === 'throttled' ? 'Throttled' : 'Error');
    state.fate = 'answered';
    await seconds(2);
    state.fate = fate;
    await seconds(2);
    expect(warnings).toHaveLength(2);
  },
);

const fates: Fate[] = ['answered', 'throttled', 'arrives unanswered', 'never arrives'];
const actions = fc.array(
  fc.record({
    nth: fc.nat(2),
    spends: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 3 }),
    reserves: fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 2 }),
    waitMs: fc.oneof(fc.nat(400), fc.nat(2000), fc.constant(30_000)),
    fate: fc.constantFrom<Fate>(...fates, 'answered', 'answered'),
  }),
  { maxLength: 40 },
);

test('no spending is lost or added twice except by calls that never arrive, and no request is refused too early', async () => {
  const budget = 500;
  await fc.assert(
    fc.asyncProperty(actions, async (steps) => {
      const { keepers, clock, share, sumOf, sums, lost, state, calls } = world({ budget, functions: 3 });
      const spent = [0, 0, 0];
      const added = [0, 0, 0];
      const syncedAt = [-Infinity, -Infinity, -Infinity];
      const stepOf = async (nth: number, amounts: number[]) => {
        const keeper = keepers[nth] as Budgets; // one of three
        for (const amount of amounts) {
          keeper.spend(payer, amount);
          spent[nth] = Number(spent[nth]) + amount;
        }
        const gathered = Number(spent[nth]) - Number(added[nth]);
        await share(keeper);
        const [sum] = calls().flatMap((call) => /^add (\d+)$/.exec(call)?.[1] ?? []);
        if (sum !== undefined) {
          expect(Number(sum)).toBe(gathered);
          // At most once a second, unless the spending is large.
          const isLate = clock.ms - Number(syncedAt[nth]) >= syncEveryMs;
          expect(isLate || gathered >= budget / 100).toBe(true);
          if (state.fate !== 'throttled') added[nth] = Number(added[nth]) + Number(sum);
        }
        if (sum !== undefined || clock.ms - Number(syncedAt[nth]) >= syncEveryMs) syncedAt[nth] = clock.ms;
        return keeper;
      };
      for (const { nth, spends, reserves, waitMs, fate } of steps) {
        clock.ms += waitMs;
        state.fate = fate;
        for (const amount of reserves) {
          const isUsedUp = sumOf(Math.floor(clock.ms / budgetMinuteMs)).spent >= budget;
          const refusal = await (keepers[nth] as Budgets).reserve(payer, amount); // one of three
          const wasTold = calls().some((call) => call.startsWith('reserve'));
          if (wasTold) expect(refusal !== undefined).toBe(isUsedUp && fate === 'answered');
          if (refusal || (isUsedUp && fate !== 'throttled')) continue;
          spent[nth] = Number(spent[nth]) + amount;
          if (fate !== 'throttled') added[nth] = Number(added[nth]) + amount;
        }
        const keeper = await stepOf(nth, spends);
        const minute = Math.floor(clock.ms / budgetMinuteMs);
        const arrived = sumOf(minute).spent;
        const spentInIt = arrived + (lost.get(minute) ?? 0) + Number(spent[nth]) - Number(added[nth]);
        if (secondsOf(keeper) !== undefined) expect(spentInIt).toBeGreaterThanOrEqual(budget);
        // A function that has just read the sum refuses.
        if (fate === 'answered' && syncedAt[nth] === clock.ms && arrived >= budget) {
          expect(secondsOf(keeper)).toBeGreaterThan(0);
        }
      }
      state.fate = 'answered';
      clock.ms += syncEveryMs;
      for (const nth of keepers.keys()) await stepOf(nth, []);
      const stored = [...sums.values()].map((each) => each.spent);
      const total = (amounts: number[]) => amounts.reduce((sum, each) => sum + each, 0);
      expect(total([...stored, ...lost.values()])).toBe(total(spent));
    }),
  );
});
