/**
 * Takes e-mail addresses out of texts that everyone may read.
 *
 * The forms of an address: RFC 5321, section 4.1.2 (local parts, also quoted; domains and their literals), RFC 5322, sections
 * 3.4.1 and 4.4 (comments and spaces at the at-sign), RFC 6531, section 3.3 (letters of all scripts). Which characters
 * mean the same: UAX #15 (NFKC), and RFC 3490, section 3.1, of the dots of domains; which are not seen: Unicode's
 * `Default_Ignorable_Code_Point`. No top-level domain begins with a digit (RFC 3696, section 2), as versions and prices do.
 */

import type { Testimonial } from './testimonial.ts';

/** The text that stands where an address was. */
export const maskedAddress = '[e-mail address]';

// The punctuation that words have inside, of which internationalised domains are made too (RFC 5892, appendix A).
const joining = '·͵׳״・';

// The characters of a local part without quotes, as a class without its brackets. RFC 6531 takes everything beyond ASCII;
// quotes, dashes and spaces of prose end an address all the same.
const atext = String.raw`[[\p{L}\p{M}\p{N}\p{S}]--[<>]]${joining}.!#%&'*\/?_\{\}\-`;
/** Words in capital letters, too: not by a flag, which would also hold where only small letters mean an address. */
const anyCase = (words: string) =>
  words.replace(/\p{Ll}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);

// The names of the sign, those that mean nothing else beside a domain, and the names of the dot.
const at = anyCase('at');
const onlySignNames = anyCase(
  'arobase|arobas|arroba|klammeraffe|apenstaartje|snabel-?a|krøllalfa|zavináč|アットマーク',
);
const signNames = `${anyCase('at|ät|chiocciola|małpa|собака|골뱅이')}|${onlySignNames}`;
const dotNames = anyCase('dot|punkt|point|punto|ponto|punt|kropka|tečka|точка|ドット|점');
const bracketed = (words: string) =>
  String.raw` ?(?:\( ?(?:${words}) ?\)|\[ ?(?:${words}) ?\]|\{ ?(?:${words}) ?\}|< ?(?:${words}) ?>) ?`;
const spokenDot = ` {1,2}(?:${anyCase('dot|punkt')}) {1,2}`;
const spelledDot = `(?:${spokenDot}|${bracketed(String.raw`\.|${dotNames}`)})`;
// Neither has what stands for an address already: masked once is masked.
const comment = String.raw`(?:\([^\(\)\[@\n]{0,64}\))?`;
const quoted = String.raw`(?<!\\)"(?:(?!\[e-mail address\])[^"\n]|(?<=\\)"){0,64}"`;

// A local part has 64 octets at most: no text is slow to look through.
const local = `(?:[${atext}@]|${spelledDot}|${quoted}){1,64}`;

// A space before it alone makes it a handle: thanks @jane.doe
const atSign = String.raw`(?:${comment}@+${comment}[ \n]{0,3}| {1,2}@[ \n]{1,3}|${bracketed(`@|${signNames}`)}| {1,2}(?:${onlySignNames}) {1,2})`;

const letter = String.raw`\p{L}\p{M}\p{N}`;
const label = String.raw`[${letter}\p{So}](?:[${letter}\p{So}${joining}_\-]*[${letter}\p{So}])?`;
const topLabel = String.raw`[\p{L}\p{M}](?:[${letter}\-]*[${letter}])?`;
// An ideographic full stop ends sentences too: behind a plain dot it is one of a domain's only before a Latin letter.
const named = String.raw`(?:(?:${label}(?:\.|。(?=[a-zA-Z0-9])|${spelledDot}))+|${label}。(?:${label}[.。])*)${topLabel}`;
const version = String.raw`[vV]?\d+\.(?:\d+\.\d+-|(?:\d+\.)*[xX](?![${letter}]))`;
const literal = String.raw`\[[a-zA-Z0-9\-]*[.:][a-zA-Z0-9.:\-]*\]`;
const fourNumbers = String.raw`\d{1,3}(?:\.\d{1,3}){3}(?![${letter}\-])`;

