/** The units that the embedded engine tells are those that AWS counts, in bytes. */
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { inPartition } from '../../functions/persistence/table.ts';
import { createTestTable } from '../test-table.ts';

// Three bytes each (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html).
const chinese = '素'.repeat(3000);

test.each([
  ['Latin letters', 'x'.repeat(9000)],
  ['as many bytes of Chinese ones', chinese],
])('an item with 9,000 bytes of text, %s, takes 9 units to write and 3 to read', async (_, text) => {
  const { client, name: TableName } = await createTestTable();
  const ReturnConsumedCapacity = 'TOTAL';
  const Key = { PK: 'ORG#acme', SK: 'TESTIMONIAL#1' };
  const put = await client.send(
    new PutCommand({ TableName, Item: { ...Key, text }, ReturnConsumedCapacity }),
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
