/** Idempotency keys in DynamoDB. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { IdempotencyKeyStore, IdempotencyRecord } from '../domain/stores.ts';
import { abortable, type Table } from './document-client.ts';
import { idempotencyKeyKey, tableKey, ttlAttribute } from './keys.ts';

const lifetimeSeconds = 24 * 60 * 60;

/** Returns the store of a table. Expiry is checked on use; the table's TTL only cleans up. */
export function idempotencyKeyStore({ client, name: TableName }: Table): IdempotencyKeyStore {
  const store: IdempotencyKeyStore = {
    async find(organization, key, now, signal) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: idempotencyKeyKey(organization, key), ConsistentRead: true }),
        abortable(signal),
      );
      return Item && Item[ttlAttribute] > seconds(now) ? toRecord(Item) : undefined;
    },

    async claim(organization, key, record, now, signal) {
      const put = new PutCommand({
        TableName,
        Item: {
          ...idempotencyKeyKey(organization, key),
          ...record,
          // Rounded up, so that TTL never deletes a key within its time.
          [ttlAttribute]: Math.ceil(seconds(now) + lifetimeSeconds),
        },
        ConditionExpression: `attribute_not_exists(${tableKey.partition}) OR #ttl <= :now`,
        ExpressionAttributeNames: { '#ttl': ttlAttribute },
        ExpressionAttributeValues: { ':now': seconds(now) },
      });
      for (;;) {
        try {
          await client.send(put, abortable(signal));
          return undefined;
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
        }
        const earlier = await store.find(organization, key, now, signal);
        // The SDK retried a put that had arrived: the claim there is this one.
        if (earlier?.testimonialId === record.testimonialId) return undefined;
        if (earlier) return earlier;
        // TTL deleted the old record in between: the key is free now.
      }
    },
  };
  return store;
}

function seconds(time: Date): number {
  return time.getTime() / 1000;
}

function toRecord(item: Record<string, unknown>): IdempotencyRecord {
  const { fingerprint, testimonialId, createdAt } = item;
  // Only `claim` writes these items, from an IdempotencyRecord.
  return { fingerprint, testimonialId, createdAt } as IdempotencyRecord;
}
