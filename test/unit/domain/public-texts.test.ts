import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maskAddresses, maskedAddress } from '../../../functions/domain/mask-addresses.ts';
import { anyText } from '../../any-text.ts';
import { runsOf } from '../../some-of.ts';

describe('an address is masked:', () => {
  test.each([
    ['punctuation inside of words', 'col·lega@col·legi.cat'],
    ['a hyphen that does not break', 'jane\u2011doe@my\u2011mail.example'],
    ['a domain with an emoji', 'jane@i❤.ws'],
    ['an ideographic full stop before a Latin letter', 'jane@mail.example。com'],
    ['a local part that is quoted here and there', 'jane."van der".doe@example.com'],
    ['a typographically quoted local part', '“jane doe”@example.com'],
    ['a local part with an apostrophe', 'jane.o’neill@example.com'],
    ['four numbers', 'jane@192.0.2.1'],
    ['a comment', 'jane(work)@(office)example.com'],
    ['an at-sign in the local part', 'jane@work@example.com'],
    ['a name at another server', '@jane@social.example'],
    ['full-width signs', 'ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ'],
    ['mathematical letters', '𝐣𝐚𝐧𝐞@𝐞𝐱𝐚𝐦𝐩𝐥𝐞.𝐜𝐨𝐦'],
    ['letters that are struck out', 'j\u0336a\u0336@\u0336x\u0336.\u0336org'],
    ['a line break and spaces behind the at-sign', 'jane@ \n example.com'],
  ])('%s: %s', (_, address) => {
    expect(maskAddresses(address)).toBe(maskedAddress);
    expect(maskAddresses(`Write to me: ${address}, please.`)).toBe(`Write to me: ${maskedAddress}, please.`);
  });

  test.each([
    ['mailto:jane@example.com?subject=Hi', `mailto:${maskedAddress}?subject=Hi`],
    ['jane@example.com,jim@example.org', `${maskedAddress},${maskedAddress}`],
    ['jane@example.com👍', `${maskedAddress}👍`],
    ['「jane@example.com」。ありがとう', `「${maskedAddress}」。ありがとう`],
    ['jane@example.com。ありがとう', `${maskedAddress}。ありがとう`],
    ['https://jane:secret@example.com/', `https://jane:${maskedAddress}/`],
  ])('the address in %s and nothing else', (text, masked) => {
    expect(maskAddresses(text)).toBe(masked);
  });
});

test.each([
  ['Thanks @handle and @jane.doe!'],
  ['https://social.example/@jane.doe'],
  ['a @ b'],
  ['user@host'],
  ['C@t'],
  ['3@4, 3@4.50, 3 @ 4.50 and 2 @ $9.99 each'],
  ['jane%40example.com and jane&#64;example.com'],
  ['@scope/package@1.2.3'],
  ['@scope/package@1.2.3-beta.1, react@18.0.0-rc.alpha, node@20.x, vue@^3.2.1'],
  ['https://cdn.example/react@18.2.0/umd/react.js'],
  ['Write to jane at example dot com, or jane.doe at example.com'],
  ['jane (at) example (dot) com, jane[at]example.com, jane-at-example.com'],
  ['jane arobase example point fr'],
  ['We were there @ noon . It was great'],
  ['I sent it to jane@work. De nada'],
  ['Thanks\n@jane.doe'],
  ['ﬁne ｗｉｄｅ text… “quoted”, soft\u00adly @ \ufdfa'],
])('%s stays', (text) => {
  expect(maskAddresses(text)).toBe(text);
});

