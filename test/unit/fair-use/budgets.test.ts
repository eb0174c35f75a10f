import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BudgetStore, Payer, Spent } from '../../../functions/domain/stores.ts';
import { Throttled } from '../../../functions/domain/throttled.ts';
import { type Budgets, budgetsOf } from '../../../functions/fair-use/budgets.ts';
import { budgetMinuteMs, shareEveryMs } from '../../../functions/timing.ts';

const organization = 'acme';
const payer: Payer = { organization, budget: 'general', share: 1 };
const publishedPayer: Payer = { organization, budget: 'published', share: 1 / 2 };
const second = 1000;

/** What becomes of a call: an unanswered one may have arrived or not. */
type Fate = 'answered' | 'throttled' | 'arrives unanswered' | 'never arrives';

/** What a table would hold, and the calls that it gets. */
function fakeStore() {
  const sums = new Map<number, number>();
  const counts = new Map<number, number>();
  const own = new Map<string, number>();
  const calls: string[] = [];
  const state = { fate: 'answered' as Fate, lost: 0, lostIn: new Map<number, number>() };
  const meet = (arrive: () => void = () => {}, lose: () => void = () => {}) => {
    const { fate } = state;
    if (fate === 'answered' || fate === 'arrives unanswered') arrive();
    if (fate === 'never arrives') lose();
    if (fate === 'throttled') throw new Throttled('Too much');
    if (fate !== 'answered') throw new Error('No answer');
  };
  const sumOf = (minute: number): Spent => ({
    spent: sums.get(minute) ?? 0,
    requests: counts.get(minute) ?? 0,
  });
  const store: BudgetStore = {
    async addSpending(_, minute, { spent, requests }) {
      calls.push(`add ${spent}`);
      meet(
        () => {
          sums.set(minute, sumOf(minute).spent + spent);
          counts.set(minute, sumOf(minute).requests + requests);
        },
        () => {
          state.lost += spent;
          state.lostIn.set(minute, (state.lostIn.get(minute) ?? 0) + spent);
        },
      );
      return sumOf(minute);
    },
    async findSpending(_, minute) {
      calls.push('read');
      meet();
      return sumOf(minute);
    },
    async findBudget(name) {
      calls.push('budget');
      meet();
      return own.get(name);
    },
  };
  return { store, sums, counts, own, calls, state };
}

/** Running functions on one store and one clock, which begins with a minute. `requests` are those of a minute. */
function world({
  budget = 1000,
  requests = 0,
  functions = 1,
}: {
  budget?: number;
  requests?: number;
  functions?: number;
} = {}) {
  const fake = fakeStore();
  const clock = { ms: 1000 * budgetMinuteMs };
  const warnings: unknown[] = [];
  const keepers = Array.from({ length: functions }, () =>
    budgetsOf({
      limits: { spent: budget, requests },
      now: () => new Date(clock.ms),
      store: () => fake.store,
      logger: { warn: (...line) => void warnings.push(line) },
    }),
  );
  const [keeper] = keepers;
  if (!keeper) throw new Error('There is no function');
  const share = (which = keeper) => which.share(payer);
  /** Since the last look. */
  const calls = () => fake.calls.splice(0);
  return { ...fake, calls, clock, warnings, keepers, keeper, share };
}

/** How long a payer has to wait. */
const secondsOf = (keeper: Budgets, of = payer) => keeper.refusal(of)?.seconds;

test('an organization that is met first costs a read of its budget and of its sum', async () => {
  const { share, calls } = world();
  await share();
  expect(calls().sort()).toEqual(['budget', 'read']);
});

test('what requests cost is gathered, and added a second after the last time', async () => {
  const { keeper, share, calls, clock, sums } = world({ budget: 1_000_000 });
  await share();
  calls();
  for (let request = 0; request < 10; request += 1) {
    keeper.spend(payer, 7);
    clock.ms += 99;
    await share();
  }
  expect(calls()).toEqual([]);
  clock.ms += 10;
  await share();
  expect(calls()).toEqual(['add 70']);
  expect([...sums.values()]).toEqual([70]);
});

test('a hundredth of the budget is added with the next request', async () => {
  const { keeper, share, calls } = world({ budget: 1000 });
  await share();
  calls();
  keeper.spend(payer, 9);
  await share();
  expect(calls()).toEqual([]);
  keeper.spend(payer, 1);
  await share();
  expect(calls()).toEqual(['add 10']);
});

test('beyond the budget it says how long the minute lasts, without a call', async () => {
  const { keeper, share, calls, clock } = world({ budget: 1000 });
  await share();
  keeper.spend(payer, 999);
  expect(secondsOf(keeper)).toBeUndefined();
  keeper.spend(payer, 1);
  calls();
  expect(secondsOf(keeper)).toBe(60);
  clock.ms += 20.5 * second;
  expect(secondsOf(keeper)).toBe(40);
  clock.ms += 39.499 * second;
  expect(secondsOf(keeper)).toBe(1);
  expect(calls()).toEqual([]);
});

