import { describe } from '@jest/globals';
import { layout } from '../../../functions/dynamodb/stored-items.ts';
import { budgetStore } from '../../../functions/fair-use/dynamodb-budget-store.ts';
import { queryOf, testStore } from '../../mocked-table.ts';

const payer = { organization: 'acme', budget: 'published', share: 0.5 } as const;
const minute = Date.parse('2026-01-15T10:00Z') / 60_000;
const spending = { spent: 5, requests: 1, budget: 100 };
const PK = 'ORG#acme#BUDGET';
const Key = { PK, SK: 'PUBLISHED#2026-01-15T10:00' };
const sums = { spent: 50, requests: 9, budget: 100 };
const add = {
  Key,
  UpdateExpression:
    'ADD spent :spent, requests :requests SET budget = :budget, layout = :layout, #ttl = :ttl',
  ExpressionAttributeNames: { '#ttl': 'ttl' },
  ExpressionAttributeValues: {
    ':spent': 5,
    ':requests': 1,
    ':budget': 100,
    ':layout': layout,
    ':ttl': minute * 60 + 25 * 3600,
  },
  ReturnValues: 'ALL_NEW',
};
const budgetKey = { PK, SK: 'BUDGET' };

describe('of functions', () => {
  testStore(budgetStore, {
    addSpending: {
      call: (store) => store.addSpending(payer, minute, spending),
      sends: [{ Update: add }],
      responses: [{ Attributes: { ...sums, earlier: 400, layout } }],
      returns: { spent: 50, requests: 9, day: 450 },
    },
    reserveSpending: {
      call: (store) => store.reserveSpending(payer, minute, spending, 70),
      sends: [
        {
          Update: {
            ...add,
            ConditionExpression: 'attribute_not_exists(spent) OR spent < :below',
            ExpressionAttributeValues: { ...add.ExpressionAttributeValues, ':below': 70 },
          },
        },
      ],
      responses: [{ Attributes: { ...sums, layout } }],
      returns: { spent: 50, requests: 9, day: 0 },
      refused: { returns: undefined },
    },
    findSpending: {
      call: (store) => store.findSpending(payer, minute),
      sends: [{ Get: { Key, ConsistentRead: true } }],
      returns: { spent: 0, requests: 0, day: 0 },
    },
    addUpDay: {
      call: (store) => store.addUpDay(payer, minute),
      sends: [
        queryOf(PK, 'PUBLISHED#2026-01-15T00:00', 'PUBLISHED#2026-01-15T09:59'),
        {
          Update: {
            Key,
            UpdateExpression: 'SET #earlier = :earlier',
            ConditionExpression: 'attribute_exists(PK)',
            ExpressionAttributeNames: { '#earlier': 'earlier' },
            ExpressionAttributeValues: { ':earlier': 57 },
          },
        },
      ],
      responses: [
        {
          Items: [
            { PK, SK: 'PUBLISHED#2026-01-15T00:00', ...sums, layout },
            { PK, SK: 'PUBLISHED#2026-01-15T09:59', ...sums, spent: 7, layout },
          ],
        },
      ],
      returns: 57,
    },
    findBudgets: {
      call: (store) => store.findBudgets('acme'),
      sends: [{ Get: { Key: budgetKey, ConsistentRead: true } }],
      responses: [{ Item: { ...budgetKey, budget: 7, dailyBudget: 9, layout } }],
      returns: { budget: 7, dailyBudget: 9 },
    },
  });
});

describe('of operators', () => {
  testStore(budgetStore, {
    listSpending: {
      call: (store) => store.listSpending(payer, minute - 1, minute),
      sends: [queryOf(PK, 'PUBLISHED#2026-01-15T09:59', Key.SK)],
      responses: [{ Items: [{ ...Key, ...sums, layout }] }],
      returns: [{ minute, ...sums }],
    },
    setBudgets: {
      call: (store) => store.setBudgets('acme', { dailyBudget: 7 }),
      sends: [
        {
          Update: {
            Key: budgetKey,
            UpdateExpression: 'SET #dailyBudget = :dailyBudget, #layout = :layout',
            ExpressionAttributeNames: { '#dailyBudget': 'dailyBudget', '#layout': 'layout' },
            ExpressionAttributeValues: { ':dailyBudget': 7, ':layout': layout },
          },
        },
      ],
    },
    removeBudgets: {
      call: (store) => store.removeBudgets('acme'),
      sends: [{ Delete: { Key: budgetKey } }],
    },
  });
});
