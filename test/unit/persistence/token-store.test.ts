import { describe } from '@jest/globals';
import type { TokenRecord } from '../../../functions/domain/token.ts';
import { tokenReader, tokenStore } from '../../../functions/persistence/dynamodb-token-store.ts';
import { layout } from '../../../functions/persistence/stored-items.ts';
import { after, queryOf, testStore } from '../../mocked-table.ts';

const hash = 'abcdefghijklmnop';
const token: TokenRecord = {
  ...{ hash, organization: 'acme', permissions: ['testimonials:read'], name: 'site' },
  createdAt: '2026-01-15T10:00:00.000Z',
};
const { hash: _, ...listed } = { ...token, id: 'acme.abcdefghijkl' };
const pointerKey = { PK: 'ORG#acme', SK: 'TOKEN#abcdefghijkl' };
const key = { PK: `TOKEN#${hash}`, SK: 'TOKEN' };
const condition = {
  ConditionExpression: 'attribute_not_exists(PK) OR #hash = :hash',
  ExpressionAttributeNames: { '#hash': 'hash' },
  ExpressionAttributeValues: { ':hash': hash },
};
const stored = { ...token, layout };

describe('the reader', () => {
  testStore(tokenReader, {
    'finds a token': {
      call: (find) => find(hash),
      sends: [{ Get: { Key: key, ConsistentRead: true } }],
      responses: [{ Item: { ...key, ...stored } }],
      returns: token,
    },
  });
});

testStore(tokenStore, {
  'adds the pointer before the token': {
    call: (store) => store.add(token),
    sends: [pointerKey, key].map((each) => ({ Put: { Item: { ...each, ...stored }, ...condition } })),
    returns: listed.id,
  },
  list: {
    call: (store) => store.list('acme'),
    sends: [queryOf('ORG#acme', 'TOKEN#', `TOKEN#${after}`)],
    responses: [
      {
        Items: [
          { ...pointerKey, ...stored, createdAt: '2026-02' },
          { ...pointerKey, ...stored },
        ],
      },
    ],
    returns: [listed, { ...listed, createdAt: '2026-02' }],
  },
  'revokes the token before its pointer': {
    call: (store) => store.revoke(listed.id),
    sends: [
      { Get: { Key: pointerKey, ConsistentRead: true } },
      { Delete: { Key: key } },
      { Delete: { Key: pointerKey } },
    ],
    responses: [{ Item: stored }],
    returns: true,
  },
  'revokes no unknown token': {
    call: (store) => store.revoke(listed.id),
    sends: [{ Get: { Key: pointerKey, ConsistentRead: true } }],
    returns: false,
  },
});
