/** The entry point of the Lambda function: builds the handler once per execution environment. */
import { apiFunction } from '../http/api-function.ts';
import { openChanges } from '../testimonials/changes.ts';
import { openFinds } from '../testimonials/finds.ts';
import { createHandler } from './handler.ts';

// A change makes one call at a time, plus one for the organization's budget.
const { table, dependencies } = await apiFunction(2);

export const handler = createHandler({
  ...dependencies,
  finds: openFinds(table),
  changes: openChanges(table),
});
