/** Idempotency keys in DynamoDB. */
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { IdempotencyKeyStore } from '../domain/stores.ts';
import { succeeds } from './conditional-write.ts';
import { idempotencyKeyKey, tableKey, ttlAttribute } from './keys.ts';
import { layout, toIdempotencyRecord } from './stored-items.ts';
import type { Table } from './table.ts';

const lifetimeSeconds = 24 * 60 * 60;

/** Returns the store of a table. Expiry is checked on use; the table's TTL only cleans up. */
export function idempotencyKeyStore({ client, name: TableName, options }: Table): IdempotencyKeyStore {
  const store: IdempotencyKeyStore = {
    async find(organization, key, now) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: idempotencyKeyKey(organization, key), ConsistentRead: true }),
        options,
      );
      return Item && Item[ttlAttribute] > seconds(now) ? toIdempotencyRecord(Item) : undefined;
    },

    async claim(organization, key, record, now, replacing) {
      const free = [`attribute_not_exists(${tableKey.partition})`, '#ttl <= :now'];
      const put = new PutCommand({
        TableName,
        Item: {
          ...idempotencyKeyKey(organization, key),
          ...record,
          layout,
          // Rounded up, so that TTL never deletes a key within its time.
          [ttlAttribute]: Math.ceil(seconds(now) + lifetimeSeconds),
        },
        ConditionExpression: [...free, ...(replacing ? ['testimonialId = :replacing'] : [])].join(' OR '),
        ExpressionAttributeNames: { '#ttl': ttlAttribute },
        ExpressionAttributeValues: { ':now': seconds(now), ...(replacing && { ':replacing': replacing }) },
      });
      for (;;) {
        if (await succeeds(client.send(put, options))) return record;
        const there = await store.find(organization, key, now);
        if (there) return there;
        // TTL deleted the old record in between: the key is free now.
      }
    },
  };
  return store;
}

function seconds(time: Date): number {
  return time.getTime() / 1000;
}
