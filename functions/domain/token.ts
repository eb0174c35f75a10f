/** API tokens: their format, checksum and permissions. */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as v from 'valibot';
import { type RandomInt, randomDigits, toBase62 } from './base62.ts';
import { organizationName } from './organization-name.ts';

const checkPrefix = 'check-';

/**
 * True for an organization that a check of a deployment creates and removes. No events are published about
 * it.
 */
export function isCheckOrganization(organization: string): boolean {
  return organization.startsWith(checkPrefix);
}

/** Schema of the name of a new organization. Names that begin with `check-` are reserved for checks. */
export const newOrganizationName = v.pipe(
  organizationName,
  v.check(
    (name) => !isCheckOrganization(name),
    `must not begin with ${checkPrefix}, because npm run check makes and removes organizations with such names`,
  ),
);

export const permissions = [
  'testimonials:read',
  'testimonials:write',
  'testimonials:moderate',
  'testimonials:erase',
  // For tokens in web pages, where everyone can read them.
  'testimonials:read-published',
] as const;
export type Permission = (typeof permissions)[number];

/** True for the permission of tokens that may appear in a web page or a URL. */
export function isPublic(permission: Permission): boolean {
  return permission === 'testimonials:read-published';
}

/**
 * Schema of a token's permissions. Rejects a public token with further permissions, because everyone could
 * use those.
 */
export const tokenPermissions = v.pipe(
  v.array(v.picklist(permissions)),
  v.minLength(1),
  v.check(
    (all) => !all.some(isPublic) || all.length === 1,
    'testimonials:read-published allows no other permission, because web pages expose the token.',
  ),
);

/**
 * Schema of a stored token. `hash` is the token's SHA-256 in hexadecimal; the token itself is never stored.
 */
export const tokenRecord = v.object({
  hash: v.string(),
  organization: organizationName,
  permissions: tokenPermissions,
  name: v.exactOptional(v.string()),
  createdAt: v.string(),
  expiresAt: v.exactOptional(v.string()),
});
export type TokenRecord = v.InferOutput<typeof tokenRecord>;

/**
 * The prefix of a secret: an API token, an invitation to the desk, a session there, or the feed of a desk.
 */
export type SecretPrefix = 'tst' | 'tsi' | 'tss' | 'tsf';

const secretLength = 30;
const checksumLength = 6;
const pattern = new RegExp(`^(ts[tisf])_([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`);

/**
 * Returns a new secret: the prefix, `_`, 30 random base-62 characters, and their CRC-32 in 6 base-62
 * characters.
 */
export function makeSecret(prefix: SecretPrefix, randomInt: RandomInt): string {
  const secret = randomDigits(secretLength, randomInt);
  return `${prefix}_${secret}${checksum(secret)}`;
}

/** True if a text has the format of a secret and the right checksum. The secret may still be unknown. */
export function isWellFormed(prefix: SecretPrefix, text: string): boolean {
  const [, textPrefix, secret = '', end] = pattern.exec(text) ?? [];
  return textPrefix === prefix && checksum(secret) === end;
}

// The prefix in upper or lower case, each letter plain or percent-encoded any number of times, and the rest
// of the URL.
const secretInUrl =
  /(?:t|%(?:25)*[57]4)(?:s|%(?:25)*[57]3)(?:[tisf]|%(?:25)*[57][34]|%(?:25)*[46][69])(?:_|%(?:25)*5f).*/is;

/** Returns a URL, or a part of it, for a log. Cuts it off at the first secret. */
export function withoutSecrets(url: string): string {
  return url.replace(secretInUrl, '…');
}

/**
 * Returns the SHA-256 of a secret in hexadecimal. Secrets are stored, looked up and cached only in this form.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Returns a token's public id: `<organization>.<first 12 characters of the hash>`. */
export function idOfToken({ organization, hash }: Pick<TokenRecord, 'organization' | 'hash'>): string {
  return `${organization}.${shortHash(hash)}`;
}

/** Returns the part of a token's id that is unique within its organization. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

/** True if a token or a pass has expired at `now` (milliseconds since 1970). */
export function isExpired({ expiresAt }: { createdAt: string; expiresAt?: string }, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}

function checksum(secret: string): string {
  return toBase62(BigInt(crc32(secret)), checksumLength);
}
