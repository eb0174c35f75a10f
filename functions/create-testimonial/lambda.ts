/** The handler that Lambda runs, wired to its table, built once for each execution environment. */
import { randomInt } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { parseApiEnvironment } from '../environment.ts';
import { costMeter } from '../persistence/cost-meter.ts';
import { tableBudgets } from '../persistence/dynamodb-budget-store.ts';
import { idempotencyKeyStore } from '../persistence/dynamodb-idempotency-key-store.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { remembered, tokenReader } from '../persistence/dynamodb-token-store.ts';
import { openConnections } from '../persistence/open-connections.ts';
import { abortable, openTable } from '../persistence/table.ts';
import { createHandler } from './handler.ts';

const { TABLE_NAME, ORGANIZATION_BUDGET, ORGANIZATION_RATE } = parseApiEnvironment(process.env);
const table = openTable(TABLE_NAME);
const logger = new Logger();
// A create makes its calls one after another, beside them one for its organization's budget.
await openConnections(table, 2);

export const handler = createHandler({
  findToken: remembered(tokenReader(table)),
  logger,
  now: table.now,
  budgets: tableBudgets(table, { dollars: ORGANIZATION_BUDGET, rate: ORGANIZATION_RATE }, logger),
  meter: costMeter(table.client),
  stores: (signal) => {
    const ours = abortable(table, signal);
    return { testimonials: testimonialStore(ours), idempotencyKeys: idempotencyKeyStore(ours) };
  },
  randomInt,
});
