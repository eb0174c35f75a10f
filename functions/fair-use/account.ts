/**
 * A payer's spending in the current minute and day, as one running function knows it, and the decisions that
 * need no call.
 */
import type { Payer } from '../domain/payer.ts';
import { budgetMinuteMs, minutesOfDay, syncEveryMs } from '../timing.ts';
import type { SpendingSums } from './budget-store.ts';

const measures = ['day', 'spent', 'requests'] as const satisfies readonly (keyof SpendingSums)[];

export interface Account {
  /** Minutes since 1970. */
  minute: number;
  /**
   * The sums of all functions in that minute when this function last read them, plus this function's
   * additions since.
   */
  knownSum: SpendingSums;
  /** The spending of this function in that minute that is not in the sum yet. */
  gathered: SpendingSums;
  /**
   * The spending of this function in earlier minutes that is not in the sum yet. It does not count towards a
   * refusal until it is added. Otherwise a large amount would block the organization forever.
   */
  carriedOver: SpendingSums;
  /** The time at which this function last added its spending, in milliseconds. */
  syncedAt: number;
  /** Infinity for no limit. */
  limits: SpendingSums;
  /** The minute of the last read of the limits. */
  limitsReadIn: number | undefined;
  /** Settles when the calls of `syncedAt` have ended. */
  syncing: Promise<void>;
  /** True if a limit was used up last minute and the sum of this minute is unknown. */
  isSumAwaited: boolean;
}

/**
 * A function adds gathered spending to the sum at once when it reaches this share of a limit. A function that
 * stops loses at most this share and one request.
 */
const gatheredShare = 1 / 100;

/** From these shares of a limit on, a request waits for the current sum before it is admitted. */
const watchedShares: SpendingSums = { spent: 1 / 2, requests: 1 / 2, day: 19 / 20 };

export const fullShares: SpendingSums = { spent: 1, requests: 1, day: 1 };

/**
 * Photos and recordings cost so much that a few requests can use up a limit. They may use half of the money.
 * The other half is for texts and walls.
 */
export const mediaShares: SpendingSums = { spent: 1 / 2, requests: 1, day: 1 / 2 };

export const noSpending: SpendingSums = { spent: 0, requests: 0, day: 0 };

/** Returns the first minute of the same day (UTC). */
export const startOfDay = (minute: number) => minute - (minute % minutesOfDay);

/**
 * Returns the accounts of one running function.
 * @param usual the limits of an organization without its own budget
 */
export function accountsOf(usual: SpendingSums): (payer: Payer, at: number) => Account {
  // By organization and budget, with some hundred bytes per payer.
  const accounts = new Map<string, Account>();
  // A new minute drops the sums of the last one, except the day's, and carries over the spending that is not
  // added yet.
  return (payer, at) => {
    const minute = Math.floor(at / budgetMinuteMs);
    const key = `${payer.organization} ${payer.budget}`;
    const account = accounts.get(key) ?? {
      minute,
      knownSum: noSpending,
      gathered: noSpending,
      carriedOver: noSpending,
      syncedAt: Number.NEGATIVE_INFINITY,
      limits: limitsOf(usual, payer),
      limitsReadIn: undefined,
      syncing: Promise.resolve(),
      isSumAwaited: false,
    };
    accounts.set(key, account);
    if (account.minute !== minute) {
      const carriedOver = sum(account.carriedOver, account.gathered);
      const isSumAwaited = usedUpIn(account) !== undefined;
      const day = startOfDay(account.minute) === startOfDay(minute) ? account.knownSum.day : 0;
      const knownSum = { ...noSpending, day };
      Object.assign(account, { minute, knownSum, gathered: noSpending, carriedOver, isSumAwaited });
    }
    return account;
  };
}

/** Returns the first limit for which the spending has reached the given share; undefined if none has. */
export function usedUpIn(
  { knownSum, gathered, limits }: Account,
  shares = fullShares,
): keyof SpendingSums | undefined {
  const used = sum(knownSum, gathered);
  return measures.find((measure) => used[measure] >= limits[measure] * shares[measure]);
}

/**
 * True if a request must wait for the sum: half of a minute's limit or most of the day's is used up, or a
 * limit was used up last minute and the sum of this minute is unknown.
 */
export function isNearLimit(account: Account): boolean {
  return account.isSumAwaited || usedUpIn(account, watchedShares) !== undefined;
}

/** True if this function should add its spending now. */
export function isDue(account: Account, at: number): boolean {
  const { minute, syncedAt, gathered, carriedOver, limits, isSumAwaited } = account;
  const unsynced = sum(gathered, carriedOver);
  const isMuch = measures.some((measure) => unsynced[measure] >= limits[measure] * gatheredShare);
  const isFirstSum = isSumAwaited && syncedAt < minute * budgetMinuteMs;
  return Math.abs(at - syncedAt) >= syncEveryMs || isMuch || isFirstSum;
}

export function isLimited({ limits }: Account): boolean {
  return measures.some((measure) => Number.isFinite(limits[measure]));
}

/** Updates the known sums, which only grow within a minute. Ignores sums of an earlier minute. */
export function mergeKnownSums(account: Account, minute: number, sums: SpendingSums): void {
  if (account.minute !== minute) return;
  account.knownSum = both(Math.max, account.knownSum, sums);
  account.isSumAwaited = false;
}

/** Returns a payer's share of the organization's limits. */
export function limitsOf(limits: SpendingSums, { share }: Payer): SpendingSums {
  const limitOf = (limit: number) => (limit === 0 ? Number.POSITIVE_INFINITY : limit * share);
  return both(limitOf, limits, limits);
}

export function sum(a: SpendingSums, b: SpendingSums): SpendingSums {
  return both((one, other) => one + other, a, b);
}

export function difference(a: SpendingSums, b: SpendingSums): SpendingSums {
  return both((one, other) => one - other, a, b);
}

function both(combine: (a: number, b: number) => number, a: SpendingSums, b: SpendingSums): SpendingSums {
  return {
    spent: combine(a.spent, b.spent),
    requests: combine(a.requests, b.requests),
    day: combine(a.day, b.day),
  };
}
