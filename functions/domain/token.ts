/** API tokens: their form, their checksum and what they allow. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as v from 'valibot';
import { organizationName } from './organization.ts';

export const permissions = ['testimonials:read', 'testimonials:write'] as const;
export type Permission = (typeof permissions)[number];

/** Schema of what is stored of a token. The token itself is not: `hash` is its SHA-256 in hexadecimal. */
export const tokenRecord = v.object({
  hash: v.string(),
  organization: organizationName,
  permissions: v.pipe(v.array(v.picklist(permissions)), v.minLength(1)),
  name: v.exactOptional(v.string()),
  createdAt: v.string(),
  expiresAt: v.exactOptional(v.string()),
});
export type TokenRecord = v.InferOutput<typeof tokenRecord>;

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'tst_';
const secretLength = 30;
const checksumLength = 6;
const pattern = new RegExp(`^${prefix}([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`);

/**
 * Makes a new token: `tst_`, 30 random base-62 characters, and the CRC-32 of those 30 in 6 base-62 characters.
 * @param randomInt a cryptographically secure source of integers: from `min` to below `max`
 */
export function makeToken(randomInt: (min: number, max: number) => number): string {
  const secret = Array.from({ length: secretLength }, () => base62[randomInt(0, base62.length)]).join('');
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
  let rest = crc32(secret);
  let digits = '';
  for (let position = 0; position < checksumLength; position += 1) {
    digits = base62.charAt(rest % base62.length) + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}
