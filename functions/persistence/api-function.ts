/** The dependencies that all functions of the API share, created once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { unreadableLog } from '../domain/unreadable.ts';
import { parseApiEnvironment } from '../environment.ts';
import { costMeter } from './cost-meter.ts';
import { tableBudgets } from './dynamodb-budget-store.ts';
import { remembered, tokenReader } from './dynamodb-token-store.ts';
import { openConnections, openTable } from './table.ts';

/**
 * Opens the table that the environment names, and returns it with the dependencies of a handler of the API.
 * @param connections the number of connections to open before the first request
 */
export async function apiFunction(connections: number) {
  const environment = parseApiEnvironment(process.env);
  const limits = {
    dollars: environment.ORGANIZATION_BUDGET,
    dailyDollars: environment.ORGANIZATION_DAILY_BUDGET,
    rate: environment.ORGANIZATION_RATE,
  };
  const logger = new Logger();
  const table = openTable(environment.TABLE_NAME, { onUnreadable: unreadableLog(logger) });
  await openConnections(table, connections);
  const dependencies = {
    findToken: remembered(tokenReader(table)),
    logger,
    now: table.now,
    budgets: tableBudgets(table, limits, logger),
    meter: costMeter(table.client),
  };
  return { table, dependencies };
}
