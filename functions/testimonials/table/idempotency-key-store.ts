/** Idempotency keys in DynamoDB. */

import { getItem, meetsCondition } from '../../dynamodb/items.ts';
import { idempotencyKeyKey, tableKey, ttlAttribute } from '../../dynamodb/keys.ts';
import { itemKind } from '../../dynamodb/stored-items.ts';
import type { Table } from '../../dynamodb/table.ts';
import { type IdempotencyKeyStore, idempotencyRecord } from '../model/idempotency-key-store.ts';

const daySeconds = 24 * 60 * 60;

const records = itemKind('an idempotency key', idempotencyRecord);

/**
 * Returns the store of a table. Reads check the expiry, because the table's TTL deletes items late.
 * @param lifetimeSeconds the lifetime of a key
 */
export function idempotencyKeyStore(table: Table, lifetimeSeconds = daySeconds): IdempotencyKeyStore {
  const store: IdempotencyKeyStore = {
    async find(organization, key, now) {
      const item = await getItem(table, idempotencyKeyKey(organization, key));
      return item && item[ttlAttribute] > seconds(now) ? records.parse(item) : undefined;
    },

    async claim(organization, key, record, now, replacing) {
      const free = [`attribute_not_exists(${tableKey.partition})`, '#ttl <= :now'];
      const options = {
        // Rounded up, so that TTL never deletes a key too early.
        ttl: Math.ceil(seconds(now) + lifetimeSeconds),
        ConditionExpression: [...free, ...(replacing ? ['testimonialId = :replacing'] : [])].join(' OR '),
        ExpressionAttributeNames: { '#ttl': ttlAttribute },
        ExpressionAttributeValues: { ':now': seconds(now), ...(replacing && { ':replacing': replacing }) },
      };
      for (;;) {
        if (await meetsCondition(records.put(table, idempotencyKeyKey(organization, key), record, options)))
          return record;
        const stored = await store.find(organization, key, now);
        if (stored) return stored;
        // The record expired or was deleted in the meantime, so the key is free now.
      }
    },
  };
  return store;
}

function seconds(time: Date): number {
  return time.getTime() / 1000;
}
