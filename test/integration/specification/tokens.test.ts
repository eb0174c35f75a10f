/** Tokens as such: their form, what is stored of them, whose they are, how long a function may remember them. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import * as v from 'valibot';
import { organizationName } from '../../../functions/domain/organization.ts';
import {
  cachedTokenReader,
  tokenReader,
  tokenStore,
} from '../../../functions/persistence/dynamodb-token-store.ts';
import { type ApiClient, createApiClient } from '../../api-client.ts';
import { storedItems } from './stored-items.ts';

let api: ApiClient;
beforeAll(async () => {
  api = await createApiClient();
});

const digest = (token: string) => createHash('sha256').update(token).digest('hex');

describe('a token', () => {
  test('is tst_ and 36 base-62 characters', () => {
    expect(api.token).toMatch(/^tst_[0-9A-Za-z]{36}$/);
  });

  test('ends with the CRC-32 of its random part in base 62', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const [random, checksum] = [api.token.slice(4, 34), api.token.slice(34)];
    const value = [...checksum].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    expect(value).toBe(crc32(random));
  });

  test('is another one each time', async () => {
    const issued = await Promise.all(Array.from({ length: 5 }, () => api.issue(['testimonials:read'])));
    expect(new Set(issued).size).toBe(5);
  });

  test('is stored only as its SHA-256', async () => {
    const items = JSON.stringify(await storedItems(api.table));
    expect(items).toContain(digest(api.token));
    expect(items).not.toContain(api.token);
    expect(items).not.toContain(api.token.slice(4, 34));
  });

  test('keeps working when another organization revokes its own', async () => {
    const tokens = tokenStore(api.table);
    const token = await api.issue(['testimonials:read'], 'globex');
    const authorization = `Bearer ${token}`;
    const [summary] = await tokens.list('globex');
    expect(await tokens.revoke(String(summary?.id))).toBe(true);
    expect((await api.list('', { authorization })).status).toBe(401);
    expect((await api.list()).status).toBe(200);
  });
});

describe('an organization name', () => {
  test.each([
    ['1 letter', 'a'],
    ['1 digit', '7'],
    ['63 characters', 'a'.repeat(63)],
    ['letters, digits and hyphens', 'acme-2-eu'],
    ['a hyphen at the end', 'acme-'],
  ])('may be %s', (_what, name) => {
    expect(v.is(organizationName, name)).toBe(true);
  });

  test.each([
    ['empty', ''],
    ['64 characters', 'a'.repeat(64)],
    ['in upper case', 'Acme'],
    ['with a hyphen at its beginning', '-acme'],
    ['with an underscore', 'a_b'],
    ['with a dot', 'a.b'],
    ['with a blank', 'a b'],
    ['with a newline at its end', 'acme\n'],
    ['with a number sign', 'a#b'],
    ['outside ASCII', 'ácme'],
  ])('may not be %s', (_what, name) => {
    expect(v.is(organizationName, name)).toBe(false);
  });
});

describe('a running function', () => {
  beforeEach(() => {
    jest.useFakeTimers({
      now: 1_000_000,
      doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask'],
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('honours a revoked token for at most 60 s', async () => {
    const tokens = tokenStore(api.table);
    const hash = digest(await api.issue(['testimonials:read'], 'initech'));
    const find = cachedTokenReader(tokenReader(api.table));
    expect(await find(hash)).toMatchObject({ organization: 'initech' });
    for (const { id } of await tokens.list('initech')) await tokens.revoke(id);
    jest.setSystemTime(1_000_000 + 60_001);
    expect(await find(hash)).toBeUndefined();
  });

  test('does not remember that a token was unknown', async () => {
    const find = cachedTokenReader(tokenReader(api.table));
    const tokens = tokenStore(api.table);
    const token = 'issued later';
    expect(await find(digest(token))).toBeUndefined();
    await tokens.add({
      hash: digest(token),
      organization: 'hooli',
      permissions: ['testimonials:read'],
      createdAt: new Date().toISOString(),
    });
    expect(await find(digest(token))).toMatchObject({ organization: 'hooli' });
  });
});
