/** Fair use that refuses nobody and counts nothing. */
import type { Budgets } from '../functions/fair-use/budgets.ts';
import type { RequestMeter } from '../functions/http/fair-use.ts';

export const noBudgets: Budgets = {
  refusal: () => undefined,
  waitsForSum: () => false,
  mustReserve: () => false,
  reserve: async () => undefined,
  spend: () => {},
  syncSpending: async () => {},
  addLargeCost: async () => {},
};

export const noMeter: RequestMeter = { reset: () => {}, cost: () => ({ units: 0, writeUnits: 0 }) };
