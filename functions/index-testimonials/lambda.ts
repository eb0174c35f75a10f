/** The entry point of the Lambda function: builds the handler once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { unreadableLog } from '../domain/unreadable.ts';
import { parseEnvironment } from '../environment.ts';
import { openTable } from '../persistence/table.ts';
import { openIndexUpdates } from '../testimonials/index-updates.ts';
import { createHandler } from './handler.ts';

const { TABLE_NAME } = parseEnvironment(process.env);
const logger = new Logger();
const table = openTable(TABLE_NAME, { patience: 'background', onUnreadable: unreadableLog(logger) });

export const handler = createHandler({ updates: openIndexUpdates(table), now: table.now, logger });
