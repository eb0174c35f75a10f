/** What Lambda runs: the handler wired to its table, built once for each execution environment. */
import { Logger } from '@aws-lambda-powertools/logger';
import QuickLRU from 'quick-lru';
import { parseEnvironment } from '../environment.ts';
import { openTable } from '../persistence/document-client.ts';
import { indexStore } from '../persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { cachedTokenReader, tokenReader } from '../persistence/dynamodb-token-store.ts';
import { openConnections } from '../persistence/open-connections.ts';
import { createHandler } from './handler.ts';

const table = openTable(parseEnvironment(process.env).TABLE_NAME);
// A warm list begins with three reads at once.
await openConnections(table, 3);

export const handler = createHandler({
  findToken: cachedTokenReader(tokenReader(table)),
  logger: new Logger(),
  now: () => new Date(),
  testimonials: testimonialStore(table),
  index: indexStore(table),
  heads: new QuickLRU({ maxSize: 1000 }),
});
