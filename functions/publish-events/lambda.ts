/** The entry point of the Lambda function: builds the handler once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { unreadableLog } from '../domain/unreadable.ts';
import { openTable } from '../dynamodb/table.ts';
import { parseEventEnvironment } from '../environment.ts';
import { openCurrentItems } from '../testimonials/current-items.ts';
import { eventBridgeBus } from './event-bus.ts';
import { createHandler } from './handler.ts';

const { TABLE_NAME, EVENT_BUS_NAME } = parseEventEnvironment(process.env);
const logger = new Logger();
const table = openTable(TABLE_NAME, { patience: 'background', onUnreadable: unreadableLog(logger) });

export const handler = createHandler({
  readItems: openCurrentItems(table),
  bus: eventBridgeBus(EVENT_BUS_NAME),
  logger,
});
