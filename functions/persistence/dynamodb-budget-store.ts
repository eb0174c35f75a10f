/** The budgets of organizations and their spending in DynamoDB. */
import * as v from 'valibot';
import type { BudgetStore, Payer, Spending } from '../domain/stores.ts';
import { type BudgetDependencies, type Budgets, budgetsOf } from '../fair-use/budgets.ts';
import { nanodollarsOf } from '../fair-use/prices.ts';
import { budgetMinuteMs } from '../timing.ts';
import { type Condition, deleteItem, inPartition, queryAll, unlessRefused, updateItem } from './items.ts';
import { budgetKey, minuteOfSpendingKey, spendingKey, ttlAttribute } from './keys.ts';
import { itemKind, layout } from './stored-items.ts';
import { abortable, type Table } from './table.ts';

// Operators can see the spending for an hour.
const lifetimeSeconds = 60 * 60;

const budgets = itemKind('a budget', v.object({ budget: v.number() }));
const spendings = itemKind(
  'the spending of a minute',
  v.object({ spent: v.number(), requests: v.number(), budget: v.number() }),
);

/** The limits of an organization without its own budget; 0 for no limit. */
export interface OrganizationLimits {
  /** US dollars per minute. */
  dollars: number;
  /** Requests per second, averaged over a minute. */
  rate: number;
}

/** Returns the budgets of a running function, with the sums in a table. */
export function tableBudgets(
  table: Table,
  { dollars, rate }: OrganizationLimits,
  logger: BudgetDependencies['logger'],
): Budgets {
  return budgetsOf({
    limits: { spent: nanodollarsOf(dollars), requests: (rate * budgetMinuteMs) / 1000 },
    now: table.now,
    store: (signal) => budgetStore(abortable(table, signal)),
    logger,
  });
}

export function budgetStore(table: Table): BudgetStore {
  const add = async (
    payer: Payer,
    minute: number,
    { spent, requests, budget }: Spending,
    condition: Pick<Condition, 'ConditionExpression'> = {},
  ) => {
    const sums = await updateItem(table, spendingKey(payer, minute), {
      ...condition,
      UpdateExpression:
        'ADD spent :spent, requests :requests SET budget = :budget, layout = :layout, #ttl = :ttl',
      ExpressionAttributeNames: { '#ttl': ttlAttribute },
      ExpressionAttributeValues: {
        ':spent': spent,
        ':requests': requests,
        ':budget': budget,
        ':layout': layout,
        ':ttl': (minute * budgetMinuteMs) / 1000 + lifetimeSeconds,
      },
      ReturnValues: 'ALL_NEW',
    });
    return spendings.parse(sums);
  };
  return {
    addSpending: (payer, minute, spending) => add(payer, minute, spending),

    reserveSpending: (payer, minute, spending) =>
      unlessRefused(
        add(payer, minute, spending, {
          ConditionExpression: 'attribute_not_exists(spent) OR spent < :budget',
        }),
      ),

    async findSpending(payer, minute) {
      return (await spendings.find(table, spendingKey(payer, minute))) ?? { spent: 0, requests: 0 };
    },

    async findBudget(organization) {
      return (await budgets.find(table, budgetKey(organization)))?.budget;
    },
  };
}

/** Returns an operator's access to spending and budgets. */
export function budgetSettings(table: Table) {
  return {
    findBudget: budgetStore(table).findBudget,

    /** Returns the minutes with spending, from `from` to `to`, both included. */
    async listSpending(payer: Pick<Payer, 'organization' | 'budget'>, from: number, to: number) {
      const { PK, SK: first } = spendingKey(payer, from);
      const { SK: last } = spendingKey(payer, to);
      const items = await queryAll(table, inPartition(PK, [first, last]));
      return items.map((item) => ({ minute: minuteOfSpendingKey(item.SK), ...spendings.parse(item) }));
    },

    /** Sets an organization's own budget, or removes it if `budget` is undefined. */
    async setBudget(organization: string, budget: number | undefined) {
      const key = budgetKey(organization);
      if (budget === undefined) await deleteItem(table, key);
      else await budgets.put(table, key, { budget });
    },
  };
}
