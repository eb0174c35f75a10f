import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { emailAddress, foldAddress } from '../../../functions/domain/email-address.ts';
import { maskAddresses, maskedAddress } from '../../../functions/domain/mask-addresses.ts';
import { runsOf } from '../../some-of.ts';

const stored = (address: unknown) => v.safeParse(emailAddress, address, { abortPipeEarly: true });

describe('an address', () => {
  test.each([
    ['with a Chinese domain', 'jane@例子.广告'],
    ['with ideographic full stops', 'jane@例子。广告'],
    ['with a Hindi domain', 'jane@उदाहरण.भारत'],
    ['with punctuation inside of a word', 'jane@col·legi.cat'],
    ['with an emoji', 'jane@i❤.ws'],
    ['with hyphens inside of labels', 'jane@büro-köln.de'],
    ['with numbers before the last part', 'jane@163.com'],
  ])('%s is stored as it was typed (%s)', (_, address) => {
    expect(stored(address)).toMatchObject({ success: true, output: address });
  });

  test('is stored without a space behind an invisible character', () => {
    const output = 'jane@example.com';
    expect(stored(`\u200b ${output}`)).toMatchObject({ success: true, output });
  });

  test.each([
    'jane@[192.0.2.1]',
    // Other ways to write numbers.
    'jane@1.１',
    'jane@1.0x7f',
    'jane@example.①',
    'jane@.bücher.de',
    'jane@bücher.de.',
    'jane@例子-。广告',
    'jane@bücher.de-',
    'jane@·ab.de',
    `jane@${'ü'.repeat(63)}.de`,
    // Parts of a URL.
    'jane@bücher.de/x',
    'jane@%62ücher.de',
    'jane@a／b.de',
    'jane@℀.de',
    'jane@bücher.de\u3000x',
    'jane＠bücher.de',
    'jane@b\ufffdcher.de',
    'jane@xn--bücher.de',
    'jane@\u0301ab.de',
  ])('%j is refused', (address) => {
    expect(stored(address).issues?.map(({ message }) => message)).toEqual(['must be a valid e-mail address']);
  });

  test.each([
    ['as typed', `jane@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.eeeee.de`],
    ['in ASCII', `jane@${'ü.'.repeat(40)}de`],
    ['before it is composed', `jane@${'\u0315\u0300'.repeat(1_000_000)}.de`],
  ])('that is longer than 254 characters %s is refused', (_, address) => {
    expect(stored(address).issues?.[0].message).toMatch(/^must be (an|a valid) e-mail address/);
  });
});

describe('two spellings of an address', () => {
  test.each([
    ['jane@bücher.de', 'jane@xn--bcher-kva.de'],
    ['Jane@BÜCHER.de', 'jane@bu\u0308cher.DE'],
    ['jane@пример.рф', 'JANE@xn--e1afmkfd.XN--P1AI'],
    ['jane@例子。广告', 'jane@例子.广告'],
    ['jane@ｅｘａｍｐｌｅ.com', 'jane@example.com'],
    ['JANE@Example.com', ' jane@example.com '],
    // An earlier version stored this.
    ['Jane@999.999.999.999', 'jane@999.999.999.999'],
  ])('%s and %s fold to the same', (one, other) => {
    expect(foldAddress(one)).toBe(foldAddress(other));
  });

  test.each([
    ['jane@straße.de', 'jane@strasse.de'],
    ['jane@bücher.de', 'jane@bucher.de'],
    ['jane@bücher.de', 'jon@bücher.de'],
    ['jane@1.1', 'jane@2.1'],
    ['jane@example.com/x', 'jane@example.com'],
  ])('%s and %s differ', (one, other) => {
    expect(foldAddress(one)).not.toBe(foldAddress(other));
  });

  test('take no longer to fold if they are long', () => {
    // Composing it, or its domain in ASCII, takes quadratic time.
    for (const part of ['\u0315\u0300', 'ü']) {
      expect(foldAddress(`jane@${part.repeat(1_000_000)}.de`)).toContain('jane@');
    }
  });
});

test('every address with a domain in Unicode is masked in public', () => {
  const chars = (letters: string) =>
    fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 8 });
  // 1.2.3-beta is a version of software.
  const label = chars('abüßéжя用户のไשم·1-❤').filter((each) => !/^\d+-/.test(each));
  const address = fc
    .tuple(chars("ab1.!#$%&'*+=?^_`{|}~-"), fc.array(label, { minLength: 1, maxLength: 3 }), chars('cüя广ไ'))
    .map(([local, labels, top]) => `${local}@${[...labels, top].join('.')}`);
  let accepted = 0;
  fc.assert(
    fc.property(address, (each) => {
      if (!stored(each).success) return;
      accepted += 1;
      expect(maskAddresses(`(${each})`)).toBe(`(${maskedAddress})`);
    }),
    { numRuns: runsOf(1000) },
  );
  expect(accepted).toBeGreaterThan(100);
});
