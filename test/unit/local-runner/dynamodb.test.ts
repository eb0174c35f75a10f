/** The embedded DynamoDB takes any credentials, so that no page in a browser may ask it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RunningDynamoDb, startEmbeddedDynamoDb } from '../../../lib/local-runner/dynamodb.ts';

let embedded: RunningDynamoDb;
beforeAll(async () => {
  embedded = await startEmbeddedDynamoDb(':memory:', 0);
});
afterAll(async () => {
  await embedded.stop();
});

const credentials = 'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request';

function call(endpoint: string, origin: Record<string, string>) {
  return fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      'x-amz-date': '20260101T000000Z',
      authorization: `${credentials}, SignedHeaders=host, Signature=b`,
      ...origin,
    },
    body: '{}',
  });
}

const corsHeaders = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control'));

test.each(['https://evil.example', 'http://127.0.0.1:3000', 'null'])(
  'the embedded DynamoDB refuses a page of %s, and lets it read nothing',
  async (origin) => {
    const answer = await call(embedded.endpoint, { origin });
    expect([answer.status, await answer.text(), corsHeaders(answer)]).toEqual([403, '', []]);
  },
);

test('the embedded DynamoDB grants no preflight', async () => {
  const answer = await fetch(embedded.endpoint, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-amz-target',
    },
  });
  expect([answer.status, corsHeaders(answer)]).toEqual([403, []]);
});

test('it answers programs', async () => {
  const answer = await call(embedded.endpoint, {});
  expect([answer.status, await answer.json()]).toEqual([200, { TableNames: [] }]);
});
