/** Tokens on the real engine, and a running function's memory of them. */

import { randomInt } from 'node:crypto';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { hashSecret, type TokenRecord } from '../../functions/domain/token.ts';
import { issueToken, type TokenRequest } from '../../functions/operations/issue-token.ts';
import { organizationStore, renewalStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { remembered, tokenReader, tokenStore } from '../../functions/persistence/dynamodb-token-store.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { createApiClient, testimonialBody } from '../api-client.ts';
import { onTableCall } from '../table-calls.ts';
import { createTestTable } from '../test-table.ts';

const start = Date.parse('2026-01-15T10:30:00.000Z');

function issue(table: Table, request: Partial<TokenRequest> = {}, afterMs = 0) {
  return issueToken(
    {
      tokens: tokenStore(table),
      organizations: organizationStore(table),
      now: () => new Date(start + afterMs),
      randomInt,
    },
    { organization: 'acme', permissions: ['testimonials:read'], ...request },
  );
}

const idOf = (organization: string, token: string) => `${organization}.${hashSecret(token).slice(0, 12)}`;

const record = (hash: string): TokenRecord => ({
  hash,
  organization: 'acme',
  permissions: ['testimonials:read'],
  createdAt: '2026-01-15T10:30:00.000Z',
});

describe('the store', () => {
  test('takes no token that may stand in a web page and has another permission', async () => {
    const table = await createTestTable();
    for (const other of ['testimonials:read', 'testimonials:write'] as const) {
      await expect(issue(table, { permissions: [other, 'testimonials:read-published'] })).rejects.toThrow(
        'has no other permission: it may stand in a web page.',
      );
    }
    expect(await tokenStore(table).list('acme')).toEqual([]);
  });

  test('lists the tokens of one organization, oldest first, by id and without hash', async () => {
    const table = await createTestTable();
    const second = await issue(table, { name: 'second' }, 2000);
    const first = await issue(table, { name: 'first' }, 1000);
    await issue(table, { organization: 'acme-2' });
    expect(await tokenStore(table).list('acme')).toEqual([
      {
        id: idOf('acme', first),
        organization: 'acme',
        permissions: ['testimonials:read'],
        name: 'first',
        createdAt: '2026-01-15T10:30:01.000Z',
      },
      {
        id: idOf('acme', second),
        organization: 'acme',
        permissions: ['testimonials:read'],
        name: 'second',
        createdAt: '2026-01-15T10:30:02.000Z',
      },
    ]);
  });

  test('names the organizations of all tokens, each once, in alphabetical order; a renewal walks them from where it stands', async () => {
    const table = await createTestTable();
    const names = ['acme', 'initech', '0-first', 'acme', 'globex'];
    for (const organization of names) await issue(table, { organization });
    expect(await organizationStore(table).list()).toEqual(['0-first', 'acme', 'globex', 'initech']);
    const { organizations } = renewalStore(table);
    expect(await Array.fromAsync(organizations(''))).toEqual(['0-first', 'acme', 'globex', 'initech']);
    expect(await Array.fromAsync(organizations('globex'))).toEqual(['globex', 'initech']);
  });

  test('lists only tokens, not the testimonials and keys beside them', async () => {
    const api = await createApiClient();
    await api.create(testimonialBody(), { 'idempotency-key': 'k' });
    expect(await tokenStore(api.table).list('acme')).toHaveLength(1);
  });

  test('lists more tokens than one answer of the engine holds', async () => {
    const table = await createTestTable();
    // An answer ends at 1 MB: 30 tokens of 40 KB do not fit into one.
    const name = 'n'.repeat(40_000);
    for (let count = 0; count < 30; count += 1) await issue(table, { name }, count);
    expect(await tokenStore(table).list('acme')).toHaveLength(30);
  });

  test.each(['acme.000000000000', 'acme', '', '.', 'acme.', 'nobody.000000000000'])(
    'revoking %j, which is no token, says so',
    async (id) => {
      const table = await createTestTable();
      await issue(table);
      expect(await tokenStore(table).revoke(id)).toBe(false);
      expect(await tokenStore(table).list('acme')).toHaveLength(1);
    },
  );

  test('a token whose issue failed halfway is listed and can be revoked, but does not work', async () => {
    const table = await createTestTable();
    const calls: string[] = [];
    onTableCall(table, (name) => {
      calls.push(name);
      if (calls.length === 2) throw new Error('out of reach');
    });
    const token = record('a'.repeat(64));
    await expect(tokenStore(table).add(token)).rejects.toThrow('out of reach');
    expect(calls).toEqual(['PutItemCommand', 'PutItemCommand']);
    const [listed] = await tokenStore(table).list('acme');
    expect(listed).toMatchObject({ id: `acme.${'a'.repeat(12)}` });
    expect(await tokenReader(table)(token.hash)).toBeUndefined();
    expect(await tokenStore(table).revoke(String(listed?.id))).toBe(true);
    expect(await tokenStore(table).list('acme')).toEqual([]);
  });

  test('a token cannot be revoked under another organization', async () => {
    const table = await createTestTable();
    const token = await issue(table);
    await issue(table, { organization: 'globex' });
    expect(await tokenStore(table).revoke(idOf('globex', token))).toBe(false);
    expect(await tokenReader(table)(hashSecret(token))).toBeDefined();
  });
});

describe('the memory of a running function', () => {
  afterEach(() => void jest.restoreAllMocks());

  /** A memory of what `read` answers by now, and its time. */
  function memory(size?: number) {
    const state = { now: start, reads: 0, read: (hash: string): TokenRecord | undefined => record(hash) };
    jest.spyOn(Date, 'now').mockImplementation(() => state.now);
    const find = remembered(async (hash) => {
      state.reads += 1;
      return state.read(hash);
    }, size);
    return { state, find };
  }

  const unknown = () => undefined;

  test('honours a revoked token for 60 s from the beginning of its read, however slow, and however often it is used', async () => {
    const { state, find } = memory();
    state.read = (hash) => {
      state.now += 5000;
      return record(hash);
    };
    await find('h');
    state.read = unknown;
    for (let second = 5; second < 60; second += 1) {
      state.now = start + second * 1000;
      expect(await find('h')).toEqual(record('h'));
    }
    expect(state.reads).toBe(1);
    state.now = start + 60_000;
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
    expect(await find('h')).toEqual(record('h'));
  });

  test('holds at most as many tokens as it may', async () => {
    const size = 10;
    const { state, find } = memory(size);
    const hashes = Array.from({ length: 5 * size }, (_, index) => `h${index}`);
    for (const hash of hashes) await find(hash);
    state.read = unknown;
    const honoured = (await Promise.all(hashes.map(find))).filter(Boolean).length;
    expect(honoured).toBeGreaterThan(0);
    expect(honoured).toBeLessThanOrEqual(size);
  });
});
