/** The store of budgets and spending. */
import type { Payer } from '../domain/payer.ts';

/** The cost of a minute's requests in nanodollars, their number, and the cost of the day (UTC) so far. */
export interface SpendingSums {
  spent: number;
  requests: number;
  day: number;
}

/** The spending of a minute, and the budget of that minute in nanodollars; 0 for no limit. */
export interface MinuteSpending extends Omit<SpendingSums, 'day'> {
  budget: number;
}

/** An organization's own budgets in nanodollars, 0 for no limit. */
export interface OwnBudgets {
  budget?: number | undefined;
  dailyBudget?: number | undefined;
}

/** The spending of all functions. Minutes are counted from the epoch; amounts are in nanodollars. */
export interface BudgetStore {
  /**
   * Adds to the spending of a payer in a minute.
   * @returns the sums; the day's sum is 0 until `addUpDay` has been called in that minute
   * @throws {Throttled} if nothing was added; after any other error the spending may have been added
   */
  addSpending(payer: Payer, minute: number, spending: MinuteSpending): Promise<SpendingSums>;

  /**
   * Adds to the spending if it is below an amount in nanodollars.
   * @returns undefined if it has reached the amount
   * @throws {Throttled} if nothing was added; after any other error the spending may have been added
   */
  reserveSpending(
    payer: Payer,
    minute: number,
    spending: MinuteSpending,
    below: number,
  ): Promise<SpendingSums | undefined>;

  /** Returns the sums of a minute. */
  findSpending(payer: Payer, minute: number): Promise<SpendingSums>;

  /** Adds up the earlier minutes of the day, and keeps the result with the sums of this minute. */
  addUpDay(payer: Payer, minute: number): Promise<number>;

  findBudgets(organization: string): Promise<OwnBudgets>;
}