test('the next minute begins anew', async () => {
  const { keeper, share, clock } = world({ budget: 1000 });
  keeper.spend(payer, 1500);
  await share();
  expect(secondsOf(keeper)).toBe(60);
  clock.ms += budgetMinuteMs;
  expect(secondsOf(keeper)).toBeUndefined();
  await share();
  expect(secondsOf(keeper)).toBeUndefined();
});

test('whoever spent more than a budget at once comes in again in the next minute, which counts it', async () => {
  const { keeper, share, clock } = world({ budget: 1000 });
  await share();
  keeper.spend(payer, 1500);
  expect(secondsOf(keeper)).toBe(60);
  clock.ms += budgetMinuteMs;
  expect(secondsOf(keeper)).toBeUndefined();
  await share();
  expect(secondsOf(keeper)).toBe(60);
  clock.ms += budgetMinuteMs;
  await share();
  expect(secondsOf(keeper)).toBeUndefined();
});

test('what was gathered when a minute ended counts in the next', async () => {
  const { keeper, share, clock, sums } = world({ budget: 1000 });
  await share();
  clock.ms += 59.9 * second;
  keeper.spend(payer, 5);
  clock.ms += 0.2 * second;
  await share();
  expect([...sums]).toEqual([[1001, 5]]);
});

test('a function learns within a second what others spent', async () => {
  const { keepers, share, clock } = world({ budget: 1000, functions: 2 });
  const [one, other] = keepers as [Budgets, Budgets]; // as many as asked for
  await share(one);
  await share(other);
  one.spend(payer, 1000);
  expect(secondsOf(other)).toBeUndefined();
  await share(one);
  clock.ms += shareEveryMs;
  other.spend(payer, 1);
  await share(other);
  expect(secondsOf(other)).toBe(59);
});

test('requests are counted as well, whatever they cost, and refused beyond as many as may come in a minute', async () => {
  const { keeper, share, clock, counts } = world({ budget: 1_000_000, requests: 100 });
  await share();
  for (let request = 0; request < 99; request += 1) keeper.spend(payer, 1);
  expect(keeper.refusal(payer)).toBeUndefined();
  keeper.spend(payer, 1);
  expect(keeper.refusal(payer)).toEqual({ of: 'requests', seconds: 60 });
  await share();
  expect([...counts.values()]).toEqual([100]);
  expect(keeper.refusal(payer)).toEqual({ of: 'requests', seconds: 60 });
  clock.ms += budgetMinuteMs;
  expect(keeper.refusal(payer)).toBeUndefined();
});

test('functions share what each counted: at a rate that all together exceed, all refuse', async () => {
  const { keepers, share, clock } = world({ budget: 0, requests: 600, functions: 3 });
  const [one, two, three] = keepers as [Budgets, Budgets, Budgets]; // as many as asked for
  let letIn = 0;
  for (let second = 0; second < 60; second += 1) {
    for (const keeper of [one, two, three]) {
      // 20 requests a second in all: twice as many as may come.
      for (let request = 0; request < 7 && keeper.refusal(payer) === undefined; request += 1) {
        letIn += 1;
        await keeper.share(payer);
        keeper.spend(payer, 1);
      }
    }
    clock.ms += 999;
  }
  await share();
  expect(letIn).toBeGreaterThanOrEqual(600);
  // Less than a hundredth and two requests each.
  expect(letIn).toBeLessThan(600 + 3 * (6 + 2));
});

test('a hundredth of the requests of a minute is added with the next request', async () => {
  const { keeper, share, calls } = world({ budget: 0, requests: 500 });
  await share();
  calls();
  for (let request = 0; request < 4; request += 1) keeper.spend(payer, 7);
  await share();
  expect(calls()).toEqual([]);
  keeper.spend(payer, 7);
  await share();
  expect(calls()).toEqual(['add 35']);
});

test('tokens in web pages may send half as many requests, apart', async () => {
  const { keeper, share } = world({ budget: 0, requests: 10 });
  await share();
  for (let request = 0; request < 5; request += 1) keeper.spend(publishedPayer, 1);
  expect(keeper.refusal(publishedPayer)).toEqual({ of: 'requests', seconds: 60 });
  expect(keeper.refusal(payer)).toBeUndefined();
});

test('organizations are apart', async () => {
  const { keeper, share } = world({ budget: 10 });
  keeper.spend(payer, 10);
  await share();
  expect(secondsOf(keeper, { ...payer, organization: 'globex' })).toBeUndefined();
});

