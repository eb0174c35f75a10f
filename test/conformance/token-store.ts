/** What a store of tokens has to keep. */
import assert from 'node:assert/strict';
import type { TokenStore } from '../../functions/domain/stores.ts';
import type { TokenRecord } from '../../functions/domain/token.ts';
import { rule } from './case.ts';

const token = (organization: string, end: string): TokenRecord => ({
  hash: `${organization.padEnd(12, '0')}${end}`,
  organization,
  permissions: ['testimonials:read'],
  createdAt: '2026-01-15T10:00:00.000Z',
});

export const tokenStoreCases = [
  rule<{ tokens: TokenStore }>(
    'a token may be stored again, and no other under its id',
    async ({ tokens }, org) => {
      const id = await tokens.add(token(org, 'a'));
      assert.equal(await tokens.add(token(org, 'a')), id);
      await assert.rejects(tokens.add({ ...token(org, 'b'), permissions: ['testimonials:write'] }));
      const listed = (await tokens.list(org)).map(({ permissions }) => permissions);
      assert.deepEqual(listed, [['testimonials:read']]);
      assert.equal(await tokens.revoke(id), true);
      assert.equal(await tokens.revoke(id), false);
    },
  ),
];
