import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { cachedLookup, tokenStore } from '../../../functions/accounts/dynamodb-token-store.ts';
import type { TokenRecord } from '../../../functions/domain/token.ts';
import { layout } from '../../../functions/dynamodb/stored-items.ts';
import { mockedTable } from '../../mocked-table.ts';

const token: TokenRecord = {
  hash: 'abcdefghijklmnop',
  organization: 'acme',
  permissions: ['testimonials:read'],
  createdAt: '2026-01-15T10:00:00.000Z',
};

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

test('tokens are listed oldest first, by ids instead of hashes', async () => {
  const items = ['2026-02', '2026-01'].map((createdAt) => ({ ...token, createdAt, layout }));
  const { table } = mockedTable([{ Items: items }]);
  const { hash: _, ...listed } = { ...token, id: 'acme.abcdefghijkl' };
  expect(await tokenStore(table).list('acme')).toEqual([
    { ...listed, createdAt: '2026-01' },
    { ...listed, createdAt: '2026-02' },
  ]);
});
