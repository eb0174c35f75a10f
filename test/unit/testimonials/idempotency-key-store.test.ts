import { createHash } from 'node:crypto';
import { describe } from '@jest/globals';
import { layout } from '../../../functions/dynamodb/stored-items.ts';
import { idempotencyKeyStore } from '../../../functions/testimonials/table/idempotency-key-store.ts';
import { testStore } from '../../mocked-table.ts';

const now = new Date('2026-01-15T10:00:00.250Z');
const nowSeconds = now.getTime() / 1000;
const record = {
  fingerprint: 'f',
  testimonialId: 'test_1',
  createdAt: now.toISOString(),
  updateOrdinal: 1,
};
const other = { ...record, testimonialId: 'test_2' };
const Key = { PK: `ORG#acme#KEY#${createHash('sha256').update('key').digest('hex')}`, SK: 'KEY' };
const ttl = Math.ceil(nowSeconds + 86_400);
const get = { Get: { Key, ConsistentRead: true } };
const claim = {
  Put: {
    Item: { ...Key, ...record, ttl, layout },
    ConditionExpression: 'attribute_not_exists(PK) OR #ttl <= :now',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':now': nowSeconds },
  },
};
const thirtyDays = 30 * 86_400;
const remembered = {
  ...claim,
  Put: { ...claim.Put, Item: { ...claim.Put.Item, ttl: ttl - 86_400 + thirtyDays } },
};
const stored = { Item: { ...Key, ...other, ttl, layout } };

testStore(idempotencyKeyStore, {
  find: {
    call: (store) => store.find('acme', 'key', now),
    sends: [get],
    responses: [stored],
    returns: other,
  },
  claim: {
    call: (store) => store.claim('acme', 'key', record, now),
    sends: [claim],
    returns: record,
    refused: { sends: [claim, get], responses: [stored], returns: other },
  },
  'claim, when TTL deletes the record before it is read': {
    call: (store) => store.claim('acme', 'key', record, now),
    sends: [claim],
    returns: record,
    refused: { sends: [claim, get, claim], responses: [{}], returns: record },
  },
});

describe('with a lifetime of thirty days', () => {
  testStore((table) => idempotencyKeyStore(table, thirtyDays), {
    claim: {
      call: (store) => store.claim('acme', 'key', record, now),
      sends: [remembered],
      returns: record,
      refused: { sends: [remembered, get], responses: [stored], returns: other },
    },
  });
});
