import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { hashSecret, isWellFormed, makeSecret, tokenRecord } from '../../../functions/domain/token.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const tokens = fc
  .array(fc.nat({ max: 61 }), { minLength: 30, maxLength: 30 })
  .map((digits) => makeSecret('tst', () => digits.pop() ?? 0));

describe('makeSecret', () => {
  test('makes tst_ and 36 base-62 characters', () => {
    expect(makeSecret('tst', randomInt)).toMatch(/^tst_[0-9A-Za-z]{36}$/);
  });

  test('ends with the CRC-32 of the 30 random characters', () => {
    fc.assert(
      fc.property(tokens, (token) => {
        const value = Array.from(token.slice(34)).reduce((sum, digit) => sum * 62 + base62.indexOf(digit), 0);
        expect(value).toBe(crc32(token.slice(4, 34)));
      }),
    );
  });

  test('takes each of the 30 characters evenly from all 62', () => {
    const asked: number[][] = [];
    makeSecret('tst', (min, max) => {
      asked.push([min, max]);
      return max - 1;
    });
    expect(asked).toEqual(Array(30).fill([0, 62]));
  });
});

describe('isWellFormed', () => {
  test('accepts every token made', () => {
    fc.assert(fc.property(tokens, (token) => isWellFormed('tst', token)));
  });

  test('refuses a token of which any one character was changed', () => {
    fc.assert(
      fc.property(
        tokens,
        fc.nat({ max: 39 }),
        fc.string({ minLength: 1, maxLength: 1 }),
        (token, at, other) => {
          fc.pre(token[at] !== other);
          expect(isWellFormed('tst', token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('refuses every other base-62 character in every place of one token', () => {
    const token = makeSecret('tst', randomInt);
    const accepted: string[] = [];
    for (let at = 0; at < token.length; at += 1) {
      for (const other of base62) {
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        if (changed !== token && isWellFormed('tst', changed)) accepted.push(changed);
      }
    }
    expect(accepted).toEqual([]);
  });

  test('refuses a token of which two neighbours were swapped', () => {
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
  expect(hashSecret(token)).toMatch(/^[0-9a-f]{64}$/);
});

describe('tokenRecord', () => {
  const record = {
    hash: 'ab12',
    organization: 'acme',
    permissions: ['testimonials:read'],
    createdAt: '2026-01-15T10:30:00.000Z',
  };

  test('takes the permission to read what is published, alone', () => {
    const permissions = ['testimonials:read-published'];
    expect(v.is(tokenRecord, { ...record, permissions })).toBe(true);
  });

  test.each([
    [[]],
    [['testimonials:delete']],
    [['testimonials:read-published', 'testimonials:read']],
    [['testimonials:write', 'testimonials:read-published']],
  ])('refuses the permissions %j', (permissions) => {
    expect(v.is(tokenRecord, { ...record, permissions })).toBe(false);
  });
});
