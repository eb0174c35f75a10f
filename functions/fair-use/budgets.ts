/**
 * The spending of each organization in a minute, in money and in requests: gathered in memory or reserved ahead, added up in the
 * table by all functions, and who is refused.
 */
import type { Logger } from '@aws-lambda-powertools/logger';
import { type BudgetStore, type Payer, type Spent, Throttled } from '../domain/stores.ts';
import { budgetCallMs, budgetMinuteMs } from '../timing.ts';
import {
  type Account,
  accountsOf,
  difference,
  isAddedAtOnce,
  isDue,
  isLimited,
  isNearLimit,
  isReserved,
  learnSums,
  limitsOf,
  nothing,
  sum,
  usedUpIn,
} from './account.ts';

/** What a payer has used up, and for how long. */
export interface Refusal {
  of: keyof Spent;
  /** Until the minute ends. */
  seconds: number;
}

export type Budgets = ReturnType<typeof budgetsOf>;

export interface BudgetDependencies {
  /** What an organization may spend in a minute that has no budget of its own; 0 for no limit. */
  limits: Spent;
  /** The database's time: all functions have the same minute. */
  now: () => Date;
  /** The store for one request, whose calls `signal` aborts. */
  store: (signal: AbortSignal) => BudgetStore;
  /** Told when its calls begin to fail, and not again until they succeeded. */
  logger: Pick<Logger, 'warn'>;
}

/** The budgets of all organizations as one running function knows them. */
export function budgetsOf({ limits, now, store, logger }: BudgetDependencies) {
  const accountAt = accountsOf(limits);
  const accountOf = (payer: Payer) => accountAt(payer, now().getTime());
  const calls = callsOf(store, logger);
  const addAndLearn = async (payer: Payer, account: Account) => {
    await calls.attempt(async (ours) => {
      const both = [learnLimits(ours, limits, payer, account), addGathered(ours, payer, account)];
      await Promise.allSettled(both);
      await Promise.all(both);
    });
  };

  return {
    /**
     * Looks into memory only.
     * @returns undefined where the payer is within its limits
     */
    refusal(payer: Payer): Refusal | undefined {
      const usedUp = usedUpIn(accountOf(payer));
      return usedUp && refusalAt(now().getTime(), usedUp);
    },

    /**
     * Returns true when a request waits for `share` before it is let in, and is refused by its sum: near a limit, unless
     * calls fail. Looks into memory only.
     */
    waitsForSum(payer: Payer): boolean {
      return !calls.areFailing() && isNearLimit(accountOf(payer));
    },

    /** Counts a request and its cost in nanodollars, without the part that it reserved. */
    spend(payer: Payer, nanodollars: number): void {
      const account = accountOf(payer);
      if (!isLimited(account)) return;
      account.gathered = sum(account.gathered, { spent: nanodollars, requests: 1 });
    },

    /** Returns true when a cost, in nanodollars, is so large that it is reserved before it arises. */
    mustReserve(payer: Payer, nanodollars: number): boolean {
      return isReserved(accountOf(payer), nanodollars);
    },

    /**
     * Adds a cost to the spending of all functions before it arises, unless they have used up the limit. It takes half a second at
     * most. When the call fails, the cost counts as reserved, and nobody is refused.
     * @returns undefined when it is reserved
     */
    async reserve(payer: Payer, nanodollars: number): Promise<Refusal | undefined> {
      const at = now().getTime();
      const account = accountAt(payer, at);
      if (usedUpIn(account) === undefined) {
        const outcome = await calls.attempt((ours) => addReserved(ours, payer, account, nanodollars));
        if (outcome !== 'refused') return undefined;
      }
      return refusalAt(at, usedUpIn(account) ?? 'spent');
    },

    /**
     * Adds what was spent here to what all functions spent, and learns these sums and the payer's limits, if it was not done
     * within the last second. For beside the calls of a request, which may be answered once it has ended: it takes half a
     * second at most.
     * @returns never with an error: a request does not fail by it
     */
    share(payer: Payer): Promise<void> {
      const at = now().getTime();
      const account = accountAt(payer, at);
      if (isDue(account, at)) {
        account.sharedAt = at;
        account.sharing = addAndLearn(payer, account);
      }
      return account.sharing;
    },

    /** Does the same at once when a request that has ended cost much, in nanodollars, unless calls fail. */
    async shareMuch(payer: Payer, nanodollars: number): Promise<void> {
      const account = accountOf(payer);
      if (isAddedAtOnce(account, nanodollars) && !calls.areFailing()) await addAndLearn(payer, account);
    },
  };
}

/** The calls of one running function, whose failures nobody sees but the log. */
function callsOf(store: BudgetDependencies['store'], logger: BudgetDependencies['logger']) {
  let areFailing = false;
  return {
    areFailing: () => areFailing,
    /** @returns undefined where they failed */
    async attempt<Result>(make: (store: BudgetStore) => Promise<Result>): Promise<Result | undefined> {
      try {
        const result = await make(store(AbortSignal.timeout(budgetCallMs)));
        areFailing = false;
        return result;
      } catch (error) {
        // Its name only: an error of the SDK can carry an item.
        const reason = error instanceof Error ? error.name : 'unknown';
        if (!areFailing) {
          logger.warn('Budgets can neither be read nor added to: no request waits for that', { reason });
        }
        areFailing = true;
        return undefined;
      }
    },
  };
}

function refusalAt(at: number, of: keyof Spent): Refusal {
  return { of, seconds: Math.ceil((budgetMinuteMs - (at % budgetMinuteMs)) / 1000) };
}

/** Once a minute: whether the organization has a budget of its own. */
async function learnLimits(store: BudgetStore, usual: Spent, payer: Payer, account: Account): Promise<void> {
  const { minute } = account;
  if (account.limitsReadIn === minute) return;
  const spent = (await store.findBudget(payer.organization)) ?? usual.spent;
  account.limits = limitsOf({ ...usual, spent }, payer);
  account.limitsReadIn = minute;
  if (!isLimited(account)) Object.assign(account, { gathered: nothing, left: nothing });
}

async function addGathered(store: BudgetStore, payer: Payer, account: Account): Promise<void> {
  if (!isLimited(account)) return;
  const { minute, limits } = account;
  const added = sum(account.gathered, account.left);
  Object.assign(account, { gathered: nothing, left: nothing, known: sum(account.known, added) });
  try {
    const budget = Number.isFinite(limits.spent) ? limits.spent : 0;
    const sums =
      added.spent > 0
        ? await store.addSpending(payer, minute, { ...added, budget })
        : await store.findSpending(payer, minute);
    learnSums(account, minute, sums);
  } catch (error) {
    // Nothing was added. Otherwise it has probably arrived, and is not added twice.
    if (error instanceof Throttled) {
      account.left = sum(account.left, added);
      if (account.minute === minute) account.known = difference(account.known, added);
    }
    throw error;
  }
}

async function addReserved(store: BudgetStore, payer: Payer, account: Account, nanodollars: number) {
  const { minute, limits } = account;
  const added = { spent: nanodollars, requests: 0 };
  try {
    const sums = await store.reserveSpending(payer, minute, { ...added, budget: limits.spent });
    learnSums(account, minute, sums ?? { ...nothing, spent: limits.spent });
    return sums ? 'reserved' : 'refused';
  } catch (error) {
    // As above.
    if (error instanceof Throttled) account.left = sum(account.left, added);
    else if (account.minute === minute) account.known = sum(account.known, added);
    throw error;
  }
}