// A domain whose dots stand apart, as in example . com, ends in one of these.
const spokenTop =
  'com|net|org|edu|gov|info|biz|io|ai|app|dev|co|eu|uk|de|fr|es|nl|ch|pl|ru|cn|jp|au|ca|nz|br|mx';
const knownTop = `(?:${anyCase(spokenTop)})(?![${letter}])`;
const dashed = (words: string) => String.raw` ?[\-_*\|~](?:${words})[\-_*\|~] ?`;
// None goes on over a sign that is dashed: there would be too many ways to read a row of them.
const shortLabel = String.raw`[${letter}\p{So}](?:[${letter}\p{So}${joining}]|[\-_](?!(?:${signNames}|${dotNames})[\-_])){0,62}`;
const apartDot = String.raw`(?:\.(?:[ \n]{1,2}(?=(?:${spokenTop})(?![${letter}])))?|[ \n]{1,2}\. {0,2}|${spelledDot}| {1,2}(?:${dotNames}) {1,2}|${dashed(dotNames)})`;
const apart = `(?:${shortLabel}${apartDot}){1,8}${knownTop}`;
const domain = `(?:${literal}|(?!${version})${named}|${fourNumbers}|${apart})`;

// The handle in https://social.example/@jane.doe is nobody's mailbox.
const inProfileLink = String.raw`\/\/[^\s@\(\[\{<]{1,64}\/`;

// In plain words it is prose as well: “Jane at Acme dot com helped us”. It is an address where it is a clause of its
// own, behind another “at”, and where no word of prose stands before the “at”, as in jane.doe at example dot com.
const spokenDomain = `(?: {1,2}${at} {1,2}(?:${label}${spokenDot})+${knownTop})`;
const spokenLocal = `(?:[${atext}]|${spokenDot}){1,64}`;
const noWordOfProse = String.raw`(?:[${atext}]|${spokenDot}){0,64}(?:${spokenDot}|[${letter}][._+][${letter}]|\p{L}\d)[${atext}]{0,64}`;

// The same with a plain dot in the domain, where the local part has one, too, and is no name of a program or of a site.
const dottedLocal = String.raw`[${atext}]{0,64}[\p{L}\p{M}][._+][\p{L}\p{M}][${atext}]{0,64}(?<=[${letter}])(?<!\.(?:${anyCase('js|com|net|org')}))`;

// The title of a page in its address is no local part.
const inLink = String.raw`(?:\/\/|${anyCase('www')}\.)\S{0,64}`;

/** Each finds the place between the left and the right of addresses. */
const addresses = [
  `(?<!@|${inProfileLink})(?=(?<right>${atSign}${domain}))(?<=(?<left>${local}))`,
  String.raw`(?=(?<right>${spokenDomain}) *(?:$|[\n;,.!?"\)>]))(?<=(?:^|[\n:;,.!?"\(<]) *(?<left>${spokenLocal}))`,
  `(?=(?<right>${spokenDomain}))(?<=(?<left>(?<= ${at} {1,2})${spokenLocal}|${noWordOfProse}))`,
  `(?=(?<right> {1,2}${at} {1,2}(?!${version})${named}))(?<=(?<left>${dottedLocal}))`,
  `(?=(?<right>${dashed(anyCase('at|ät'))}${apart}))(?<!${inLink})(?<=(?<left>${local}))`,
].map((pattern) => new RegExp(pattern, 'gv'));

/** A sign that an address has between its left and its right, in any of its forms: most texts have none. */
const anySign = new RegExp(String.raw`@|[ \(\[\{<\-_*\|~](?:${signNames})[ \)\]\}>\-_*\|~]`, 'v');

/**
 * Puts `[e-mail address]` in the place of every e-mail address in a text, also of one in full-width letters, with
 * invisible characters inside, encoded as in links and in HTML, or spelled out as in `jane (at) example (dot) com` and
 * `jane-at-example.com`. Everything else stays as it is. In doubt it is an address, and in plain words it is prose:
 * `meet us at example.com`.
 */
