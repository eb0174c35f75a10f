import { describe, expect } from '@jest/globals';
import { organizationStore } from '../../../functions/accounts/dynamodb-organization-store.ts';
import { layout } from '../../../functions/dynamodb/stored-items.ts';
import { renewalStore } from '../../../functions/testimonials/table/renewal-store.ts';
import { after, queryOf, testStore } from '../../mocked-table.ts';

const key = { PK: 'ORGANIZATIONS', SK: 'acme' };
const names = { Items: [{ SK: 'acme' }, { SK: 'shop' }] };

describe('organizations', () => {
  testStore(organizationStore, {
    add: { call: (store) => store.add('acme'), sends: [{ Put: { Item: key } }] },
    remove: { call: (store) => store.remove('acme'), sends: [{ Delete: { Key: key } }] },
    list: {
      call: (store) => store.list(),
      sends: [queryOf('ORGANIZATIONS')],
      responses: [names],
      returns: ['acme', 'shop'],
    },
  });
});

describe('renewals', () => {
  const Key = { PK: 'RENEWAL', SK: 'INDEX_REQUEST' };
  const request = { id: 'r1', from: 'acme' };
  const now = new Date('2026-01-15T10:00:00.000Z');
  const at = now.toISOString();
  const condition = { ConditionExpression: 'id = :id' };

  testStore(renewalStore, {
    organizations: {
      call: (store) => Array.fromAsync(store.organizations('')),
      sends: [queryOf('ORGANIZATIONS', ' ', after)],
      responses: [names],
      returns: ['acme', 'shop'],
    },
    read: {
      call: (store) => store.read(),
      sends: [{ Get: { Key, ConsistentRead: true } }],
      responses: [{ Item: { ...Key, ...request, at, layout } }],
      returns: request,
    },
    begin: {
      call: (store) => store.begin(now),
      sends: [{ Put: { Item: { ...Key, id: expect.any(String), from: '', at, layout } } }],
    },
    continueFrom: {
      call: (store) => store.continueFrom(request, 'shop', now),
      sends: [
        {
          Update: {
            Key,
            ...condition,
            UpdateExpression: 'SET #from = :from, #at = :at',
            ExpressionAttributeNames: { '#from': 'from', '#at': 'at' },
            ExpressionAttributeValues: { ':from': 'shop', ':at': at, ':id': 'r1' },
          },
        },
      ],
      refused: { returns: undefined },
    },
    end: {
      call: (store) => store.end(request),
      sends: [{ Delete: { Key, ...condition, ExpressionAttributeValues: { ':id': 'r1' } } }],
      refused: { returns: undefined },
    },
  });
});
