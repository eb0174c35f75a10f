/** Errors as the operator reads them. */
import { expect, test } from '@jest/globals';
import { withTarget } from '../../../lib/operator/command-context.ts';
import { explain } from '../../../lib/operator/target.ts';

const failed = (message: string, code?: string, name = 'Error') =>
  Object.assign(new Error(message), { name, ...(code !== undefined && { code }) });
const others = 'or choose a table on AWS with --table or another DynamoDB with --endpoint.';
const onAws = { table: 'testimonials' };

test.each([
  [failed('getaddrinfo ENOTFOUND dynamodb.nowhere-1.amazonaws.com', 'ENOTFOUND'), undefined],
  [failed('read ECONNRESET', 'ECONNRESET', 'TimeoutError'), undefined],
  [failed('a request exceeded its time', 'ETIMEDOUT', 'TimeoutError'), 'no response in time'],
  [failed('Request aborted', undefined, 'AbortError'), 'no response in time'],
])('DynamoDB on AWS was not reached, case %#', (error, reason = error.message) => {
  expect(explain(error, onAws, {})).toBe(
    `DynamoDB on AWS cannot be reached (${reason}). Check the network and AWS_REGION.`,
  );
});

test.each([
  [
    failed('connect', 'ECONNREFUSED'),
    `Nothing listens at http://db:8000. Start the service with npm start, ${others}`,
  ],
  [
    failed('getaddrinfo ENOTFOUND db', 'ENOTFOUND'),
    `http://db:8000 does not respond (getaddrinfo ENOTFOUND db). Check the program there and --endpoint, ${others}`,
  ],
])('an endpoint was not reached, case %#', (error, advice) => {
  expect(explain(error, { endpoint: 'http://db:8000' }, {})).toBe(advice);
});

test.each([
  [{}, 'Run: npm run admin -- token list'],
  [{ table: 't' }, 'Run: npm run admin -- --table t token list'],
  [
    { table: 't', endpoint: 'http://x?a b' },
    "Run: npm run admin -- --table t --endpoint 'http://x?a b' token list",
  ],
])('a command in a message gets the options of the target: %j', (target, message) => {
  expect(withTarget('Run: npm run admin -- token list', target)).toBe(message);
  expect(withTarget(message, { table: 't', ...target })).toBe(
    'table' in target ? message : 'Run: npm run admin -- --table t token list',
  );
});
