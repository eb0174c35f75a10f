import * as v from 'valibot';
import { hashSecret, makeSecret, type Permission, tokenPermissions } from '../domain/token.ts';
import type { OrganizationStore } from './organization-store.ts';
import type { TokenStore } from './token-store.ts';

interface TokenRequest {
  organization: string;
  permissions: Permission[];
  name?: string;
  expiresInDays?: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Issues an API token. Stores only its hash, and the name of its organization.
 * @returns the token, which cannot be read again
 * @throws {ValiError} if the permissions break a rule, before anything is stored
 */
export async function issueToken(
  deps: {
    tokens: TokenStore;
    organizations: Pick<OrganizationStore, 'add'>;
    now: () => Date;
    randomInt: (min: number, max: number) => number;
  },
  { organization, permissions, name, expiresInDays }: TokenRequest,
): Promise<string> {
  const allowed = v.parse(tokenPermissions, [...new Set(permissions)]);
  const token = makeSecret('tst', deps.randomInt);
  const now = deps.now();
  await deps.organizations.add(organization);
  await deps.tokens.add({
    hash: hashSecret(token),
    organization,
    permissions: allowed,
    ...(name !== undefined && { name }),
    createdAt: now.toISOString(),
    ...(expiresInDays !== undefined && {
      expiresAt: new Date(now.getTime() + expiresInDays * dayMs).toISOString(),
    }),
  });
  return token;
}
