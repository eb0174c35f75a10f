import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import {
  beginning,
  columns,
  counted,
  displayed,
  jsonText,
  oneLine,
} from '../../../../lib/operator/terminal/formatting.ts';

test('counted uses singular and plural, also an irregular one', () => {
  const texts = [0, 1, 2, 20_001].map((count) => counted(count, 'request'));
  expect(texts).toEqual(['0 requests', '1 request', '2 requests', '20,001 requests']);
  expect(counted(2, 'index', 'indexes')).toBe('2 indexes');
});

test('columns are aligned, numbers at their end', () => {
  const rows = [
    ['name', 'count'],
    ['a', '1'],
    ['longer', '1,000'],
  ];
  expect(columns(rows, ['start', 'end'])).toBe('name    count\na           1\nlonger  1,000');
});

test('columns are measured as a terminal shows them: full-width letters, emoji, accents, colours', () => {
  const rows = [
    ['山田', '1'],
    ['👍🏽', '2'],
    ['Zoe\u0308', '3'],
    ['\u001B[31mred\u001B[39m', '4'],
    ['four', '5'],
  ];
  const lines = columns(rows).split('\n');
  expect(lines).toEqual(['山田  1', '👍🏽    2', 'Zoe\u0308   3', '\u001B[31mred\u001B[39m   4', 'four  5']);
});

test('JSON shows the same value without control characters', () => {
  const value = { content: 'a\u202Eb\u0085c\u2028d\u007Fe\u001Bf', list: ['山田 👍🏽'] };
  const text = jsonText(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).not.toMatch(/[[\p{Cc}\p{Bidi_Control}\u2028]--\n]/v);
  expect(text).toContain('山田 👍🏽');
});

const dangerous = '\u001B[2J\u009B31m\u0007\u0000\u007F\u202Eabc\u2066\u200F\u2028\u2029\r';

/** Texts with words of several scripts, spaces and control characters. */
const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(' ', '  ', '\n', '\t', '山田太郎', '👨‍👩‍👧‍👦', 'e\u0301', 'a'.repeat(90), dangerous),
    ),
  )
  .map((parts) => parts.join(''));

test('displayed text contains no control character except newlines', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(displayed(text)).not.toMatch(/[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--\n]/v);
    }),
  );
  expect(displayed(dangerous)).toBe(
    '\uFFFD[2J\uFFFD31m\uFFFD\uFFFD\uFFFD\uFFFDabc\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD',
  );
});

test('ordinary text of any script is displayed unchanged', () => {
  const text = 'Zoë, 山田さん, مرحبا, नमस्ते 👨‍👩‍👧‍👦👍🏽\nnext';
  expect(displayed(text)).toBe(text);
});

test('oneLine returns a single line', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(oneLine(text)).not.toMatch(/[\n\t\u2028\u2029]| {2}|^ | $/);
    }),
  );
  expect(oneLine(' a\n\nb\tc ')).toBe('a b c');
});

test('beginning shortens a text to the width with an ellipsis', () => {
  fc.assert(
    fc.property(texts.map(oneLine), fc.integer({ min: 2, max: 40 }), (text, width) => {
      expect(stringWidth(beginning(text, width))).toBeLessThanOrEqual(width);
    }),
  );
  expect(beginning('short', 5)).toBe('short');
  expect(beginning('素晴らしい', 6)).toBe('素晴…');
});
