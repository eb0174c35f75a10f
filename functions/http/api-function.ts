/** The dependencies that all functions of the API share, created once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { cachedLookup, tokenReader } from '../accounts/dynamodb-token-store.ts';
import { unreadableLog } from '../domain/unreadable.ts';
import { costMeter } from '../dynamodb/cost-meter.ts';
import { openConnections, openTable } from '../dynamodb/table.ts';
import { parseApiEnvironment } from '../environment.ts';
import { tableBudgets } from '../fair-use/dynamodb-budget-store.ts';

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
    findToken: cachedLookup(tokenReader(table)),
    logger,
    now: table.now,
    budgets: tableBudgets(table, limits, logger),
    meter: costMeter(table.client),
  };
  return { table, dependencies };
}
