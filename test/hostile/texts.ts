/** Texts that often break programs, for headers, parameters and fields. */
import fc from 'fast-check';
import { anyText } from '../any-text.ts';

/** Keys with a special meaning in JavaScript. */
export const prototypeKeys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then'];

const odd = [
  '',
  ' ',
  '\t',
  '\r\n',
  '\0',
  '\u0085',
  '\u2028',
  '\ufeff',
  // A lone surrogate of each kind, a pair the wrong way round, and a letter beyond the first plane.
  '\ud800',
  '\udfff',
  '\udc00\ud800',
  '𝒳',
  '👩‍👩‍👧‍👦',
  // Marks that are composed, reordered, or grow when they are indexed.
  'é',
  'e\u0301',
  '\u0344',
  'ﬃ',
  'ß',
  'İ',
  'ǅ',
  'ﷺ',
  '\u1e9b\u0323',
  'ς',
  // Right-to-left texts, and characters that override the direction.
  'שלום',
  '\u202eabc\u202c',
  '\u200b',
  '\u00ad',
  // Invisible letters, blank symbols, points, tatweel, and Hangul letters that stand alone.
  '\u3164',
  '\u2800',
  '\u{e0061}',
  'שָׁלוֹם',
  'ممـــتاز',
  '최고ㄳ',
  '_a_',
  '素晴らしい',
  'ประเทศไทย',
  "'",
  '"',
  '\\',
  '%',
  '%zz',
  '{{x}}',
  '<script>',
  "' OR 1=1 --",
  'null',
  'undefined',
  '[object Object]',
  '../../etc/passwd',
  '#',
  '=a',
  '\u{10ffff}',
  'a.b.a.b',
  "l'équipe",
  'node.js',
  'state_of',
  '....',
  '٣',
  '１',
  'Ⅷ',
  ...prototypeKeys,
];

/** Short, unusual texts. */
export const oddText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...odd) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...odd), { maxLength: 12 }).map((all) => all.join('')) },
  { weight: 1, arbitrary: anyText(40) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
);

const lengths = [9, 10, 11, 49, 50, 51, 63, 64, 65, 199, 200, 201, 254, 255, 256, 1000, 4000];

/** Long repetitions, with lengths around the limits and above. */
export const longRun = fc
  .tuple(
    fc.constantFrom(
      'a',
      ' ',
      'é',
      'e\u0301',
      '\u0301',
      '\u0315\u0300',
      '素',
      '👍',
      'a.',
      'a b ',
      ',',
      "a'",
      '_',
      '-',
    ),
    fc.constantFrom(...lengths),
  )
  .map(([unit, length]) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length));

export const hostileText = fc.oneof({ weight: 4, arbitrary: oddText }, { weight: 1, arbitrary: longRun });

/** Numbers as people and programs write them, valid or not. */
export const numberText = fc.constantFrom(
  ...'0 1 2 5 6 25 100 101 -1 +1 01 1.0 1e3 1E400 0x10 0b1 1_000 ١٢ １ 1,2'.split(' '),
  ...'2147483647 2147483648 9007199254740993 Infinity ∞'.split(' '),
  ' 1',
  '1 ',
  '9'.repeat(400),
);

export interface Body {
  body?: string;
  isBase64Encoded?: boolean;
}

/**
 * Returns bodies of texts: as they are, in Base64, with a flag that contradicts the encoding, of bytes that
 * are not UTF-8, or none.
 * @param inBase64 how many of a dozen are in Base64, as a gateway sends forms
 */
export function bodiesOf(text: fc.Arbitrary<string>, inBase64: number): fc.Arbitrary<Body> {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all)),
    text.map((each) => Buffer.from(each, 'utf16le')),
    text.map((each) => Buffer.concat([Buffer.from(each), Buffer.from([0xff, 0xed, 0xa0, 0x80])])),
  );
  const encoded = (body: Buffer) => ({ body: body.toString('base64'), isBase64Encoded: true });
  return fc.oneof(
    { weight: inBase64, arbitrary: text.map((each) => encoded(Buffer.from(each))) },
    { weight: 14 - inBase64, arbitrary: text.map((body) => ({ body })) },
    // The flag contradicts the encoding.
    { weight: 1, arbitrary: text.map((body) => ({ body, isBase64Encoded: true })) },
    { weight: 1, arbitrary: text.map((each) => ({ body: Buffer.from(each).toString('base64') })) },
    { weight: 1, arbitrary: bytes.map(encoded) },
    { weight: 1, arbitrary: fc.constant({}) },
  );
}
