/** What each organization spends in a minute: gathered in memory, added up in the table by all functions, and who is refused. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { BudgetStore, Payer } from '../domain/stores.ts';
import { Throttled } from '../domain/throttled.ts';
import { budgetCallMs, budgetMinuteMs, shareEveryMs } from '../timing.ts';

/** Amounts are in nanodollars. */
export interface Budgets {
  /**
   * Looks into memory only.
   * @returns the seconds until the minute ends, if the payer has spent its budget; otherwise undefined
   */
  secondsToWait(payer: Payer): number | undefined;

  /** Gathers what a request has cost. */
  spend(payer: Payer, nanodollars: number): void;

  /**
   * Adds what was gathered to what all functions spent, and learns that sum, if it was not done within the last second. For
   * beside the calls of a request, which may be answered once it has ended: it takes half a second at most.
   * @returns never with an error: a request does not fail by it
   */
  share(payer: Payer, signal: AbortSignal): Promise<void>;
}

export interface BudgetDependencies {
  /** Of an organization that has none of its own; 0 for none. */
  budget: number;
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
  known: number;
  /** Spent here in that minute and not added yet. */
  gathered: number;
  /** Spent here before and not added yet: it refuses nobody until it is, or whoever spent too much would never come in again. */
  left: number;
  /** When it was added last, in milliseconds. */
  sharedAt: number;
  /** Infinite for none. */
  budget: number;
  /** The minute in which that was read. */
  budgetReadIn: number | undefined;
}

/** What is gathered is added at once when it is that part of a budget: no more than that and a request is lost with a function. */
const largePart = 1 / 100;

/** The budgets of all organizations as one running function knows them. */
export class BudgetKeeper implements Budgets {
  readonly #deps: BudgetDependencies;
  // By organization and budget; a hundred bytes for each that this function ever served.
  readonly #accounts = new Map<string, Account>();
  #isFailing = false;

  constructor(deps: BudgetDependencies) {
    this.#deps = deps;
  }

  secondsToWait(payer: Payer): number | undefined {
    const at = this.#deps.now().getTime();
    const { known, gathered, budget, minute } = this.#account(payer, at);
    if (known + gathered < budget) return undefined;
    return Math.ceil(((minute + 1) * budgetMinuteMs - at) / 1000);
  }

  spend(payer: Payer, nanodollars: number): void {
    const account = this.#account(payer, this.#deps.now().getTime());
    if (Number.isFinite(account.budget)) account.gathered += nanodollars;
  }

  async share(payer: Payer, signal: AbortSignal): Promise<void> {
    const at = this.#deps.now().getTime();
    const account = this.#account(payer, at);
    if (!isDue(account, at)) return;
    account.sharedAt = at;
    const store = this.#deps.store(AbortSignal.any([signal, AbortSignal.timeout(budgetCallMs)]));
    const outcomes = await Promise.allSettled([
      this.#learnBudget(store, payer, account),
      addGathered(store, payer, account),
    ]);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed && !this.#isFailing) {
      // Its name only: an error of the SDK can carry an item.
      const reason = failed.reason instanceof Error ? failed.reason.name : 'unknown';
      this.#deps.logger.warn('Budgets can neither be read nor added to: no request waits for that', {
        reason,
      });
    }
    this.#isFailing = failed !== undefined;
  }

  /** As it is at a time: what is known of a minute ends with it, and what was gathered is added to the next. */
  #account(payer: Payer, at: number): Account {
    const minute = Math.floor(at / budgetMinuteMs);
    const key = `${payer.organization} ${payer.budget}`;
    let account = this.#accounts.get(key);
    if (!account) {
      const sharedAt = Number.NEGATIVE_INFINITY;
      const budget = limitOf(this.#deps.budget, payer);
      account = { minute, known: 0, gathered: 0, left: 0, sharedAt, budget, budgetReadIn: undefined };
      this.#accounts.set(key, account);
    }
    if (account.minute !== minute) {
      const left = account.left + account.gathered;
      Object.assign(account, { minute, known: 0, gathered: 0, left });
    }
    return account;
  }

  /** Once a minute: whether the organization has a budget of its own. */
  async #learnBudget(store: BudgetStore, payer: Payer, account: Account): Promise<void> {
    const { minute } = account;
    if (account.budgetReadIn === minute) return;
    account.budget = limitOf((await store.findBudget(payer.organization)) ?? this.#deps.budget, payer);
    account.budgetReadIn = minute;
    if (!Number.isFinite(account.budget)) Object.assign(account, { gathered: 0, left: 0 });
  }
}

async function addGathered(store: BudgetStore, payer: Payer, account: Account): Promise<void> {
  const { minute, budget } = account;
  const spent = account.gathered + account.left;
  if (!Number.isFinite(budget)) return;
  Object.assign(account, { gathered: 0, left: 0, known: account.known + spent });
  try {
    const sum =
      spent > 0
        ? await store.addSpending(payer, minute, { spent, budget })
        : await store.findSpending(payer, minute);
    // Within a minute it only grows.
    if (account.minute === minute) account.known = Math.max(account.known, sum);
  } catch (error) {
    // Nothing was added. Otherwise it has probably arrived, and is not added twice.
    if (error instanceof Throttled) {
      account.left += spent;
      if (account.minute === minute) account.known -= spent;
    }
    throw error;
  }
}

function isDue({ sharedAt, gathered, left, budget }: Account, at: number): boolean {
  return Math.abs(at - sharedAt) >= shareEveryMs || gathered + left >= budget * largePart;
}

function limitOf(budget: number, { share }: Payer): number {
  return budget === 0 ? Number.POSITIVE_INFINITY : budget * share;
}
