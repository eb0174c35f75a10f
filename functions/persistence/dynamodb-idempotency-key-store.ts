/** Idempotency keys in DynamoDB. */
import * as v from 'valibot';
import type { IdempotencyKeyStore, IdempotencyRecord } from '../domain/stores.ts';
import { succeeds } from './conditional-write.ts';
import { idempotencyKeyKey, tableKey, ttlAttribute } from './keys.ts';
import { layout, parseItem } from './stored-items.ts';
import { getItem, putItem, type Table } from './table.ts';

const lifetimeSeconds = 24 * 60 * 60;

const idempotencyRecord = v.object({
  fingerprint: v.string(),
  testimonialId: v.string(),
  createdAt: v.string(),
  updateOrdinal: v.number(),
} satisfies { [Member in keyof IdempotencyRecord]: v.GenericSchema });

/** Returns the store of a table. Expiry is checked on use; the table's TTL only cleans up. */
export function idempotencyKeyStore(table: Table): IdempotencyKeyStore {
  const store: IdempotencyKeyStore = {
    async find(organization, key, now) {
      const item = await getItem(table, idempotencyKeyKey(organization, key));
      if (!item || !(item[ttlAttribute] > seconds(now))) return undefined;
      return parseItem('an idempotency key', idempotencyRecord, item);
    },

    async claim(organization, key, record, now, replacing) {
      const free = [`attribute_not_exists(${tableKey.partition})`, '#ttl <= :now'];
      const item = {
        ...idempotencyKeyKey(organization, key),
        ...record,
        layout,
        // Rounded up, so that TTL never deletes a key within its time.
        [ttlAttribute]: Math.ceil(seconds(now) + lifetimeSeconds),
      };
      const condition = {
        ConditionExpression: [...free, ...(replacing ? ['testimonialId = :replacing'] : [])].join(' OR '),
        ExpressionAttributeNames: { '#ttl': ttlAttribute },
        ExpressionAttributeValues: { ':now': seconds(now), ...(replacing && { ':replacing': replacing }) },
      };
      for (;;) {
        if (await succeeds(putItem(table, item, condition))) return record;
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
