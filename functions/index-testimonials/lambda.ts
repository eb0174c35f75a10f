/** The entry point of the Lambda function: builds the handler once per execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { unreadableLog } from '../domain/unreadable.ts';
import { openTable } from '../dynamodb/table.ts';
import { parseEnvironment } from '../environment.ts';
import { bucketOf } from '../media/bucket.ts';
import { mediaIn } from '../media/media.ts';
import { openCurrentItems } from '../testimonials/current-items.ts';
import { openIndexUpdates } from '../testimonials/index-updates.ts';
import { createHandler } from './handler.ts';

const { TABLE_NAME } = parseEnvironment(process.env);
const logger = new Logger();
const table = openTable(TABLE_NAME, { patience: 'background', onUnreadable: unreadableLog(logger) });

const bucket = bucketOf(process.env, table.now);

export const handler = createHandler({
  updates: openIndexUpdates(table),
  now: table.now,
  logger,
  ...(bucket && { keeping: { media: mediaIn(bucket), currentItems: openCurrentItems(table) } }),
});
