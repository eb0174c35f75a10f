import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maskAddresses, maskedAddress } from '../../../functions/domain/public-texts.ts';

describe('masked is', () => {
  test.each([
    ['an address', 'jane@example.com'],
    ['one in capitals', 'JANE@EXAMPLE.COM'],
    ['one with a tag', 'jane.doe+news@example.co.uk'],
    ['one with stray dots, as some providers give', '.jane..doe.@example.com'],
    ['a domain of digits', 'jane@163.com'],
    ['an internationalised domain', 'jane@exämple.com'],
    ['an internationalised domain below another', 'jane@mail.exämple.com'],
    ['an internationalised domain in ASCII', 'jane@xn--exmple-cua.com'],
    ['an internationalised local part', '用户@例子.广告'],
    ['punctuation inside of words', 'col·lega@col·legi.cat'],
    ['a hyphen that does not break', 'jane\u2011doe@my\u2011mail.example'],
    ['a domain with an emoji', 'jane@i❤.ws'],
    ['ideographic full stops', '用户@mail。例子。广告'],
    ['an ideographic full stop before a Latin letter', 'jane@mail.example。com'],
    ['a quoted local part', '"jane doe"@example.com'],
    ['a quoted local part with an at-sign', '"jane@work"@example.com'],
    ['a quoted local part with a quote', '"jane \\"j\\" doe"@example.com'],
    ['a local part that is quoted here and there', 'jane."van der".doe@example.com'],
    ['a typographically quoted local part', '“jane doe”@example.com'],
    ['a local part with an apostrophe', 'jane.o’neill@example.com'],
    ['a domain literal', 'jane@[192.0.2.1]'],
    ['a domain literal of IPv6', 'jane@[IPv6:2001:db8::1]'],
    ['four numbers', 'jane@192.0.2.1'],
    ['a comment', 'jane(work)@(office)example.com'],
    ['spaces at the at-sign', 'jane @ example.com'],
    ['a space behind the at-sign', 'jane@ example.com'],
    ['two at-signs', 'jane@@example.com'],
    ['an at-sign in the local part', 'jane@work@example.com'],
    ['a name at another server', '@jane@social.example'],
    ['full-width signs', 'ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ'],
    ['a small at-sign', 'jane﹫example.com'],
    ['mathematical letters', '𝐣𝐚𝐧𝐞@𝐞𝐱𝐚𝐦𝐩𝐥𝐞.𝐜𝐨𝐦'],
    ['a soft hyphen', 'jane@exam\u00adple.com'],
    ['characters without width', 'ja\u200bne\u200d@\ufeffexample\u2060.com'],
    ['letters that are struck out', 'j\u0336a\u0336@\u0336x\u0336.\u0336org'],
    ['an encoded at-sign', 'jane%40example.com'],
    ['an at-sign that is encoded twice', 'jane%2540example.com'],
    ['an encoded address', '%6Aane%40ex%C3%A4mple%2Ecom'],
    ['what may be encoded in a local part', 'jane%20doe%40work@example.com'],
    ['an at-sign of HTML in decimal', 'jane&#64;example&#46;com'],
    ['an at-sign of HTML in hexadecimal', 'jane&#x40;example&#x2e;com'],
    ['an at-sign of HTML by name', 'jane&commat;example&period;com'],
    ['an at-sign of HTML that is encoded twice', 'jane&amp;#64;example.com'],
    ['brackets in place of signs', 'jane (at) example (dot) com'],
    ['brackets without spaces', 'jane[at]example[dot]com'],
    ['a bracket in place of the at-sign alone', 'jane [at] example.com'],
    ['a bracket in place of the dot alone', 'jane@example[.]com'],
    ['words in brackets in German', 'jane (ät) example (punkt) com'],
    ['a word in place of the dot alone', 'jane@example dot com'],
    ['plain words that are a clause of their own', 'jane at example dot com'],
    ['plain words with a local part of several', 'jane dot doe at example dot com'],
    ['spaces at the dots', 'jane @ example . com'],
    ['spaces at the dots of several labels', 'jane@mail . example . co.uk'],
    ['a space behind the dot', 'jane@example. com'],
    ['a line break behind the at-sign', 'jane@\nexample.com'],
    ['a line break and spaces behind the at-sign', 'jane@ \n example.com'],
    ['a line break before the last dot', 'jane@example\n.com'],
    ['a word for the at-sign and a dot, behind a local part of several', 'jane.doe at example.com'],
    ['the same with an underscore', 'jane_doe at mail.example.co.uk'],
    ['the same with a tag', 'jane+news at example.museum'],
    ['dashes around the word', 'jane-at-example.com'],
    ['dashes around all words', 'jane.doe -at- example -dot- com'],
    ['underlines', 'jane_at_example_dot_com'],
    ['stars', 'jane*at*example.com'],
    ['bars', 'jane |at| example |dot| com'],
    ['French in brackets', 'jane (arobase) example (point) fr'],
    ['French in plain words', 'jane arobase example point fr'],
    ['Spanish', 'jane {arroba} example {punto} es'],
    ['Italian', 'jane[chiocciola]example.it'],
    ['German', 'jane (Klammeraffe) example.de'],
    ['Polish', 'jane (małpa) example (kropka) pl'],
    ['Russian', 'jane (собака) example.ru'],
    ['Japanese', 'jane（アットマーク）example.jp'],
  ])('%s: %s', (_, address) => {
    expect(maskAddresses(address)).toBe(maskedAddress);
    expect(maskAddresses(`Write to me: ${address}, please.`)).toBe(`Write to me: ${maskedAddress}, please.`);
  });

  test.each([
    ['mailto:jane@example.com?subject=Hi', `mailto:${maskedAddress}?subject=Hi`],
    ['"Jane Doe" <jane@example.com>', `"Jane Doe" <${maskedAddress}>`],
    ['jane@example.com,jim@example.org', `${maskedAddress},${maskedAddress}`],
    ['Jane@example.com. Thanks', `${maskedAddress}. Thanks`],
    ['jane@example.com👍', `${maskedAddress}👍`],
    ['「jane@example.com」。ありがとう', `「${maskedAddress}」。ありがとう`],
    ['jane@example.com。ありがとう', `${maskedAddress}。ありがとう`],
    ['https://jane:secret@example.com/', `https://jane:${maskedAddress}/`],
    ['Reach me at jane at example dot com now', `Reach me at ${maskedAddress} now`],
    ['Write jane.doe at example dot com now', `Write ${maskedAddress} now`],
    ['Write jane.doe at example.com now', `Write ${maskedAddress} now`],
    ['At this point jane@example.com', `At this point ${maskedAddress}`],
    ['jane @ example . com . Thanks', `${maskedAddress} . Thanks`],
    ['ﬁne\u00adly: jane@example.com', `ﬁne\u00adly: ${maskedAddress}`],
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
  ['100%40 off & 5 &#64; 6'],
  ['@scope/package@1.2.3'],
  ['@scope/package@1.2.3-beta.1, react@18.0.0-rc.alpha, node@20.x, vue@^3.2.1'],
  ['https://cdn.example/react@18.2.0/umd/react.js'],
  ['Meet us at example.com'],
  ['Meet us at example dot com'],
  ['Jane at Acme dot com helped us'],
  ['We were impressed at every dot product.'],
  ['Be there (at) noon, on the dot'],
  ['Rated 4.5 at trustpilot.com, and v2.0 at api.example.com'],
  ['Node.js at example.com, booking.com at example.com'],
  ['Until 5 p.m. at example.com'],
  ['Jane Doe at example.com'],
  ['A state-of-the-art stay-at-home service, and look-at-the-dot matrices'],
  ['https://www.stay-at-home.com/ and www.dine-at-home.com'],
  ['We were there @ noon . It was great'],
  ['I sent it to jane@work. De nada'],
  ['Al punto (arroba) de arroz'],
  ['Thanks\n@jane.doe'],
  ['ﬁne ｗｉｄｅ text… “quoted”, soft\u00adly %20 %zz &amp; &#0; &#99999999; \ufdfa'],
])('%s stays as it is', (text) => {
  expect(maskAddresses(text)).toBe(text);
});

describe('whatever the text', () => {
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
  const spelledDots = '.|．|。|｡|%2E|&#46;|&period;| (dot) |[.]|(punkt)| dot '.split('|');
  const domains = fc.oneof(
    dotted(labels('abz'), oneOf('com', 'org', 'museum', 'xn--p1ai'), ...spelledDots),
    dotted(labels('éß·жя用のไשم'), oneOf('рф', '广告', 'ไทย', 'com'), ...spelledDots),
    fc.ipV4().map((ip) => `[${ip}]`),
    fc.ipV6().map((ip) => `[IPv6:${ip}]`),
  );
  const atSigns = [
    ...['@', '＠', '﹫', '%40', '%2540', '&#64;', '&#0064;', '&#x40;', '&commat;', '&COMMAT', '&amp;#64;'],
    ...[' @ ', '@ ', '@\n', '(at)', ' [AT] ', '{at}', ' (ａｔ) ', '<ät>', ' (arobase) ', '[chiocciola]'],
  ];
  const invisible = oneOf('', '', '', '\u00ad', '\u200b', '\u200d', '\u2060', '\ufeff', '\ufe0f');
  const withInvisible = (text: fc.Arbitrary<string>) =>
    fc
      .tuple(text, fc.array(invisible, { minLength: 1, maxLength: 5 }))
      .map(([whole, between]) =>
        Array.from(whole, (character, i) => (i > 0 ? between[i % between.length] : '') + character).join(''),
      );
  const plainDomain = (domain: string) => !/[%&]/.test(domain);
  const addresses = fc
    .tuple(
      withInvisible(locals),
      oneOf(...atSigns),
      fc.oneof(domains, withInvisible(domains.filter(plainDomain))),
    )
    .map((parts) => parts.join(''));

  test('an address of any form goes, and all around it stays', () => {
    const before = oneOf('', 'Write to ', 'Mail: ', '(', '<', '«', '、', 'ﬁne\u00ad!\n', 'mailto:');
    const after = oneOf('', ', please', ' or call', ')', '>', '. Thanks', '…', '、', '\n');
    fc.assert(
      fc.property(before, addresses, after, (begin, address, end) => {
        expect(maskAddresses(begin + address + end)).toBe(begin + maskedAddress + end);
      }),
      { numRuns: 2000 },
    );
  });

  const pieces = fc.oneof(
    addresses,
    fc.string({ unit: 'binary', maxLength: 5 }),
    oneOf(...atSigns, ...spelledDots, ...' .@"\\(<[]>)/%&;:', ' at ', ' dot com', 'jane', '//', 'ﬃ', '\n'),
  );
  const texts = fc.array(pieces, { maxLength: 12 }).map((some) => some.join(''));

  test('what is masked has nothing more to mask', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const masked = maskAddresses(text);
        expect(maskAddresses(masked)).toBe(masked);
      }),
      { numRuns: 2000 },
    );
  });

  test('what is not masked is as it was, in its order', () => {
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

  test('without an at-sign in any form it stays as it is', () => {
    const hasNone = (text: string) =>
      !/[@%&]|at|ät|ar+oba|chiocciola|klammeraffe|snabel|krøll|zavináč|małpa|собака|アット|골뱅이/i.test(
        text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''),
      );
    fc.assert(
      fc.property(fc.oneof(texts, fc.string({ unit: 'binary' })).filter(hasNone), (text) => {
        expect(maskAddresses(text)).toBe(text);
      }),
    );
  });
});

