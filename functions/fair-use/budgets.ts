/**
 * Enforces the limits of organizations: money and requests per minute, and money per day. Each function
 * gathers its spending in memory, or reserves it in advance. All functions add their spending to one sum per
 * minute in the table.
 */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Payer } from '../domain/payer.ts';
import { Throttled } from '../dynamodb/throttled.ts';
import { budgetCallMs, budgetMinuteMs, minutesOfDay } from '../timing.ts';
import {
  type Account,
  accountsOf,
  difference,
  fullShares,
  isDue,
  isLimited,
  isNearLimit,
  limitsOf,
  mergeKnownSums,
  noSpending,
  startOfDay,
  sum,
  usedUpIn,
} from './account.ts';
import type { BudgetStore, SpendingSums } from './budget-store.ts';

/** The limit that a payer has used up. */
export interface LimitExceeded {
  of: keyof SpendingSums;
  /** The seconds until the minute or the day ends. */
  seconds: number;
}

export type Budgets = ReturnType<typeof budgetsOf>;

export interface BudgetDependencies {
  /** The limits of an organization without its own budgets; 0 for no limit. */
  limits: SpendingSums;
  /** The database's time, so that all functions have the same minute. */
  now: () => Date;
  /** Returns the store for one request, whose calls `signal` aborts. */
  store: (signal: AbortSignal) => BudgetStore;
  /** Receives one warning when calls begin to fail. */
  logger: Pick<Logger, 'warn'>;
}

/**
 * A cost that is known in advance is reserved if it is above this share of the limit. So 1,000 functions with
 * one unreserved request each overspend by one budget at most.
 */
const reservedShare = 1 / 1000;

/** From this share of the limit on, the cost of a request is added before its response is sent. */
const addedAtOnceShare = 1 / 2000;

/**
 * When a minute's cost reaches this share of the day's limit, one function adds up the day. All minutes below
 * it together cost at most a seventh of the limit.
 */
const addedUpShare = 1 / 10_000;

/** Returns the budgets of all organizations as one running function knows them. */
export function budgetsOf({ limits, now, store, logger }: BudgetDependencies) {
  const accountAt = accountsOf(limits);
  const accountOf = (payer: Payer) => accountAt(payer, now().getTime());
  const calls = callsOf(store, logger);
  const addAndLearn = async (payer: Payer, account: Account) => {
    await calls.attempt(async (requestStore) => {
      const both = [
        learnLimits(requestStore, limits, payer, account),
        addGathered(requestStore, payer, account),
      ];
      await Promise.allSettled(both);
      await Promise.all(both);
    });
  };

  return {
    /**
     * Returns the limit that the payer has used up. Decides from memory only.
     * @param shares the shares of the limits that the request may use
     * @returns undefined if the payer is within its limits
     */
    refusal(payer: Payer, shares = fullShares): LimitExceeded | undefined {
      const account = accountOf(payer);
      const usedUp = usedUpIn(account, shares);
      // Once a minute a request waits for the day's limit, which an operator may have raised.
      if (usedUp === 'day' && account.isSumAwaited) return undefined;
      return usedUp && refusalAt(now().getTime(), usedUp);
    },

    /**
     * True if a request must wait for `syncSpending`, because it is near a limit and the new sum may refuse
     * it. False while calls fail. Decides from memory only.
     */
    waitsForSum(payer: Payer): boolean {
      return !calls.areFailing() && isNearLimit(accountOf(payer));
    },

    /** Counts a request and its cost in nanodollars, without the reserved part. */
    spend(payer: Payer, nanodollars: number): void {
      const account = accountOf(payer);
      if (!isLimited(account)) return;
      account.gathered = sum(account.gathered, { spent: nanodollars, requests: 1, day: nanodollars });
    },

    /** True if a cost in nanodollars is so large that it must be reserved. */
    mustReserve(payer: Payer, nanodollars: number): boolean {
      return nanodollars > smallestOf(accountOf(payer)) * reservedShare;
    },

    /**
     * Adds a cost to the sum in advance, unless the limit is used up. Takes at most half a second. If the
     * call fails, the cost counts as reserved, so that the request continues.
     * @param shares the shares of the limits that the request may use
     * @returns undefined if the cost is reserved
     */
    async reserve(
      payer: Payer,
      nanodollars: number,
      shares = fullShares,
    ): Promise<LimitExceeded | undefined> {
      const at = now().getTime();
      const account = accountAt(payer, at);
      if (usedUpIn(account, shares) === undefined) {
        const outcome = await calls.attempt((requestStore) =>
          addReserved(requestStore, payer, account, { nanodollars, shares }),
        );
        if (outcome !== 'refused') return undefined;
      }
      return refusalAt(at, usedUpIn(account, shares) ?? 'spent');
    },

    /**
     * Adds this function's spending to the sum, and reads the sum and the payer's limits, at most once a
     * second. Runs in parallel with the request, whose response waits for it. Takes at most half a second and
     * never rejects.
     */
    syncSpending(payer: Payer): Promise<void> {
      const at = now().getTime();
      const account = accountAt(payer, at);
      if (isDue(account, at)) {
        account.syncedAt = at;
        account.syncing = addAndLearn(payer, account);
      }
      return account.syncing;
    },

    /** Adds the spending immediately after a request with a large cost in nanodollars, unless calls fail. */
    async addLargeCost(payer: Payer, nanodollars: number): Promise<void> {
      const account = accountOf(payer);
      const isMuch = nanodollars >= smallestOf(account) * addedAtOnceShare;
      if (isMuch && !calls.areFailing()) await addAndLearn(payer, account);
    },
  };
}

