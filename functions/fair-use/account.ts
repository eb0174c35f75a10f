/** A payer's spending in the current minute as one running function knows it, and the decisions that need no call. */
import type { Payer, Spent } from '../domain/stores.ts';
import { budgetMinuteMs, shareEveryMs } from '../timing.ts';

const measures = ['spent', 'requests'] as const satisfies readonly (keyof Spent)[];

export interface Account {
  /** Minutes since the epoch. */
  minute: number;
  /** The last sum that this function read for all functions in that minute, plus its own additions since. */
  knownSum: Spent;
  /** This function's spending in that minute that it has not added to the sum yet. */
  gathered: Spent;
  /** Its spending of earlier minutes that it has not added yet. It refuses no request before, because a large one would block forever. */
  carriedOver: Spent;
  /** When this function last added its spending, in milliseconds. */
  sharedAt: number;
  /** Infinity for no limit. */
  limits: Spent;
  /** The minute of the last read of the limits. */
  limitsReadIn: number | undefined;
  /** Settles when the calls of `sharedAt` have ended. */
  sharing: Promise<void>;
  /** True if a limit was used up last minute and the sum of this minute is unknown. */
  isSumAwaited: boolean;
}

/** A function adds gathered spending at once from this share of a limit on. If it stops, it loses at most this and one request. */
const gatheredShare = 1 / 100;

/** From this share of a limit on, a function waits for the sum before it admits a request. */
const watchedShare = 1 / 2;

export const nothing: Spent = { spent: 0, requests: 0 };

/**
 * Returns the accounts of one running function.
 * @param usual the limits of an organization without its own budget
 */
export function accountsOf(usual: Spent): (payer: Payer, at: number) => Account {
  // By organization and budget, with some hundred bytes per payer.
  const accounts = new Map<string, Account>();
  // A new minute drops the sums of the last one and carries over the spending that was not added.
  return (payer, at) => {
    const minute = Math.floor(at / budgetMinuteMs);
    const key = `${payer.organization} ${payer.budget}`;
    const account = accounts.get(key) ?? {
      minute,
      knownSum: nothing,
      gathered: nothing,
      carriedOver: nothing,
      sharedAt: Number.NEGATIVE_INFINITY,
      limits: limitsOf(usual, payer),
      limitsReadIn: undefined,
      sharing: Promise.resolve(),
      isSumAwaited: false,
    };
    accounts.set(key, account);
    if (account.minute !== minute) {
      const carriedOver = sum(account.carriedOver, account.gathered);
      const isSumAwaited = usedUpIn(account) !== undefined;
      Object.assign(account, { minute, knownSum: nothing, gathered: nothing, carriedOver, isSumAwaited });
    }
    return account;
  };
}

/** Returns the first measure of which this share of the limit is used up. */
export function usedUpIn({ knownSum, gathered, limits }: Account, share = 1): keyof Spent | undefined {
  const used = sum(knownSum, gathered);
  return measures.find((measure) => used[measure] >= limits[measure] * share);
}

/**
 * Returns true if a request must wait for the sum: half of a limit is used up, or a limit was used up last minute and the sum of
 * this minute is unknown.
 */
export function isNearLimit(account: Account): boolean {
  return account.isSumAwaited || usedUpIn(account, watchedShare) !== undefined;
}

/** Returns true if this function should add its spending now. */
export function isDue(account: Account, at: number): boolean {
  const { minute, sharedAt, gathered, carriedOver, limits, isSumAwaited } = account;
  const unshared = sum(gathered, carriedOver);
  const isMuch = measures.some((measure) => unshared[measure] >= limits[measure] * gatheredShare);
  const isFirstSum = isSumAwaited && sharedAt < minute * budgetMinuteMs;
  return Math.abs(at - sharedAt) >= shareEveryMs || isMuch || isFirstSum;
}

export function isLimited({ limits }: Account): boolean {
  return measures.some((measure) => Number.isFinite(limits[measure]));
}

/** Updates the known sum, which only grows within a minute. Ignores sums of an earlier minute. */
export function learnSums(account: Account, minute: number, sums: Spent): void {
  if (account.minute !== minute) return;
  account.knownSum = both(Math.max, account.knownSum, sums);
  account.isSumAwaited = false;
}

/** Returns a payer's share of the organization's limits. */
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

function both(combine: (a: number, b: number) => number, a: Spent, b: Spent): Spent {
  return { spent: combine(a.spent, b.spent), requests: combine(a.requests, b.requests) };
}