test('tokens in web pages have half of the budget, and leave the other tokens theirs', async () => {
  const { keeper, share, own, clock } = world({ budget: 1000 });
  await share();
  keeper.spend(publishedPayer, 499);
  expect(secondsOf(keeper, publishedPayer)).toBeUndefined();
  keeper.spend(publishedPayer, 1);
  expect(secondsOf(keeper, publishedPayer)).toBe(60);
  expect(secondsOf(keeper)).toBeUndefined();
  keeper.spend(payer, 1000);
  own.set(organization, 100);
  clock.ms += budgetMinuteMs;
  await keeper.share(publishedPayer);
  clock.ms += budgetMinuteMs;
  keeper.spend(publishedPayer, 49);
  expect(secondsOf(keeper, publishedPayer)).toBeUndefined();
  keeper.spend(publishedPayer, 1);
  expect(secondsOf(keeper, publishedPayer)).toBe(60);
});

test('a budget of its own is learned once a minute', async () => {
  const { keeper, share, own, clock, calls } = world({ budget: 1000 });
  await share();
  own.set(organization, 10);
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
  ['of the deployment', 0, undefined],
  ['of its own', 1000, 0],
])('a budget %s that is 0 is none: nothing is added', async (_, budget, itsOwn) => {
  const { keeper, share, own, clock, calls } = world({ budget });
  if (itsOwn !== undefined) own.set(organization, itsOwn);
  await share();
  calls();
  for (let request = 0; request < 5; request += 1) {
    keeper.spend(payer, 1_000_000);
    clock.ms += shareEveryMs;
    await share();
  }
  expect(secondsOf(keeper)).toBeUndefined();
  expect(calls()).toEqual([]);
});

test('where the deployment has none, one organization can have its own', async () => {
  const { keeper, share, own } = world({ budget: 0 });
  own.set(organization, 10);
  await share();
  keeper.spend(payer, 10);
  expect(secondsOf(keeper)).toBe(60);
});

test.each<Fate>(['throttled', 'arrives unanswered', 'never arrives'])(
  'calls that fail (%s) let requests pass, and are logged once until they succeed',
  async (fate) => {
    const { keeper, share, clock, state, warnings } = world({ budget: 1_000_000 });
    const seconds = async (count: number) => {
      for (let i = 0; i < count; i += 1) {
        keeper.spend(payer, 1);
        clock.ms += shareEveryMs;
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
    waitMs: fc.oneof(fc.nat(400), fc.nat(2000), fc.constant(30_000)),
    fate: fc.constantFrom<Fate>(...fates, 'answered', 'answered'),
  }),
  { maxLength: 40 },
);

test('nothing that was spent is lost or added twice, but for calls that never arrived; and nobody is refused before', async () => {
  const budget = 500;
  await fc.assert(
    fc.asyncProperty(actions, async (steps) => {
      const { keepers, clock, share, sums, state, calls } = world({ budget, functions: 3 });
      const spent = [0, 0, 0];
      const added = [0, 0, 0];
      const sharedAt = [-Infinity, -Infinity, -Infinity];
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
          // At most once a second, unless it is much.
          const isLate = clock.ms - Number(sharedAt[nth]) >= shareEveryMs;
          expect(isLate || gathered >= budget / 100).toBe(true);
          if (state.fate !== 'throttled') added[nth] = Number(added[nth]) + Number(sum);
        }
        if (sum !== undefined || clock.ms - Number(sharedAt[nth]) >= shareEveryMs) sharedAt[nth] = clock.ms;
        return keeper;
      };
      for (const { nth, spends, waitMs, fate } of steps) {
        clock.ms += waitMs;
        state.fate = fate;
        const keeper = await stepOf(nth, spends);
        const minute = Math.floor(clock.ms / budgetMinuteMs);
        const inMinute = (sums.get(minute) ?? 0) + (state.lostIn.get(minute) ?? 0);
        const spentInIt = inMinute + Number(spent[nth]) - Number(added[nth]);
        if (secondsOf(keeper) !== undefined) expect(spentInIt).toBeGreaterThanOrEqual(budget);
        // Whoever has just been told of it refuses.
        if (fate === 'answered' && sharedAt[nth] === clock.ms && (sums.get(minute) ?? 0) >= budget) {
          expect(secondsOf(keeper)).toBeGreaterThan(0);
        }
      }
      state.fate = 'answered';
      clock.ms += shareEveryMs;
      for (const nth of keepers.keys()) await stepOf(nth, []);
      const stored = [...sums.values()].reduce((sum, each) => sum + each, 0);
      expect(stored + state.lost).toBe(spent.reduce((sum, each) => sum + each, 0));
    }),
  );
});
