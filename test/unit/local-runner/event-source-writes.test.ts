import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { localClientConfig } from '../../../lib/local-runner/connection.ts';
import {
  ensureStream,
  ensureTable,
  type RunningDynamoDb,
  startEmbeddedDynamoDb,
} from '../../../lib/local-runner/dynamodb.ts';
import { ObservedWrites } from '../../../lib/local-runner/observed-writes.ts';
import type { TemplateTable } from '../../../lib/local-runner/template.ts';
import { UndeliveredOrganizations } from '../../../lib/local-runner/undelivered-organizations.ts';

const TableName = 'things';
const table: TemplateTable = {
  logicalId: 'Things',
  name: TableName,
  definition: JSON.parse(String(process.env.TEST_TABLE_DEFINITION)),
};
const Key = { PK: 'ORG#acme', SK: 'THING#1' };

let folder: string;
let file: string;
let dynamoDb: RunningDynamoDb;
let client: DynamoDBDocumentClient;
let source: ObservedWrites;
let taken: DynamoDBRecord[];
/** The shard of each. */
let shards: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'testimonials-writes-'));
  file = join(folder, 'undelivered.json');
  dynamoDb = await startEmbeddedDynamoDb(':memory:', 0);
  for (const name of [TableName, 'others']) await ensureTable(dynamoDb.endpoint, { ...table, name });
  client = DynamoDBDocumentClient.from(new DynamoDBClient(localClientConfig(dynamoDb.endpoint)));
});
afterEach(async () => {
  source?.stop();
  client.destroy();
  await dynamoDb.stop();
  await rm(folder, { recursive: true });
});

async function observe(accepts: (record: unknown) => boolean = () => true) {
  taken = [];
  shards = [];
  const { watch } = dynamoDb;
  if (!watch) throw new Error('The embedded engine can be watched');
  source = new ObservedWrites({
    watch,
    table,
    shards: 2,
    undelivered: new UndeliveredOrganizations(file),
    keysOf: async (organization) =>
      organization === 'gone' ? [] : [{ PK: { S: `ORG#${organization}` }, SK: { S: 'THING#last' } }],
  });
  await source.start(accepts, (records, { id }) => {
    taken.push(...records);
    shards.push(...records.map(() => id));
  });
}

const seen = () =>
  taken.map(({ eventName, dynamodb }) => [eventName, dynamodb?.Keys?.PK?.S, dynamodb?.Keys?.SK?.S]);
const undelivered = async () => JSON.parse(await readFile(file, 'utf8'));

test('writes of every kind become records with nothing but the keys, in their order; what changes nothing is none', async () => {
  await observe();
  await client.send(new PutCommand({ TableName, Item: { ...Key, secret: 'x', deep: { n: [1] } } }));
  await client.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: 'SET a = :a',
      ExpressionAttributeValues: { ':a': 1 },
    }),
  );
  await client.send(new PutCommand({ TableName, Item: { ...Key, a: 1 } }));
  await client.send(new PutCommand({ TableName, Item: { ...Key, a: 1 } }));
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

test('a partition key has all its records in one of the shards', async () => {
  await observe();
  const names = Array.from({ length: 10 }, (_, i) => `ORG#${i}`);
  for (const SK of ['a', 'b']) {
    for (const PK of names) await client.send(new PutCommand({ TableName, Item: { PK, SK } }));
  }
  expect(new Set(shards)).toEqual(new Set(['shardId-0', 'shardId-1']));
  expect(shards.slice(10)).toEqual(shards.slice(0, 10));
});

test('a write that failed, a read, and a write to another table are no records', async () => {
  await observe();
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
  await expect(readFile(file)).rejects.toThrow('ENOENT');
});

test('an organization is in the file from before the answer until its last record is processed', async () => {
  await observe();
  await client.send(new PutCommand({ TableName, Item: Key }));
  expect(await undelivered()).toEqual(['acme']);
  await client.send(new PutCommand({ TableName, Item: { PK: 'ORG#other', SK: 'x' } }));
  await client.send(new PutCommand({ TableName, Item: { ...Key, changed: true } }));
  source.processed(taken.slice(0, 2));
  expect(await undelivered()).toEqual(['acme']);
  source.processed(taken.slice(2));
  expect(await undelivered()).toEqual([]);
});

test('what the filter leaves out does not touch the file', async () => {
  await observe(() => false);
  await client.send(new PutCommand({ TableName, Item: Key }));
  expect(seen()).toEqual([]);
  await expect(readFile(file)).rejects.toThrow('ENOENT');
});

test('a start hands on a record for each organization that was left, and keeps it in the file until then', async () => {
  await writeFile(file, '["acme","gone"]');
  await observe();
  expect(seen()).toEqual([['INSERT', 'ORG#acme', 'THING#last']]);
  expect(await undelivered()).toEqual(['acme']);
  source.processed(taken);
  expect(await undelivered()).toEqual([]);
});

test('after stop writes are left to the next start', async () => {
  await observe();
  await client.send(new PutCommand({ TableName, Item: Key }));
  source.stop();
  await client.send(new PutCommand({ TableName, Item: { ...Key, changed: true } }));
  expect(seen()).toHaveLength(1);
  expect(await undelivered()).toEqual(['acme']);
});

test('a damaged file is named', async () => {
  await writeFile(file, '["acme"');
  expect(() => new UndeliveredOrganizations(file)).toThrow(`${file} is damaged: delete it.`);
});

test('the embedded engine has no stream of its own', async () => {
  expect(await ensureStream(dynamoDb.endpoint, TableName, 'KEYS_ONLY')).toBeUndefined();
});
