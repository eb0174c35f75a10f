/** What Lambda runs: the handler wired to its table, built once for each execution environment. */
import { randomInt } from 'node:crypto';
import { apiFunction } from '../persistence/api-function.ts';
import { idempotencyKeyStore } from '../persistence/dynamodb-idempotency-key-store.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { abortable } from '../persistence/table.ts';
import { createHandler } from './handler.ts';

// A create makes its calls one after another, beside them one for its organization's budget.
const { table, dependencies } = await apiFunction(2);

export const handler = createHandler({
  ...dependencies,
  stores: (signal) => {
    const ours = abortable(table, signal);
    return { testimonials: testimonialStore(ours), idempotencyKeys: idempotencyKeyStore(ours) };
  },
  randomInt,
});
