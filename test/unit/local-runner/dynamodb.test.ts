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

const call = (method: string, headers: Record<string, string>) =>
  fetch(embedded.endpoint, { method, headers, ...(method === 'POST' && { body: '{}' }) });

const signed = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.ListTables',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=b',
};
const preflight = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'x-amz-target',
};

test.each([
  ['POST', 'https://evil.example', signed],
  ['POST', 'http://127.0.0.1:3000', signed],
  ['POST', 'null', signed],
  ['OPTIONS', 'https://evil.example', preflight],
])(
  'the embedded DynamoDB refuses a %s of a page of %s, and lets it read nothing',
  async (method, origin, headers) => {
    const answer = await call(method, { ...headers, origin });
    const cors = [...answer.headers.keys()].filter((name) => name.startsWith('access-control'));
    expect([answer.status, await answer.text(), cors]).toEqual([403, '', []]);
  },
);

test('it answers programs', async () => {
  const answer = await call('POST', signed);
  expect([answer.status, await answer.json()]).toEqual([200, { TableNames: [] }]);
});
