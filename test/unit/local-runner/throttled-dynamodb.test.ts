import { randomInt } from 'node:crypto';
import { BatchGetCommand, BatchWriteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from '@jest/globals';
import { createTestimonial } from '../../../functions/operations/create-testimonial.ts';
import { batchDelete, batchGet, openTable, type Table } from '../../../functions/persistence/table.ts';
import { localClientConfig } from '../../../lib/local-runner/connection.ts';
import { throttle } from '../../../lib/local-runner/throttled-dynamodb.ts';
import { storesOf } from '../../api-client.ts';
import { place } from '../../place.ts';
import { createTestTable, testEndpoint } from '../../test-table.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A table whose DynamoDB throttles one of so many calls, and a client past it. */
async function busyTable(oneIn: number, maxAttempts: number): Promise<{ table: Table; truth: Table }> {
  const truth = await createTestTable();
  const { endpoint, stop } = await throttle(testEndpoint(), oneIn);
  const table = openTable(truth.name, { config: { ...localClientConfig(endpoint), maxAttempts } });
  stops.push(
    () => table.client.destroy(),
    stop,
    () => truth.client.destroy(),
  );
  return { table, truth };
}

const keys = Array.from({ length: 7 }, (_, i) => ({ PK: 'ORG#acme', SK: `THING#${i}` }));
const fill = ({ client, name: TableName }: Table) =>
  Promise.all(keys.map((Item) => client.send(new PutCommand({ TableName, Item }))));

test('of so many calls one is refused', async () => {
  const { table } = await busyTable(3, 1);
  const outcomes: string[] = [];
  for (let i = 0; i < 6; i += 1) {
    const call = storesOf(table).testimonials.counted('acme');
    outcomes.push(await call.then(() => 'done').catch(({ name }: Error) => name));
  }
  const refused = 'Throttled';
  expect(outcomes).toEqual(['done', 'done', refused, 'done', 'done', refused]);
});

test('a batch is done by half, and says what is left', async () => {
  const { table, truth } = await busyTable(1, 1);
  await fill(truth);
  const { name, client } = table;
  const read = await client.send(
    new BatchGetCommand({ RequestItems: { [name]: { Keys: keys, ConsistentRead: true } } }),
  );
  expect(read.Responses?.[name]).toHaveLength(4);
  expect(read.UnprocessedKeys).toEqual({ [name]: { Keys: keys.slice(4), ConsistentRead: true } });

  const requests = keys.map((Key) => ({ DeleteRequest: { Key } }));
  const written = await client.send(new BatchWriteCommand({ RequestItems: { [name]: requests } }));
  expect(written.UnprocessedItems).toEqual({ [name]: requests.slice(4) });
  expect(await batchGet(truth, keys, { consistent: true })).toHaveLength(3);
});

test('what the functions do is done all the same', async () => {
  const { table, truth } = await busyTable(3, 4);
  await fill(truth);
  expect(await batchGet(table, keys, { consistent: true })).toHaveLength(keys.length);
  await batchDelete(table, keys);
  expect(await batchGet(truth, keys, { consistent: true })).toEqual([]);
  const author = { name: 'Jane Doe', email: 'jane@example.com' };
  for (let i = 0; i < 5; i += 1) {
    const input = { content: 'Amazing product', author, type: 'text' as const };
    await createTestimonial(
      { ...storesOf(table), now: table.now, randomInt },
      { organization: 'acme', input },
    );
  }
  expect(await storesOf(truth).testimonials.counted('acme')).toMatchObject({ ordinal: place(5) });
});
