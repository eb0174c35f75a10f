/** A payer's minute as one running function knows it, and the decisions that follow from it without a call. */
import type { Payer, Spent } from '../domain/stores.ts';
import { budgetMinuteMs, shareEveryMs } from '../timing.ts';

const measures = ['spent', 'requests'] as const satisfies readonly (keyof Spent)[];

export interface Account {
  /** Minutes since the epoch. */
  minute: number;
  /** The last known sum of all functions in that minute, plus the spending that this function has added since. */
  known: Spent;
  /** This function's spending in that minute that it has not added yet. */
  gathered: Spent;
  /** Spending of earlier minutes that it has not added yet. Refuses no request until it is added: otherwise a large sum would block forever. */
  left: Spent;
  /** The time of the last addition, in milliseconds. */
  sharedAt: number;
  /** Infinity for no limit. */
  limits: Spent;
  /** The minute of the last read of the limits. */
  limitsReadIn: number | undefined;
  /** Settles when the call of `sharedAt` has ended. */
  sharing: Promise<void>;
  /** True if the last minute used up a limit and no sum of this minute is known. */
  isSumAwaited: boolean;
}

/** A function adds its gathered spending at once from this part of a limit on. If it stops, it loses at most this and one request. */
const largePart = 1 / 100;

/**
 * A cost that is known in advance is reserved above this part of the limit. Then 1,000 functions, each with one request of
 * unknown cost, admit at most a second budget.
 */
const reservedPart = 1 / 1000;

/** From this part of the limit on, the cost of a request is added before its response leaves. */
const addedAtOncePart = 1 / 2000;

/** From this part of a limit on, a function waits for the sum before it admits a request. */
const watchedPart = 1 / 2;

export const nothing: Spent = { spent: 0, requests: 0 };

/**
 * Returns the accounts of one running function.
 * @param usual the limits of an organization without its own budget
 */
export function accountsOf(usual: Spent): (payer: Payer, at: number) => Account {
  // By organization and budget: some hundred bytes for each payer that this function has served.
  const accounts = new Map<string, Account>();
  /** Returns the account at a time. A new minute drops the sums of the last one and keeps the spending that was not added. */
  return (payer, at) => {
    const minute = Math.floor(at / budgetMinuteMs);
    const key = `${payer.organization} ${payer.budget}`;
    const account = accounts.get(key) ?? {
      minute,
      known: nothing,
      gathered: nothing,
      left: nothing,
      sharedAt: Number.NEGATIVE_INFINITY,
      limits: limitsOf(usual, payer),
      limitsReadIn: undefined,
      sharing: Promise.resolve(),
      isSumAwaited: false,
    };
    accounts.set(key, account);
    if (account.minute !== minute) {
      const left = sum(account.left, account.gathered);
      const isSumAwaited = usedUpIn(account) !== undefined;
      Object.assign(account, { minute, known: nothing, gathered: nothing, left, isSumAwaited });
    }
    return account;
  };
}

/** Returns the first measure whose limit, or this part of it, is used up. */
export function usedUpIn({ known, gathered, limits }: Account, part = 1): keyof Spent | undefined {
  const used = sum(known, gathered);
  return measures.find((measure) => used[measure] >= limits[measure] * part);
}

/**
 * Returns true if a request waits for the sum: the last minute used up a limit and this one has no sum yet, or half of a limit
 * is used up.
 */
export function isNearLimit(account: Account): boolean {
  return account.isSumAwaited || usedUpIn(account, watchedPart) !== undefined;
}

/** Returns true if this function should add its spending now. */
export function isDue(account: Account, at: number): boolean {
  const { minute, sharedAt, gathered, left, limits, isSumAwaited } = account;
  const unshared = sum(gathered, left);
  const isMuch = measures.some((measure) => unshared[measure] >= limits[measure] * largePart);
  const isFirstSum = isSumAwaited && sharedAt < minute * budgetMinuteMs;
  return Math.abs(at - sharedAt) >= shareEveryMs || isMuch || isFirstSum;
}

/** Returns true if a cost in nanodollars is reserved in advance. */
export function isReserved({ limits }: Account, nanodollars: number): boolean {
  return nanodollars > limits.spent * reservedPart;
}

/** Returns true if the cost of a request in nanodollars is added before its response leaves. */
export function isAddedAtOnce({ limits }: Account, nanodollars: number): boolean {
  return nanodollars >= limits.spent * addedAtOncePart;
}

export function isLimited({ limits }: Account): boolean {
  return measures.some((measure) => Number.isFinite(limits[measure]));
}

/** Stores the sums of a minute, which only grow. Ignores an earlier minute. */
export function learnSums(account: Account, minute: number, sums: Spent): void {
  if (account.minute !== minute) return;
  account.known = both(Math.max, account.known, sums);
  account.isSumAwaited = false;
}

/** Returns the limits of a payer: its share of the organization's limits. */
export function limitsOf({ spent, requests }: Spent, { share }: Payer): Spent {
  const limitOf = (limit: number) => (limit === 0 ? Number.POSITIVE_INFINITY : limit * share);
  return { spent: limitOf(spent), requests: limitOf(requests) };
}

export function sum(a: Spent, b: Spent): Spent {
  return both((one, other) => one + other, a, b);
}

export function difference(a: Spent, b: Spent): Spent {
  return both((one, other) => one - other, a, b);
}

function both(of: (a: number, b: number) => number, a: Spent, b: Spent): Spent {
  return { spent: of(a.spent, b.spent), requests: of(a.requests, b.requests) };
}
