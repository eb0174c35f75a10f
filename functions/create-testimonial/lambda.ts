/** The entry point of the Lambda function: builds the handler once per execution environment. */

import { apiFunction } from '../http/api-function.ts';
import { bucketOf } from '../media/bucket.ts';
import { openCreates } from '../testimonials/creates.ts';
import { createHandler } from './handler.ts';

// A create makes one call at a time, plus one for the organization's budget.
const { table, dependencies } = await apiFunction(2);

export const handler = createHandler({
  ...dependencies,
  creates: openCreates(table, { log: dependencies.logger }),
  bucket: bucketOf(process.env, dependencies.now),
});
