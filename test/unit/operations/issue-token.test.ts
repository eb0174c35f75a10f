import { expect, test } from '@jest/globals';
import { hashSecret, isWellFormed, type TokenRecord } from '../../../functions/domain/token.ts';
import { issueToken } from '../../../functions/operations/issue-token.ts';

function operator() {
  const added: TokenRecord[] = [];
  const named: string[] = [];
  const tokens = {
    add: async (token: TokenRecord) => {
      added.push(token);
      return 'acme.id';
    },
    list: async () => [],
    revoke: async () => false,
  };
  const organizations = {
    add: async (organization: string) => void named.push(organization),
    list: async () => named,
  };
  const now = () => new Date('2026-01-15T10:30:00.000Z');
  return { added, named, deps: { tokens, organizations, now, randomInt: () => 5 } };
}

test('stores the hash of the token and nothing of the token itself', async () => {
  const { added, deps } = operator();
  const token = await issueToken(deps, { organization: 'acme', permissions: ['testimonials:read'] });
  expect(isWellFormed('tst', token)).toBe(true);
  expect(added).toEqual([
    {
      hash: hashSecret(token),
      organization: 'acme',
      permissions: ['testimonials:read'],
      createdAt: '2026-01-15T10:30:00.000Z',
    },
  ]);
  expect(JSON.stringify(added)).not.toContain(token.slice(4, 34));
});

test('keeps a repeated permission once', async () => {
  const { added, deps } = operator();
  await issueToken(deps, {
    organization: 'acme',
    permissions: ['testimonials:read', 'testimonials:write', 'testimonials:read'],
  });
  expect(added[0]?.permissions).toEqual(['testimonials:read', 'testimonials:write']);
});

test('stores a name and an expiry that many days ahead', async () => {
  const { added, deps } = operator();
  await issueToken(deps, {
    organization: 'acme',
    permissions: ['testimonials:read'],
    name: 'website',
    expiresInDays: 30,
  });
  expect(added[0]).toMatchObject({ name: 'website', expiresAt: '2026-02-14T10:30:00.000Z' });
});

test('stores the name of the organization, for the operator to find it by', async () => {
  const { named, deps } = operator();
  await issueToken(deps, { organization: 'acme', permissions: ['testimonials:read'] });
  expect(named).toEqual(['acme']);
});
