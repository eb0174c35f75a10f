/** The entry point of the Lambda function: builds the handler once per execution environment. */
import { readFileSync } from 'node:fs';
import { apiFunction } from '../http/api-function.ts';
import { openLists } from '../testimonials/lists.ts';
import { createHandler } from './handler.ts';

// A warm list starts with up to four reads at once, plus one call for the organization's budget.
const { table, dependencies } = await apiFunction(5);

export const handler = createHandler({
  ...dependencies,
  lists: openLists(table),
  document: () => JSON.parse(readFileSync(new URL('./assets/openapi.json', import.meta.url), 'utf8')),
});
