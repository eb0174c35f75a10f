/** Errors as the operator is told of them. */
import { expect, test } from '@jest/globals';
import { explain } from '../../../lib/operator/target.ts';

const failed = (message: string, code?: string, name = 'Error') =>
  Object.assign(new Error(message), { name, ...(code !== undefined && { code }) });

test.each([
  failed('getaddrinfo ENOTFOUND dynamodb.nowhere-1.amazonaws.com', 'ENOTFOUND'),
  failed('connect ECONNREFUSED 10.0.0.1:443', 'ECONNREFUSED'),
  failed('read ECONNRESET', 'ECONNRESET', 'TimeoutError'),
])('a network error on the way to AWS is told as one: $message', (error) => {
  expect(explain(error, { table: 'testimonials' }, {})).toBe(
    `DynamoDB on AWS cannot be reached (${error.message}): look at the network, and at AWS_REGION.`,
  );
});

test.each([
  failed('a request has exceeded the configured 1500 ms requestTimeout', 'ETIMEDOUT', 'TimeoutError'),
  failed('Request aborted', undefined, 'AbortError'),
])('no answer in time is told in plain words: $message', (error) => {
  expect(explain(error, { table: 'testimonials' }, {})).toBe(
    'DynamoDB on AWS cannot be reached (no answer in time): look at the network, and at AWS_REGION.',
  );
});

test('where nothing listens at an endpoint, it says how to start something', () => {
  expect(explain(failed('connect', 'ECONNREFUSED'), { endpoint: 'http://127.0.0.1:9' }, {})).toBe(
    'No DynamoDB answers at http://127.0.0.1:9: start the service with npm start, or name a table on AWS with --table or another DynamoDB with --endpoint.',
  );
});

test('another network error at an endpoint is told with the endpoint', () => {
  const error = failed('getaddrinfo ENOTFOUND db', 'ENOTFOUND');
  expect(explain(error, { endpoint: 'http://db:8000' }, {})).toBe(
    'http://db:8000 does not answer (getaddrinfo ENOTFOUND db): look at what runs there and at --endpoint, or name a table on AWS with --table or another DynamoDB with --endpoint.',
  );
});
