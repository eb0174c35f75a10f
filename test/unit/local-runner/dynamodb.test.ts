/** The embedded DynamoDB: the requests that it rejects, and the records of its writes. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import {
  ensureTable,
  type RunningDynamoDb,
  startEmbeddedDynamoDb,
} from '../../../lib/local-runner/dynamodb.ts';
import { localClientConfig } from '../../../lib/local-runner/settings.ts';
import { tableStream } from '../../../lib/local-runner/table-stream.ts';
import type { TemplateTable } from '../../../lib/local-runner/template.ts';

const TableName = 'things';
const table: TemplateTable = {
  name: TableName,
  definition: JSON.parse(String(process.env.TEST_TABLE_DEFINITION)),
};
const Key = { PK: 'ORG#acme', SK: 'THING#1' };

let dynamoDb: RunningDynamoDb;
let client: DynamoDBDocumentClient;
let taken: DynamoDBRecord[];
let shards: string[];

beforeEach(async () => {
  dynamoDb = await startEmbeddedDynamoDb(':memory:', 0);
  for (const name of [TableName, 'others']) await ensureTable(dynamoDb.endpoint, { ...table, name });
  client = DynamoDBDocumentClient.from(new DynamoDBClient(localClientConfig(dynamoDb.endpoint)));
  taken = [];
  shards = [];
  const { write } = tableStream(table, (record, shardId) => {
    taken.push(record);
    shards.push(shardId);
  });
  dynamoDb.watch?.(write);
});
afterEach(async () => {
  client.destroy();
  await dynamoDb.stop();
});

const seen = () =>
  taken.map(({ eventName, dynamodb }) => [eventName, dynamodb?.Keys?.PK?.S, dynamodb?.Keys?.SK?.S]);

test('each write that changes an item becomes a record of its keys, in order', async () => {
  const update = { UpdateExpression: 'SET a = :a', ExpressionAttributeValues: { ':a': 1 } };
  await client.send(new PutCommand({ TableName, Item: { ...Key, secret: 'x', deep: { n: [1] } } }));
  await client.send(new UpdateCommand({ TableName, Key, ...update }));
  for (let i = 0; i < 2; i += 1) await client.send(new PutCommand({ TableName, Item: { ...Key, a: 1 } }));
  await client.send(new DeleteCommand({ TableName, Key }));
  const put = (SK: string) => ({ PutRequest: { Item: { PK: 'ORG#acme', SK } } });
  await client.send(
    new BatchWriteCommand({
      RequestItems: { [TableName]: [put('a'), put('b'), { DeleteRequest: { Key } }], others: [put('c')] },
    }),
  );
  expect(seen()).toEqual([
    ['INSERT', 'ORG#acme', 'THING#1'],
    ['MODIFY', 'ORG#acme', 'THING#1'],
    ['MODIFY', 'ORG#acme', 'THING#1'],
    ['REMOVE', 'ORG#acme', 'THING#1'],
    ['INSERT', 'ORG#acme', 'a'],
    ['INSERT', 'ORG#acme', 'b'],
  ]);
  expect(JSON.stringify(taken)).not.toContain('secret');
  const numbers = taken.map(({ dynamodb }) => dynamodb?.SequenceNumber);
  expect(new Set(numbers).size).toBe(6);
  expect(numbers.toSorted()).toEqual(numbers);
});

test('all records of a partition key are in one shard', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `ORG#${i}`);
  for (const SK of ['a', 'b']) {
    for (const PK of names) await client.send(new PutCommand({ TableName, Item: { PK, SK } }));
  }
  expect(new Set(shards).size).toBeGreaterThan(1);
  expect(shards.slice(10)).toEqual(shards.slice(0, 10));
});

test('failed writes, reads and writes to other tables make no records', async () => {
  const ConditionExpression = 'attribute_exists(PK)';
  await expect(client.send(new PutCommand({ TableName, Item: Key, ConditionExpression }))).rejects.toThrow();
  await expect(client.send(new PutCommand({ TableName, Item: { PK: 'ORG#acme' } }))).rejects.toThrow();
  await client.send(new GetCommand({ TableName, Key }));
  await client.send(new PutCommand({ TableName: 'others', Item: Key }));
  await fetch(dynamoDb.endpoint, {
    method: 'POST',
    headers: { 'x-amz-target': 'DynamoDB_20120810.PutItem' },
    body: '{',
  });
  expect(seen()).toEqual([]);
});

const call = (method: string, headers: Record<string, string>) =>
  fetch(dynamoDb.endpoint, { method, headers, ...(method === 'POST' && { body: '{}' }) });

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
    const response = await call(method, { ...headers, origin });
    const cors = [...response.headers.keys()].filter((name) => name.startsWith('access-control'));
    expect([response.status, await response.text(), cors]).toEqual([403, '', []]);
  },
);

test('it responds to programs', async () => {
  const response = await call('POST', signed);
  expect([response.status, await response.json()]).toEqual([200, { TableNames: ['others', TableName] }]);
});

test('running requests get a response before the store closes', async () => {
  const stopped = Promise.withResolvers<void>();
  dynamoDb.watch?.(() => stopped.resolve(dynamoDb.stop()));
  await client.send(new PutCommand({ TableName, Item: Key }));
  await stopped.promise;
});