export function maskAddresses(text: string): string {
  if (!anySign.test(text.replace(ambiguous, (piece) => meaningOf(piece) ?? piece))) return text;
  const { seen, begins, ends } = viewOf(text);
  const spans = addresses
    .flatMap((address) => Array.from(seen.matchAll(address)))
    .map(({ index, groups: { left = '', right = '' } = {} }) => ({
      begin: begins[index - left.length] ?? 0,
      end: ends[index + right.length - 1] ?? text.length,
    }))
    .toSorted((a, b) => a.begin - b.begin);
  let masked = '';
  let done = 0;
  for (const { begin, end } of spans) {
    if (begin >= done) masked += text.slice(done, begin) + maskedAddress;
    done = Math.max(done, end);
  }
  return masked + text.slice(done);
}

// Whatever a program decodes, were it encoded twice, and whatever is beyond ASCII.
const ambiguous =
  /%(?:25)*[2-7][0-9a-f]|%[c-f][0-9a-f](?:%[89ab][0-9a-f]){1,3}|&(?:amp;)*(?:#\d{1,9}|#x[0-9a-f]{1,8}|commat|period);?|[^\n -~]/giu;

/** A text as readers and programs take it, and where each of its characters begins and ends in the text itself. */
function viewOf(text: string): { seen: string; begins: number[]; ends: number[] } {
  let seen = '';
  const begins: number[] = [];
  const ends: number[] = [];
  let done = 0;
  const copyUntil = (end: number) => {
    seen += text.slice(done, end);
    for (; done < end; done += 1) {
      begins.push(done);
      ends.push(done + 1);
    }
  };
  for (const { index, 0: piece } of text.matchAll(ambiguous)) {
    const meant = meaningOf(piece);
    copyUntil(index);
    if (meant === undefined) continue;
    done = index + piece.length;
    seen += meant;
    for (let unit = 0; unit < meant.length; unit += 1) {
      begins.push(index);
      ends.push(done);
    }
  }
  copyUntil(text.length);
  return { seen, begins, ends };
}

const ofAddresses = new RegExp(`^[${atext}@]*$`, 'v');

// No ligature in an address has more; one of Arabic is a sentence.
const longestLigature = 3;

/** Undefined when a piece stands for itself: what is encoded and of no address, as the space in %20. */
function meaningOf(piece: string): string | undefined {
  const isEncoded = /^[%&]./.test(piece);
  const meant = (isEncoded ? decoded(piece) : piece)
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[“”„‟]/g, '"')
    .replace(/’/g, "'")
    .replace(/‐/g, '-')
    .replace(/[^\S\n]/g, ' ');
  const isItself = (isEncoded && !ofAddresses.test(meant)) || meant.length > longestLigature;
  return isItself ? undefined : meant;
}

/** Returns the character of a code; any other text as it is. */
function decoded(code: string): string {
  if (/commat/i.test(code)) return '@';
  if (/period/i.test(code)) return '.';
  const [, isHex, digits = ''] = /#(x?)([0-9a-f]+)/i.exec(code) ?? [];
  try {
    if (code.startsWith('%')) return decodeURIComponent(code.replace(/^%(?:25)+(?=..$)/, '%'));
    return String.fromCodePoint(Number.parseInt(digits, isHex ? 16 : 10));
  } catch {
    return code;
  }
}

/** The texts that people wrote: all from which a testimonial's terms come, beside its facets of closed sets. */
export type Texts = Pick<Testimonial, 'content' | 'tags'> & { author: Omit<Testimonial['author'], 'email'> };

/** The same texts with every e-mail address that someone typed into them masked. */
export function publicTexts({ content, author: { name, company }, tags }: Texts): Texts {
  return {
    content: maskAddresses(content),
    author: {
      name: maskAddresses(name),
      ...(company !== undefined && { company: maskAddresses(company) }),
    },
    ...(tags && { tags: tags.map(maskAddresses) }),
  };
}
