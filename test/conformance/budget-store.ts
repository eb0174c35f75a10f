/** What the store of budgets has to keep when a cost is reserved. */
import assert from 'node:assert/strict';
import type { BudgetStore, Payer } from '../../functions/domain/stores.ts';
import { rule } from './case.ts';

const minute = 30_000_000;
const payerOf = (organization: string): Payer => ({ organization, budget: 'general', share: 1 });
const spending = { spent: 60, requests: 0, budget: 100 };

const budgetRule = rule<{ budgets: BudgetStore }>;

export const budgetStoreCases = [
  budgetRule(
    'a reservation is added up to the budget, and beyond it by the last one',
    async ({ budgets }, of) => {
      const payer = payerOf(of);
      const sums = [60, 120].map((spent) => ({ spent, requests: 0, budget: 100 }));
      assert.deepEqual(await budgets.reserveSpending(payer, minute, spending), sums[0]);
      assert.deepEqual(await budgets.reserveSpending(payer, minute, spending), sums[1]);
    },
  ),
  budgetRule('a reservation adds nothing once the sum has reached the budget', async ({ budgets }, of) => {
    const payer = payerOf(of);
    await budgets.addSpending(payer, minute, { ...spending, spent: 100, requests: 7 });
    assert.equal(await budgets.reserveSpending(payer, minute, spending), undefined);
    const { spent, requests } = await budgets.findSpending(payer, minute);
    assert.deepEqual({ spent, requests }, { spent: 100, requests: 7 });
    // Another minute.
    assert.equal((await budgets.reserveSpending(payer, minute + 1, spending))?.spent, 60);
  }),
];
