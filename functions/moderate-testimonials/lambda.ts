/** What Lambda runs: the handler wired to its table, built once for each execution environment. */
import { apiFunction } from '../persistence/api-function.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { abortable } from '../persistence/table.ts';
import { createHandler } from './handler.ts';

// A change makes its calls one after another, beside them one for its organization's budget.
const { table, dependencies } = await apiFunction(2);

export const handler = createHandler({
  ...dependencies,
  stores: (signal) => ({ testimonials: testimonialStore(abortable(table, signal)) }),
});