describe('any text', () => {
  const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
  const chars = (characters: string, maxLength: number) =>
    fc.string({ unit: oneOf(...Array.from(characters)), minLength: 1, maxLength });

  // RFC 5322's atoms, RFC 6531's, and quoted strings.
  const atoms = chars("abz019!#$%&'*+-/=?^_`{|}~.éß·・жя用户のไทยשم😀", 20);
  const quotedStrings = fc
    .array(oneOf('a', 'Z', ' ', '@', '.', ',', '<', '(', '\\"', '\\\\', 'ж', '用'), {
      minLength: 1,
      maxLength: 20,
    })
    .map((content) => `"${content.join('')}"`);
  // A link to a profile has a handle.
  const locals = fc.oneof(atoms, quotedStrings).filter((local) => !/\/\/.*\/$/.test(local));
  const dotted = (labels: fc.Arbitrary<string>, tops: fc.Arbitrary<string>, ...dots: string[]) =>
    fc
      .tuple(fc.array(labels, { minLength: 1, maxLength: 4 }), tops, oneOf(...dots))
      .map(([names, top, dot]) => [...names, top].join(dot));
  // 1.2.3-beta is a version of software.
  const labels = (characters: string) =>
    chars(`${characters}019-`, 12).filter((name) => !/^[-·]|[-·]$|^\d+-/.test(name));
  const dots = [...'.．。｡'];
  const domains = fc.oneof(
    dotted(labels('abz'), oneOf('com', 'org', 'museum', 'xn--p1ai'), ...dots),
    dotted(labels('éß·жя用のไשم'), oneOf('рф', '广告', 'ไทย', 'com'), ...dots),
    fc.ipV4().map((ip) => `[${ip}]`),
    fc.ipV6().map((ip) => `[IPv6:${ip}]`),
  );
  const atSigns = ['@', '＠', '﹫', '@@', ' @ ', '@ ', '@\n', ' ＠ '];
  const invisible = oneOf('', '', '', '\u00ad', '\u200b', '\u200d', '\u2060', '\ufeff', '\ufe0f');
  const withInvisible = (text: fc.Arbitrary<string>) =>
    fc
      .tuple(text, fc.array(invisible, { minLength: 1, maxLength: 5 }))
      .map(([whole, between]) =>
        Array.from(whole, (character, i) => (i > 0 ? between[i % between.length] : '') + character).join(''),
      );
  const addresses = fc
    .tuple(withInvisible(locals), oneOf(...atSigns), withInvisible(domains))
    .map((parts) => parts.join(''));

  test('loses an address of any form and nothing around it', () => {
    const before = oneOf('', 'Write to ', 'Mail: ', '(', '<', '«', '、', 'ﬁne\u00ad!\n', 'mailto:');
    const after = oneOf('', ', please', ' or call', ')', '>', '. Thanks', '…', '、', '\n');
    fc.assert(
      fc.property(before, addresses, after, (begin, address, end) => {
        expect(maskAddresses(begin + address + end)).toBe(begin + maskedAddress + end);
      }),
      { numRuns: runsOf(600) },
    );
  });

  const pieces = fc.oneof(
    addresses,
    anyText(5),
    oneOf(...atSigns, ...dots, ...' .@"\\(<[]>)/%&;:', 'jane', '//', 'ﬃ', '\n'),
  );
  const texts = fc.array(pieces, { maxLength: 12 }).map((some) => some.join(''));

  test('is unchanged when it is masked again', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const masked = maskAddresses(text);
        expect(maskAddresses(masked)).toBe(masked);
      }),
      { numRuns: runsOf(600) },
    );
  });

  test('keeps its other parts in order', () => {
    fc.assert(
      fc.property(texts, (text) => {
        let from = 0;
        for (const kept of maskAddresses(text).split(maskedAddress)) {
          const at = text.indexOf(kept, from);
          expect(at).toBeGreaterThanOrEqual(0);
          from = at + kept.length;
        }
      }),
    );
  });

  test('stays as it is without an at-sign', () => {
    const withoutSigns = (text: string) => text.replace(/[@＠﹫]/g, '');
    fc.assert(
      fc.property(fc.oneof(texts, anyText()).map(withoutSigns), (text) => {
        expect(maskAddresses(text)).toBe(text);
      }),
    );
  });
});

// Quadratic time would be minutes.
const repeated = [
  'a.¦@¦a@¦@a.¦a@b.c¦"¦"@¦"@"¦\\"¦"@a.b¦\u00ad¦\u0336¦字。¦1。¦\ufdfa¦ ¦ @ ¦(a)@¦@[¦@[.¦-¦1.',
  '//a/¦[.]¦_¦(¦@a . ¦@a. ¦@\n¦@\na.¦ . ¦//',
].flatMap((some) => some.split('¦'));

test.each(repeated)('100,000 characters of %j take seconds at most', (unit) => {
  const hostile = unit.repeat(100_000 / unit.length);
  const begin = performance.now();
  for (const text of [hostile, `x@${hostile}`, `${hostile}@x.com`]) maskAddresses(text);
  expect(performance.now() - begin).toBeLessThan(20_000);
});
