/**
 * What each organization spends in a minute, in money and in requests: gathered in memory, added up in the table by all
 * functions, and who is refused.
 */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { BudgetStore, Payer, Spent } from '../domain/stores.ts';
import { Throttled } from '../domain/throttled.ts';
import { budgetCallMs, budgetMinuteMs, shareEveryMs } from '../timing.ts';

const measures = ['spent', 'requests'] as const satisfies readonly (keyof Spent)[];

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

/** What one running function knows of a payer. */
interface Account {
  /** Minutes since the epoch. */
  minute: number;
  /** Spent in that minute by all functions, as far as it was told, and by this one as far as it was added. */
  known: Spent;
  /** Spent here in that minute and not added yet. */
  gathered: Spent;
  /** Spent here before and not added yet: it refuses nobody until it is, or whoever spent too much would never come in again. */
  left: Spent;
  /** When it was added last, in milliseconds. */
  sharedAt: number;
  /** Infinite for none. */
  limits: Spent;
  /** The minute in which they were read. */
  limitsReadIn: number | undefined;
}

/** What is gathered is added at once when it is that part of a limit: no more than that and a request is lost with a function. */
const largePart = 1 / 100;

const nothing: Spent = { spent: 0, requests: 0 };

/** The budgets of all organizations as one running function knows them. */
export function budgetsOf({ limits, now, store, logger }: BudgetDependencies) {
  // By organization and budget; some hundred bytes for each that this function ever served.
  const accounts = new Map<string, Account>();
  let isFailing = false;

  /** As it is at a time: what is known of a minute ends with it, and what was not added is added to the next. */
  const accountOf = (payer: Payer, at: number): Account => {
    const minute = Math.floor(at / budgetMinuteMs);
    const key = `${payer.organization} ${payer.budget}`;
    const account = accounts.get(key) ?? {
      minute,
      known: nothing,
      gathered: nothing,
      left: nothing,
      sharedAt: Number.NEGATIVE_INFINITY,
      limits: limitsOf(limits, payer),
      limitsReadIn: undefined,
    };
    accounts.set(key, account);
    if (account.minute !== minute) {
      const left = sum(account.left, account.gathered);
      Object.assign(account, { minute, known: nothing, gathered: nothing, left });
    }
    return account;
  };

  return {
    /**
     * Looks into memory only.
     * @returns undefined where the payer is within its limits
     */
    refusal(payer: Payer): Refusal | undefined {
      const at = now().getTime();
      const { minute, known, gathered, limits } = accountOf(payer, at);
      const used = sum(known, gathered);
      const usedUp = measures.find((measure) => used[measure] >= limits[measure]);
      return usedUp && { of: usedUp, seconds: Math.ceil(((minute + 1) * budgetMinuteMs - at) / 1000) };
    },

    /** Counts a request, and what it has cost in nanodollars. */
    spend(payer: Payer, nanodollars: number): void {
      const account = accountOf(payer, now().getTime());
      if (!isLimited(account)) return;
      account.gathered = sum(account.gathered, { spent: nanodollars, requests: 1 });
    },

    /**
     * Adds what was spent here to what all functions spent, and learns these sums and the payer's limits, if it was not done
     * within the last second. For beside the calls of a request, which may be answered once it has ended: it takes half a
     * second at most.
     * @returns never with an error: a request does not fail by it
     */
    async share(payer: Payer): Promise<void> {
      const at = now().getTime();
      const account = accountOf(payer, at);
      if (!isDue(account, at)) return;
      account.sharedAt = at;
      const ours = store(AbortSignal.timeout(budgetCallMs));
      const outcomes = await Promise.allSettled([
        learnLimits(ours, limits, payer, account),
        addGathered(ours, payer, account),
      ]);
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed && !isFailing) {
        // Its name only: an error of the SDK can carry an item.
        const reason = failed.reason instanceof Error ? failed.reason.name : 'unknown';
        logger.warn('Budgets can neither be read nor added to: no request waits for that', { reason });
      }
      isFailing = failed !== undefined;
    },
  };
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
      added.requests > 0
        ? await store.addSpending(payer, minute, { ...added, budget })
        : await store.findSpending(payer, minute);
    // Within a minute they only grow.
    if (account.minute === minute) account.known = both(Math.max, account.known, sums);
  } catch (error) {
    // Nothing was added. Otherwise it has probably arrived, and is not added twice.
    if (error instanceof Throttled) {
      account.left = sum(account.left, added);
      if (account.minute === minute) account.known = both((a, b) => a - b, account.known, added);
    }
    throw error;
  }
}

function isLimited({ limits }: Account): boolean {
  return measures.some((measure) => Number.isFinite(limits[measure]));
}

function isDue({ sharedAt, gathered, left, limits }: Account, at: number): boolean {
  const unshared = sum(gathered, left);
  const isMuch = measures.some((measure) => unshared[measure] >= limits[measure] * largePart);
  return Math.abs(at - sharedAt) >= shareEveryMs || isMuch;
}

function limitsOf({ spent, requests }: Spent, { share }: Payer): Spent {
  const limitOf = (limit: number) => (limit === 0 ? Number.POSITIVE_INFINITY : limit * share);
  return { spent: limitOf(spent), requests: limitOf(requests) };
}

function sum(a: Spent, b: Spent): Spent {
  return both((one, other) => one + other, a, b);
}

function both(of: (a: number, b: number) => number, a: Spent, b: Spent): Spent {
  return { spent: of(a.spent, b.spent), requests: of(a.requests, b.requests) };
}
