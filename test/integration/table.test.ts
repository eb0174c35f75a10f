/** The connection to DynamoDB: its clock, its limit on calls in flight, and the reported cost of calls. */
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { costMeter } from '../../functions/dynamodb/cost-meter.ts';
import { batchDelete, batchGet, inPartition } from '../../functions/dynamodb/items.ts';
import { openConnections, openTable, synchronizeClock } from '../../functions/dynamodb/table.ts';
import { callsAtOnce, clockErrorMs } from '../../functions/timing.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import { testEndpoint } from '../dynamodb.ts';
import { createTestTable } from '../test-table.ts';

const hourMs = 3_600_000;

test.each([-hourMs, 24 * hourMs])(
  'a clock that is %d ms off is corrected by the first response',
  async (offset) => {
    const { name } = await createTestTable();
    const clock = () => Date.now() + offset;
    const table = openTable(name, { clock, config: localClientConfig(testEndpoint()) });
    expect(table.now().getTime()).toBeCloseTo(clock(), -3);
    await synchronizeClock(table);
    expect(Math.abs(table.now().getTime() - Date.now())).toBeLessThan(clockErrorMs);
  },
);

test('a clock that agrees with the responses is used to the millisecond, even after a correction', async () => {
  const { name } = await createTestTable();
  let offset = -hourMs;
  let time = 0;
  const clock = () => {
    time = Date.now() + offset;
    return time;
  };
  const table = openTable(name, { clock, config: localClientConfig(testEndpoint()) });
  await synchronizeClock(table);
  offset = 0;
  await synchronizeClock(table);
  expect(table.now().getTime()).toBe(time);
});

test('many callers together stay within the limit on calls in flight, and none fails', async () => {
  const table = await createTestTable();
  let inFlight = 0;
  let most = 0;
  // The middleware closest to the network.
  table.client.middlewareStack.add(
    (next) => async (args) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      try {
        return await next(args);
      } finally {
        inFlight -= 1;
      }
    },
    { step: 'deserialize', priority: 'high' },
  );
  const keys = Array.from({ length: 10 * callsAtOnce }, (_, i) => ({ PK: 'p', SK: String(i) }));
  await Promise.all(keys.map((Item) => table.client.send(new PutCommand({ TableName: table.name, Item }))));
  expect(await batchGet(table, keys, { consistent: true })).toHaveLength(keys.length);
  await batchDelete(table, keys);
  expect(await batchGet(table, keys, { consistent: true })).toEqual([]);
  expect(most).toBe(callsAtOnce);
});

test('opens connections in parallel, each with a read of a missing item', async () => {
  const table = await createTestTable();
  const meter = costMeter(table.client);
  await openConnections(table, 3);
  expect(meter.cost()).toEqual({ rounds: 1, requests: 3, units: 1.5, writeUnits: 0 });
});

test('an unreachable database does not stop a function from starting', async () => {
  const nowhere = openTable('testimonials', { config: localClientConfig('http://127.0.0.1:1') });
  await expect(openConnections(nowhere, 1)).resolves.toBeUndefined();
});

// Three bytes each
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html).
const chinese = '素'.repeat(3000);

test('an item with 9,000 bytes of text takes 9 units to write and 3 to read', async () => {
  const { client, name: TableName } = await createTestTable();
  const ReturnConsumedCapacity = 'TOTAL';
  const Key = { PK: 'ORG#acme', SK: 'TESTIMONIAL#1' };
  const put = await client.send(
    new PutCommand({ TableName, Item: { ...Key, text: chinese }, ReturnConsumedCapacity }),
  );
  const got = await client.send(
    new GetCommand({ TableName, Key, ConsistentRead: true, ReturnConsumedCapacity }),
  );
  const found = await client.send(
    new QueryCommand({ TableName, ...inPartition(Key.PK), ReturnConsumedCapacity }),
  );
  const units = [put, got, found].map(({ ConsumedCapacity }) => ConsumedCapacity?.CapacityUnits);
  expect(units).toEqual([9, 3, 3]);
});
