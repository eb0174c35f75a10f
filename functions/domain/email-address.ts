/** E-mail addresses: their rules, and their comparison. */
import * as v from 'valibot';
import { canBeAtMost } from './text.ts';
import { withoutInvisible } from './visible-text.ts';

/** In characters. */
export const maxAddressLength = 254;

// Narrows the address syntax of the HTML standard to addresses that mail on the internet reaches: a dotted
// domain and a local part without stray dots (RFC 5321, sections 4.1.2 and 4.5.3.1.1).
const deliverable = /^(?!\.)(?!.*\.\.)[^@]{1,64}(?<!\.)@[^@]+\.[^@]+$/;

/** Punctuation inside words, which domains in Unicode also use (RFC 5892, appendix A). */
export const joining = '·͵׳״・';

const dot = '[.。．｡]';
// The characters of a domain in Unicode (UTS 46). They include no ASCII character that could begin another
// part of a URL.
const hostCharacters = new RegExp(`^(?:${dot}|[\\p{L}\\p{M}\\p{N}\\p{So}${joining}\\-])+$`, 'u');
// A label cannot begin or end with punctuation, and the last label cannot be a number in any script: 1.1 and
// 999.999.999.999 are not domains.
const punctuation = `[${joining}\\-]`;
const wrongLabel = new RegExp(`(?:^|${dot})${punctuation}|${punctuation}(?:$|${dot})|${dot}\\p{N}+$`, 'u');

/** Schema of a stored address. Its domain may be in Unicode, and stays as it was typed. */
export const emailAddress = v.pipe(
  v.string('must be a string'),
  v.transform(plainAddress),
  v.maxLength(maxAddressLength, `must be an e-mail address of at most ${maxAddressLength} characters`),
  v.check(isValid, 'must be a valid e-mail address'),
  // JSON Schema's `email` allows no letters beyond ASCII.
  v.metadata({ format: 'idn-email' }),
);

/** Folds an address, so that its case and the form of its domain (Unicode or ASCII) make no difference. */
export function foldAddress(address: string): string {
  const plain = plainAddress(address);
  const ascii = plain.length > maxAddressLength ? undefined : inAscii(plain);
  return (ascii ?? plain).toLowerCase();
}

/** Returns an address trimmed and without invisible characters, in Unicode NFC unless it is far too long. */
function plainAddress(address: string): string {
  const visible = withoutInvisible(address).trim();
  return canBeAtMost(visible, maxAddressLength) ? visible.normalize('NFC') : visible;
}

function isValid(address: string): boolean {
  const ascii = inAscii(address) ?? '';
  return (
    ascii.length <= maxAddressLength &&
    v.RFC_EMAIL_REGEX.test(ascii) &&
    deliverable.test(ascii) &&
    ![address, ascii].some((each) => wrongLabel.test(domainOf(each)))
  );
}

/**
 * Returns an address with its domain in ASCII (UTS 46, as in URLs), or undefined if the domain is invalid.
 */
function inAscii(address: string): string | undefined {
  const domain = domainOf(address);
  const url = `https://${domain}`;
  const isHost = hostCharacters.test(domain) && URL.canParse(url);
  return isHost ? address.slice(0, -domain.length) + new URL(url).hostname : undefined;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