/** Makes the calls of one running function. Failures are only logged. */
function callsOf(store: BudgetDependencies['store'], logger: BudgetDependencies['logger']) {
  let areFailing = false;
  return {
    areFailing: () => areFailing,
    /** @returns undefined if the calls failed */
    async attempt<Result>(make: (store: BudgetStore) => Promise<Result>): Promise<Result | undefined> {
      try {
        const result = await make(store(AbortSignal.timeout(budgetCallMs)));
        areFailing = false;
        return result;
      } catch (error) {
        // Logs only the name, because an error of the SDK can contain an item.
        const reason = error instanceof Error ? error.name : 'unknown';
        if (!areFailing) {
          logger.warn('Budgets cannot be read or written, so requests are admitted without them', { reason });
        }
        areFailing = true;
        return undefined;
      }
    },
  };
}

/** Returns the smaller limit in nanodollars, of the minute or the day. */
function smallestOf({ limits }: Account): number {
  return Math.min(limits.spent, limits.day);
}

/** Returns the budget of a minute in its stored form; 0 for no limit. */
function budgetIn({ limits }: Account): number {
  return Number.isFinite(limits.spent) ? limits.spent : 0;
}

function refusalAt(at: number, of: keyof SpendingSums): LimitExceeded {
  const period = of === 'day' ? minutesOfDay * budgetMinuteMs : budgetMinuteMs;
  return { of, seconds: Math.ceil((period - (at % period)) / 1000) };
}

/** Reads the organization's own budgets, once a minute. */
async function learnLimits(
  store: BudgetStore,
  usual: SpendingSums,
  payer: Payer,
  account: Account,
): Promise<void> {
  const { minute } = account;
  if (account.limitsReadIn === minute) return;
  const { budget: spent = usual.spent, dailyBudget: day = usual.day } = await store.findBudgets(
    payer.organization,
  );
  account.limits = limitsOf({ ...usual, spent, day }, payer);
  account.limitsReadIn = minute;
  if (!isLimited(account)) Object.assign(account, { gathered: noSpending, carriedOver: noSpending });
}

async function addGathered(store: BudgetStore, payer: Payer, account: Account): Promise<void> {
  if (!isLimited(account)) return;
  const { minute } = account;
  const added = sum(account.gathered, account.carriedOver);
  const knownSum = sum(account.knownSum, added);
  Object.assign(account, { gathered: noSpending, carriedOver: noSpending, knownSum });
  const adding =
    added.spent > 0
      ? store.addSpending(payer, minute, { ...added, budget: budgetIn(account) })
      : store.findSpending(payer, minute);
  const sums = await adding.catch((error: unknown) => {
    // A throttled call added nothing. Any other failed call has probably arrived, and its spending must not
    // be added twice.
    if (error instanceof Throttled) {
      account.carriedOver = sum(account.carriedOver, added);
      if (account.minute === minute) account.knownSum = difference(account.knownSum, added);
    }
    throw error;
  });
  await learn(store, payer, account, { minute, sums, added });
}

async function addReserved(
  store: BudgetStore,
  payer: Payer,
  account: Account,
  { nanodollars, shares }: { nanodollars: number; shares: SpendingSums },
) {
  const { minute, limits } = account;
  const added = { spent: nanodollars, requests: 0, day: nanodollars };
  const charge = { ...added, budget: budgetIn(account) };
  const most = limits.spent * shares.spent;
  const adding = Number.isFinite(most)
    ? store.reserveSpending(payer, minute, charge, most)
    : store.addSpending(payer, minute, charge);
  const sums = await adding.catch((error: unknown) => {
    // As in `addGathered`.
    if (error instanceof Throttled) account.carriedOver = sum(account.carriedOver, added);
    else if (account.minute === minute) account.knownSum = sum(account.knownSum, added);
    throw error;
  });
  mergeKnownSums(account, minute, sums ?? { ...noSpending, spent: most });
  if (!sums) return 'refused';
  await learn(store, payer, account, { minute, sums, added });
  return account.knownSum.day - nanodollars < limits.day * shares.day ? 'reserved' : 'refused';
}

/**
 * Updates the known sums. Until the day's sum is known, adds up the day each time the minute's spending
 * passes another ten-thousandth of the day's limit. Afterwards every function reads it with the minute's
 * sums.
 */
async function learn(
  store: BudgetStore,
  payer: Payer,
  account: Account,
  { minute, sums, added }: { minute: number; sums: SpendingSums; added: SpendingSums },
): Promise<void> {
  mergeKnownSums(account, minute, sums);
  const stepsAt = (spent: number) => Math.floor(spent / (account.limits.day * addedUpShare));
  if (sums.day > 0 || stepsAt(sums.spent) === stepsAt(sums.spent - added.spent)) return;
  const earlier = startOfDay(minute) === minute ? 0 : await store.addUpDay(payer, minute);
  mergeKnownSums(account, minute, { ...sums, day: earlier + sums.spent });
}
