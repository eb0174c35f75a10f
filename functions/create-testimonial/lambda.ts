/** What Lambda runs: the handler wired to its table, built once for each execution environment. */
import { randomInt } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { parseEnvironment } from '../environment.ts';
import { idempotencyKeyStore } from '../persistence/dynamodb-idempotency-key-store.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { cachedTokenReader, tokenReader } from '../persistence/dynamodb-token-store.ts';
import { openConnections } from '../persistence/open-connections.ts';
import { abortable, openTable } from '../persistence/table.ts';
import { createHandler } from './handler.ts';

const table = openTable(parseEnvironment(process.env).TABLE_NAME);
// A create makes its calls one after another.
await openConnections(table, 1);

export const handler = createHandler({
  findToken: cachedTokenReader(tokenReader(table)),
  logger: new Logger(),
  now: table.now,
  stores: (signal) => {
    const ours = abortable(table, signal);
    return { testimonials: testimonialStore(ours), idempotencyKeys: idempotencyKeyStore(ours) };
  },
  randomInt,
});
