import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { cachedLookup, tokenReader, tokenStore } from '../../../functions/accounts/dynamodb-token-store.ts';
import type { TokenRecord } from '../../../functions/domain/token.ts';
import { layout } from '../../../functions/dynamodb/stored-items.ts';
import { after, mockedTable, queryOf, testStore } from '../../mocked-table.ts';

const hash = 'abcdefghijklmnop';
const token: TokenRecord = {
  hash,
  organization: 'acme',
  permissions: ['testimonials:read'],
  name: 'site',
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
const listQuery = queryOf('ORG#acme', 'TOKEN#', `TOKEN#${after}`);
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
    sends: [listQuery],
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
  'list of two pages': {
    call: (store) => store.list('acme'),
    sends: [listQuery, { Query: { ...listQuery.Query, ExclusiveStartKey: pointerKey } }],
    responses: [{ Items: [stored], LastEvaluatedKey: pointerKey }, { Items: [stored] }],
    returns: [listed, listed],
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

describe('the memory of a running function', () => {
  afterEach(() => void jest.restoreAllMocks());

  const recordOf = (hashed: string): TokenRecord => ({ ...token, hash: hashed });

  /** A memory of the results of `state.read` at `state.now`. */
  function memory(size?: number) {
    const state = { now: 0, reads: 0, read: (hashed: string): TokenRecord | undefined => recordOf(hashed) };
    jest.spyOn(Date, 'now').mockImplementation(() => state.now);
    const find = cachedLookup(async (hashed) => {
      state.reads += 1;
      return state.read(hashed);
    }, size);
    return { state, find };
  }

  const unknown = () => undefined;

  test('accepts a revoked token for 60 s from the start of its read, however slow, and however often it is used', async () => {
    const { state, find } = memory();
    state.read = (hashed) => {
      state.now += 5000;
      return recordOf(hashed);
    };
    await find('h');
    state.read = unknown;
    for (let second = 5; second < 60; second += 1) {
      state.now = second * 1000;
      expect(await find('h')).toEqual(recordOf('h'));
    }
    expect(state.reads).toBe(1);
    state.now = 60_000;
    expect(await find('h')).toBeUndefined();
  });

  test.each<[string, typeof unknown]>([
    ['a token is unknown', unknown],
    [
      'a read failed',
      () => {
        throw new Error('failed');
      },
    ],
  ])('does not remember that %s', async (_, read) => {
    const { state, find } = memory();
    const { read: known } = state;
    state.read = read;
    await find('h').catch(() => {});
    state.read = known;
    expect(await find('h')).toEqual(recordOf('h'));
  });

  test('forgets what matches, and nothing else', async () => {
    const { state, find } = memory();
    await find('h');
    await find('other');
    find.evict(({ hash: hashed }) => hashed === 'h');
    state.read = unknown;
    expect([await find('h'), await find('other')]).toEqual([undefined, recordOf('other')]);
  });

  test('does not remember a read that began before it forgot', async () => {
    const { state, find } = memory();
    const reading = find('h');
    find.evict(() => true);
    expect(await reading).toEqual(recordOf('h'));
    state.read = unknown;
    expect(await find('h')).toBeUndefined();
  });

  test('holds at most its maximum of tokens', async () => {
    const size = 10;
    const { state, find } = memory(size);
    const hashes = Array.from({ length: 5 * size }, (_, index) => `h${index}`);
    for (const each of hashes) await find(each);
    state.read = unknown;
    const honoured = (await Promise.all(hashes.map(find))).filter(Boolean).length;
    expect(honoured).toBeGreaterThan(0);
    expect(honoured).toBeLessThanOrEqual(size);
  });
});

test('a token for web pages with another permission is not stored', async () => {
  const { table, calls } = mockedTable([]);
  const permissions: TokenRecord['permissions'] = ['testimonials:read-published', 'testimonials:read'];
  await expect(tokenStore(table).add({ ...token, permissions })).rejects.toThrow(
    'because web pages expose the token',
  );
  expect(calls()).toEqual([]);
});

test.each([
  ['without a layout', undefined, 'Cannot read a token: layout is missing or not valid'],
  ['of another layout', layout - 1, 'Export each organization with the version that wrote it'],
])('an item %s is refused', async (_, itemLayout, message) => {
  const { table } = mockedTable([{ Item: { ...key, ...token, layout: itemLayout } }]);
  await expect(tokenReader(table)(hash)).rejects.toThrow(message);
});
