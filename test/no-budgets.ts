/** Fair use that refuses nobody and counts nothing. */
import type { CostMeter } from '../functions/dynamodb/cost-meter.ts';
import type { Budgets } from '../functions/fair-use/budgets.ts';

export const noBudgets: Budgets = {
  refusal: () => undefined,
  waitsForSum: () => false,
  mustReserve: () => false,
  reserve: async () => undefined,
  spend: () => {},
  syncSpending: async () => {},
  addLargeCost: async () => {},
};

export const noMeter: CostMeter = {
  reset: () => {},
  cost: () => ({ rounds: 0, requests: 0, units: 0, writeUnits: 0 }),
};
