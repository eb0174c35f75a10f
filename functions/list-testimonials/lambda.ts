/** What Lambda runs: the handler wired to its table, built once for each execution environment. */
import { ListMemory } from '../operations/list-testimonials.ts';
import { apiFunction } from '../persistence/api-function.ts';
import { indexStore } from '../persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { abortable } from '../persistence/table.ts';
import { createHandler } from './handler.ts';

// A warm list begins with up to four reads at once, beside one call for its organization's budget.
const { table, dependencies } = await apiFunction(5);

export const handler = createHandler({
  ...dependencies,
  stores: (signal) => {
    const ours = abortable(table, signal);
    return { testimonials: testimonialStore(ours), index: indexStore(ours) };
  },
  memory: new ListMemory(),
});
