/** A running function's knowledge of a payer's minute, and the decisions that follow from it, without a call. */
import type { Payer, Spent } from '../domain/stores.ts';
import { budgetMinuteMs, shareEveryMs } from '../timing.ts';

const measures = ['spent', 'requests'] as const satisfies readonly (keyof Spent)[];

export interface Account {
  /** Minutes since the epoch. */
  minute: number;
  /** Spent in that minute by all functions, as far as it was told, and by this one as far as it was added. */
  known: Spent;
  /** Spent here in that minute and not added yet. */
  gathered: Spent;
  /** Spent here before and not added yet: it refuses nobody until it is, or a payer who spent too much would never come in again. */
  left: Spent;
  /** When it was added last, in milliseconds. */
  sharedAt: number;
  /** Infinite for none. */
  limits: Spent;
  /** The minute in which they were read. */
  limitsReadIn: number | undefined;
  /** Settles when the call that began at `sharedAt` has ended. */
  sharing: Promise<void>;
  /** True when the last minute ran out, and no sum of this one is known. */
  isSumAwaited: boolean;
}

/** A function adds its gathered spending at once when that is this part of a limit: it loses no more than that and a request when it ends. */
const largePart = 1 / 100;

/**
 * A cost that is known before it arises is reserved when it is more than that part of the limit. Then 1,000 functions, each with
 * one request whose cost nobody knows yet, let in no more than a second budget.
 */
const reservedPart = 1 / 1000;

/** The cost of a request is added before its answer leaves when it is this part of the limit. */
const addedAtOncePart = 1 / 2000;

/** From that part of a limit on, a function waits for the sum before it lets a request in. */
const watchedPart = 1 / 2;

export const nothing: Spent = { spent: 0, requests: 0 };

/**
 * Returns the accounts of one running function.
 * @param usual limits of an organization without its own
 */
export function accountsOf(usual: Spent): (payer: Payer, at: number) => Account {
  // By organization and budget; some hundred bytes for each that this function ever served.
  const accounts = new Map<string, Account>();
  /** Returns the account at a time. A new minute forgets the sums of the last, and takes over the spending that was not added. */
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
 * Returns true when a request waits for the sum before it is let in: the last minute ran out and this one has no sum yet, or half
 * of a limit is used.
 */
export function isNearLimit(account: Account): boolean {
  return account.isSumAwaited || usedUpIn(account, watchedPart) !== undefined;
}

/** Returns true when this function's spending is to be added. */
export function isDue(account: Account, at: number): boolean {
  const { minute, sharedAt, gathered, left, limits, isSumAwaited } = account;
  const unshared = sum(gathered, left);
  const isMuch = measures.some((measure) => unshared[measure] >= limits[measure] * largePart);
  const isFirstSum = isSumAwaited && sharedAt < minute * budgetMinuteMs;
  return Math.abs(at - sharedAt) >= shareEveryMs || isMuch || isFirstSum;
}

/** Returns true when a cost, in nanodollars, is reserved before it arises. */
export function isReserved({ limits }: Account, nanodollars: number): boolean {
  return nanodollars > limits.spent * reservedPart;
}

/** Returns true when the cost of a request, in nanodollars, is added before its answer leaves. */
export function isAddedAtOnce({ limits }: Account, nanodollars: number): boolean {
  return nanodollars >= limits.spent * addedAtOncePart;
}

export function isLimited({ limits }: Account): boolean {
  return measures.some((measure) => Number.isFinite(limits[measure]));
}

/** Notes the sums of a minute, which only grow, unless it has ended. */
export function learnSums(account: Account, minute: number, sums: Spent): void {
  if (account.minute !== minute) return;
  account.known = both(Math.max, account.known, sums);
  account.isSumAwaited = false;
}

/** Returns the limits of a payer: its share of an organization's. */
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
