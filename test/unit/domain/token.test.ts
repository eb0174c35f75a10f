import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { organizationName } from '../../../functions/domain/organization-name.ts';
import { hashSecret, isWellFormed, makeSecret, tokenRecord } from '../../../functions/domain/token.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const tokens = fc
  .array(fc.nat({ max: 61 }), { minLength: 30, maxLength: 30 })
  .map((digits) => makeSecret('tst', () => digits.pop() ?? 0));

test('a secret consists of its prefix, 30 evenly distributed base-62 characters, and their CRC-32', () => {
  const asked: number[][] = [];
  const secret = makeSecret('tst', (min, max) => {
    asked.push([min, max]);
    return max - 1;
  });
  expect(asked).toEqual(Array(30).fill([0, 62]));
  expect(secret).toMatch(/^tst_z{30}[0-9A-Za-z]{6}$/);
  fc.assert(
    fc.property(tokens, (token) => {
      const value = Array.from(token.slice(34)).reduce((sum, digit) => sum * 62 + base62.indexOf(digit), 0);
      expect(value).toBe(crc32(token.slice(4, 34)));
    }),
  );
});

describe('isWellFormed', () => {
  test('accepts every token made', () => {
    fc.assert(fc.property(tokens, (token) => isWellFormed('tst', token)));
  });

  test('rejects every other character at every position of a token', () => {
    const token = makeSecret('tst', randomInt);
    const accepted: string[] = [];
    for (let at = 0; at < token.length; at += 1) {
      for (const other of `${base62}_- é`) {
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        if (changed !== token && isWellFormed('tst', changed)) accepted.push(changed);
      }
    }
    expect(accepted).toEqual([]);
  });

  test('rejects a token with two swapped neighbours', () => {
    fc.assert(
      fc.property(tokens, fc.integer({ min: 4, max: 38 }), (token, at) => {
        const swapped = `${token.slice(0, at)}${token[at + 1]}${token[at]}${token.slice(at + 2)}`;
        fc.pre(swapped !== token);
        expect(isWellFormed('tst', swapped)).toBe(false);
      }),
    );
  });
});

test('the hash of a token is its SHA-256 in hexadecimal', () => {
  const token = makeSecret('tst', randomInt);
  expect(hashSecret(token)).toBe(createHash('sha256').update(token, 'utf8').digest('hex'));
});

describe('tokenRecord', () => {
  const record = {
    hash: 'ab12',
    organization: 'acme',
    permissions: ['testimonials:read-published'],
    createdAt: '2026-01-15T10:30:00.000Z',
  };

  test.each([
    { permissions: [] },
    { permissions: ['testimonials:delete'] },
    { permissions: ['testimonials:read-published', 'testimonials:read'] },
    { permissions: ['testimonials:write', 'testimonials:read-published'] },
    { organization: 'Acme' },
  ])('rejects %j', (wrong) => {
    const records = [record, { ...record, ...wrong }];
    expect(records.map((each) => v.is(tokenRecord, each))).toEqual([true, false]);
  });
});

test('an organization’s name has 1 to 63 letters, digits and hyphens, and begins with no hyphen', () => {
  const names = ['a', '7', 'a'.repeat(63), 'acme-2-eu', 'acme-'];
  const others = ['', 'a'.repeat(64), 'Acme', '-acme', 'a_b', 'a.b', 'a b', 'acme\n', 'a#b', 'ácme'];
  expect([...names, ...others].filter((name) => v.is(organizationName, name))).toEqual(names);
});
