/** The budgets of organizations, and what they spend, in DynamoDB. */
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { BudgetSettings, BudgetStore } from '../domain/stores.ts';
import { type BudgetDependencies, BudgetKeeper, type Budgets } from '../fair-use/budgets.ts';
import { nanodollarsOf } from '../fair-use/prices.ts';
import { budgetMinuteMs } from '../timing.ts';
import { budgetKey, minuteOfSpendingKey, spendingKey, ttlAttribute } from './keys.ts';
import { layout, toBudget, toSpending } from './stored-items.ts';
import { abortable, inPartition, queryPages, type Table } from './table.ts';

// As long as an operator may want to see it.
const lifetimeSeconds = 60 * 60;

/** What each organization may, where an operator says nothing else; 0 for no limit. */
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
  return new BudgetKeeper({
    limits: { spent: nanodollarsOf(dollars), requests: (rate * budgetMinuteMs) / 1000 },
    now: table.now,
    store: (signal) => budgetStore(abortable(table, signal)),
    logger,
  });
}

/** Returns the store of a table. */
export function budgetStore(table: Table): BudgetStore {
  const { client, name: TableName, options } = table;
  return {
    async addSpending(payer, minute, { spent, requests, budget }) {
      const update = new UpdateCommand({
        TableName,
        Key: spendingKey(payer, minute),
        UpdateExpression:
          'ADD spent :spent, requests :requests SET budget = :budget, layout = :layout, #ttl = :ttl',
        ExpressionAttributeNames: { '#ttl': ttlAttribute },
        ExpressionAttributeValues: {
          ...{ ':spent': spent, ':requests': requests, ':budget': budget, ':layout': layout },
          ':ttl': (minute * budgetMinuteMs) / 1000 + lifetimeSeconds,
        },
        ReturnValues: 'ALL_NEW',
      });
      const { Attributes = {} } = await client.send(update, options);
      return toSpending(Attributes);
    },

    async findSpending(payer, minute) {
      const get = new GetCommand({
        ...{ TableName, Key: spendingKey(payer, minute), ConsistentRead: true },
      });
      const { Item } = await client.send(get, options);
      return Item ? toSpending(Item) : { spent: 0, requests: 0 };
    },

    async findBudget(organization) {
      const get = new GetCommand({ TableName, Key: budgetKey(organization), ConsistentRead: true });
      const { Item } = await client.send(get, options);
      return Item && toBudget(Item);
    },
  };
}

/** Returns the operator's view of a table. */
export function budgetSettings(table: Table): BudgetSettings {
  const { client, name: TableName, options } = table;
  return {
    findBudget: budgetStore(table).findBudget,

    async listSpending(payer, from, to) {
      const { PK, SK: first } = spendingKey(payer, from);
      const { SK: last } = spendingKey(payer, to);
      const pages = await Array.fromAsync(queryPages(table, inPartition(PK, [first, last])));
      return pages.flatMap(({ items }) =>
        items.map((item) => ({ minute: minuteOfSpendingKey(item.SK), ...toSpending(item) })),
      );
    },

    async setBudget(organization, budget) {
      const Key = budgetKey(organization);
      if (budget === undefined) await client.send(new DeleteCommand({ TableName, Key }), options);
      else await client.send(new PutCommand({ TableName, Item: { ...Key, budget, layout } }), options);
    },
  };
}
