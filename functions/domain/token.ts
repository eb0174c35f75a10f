/** API tokens: their form, their checksum and what they allow. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as v from 'valibot';
import { base62Digits, toBase62 } from './base62.ts';
import { organizationName } from './organization.ts';

export const permissions = [
  'testimonials:read',
  'testimonials:write',
  'testimonials:moderate',
  'testimonials:erase',
  // For tokens that stand in web pages, where everyone reads them.
  'testimonials:read-published',
] as const;
export type Permission = (typeof permissions)[number];

/** True of the permission whose tokens everyone may read, in a web page or in an address. */
export function isPublic(permission: Permission): boolean {
  return permission === 'testimonials:read-published';
}

/** Schema of what a token may do, each once. What stands in a web page must not be worth more by accident. */
export const tokenPermissions = v.pipe(
  v.array(v.picklist(permissions)),
  v.minLength(1),
  v.check(
    (all) => !all.some(isPublic) || all.length === 1,
    'A token with testimonials:read-published has no other permission: it may stand in a web page.',
  ),
);

/** Schema of what is stored of a token. The token itself is not: `hash` is its SHA-256 in hexadecimal. */
export const tokenRecord = v.object({
  hash: v.string(),
  organization: organizationName,
  permissions: tokenPermissions,
  name: v.exactOptional(v.string()),
  createdAt: v.string(),
  expiresAt: v.exactOptional(v.string()),
});
export type TokenRecord = v.InferOutput<typeof tokenRecord>;

const prefix = 'tst_';
const secretLength = 30;
const checksumLength = 6;
const pattern = new RegExp(`^${prefix}([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`);

/**
 * Makes a new token: `tst_`, 30 random base-62 characters, and the CRC-32 of those 30 in 6 base-62 characters.
 * @param randomInt a cryptographically secure source of integers: from `min` to below `max`
 */
export function makeToken(randomInt: (min: number, max: number) => number): string {
  const secret = Array.from(
    { length: secretLength },
    () => base62Digits[randomInt(0, base62Digits.length)],
  ).join('');
  return `${prefix}${secret}${checksum(secret)}`;
}

/** True when a text has the form of a token and its checksum is right; says nothing about its being known. */
export function isWellFormedToken(text: string): boolean {
  const match = pattern.exec(text);
  return match !== null && checksum(match[1] ?? '') === match[2];
}

/** The SHA-256 of a token in hexadecimal: the only form in which it is stored, looked up or cached. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** True when the token's time is over at `now` (milliseconds since the epoch). */
export function isExpired(token: TokenRecord, now: number): boolean {
  return token.expiresAt !== undefined && Date.parse(token.expiresAt) <= now;
}

function checksum(secret: string): string {
  return toBase62(BigInt(crc32(secret)), checksumLength);
}
