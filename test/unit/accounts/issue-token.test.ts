import { expect, test } from '@jest/globals';
import { issueToken } from '../../../functions/accounts/issue-token.ts';
import { hashSecret, isWellFormed, type TokenRecord } from '../../../functions/domain/token.ts';

test('a token is stored as its hash only, with each permission once and its expiry', async () => {
  const added: TokenRecord[] = [];
  const add = async (token: TokenRecord) => String(added.push(token));
  const deps = {
    tokens: { add, list: async () => [], revoke: async () => false },
    organizations: { add: async () => {} },
    now: () => new Date('2026-01-15T10:30:00.000Z'),
    randomInt: () => 5,
  };
  const token = await issueToken(deps, {
    organization: 'acme',
    permissions: ['testimonials:read', 'testimonials:write', 'testimonials:read'],
    name: 'website',
    expiresInDays: 30,
  });
  expect(isWellFormed('tst', token)).toBe(true);
  expect(added).toEqual([
    {
      hash: hashSecret(token),
      organization: 'acme',
      permissions: ['testimonials:read', 'testimonials:write'],
      name: 'website',
      createdAt: '2026-01-15T10:30:00.000Z',
      expiresAt: '2026-02-14T10:30:00.000Z',
    },
  ]);
});
