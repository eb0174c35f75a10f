/** The entry point of the Lambda function: builds the handler once per execution environment. */
import { readFileSync } from 'node:fs';
import { ListMemory } from '../operations/list-testimonials.ts';
import { apiFunction } from '../persistence/api-function.ts';
import { indexStore } from '../persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { createHandler } from './handler.ts';

// A warm list starts with up to four reads at once, plus one call for the organization's budget.
const { dependencies, perRequest } = await apiFunction(5);

export const handler = createHandler({
  ...dependencies,
  stores: perRequest((table) => ({ testimonials: testimonialStore(table), index: indexStore(table) })),
  memory: new ListMemory(),
  document: () => JSON.parse(readFileSync(new URL('./assets/openapi.json', import.meta.url), 'utf8')),
});
