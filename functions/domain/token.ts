/** API tokens: their form, their checksum and what they allow. */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as v from 'valibot';
import { base62Digits, toBase62 } from './testimonial-id.ts';

/** Schema of an organization's name: 1–63 of `a-z`, `0-9`, `-`, beginning with a letter or digit. */
export const organizationName = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9 and -, beginning with a letter or digit'),
);

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
  /** The id of the person who made it at the desk; absent where an operator issued it. */
  madeBy: v.exactOptional(v.string()),
  createdAt: v.string(),
  expiresAt: v.exactOptional(v.string()),
});
export type TokenRecord = v.InferOutput<typeof tokenRecord>;

/** What a secret is for: a token of the API, an invitation to the desk, or a session there. */
export type SecretPrefix = 'tst' | 'tsi' | 'tss';

/** A cryptographically secure source of integers: from `min` to below `max`. */
export type RandomInt = (min: number, max: number) => number;

const secretLength = 30;
const checksumLength = 6;
const pattern = new RegExp(`^(ts[tis])_([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`);

/** Makes a new secret: its prefix and `_`, 30 random base-62 characters, and the CRC-32 of those 30 in 6 base-62 characters. */
export function makeSecret(prefix: SecretPrefix, randomInt: RandomInt): string {
  const secret = randomDigits(secretLength, randomInt);
  return `${prefix}_${secret}${checksum(secret)}`;
}

/** Random base-62 characters. */
export function randomDigits(length: number, randomInt: RandomInt): string {
  return Array.from({ length }, () => base62Digits[randomInt(0, base62Digits.length)]).join('');
}

/** True when a text has the form of a secret and its checksum is right; says nothing about its being known. */
export function isWellFormed(prefix: SecretPrefix, text: string): boolean {
  const [, given, secret = '', end] = pattern.exec(text) ?? [];
  return given === prefix && checksum(secret) === end;
}

// Its letters in either case, each as it is or percent-encoded, also more than once: nobody needs to read the rest.
const secretInAddress =
  /(?:t|%(?:25)*[57]4)(?:s|%(?:25)*[57]3)(?:[tis]|%(?:25)*[57][34]|%(?:25)*[46]9)(?:_|%(?:25)*5f).*/is;

/** An address, or a part of one, for a log: it ends where a secret begins. */
export function withoutSecrets(address: string): string {
  return address.replace(secretInAddress, '…');
}

/** The SHA-256 of a secret in hexadecimal: the only form in which it is stored, looked up or cached. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The id by which people name a token: `<organization>.<first 12 characters of the hash>`. */
export function idOfToken({ organization, hash }: Pick<TokenRecord, 'organization' | 'hash'>): string {
  return `${organization}.${shortHash(hash)}`;
}

/** The part of a token's id that tells it from others of its organization. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

/** True when the time of a token, or of what else expires, is over at `now` (milliseconds since the epoch). */
export function isExpired({ expiresAt }: { createdAt: string; expiresAt?: string }, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}

function checksum(secret: string): string {
  return toBase62(BigInt(crc32(secret)), checksumLength);
}
