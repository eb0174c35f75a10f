/** The organization that a check makes for itself, and leaves nothing of. */
import { randomBytes, randomInt } from 'node:crypto';
import { hashToken, makeToken, type Permission } from '../../functions/domain/token.ts';
import { issueToken } from '../../functions/operations/issue-token.ts';
import { removeOrganization, removeUnusedOrganization } from '../operator/erasure/remove-organization.ts';
import type { Operator } from '../operator/session.ts';

/** Tokens of every kind. */
export interface OwnTokens {
  readWrite: string;
  read: string;
  write: string;
  /** As it may stand in a web page. */
  published: string;
  /** Known once; it is over. */
  expired: string;
  /** Taken back before it was ever used: no running function remembers it. */
  revoked: string;
  /** Well formed, and nobody's. */
  unknown: string;
  /** Of another organization, to read. */
  other: string;
}

const pattern = /^check-\d{8}-\d{6}-[0-9a-f]{6}$/;

/** A name that tells when the check was begun, and that no other check has. */
export function newOrganizationName(now: Date): string {
  const [date, time] = now.toISOString().replace(/[-:]/g, '').split(/[T.]/);
  return `check-${date}-${time}-${randomBytes(3).toString('hex')}`;
}

/** Whether a check made an organization of this name. */
export function isOwnOrganization(name: string): boolean {
  return pattern.test(name);
}

/** The second one, of which nothing is seen with the token of the first. */
const neighbourOf = (organization: string) => `${organization}-other`;

// A check takes minutes; with a budget that is soon used up, some more.
const expiresInDays = 1 / 24;
const dayMs = 24 * 60 * 60 * 1000;

/** Issues tokens, each for an hour, to an organization that is made by that. */
export async function makeOrganization(operator: Operator, organization: string): Promise<OwnTokens> {
  const { tokens, now } = operator;
  const issue = (permissions: Permission[], of = organization) =>
    issueToken(
      { ...operator, randomInt },
      { organization: of, permissions, name: 'npm run check', expiresInDays },
    );
  const read: Permission = 'testimonials:read';
  const write: Permission = 'testimonials:write';
  const revoked = await issue([read, write]);
  for (const { id } of await tokens.list(organization)) await tokens.revoke(id);
  const expired = makeToken(randomInt);
  await tokens.add({
    hash: hashToken(expired),
    organization,
    permissions: [read, write],
    name: 'npm run check',
    createdAt: new Date(now().getTime() - 2 * dayMs).toISOString(),
    expiresAt: new Date(now().getTime() - dayMs).toISOString(),
  });
  return {
    revoked,
    expired,
    unknown: makeToken(randomInt),
    readWrite: await issue([read, write]),
    read: await issue([read]),
    write: await issue([write]),
    published: await issue(['testimonials:read-published']),
    other: await issue([read], neighbourOf(organization)),
  };
}

/** Removes all that there is of it, in any state. */
export async function removeOwn(
  operator: Operator,
  organization: string,
  options: Parameters<typeof removeOrganization>[2],
): Promise<void> {
  await removeUnusedOrganization(operator, neighbourOf(organization));
  await removeOrganization(operator, organization, options);
}

/** Removes what there is of it before anything was created. */
export async function removeUnused(operator: Operator, organization: string): Promise<void> {
  for (const each of [neighbourOf(organization), organization]) {
    await removeUnusedOrganization(operator, each);
  }
}
