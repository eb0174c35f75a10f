/** What Lambda runs: the handler wired to its table, built once for each execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import { parseEnvironment } from '../environment.ts';
import { indexStore } from '../persistence/dynamodb-index-store.ts';
import { renewalStore } from '../persistence/dynamodb-renewal-store.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { openTable } from '../persistence/table.ts';
import { createHandler } from './handler.ts';

const table = openTable(parseEnvironment(process.env).TABLE_NAME, { patience: 'background' });

export const handler = createHandler({
  testimonials: testimonialStore(table),
  index: indexStore(table),
  renewals: renewalStore(table),
  now: table.now,
  logger: new Logger(),
});
