/** Masks the e-mail addresses in texts. */
import { joining } from './email-address.ts';

/** The mask of an address. */
export const maskedAddress = '[e-mail address]';

// The characters of a local part without quotes. RFC 6531 allows everything beyond ASCII, but the quotes,
// dashes and spaces of prose end an address.
const atext = String.raw`[[\p{L}\p{M}\p{N}\p{S}]--[<>]]${joining}.!#%&'*\/?_\{\}\-`;
// Neither matches the mask, so that masking twice changes nothing.
const comment = String.raw`(?:\([^\(\)\[@\n]{0,64}\))?`;
const quoted = String.raw`(?<!\\)"(?:(?!\[e-mail address\])[^"\n]|(?<=\\)"){0,64}"`;
// At most 64, as RFC 5321 allows. Without a limit, a hostile text takes quadratic time.
const local = `(?:[${atext}@]|${quoted}){1,64}`;

// An at-sign after a space, with no space behind it, begins a handle: thanks @jane.doe
const atSign = String.raw`(?:${comment}@+${comment}[ \n]{0,3}| {1,2}@[ \n]{1,3})`;

const letter = String.raw`\p{L}\p{M}\p{N}`;
const label = String.raw`[${letter}\p{So}](?:[${letter}\p{So}${joining}_\-]*[${letter}\p{So}])?`;
// A top-level domain cannot begin with a digit (RFC 3696, section 2). The last part of a version or a price
// does.
const topLabel = String.raw`[\p{L}\p{M}](?:[${letter}\-]*[${letter}])?`;
// An ideographic full stop also ends a sentence. After a plain dot it belongs to the domain only before a
// Latin letter.
const named = String.raw`(?:(?:${label}(?:\.|。(?=[a-zA-Z0-9])))+|${label}。(?:${label}[.。])*)${topLabel}`;
const version = String.raw`[vV]?\d+\.(?:\d+\.\d+-|(?:\d+\.)*[xX](?![${letter}]))`;
const literal = String.raw`\[[a-zA-Z0-9\-]*[.:][a-zA-Z0-9.:\-]*\]`;
const fourNumbers = String.raw`\d{1,3}(?:\.\d{1,3}){3}(?![${letter}\-])`;
const domain = `(?:${literal}|(?!${version})${named}|${fourNumbers})`;

// The handle in https://social.example/@jane.doe is not a mailbox.
const inProfileLink = String.raw`\/\/[^\s@\(\[\{<]{1,64}\/`;

/** Finds the position between the local part and the sign of each address. */
const address = new RegExp(
  `(?<!@|${inProfileLink})(?=(?<right>${atSign}${domain}))(?<=(?<left>${local}))`,
  'gv',
);

/**
 * Replaces every e-mail address that is written with `@` or a full-width form of it. Addresses spelt out in
 * words stay.
 *
 * Sources: RFC 5321, section 4.1.2 (local parts, domains and their literals), RFC 5322, sections 3.4.1 and
 * 4.4 (comments and spaces at the sign), RFC 6531, section 3.3 (letters of all scripts).
 */
export function maskAddresses(text: string): string {
  if (!/[@＠﹫]/.test(text)) return text;
  const { plain, origins } = plainForm(text);
  const spans = Array.from(plain.matchAll(address), ({ index, groups: { left = '', right = '' } = {} }) => {
    const last = origins[index + right.length - 1] ?? 0;
    const end = last + String.fromCodePoint(text.codePointAt(last) ?? 0).length;
    return { begin: origins[index - left.length] ?? 0, end };
  }).toSorted((a, b) => a.begin - b.begin);
  let masked = '';
  let done = 0;
  for (const { begin, end } of spans) {
    if (begin >= done) masked += text.slice(done, begin) + maskedAddress;
    done = Math.max(done, end);
  }
  return masked + text.slice(done);
}

/**
 * Returns a text in compatibility form (NFKC, UAX #15), with plain quotes and spaces and without invisible
 * characters. `origins` maps each of its UTF-16 units to the index of the original character.
 */
function plainForm(text: string): { plain: string; origins: number[] } {
  let plain = '';
  const origins: number[] = [];
  let index = 0;
  for (const character of text) {
    const form = /[\n -~]/.test(character) ? character : plainCharacter(character);
    plain += form;
    for (let unit = 0; unit < form.length; unit += 1) origins.push(index);
    index += character.length;
  }
  return { plain, origins };
}

function plainCharacter(character: string): string {
  return character
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[“”„‟]/g, '"')
    .replace(/’/g, "'")
    .replace(/‐/g, '-')
    .replace(/[^\S\n]/g, ' ');
}
