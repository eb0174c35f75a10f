/** Texts for people. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { excerpt } from '../../../functions/domain/wording.ts';

test.each([
  ['short', 5, 'short'],
  ['longer than that', 7, 'longer…'],
  ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3, '👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦'],
  ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3, '👩‍👩‍👧‍👦👩‍👩‍👧‍👦…'],
  ['', 1, ''],
])('the beginning of %s in %i characters is %s', (text, length, expected) => {
  expect(excerpt(text, length)).toBe(expected);
});

test('the beginning of a text is a part of it, and no letter is cut', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 1, max: 50 }),
      (text, length) => {
        const begun = excerpt(text, length);
        expect(text.startsWith(begun.replace(/…$/, '')) || begun === text).toBe(true);
        expect([...new Intl.Segmenter().segment(begun)].length).toBeLessThanOrEqual(Math.max(length, 1));
      },
    ),
  );
});