// What takes the square of the time takes minutes.
const repeated = [
  'a.¦@¦a@¦@a.¦a@b.c¦"¦"@¦"@"¦\\"¦"@a.b¦%40¦a%40¦%25¦&amp;¦&#64;',
  '\u00ad¦\u0336¦字。¦1。¦\ufdfa¦ ¦ @ ¦(at)¦(a)@¦@[¦@[.¦-¦1.¦ dot ',
  '//a/¦x at ¦x at y dot com ¦x.y at ¦[.]¦_¦(¦-at-¦a-at-¦a-at-a.¦a-at-a-dot-¦-dot-¦a-dot-¦@a-dot-',
  '@a . ¦@a. ¦@\n¦@\na.¦ . ¦a . ¦x.y at a.¦x.y at a.b ¦(arobase)¦ arobase ¦ arobase a point ¦a point ',
  '_at_a_dot_¦|at|¦www.¦//',
].flatMap((some) => some.split('¦'));

test.each(repeated)('100,000 characters of %j are looked through in seconds at most', (unit) => {
  const hostile = unit.repeat(100_000 / unit.length);
  const begin = performance.now();
  for (const text of [hostile, `x@${hostile}`, `${hostile}@x.com`, `a at ${hostile} dot com`])
    maskAddresses(text);
  expect(performance.now() - begin).toBeLessThan(20_000);
});
