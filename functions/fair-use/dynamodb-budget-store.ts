/** The budgets of organizations and their spending in DynamoDB. */
import * as v from 'valibot';
import type { Payer } from '../domain/payer.ts';
import {
  deleteItem,
  ifPresent,
  inPartition,
  queryAll,
  setAttributes,
  unlessRefused,
  updateItem,
} from '../dynamodb/items.ts';
import { budgetKey, minuteOfSpendingKey, spendingKey, ttlAttribute } from '../dynamodb/keys.ts';
import { itemKind, layout } from '../dynamodb/stored-items.ts';
import { abortable, type Table } from '../dynamodb/table.ts';
import { budgetMinuteMs } from '../timing.ts';
import { startOfDay } from './account.ts';
import type { BudgetStore, MinuteSpending, OwnBudgets, SpendingSums } from './budget-store.ts';
import { type BudgetDependencies, type Budgets, budgetsOf } from './budgets.ts';
import { nanodollarsOf } from './prices.ts';

// Longer than a day, whose sum is added up from its minutes.
const lifetimeSeconds = 25 * 60 * 60;

const budgets = itemKind(
  'a budget',
  v.object({ budget: v.optional(v.number()), dailyBudget: v.optional(v.number()) }),
);
const spendings = itemKind(
  'the spending of a minute',
  v.object({ spent: v.number(), requests: v.number(), budget: v.number(), earlier: v.optional(v.number()) }),
);

/** The limits of an organization without its own budgets; 0 for no limit. */
export interface OrganizationLimits {
  /** US dollars per minute. */
  dollars: number;
  /** US dollars per day. */
  dailyDollars: number;
  /** Requests per second, averaged over a minute. */
  rate: number;
}

/** Returns the budgets of a running function, with the sums in a table. */
export function tableBudgets(
  table: Table,
  { dollars, dailyDollars, rate }: OrganizationLimits,
  logger: BudgetDependencies['logger'],
): Budgets {
  return budgetsOf({
    limits: {
      spent: nanodollarsOf(dollars),
      requests: (rate * budgetMinuteMs) / 1000,
      day: nanodollarsOf(dailyDollars),
    },
    now: table.now,
    store: (signal) => budgetStore(abortable(table, signal)),
    logger,
  });
}

/** Returns the store, with additional methods for operators. */
export function budgetStore(table: Table) {
  const add = async (
    payer: Payer,
    minute: number,
    { spent, requests, budget }: MinuteSpending,
    below?: number,
  ) => {
    const sums = await updateItem(table, spendingKey(payer, minute), {
      ...(below !== undefined && {
        ConditionExpression: 'attribute_not_exists(spent) OR spent < :below',
      }),
      UpdateExpression:
        'ADD spent :spent, requests :requests SET budget = :budget, layout = :layout, #ttl = :ttl',
      ExpressionAttributeNames: { '#ttl': ttlAttribute },
      ExpressionAttributeValues: {
        ':spent': spent,
        ':requests': requests,
        ':budget': budget,
        ':layout': layout,
        ...(below !== undefined && { ':below': below }),
        ':ttl': (minute * budgetMinuteMs) / 1000 + lifetimeSeconds,
      },
      ReturnValues: 'ALL_NEW',
    });
    return toSums(spendings.parse(sums));
  };
  /** Returns the minutes with spending, from `from` to `to`, both included. */
  const listSpending = async (payer: Pick<Payer, 'organization' | 'budget'>, from: number, to: number) => {
    const { PK, SK: first } = spendingKey(payer, from);
    const { SK: last } = spendingKey(payer, to);
    const items = await queryAll(table, inPartition(PK, [first, last]));
    return items.map((item) => ({ minute: minuteOfSpendingKey(item.SK), ...spendings.parse(item) }));
  };
  return {
    listSpending,

    addSpending: (payer, minute, spending) => add(payer, minute, spending),

    reserveSpending: (payer, minute, spending, below) => unlessRefused(add(payer, minute, spending, below)),

    async findSpending(payer, minute) {
      return toSums((await spendings.find(table, spendingKey(payer, minute))) ?? { spent: 0, requests: 0 });
    },

    async addUpDay(payer, minute) {
      const minutes = await listSpending(payer, startOfDay(minute), minute - 1);
      const earlier = minutes.reduce((sum, { spent }) => sum + spent, 0);
      await setAttributes(table, spendingKey(payer, minute), { earlier }, ifPresent);
      return earlier;
    },

    async findBudgets(organization) {
      return (await budgets.find(table, budgetKey(organization))) ?? {};
    },

    /** Sets an organization's own budgets. An absent budget stays as it is. */
    setBudgets: (organization: string, own: OwnBudgets) =>
      setAttributes(table, budgetKey(organization), { ...own, layout }, {}),

    /** Removes the organization's own budgets. */
    removeBudgets: (organization: string) => deleteItem(table, budgetKey(organization)),
  } satisfies BudgetStore & Record<string, unknown>;
}

function toSums({
  spent,
  requests,
  earlier,
}: Omit<SpendingSums, 'day'> & { earlier?: number | undefined }): SpendingSums {
  return { spent, requests, day: earlier === undefined ? 0 : earlier + spent };
}
