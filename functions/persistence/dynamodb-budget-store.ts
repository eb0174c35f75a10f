/** The budgets of organizations, and what they spend, in DynamoDB. */
import * as v from 'valibot';
import type { BudgetStore, Payer, Spending } from '../domain/stores.ts';
import { type BudgetDependencies, type Budgets, budgetsOf } from '../fair-use/budgets.ts';
import { nanodollarsOf } from '../fair-use/prices.ts';
import { budgetMinuteMs } from '../timing.ts';
import { type Condition, unlessRefused } from './conditional-write.ts';
import { budgetKey, minuteOfSpendingKey, spendingKey, ttlAttribute } from './keys.ts';
import { layout, parseItem } from './stored-items.ts';
import {
  abortable,
  deleteItem,
  getItem,
  inPartition,
  putItem,
  queryPages,
  type StoredItem,
  type Table,
  updateItem,
} from './table.ts';

// As long as an operator may want to see it.
const lifetimeSeconds = 60 * 60;

const budgetItem = v.object({ budget: v.number() });
const spendingItem = v.object({ spent: v.number(), requests: v.number(), budget: v.number() });
const toSpending = (item: StoredItem) => parseItem('what was spent', spendingItem, item);

/** The limits of each organization, where an operator says nothing else; 0 for no limit. */
export interface OrganizationLimits {
  /** A minute. */
  dollars: number;
  /** Requests a second, in the average of a minute. */
  rate: number;
}

/** The budgets of a running function, kept in a table. */
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

/** Returns the store of a table. */
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
    return toSpending(sums);
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
      const item = await getItem(table, spendingKey(payer, minute));
      return item ? toSpending(item) : { spent: 0, requests: 0 };
    },

    async findBudget(organization) {
      const item = await getItem(table, budgetKey(organization));
      return item && parseItem('a budget', budgetItem, item).budget;
    },
  };
}

/** Returns an operator's view of a table. */
export function budgetSettings(table: Table) {
  return {
    findBudget: budgetStore(table).findBudget,

    /** The minutes in which something was spent, from the first to the last that are asked for; they are kept for an hour. */
    async listSpending(payer: Pick<Payer, 'organization' | 'budget'>, from: number, to: number) {
      const { PK, SK: first } = spendingKey(payer, from);
      const { SK: last } = spendingKey(payer, to);
      const pages = await Array.fromAsync(queryPages(table, inPartition(PK, [first, last])));
      return pages.flatMap(({ items }) =>
        items.map((item) => ({ minute: minuteOfSpendingKey(item.SK), ...toSpending(item) })),
      );
    },

    /** Gives an organization a budget of its own, or takes it away. */
    async setBudget(organization: string, budget: number | undefined) {
      const key = budgetKey(organization);
      if (budget === undefined) await deleteItem(table, key);
      else await putItem(table, { ...key, budget, layout });
    },
  };
}
