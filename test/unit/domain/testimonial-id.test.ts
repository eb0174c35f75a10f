import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeTestimonialId, ordinalOf, ordinalOfId } from '../../../functions/domain/testimonial-id.ts';

const ordinals = fc.integer({ min: 1, max: 999_999_999_999 });

test('an id ends with the ordinal that it was made with', () => {
  const twelveDigits = fc.integer({ min: 100_000_000_000, max: 999_999_999_999 });
  fc.assert(
    fc.property(ordinals, twelveDigits, (ordinal, random) => {
      expect(ordinalOfId(makeTestimonialId(ordinal, () => random))).toBe(ordinal);
    }),
  );
});

test('an id contains twelve random digits', () => {
  const asked: number[][] = [];
  makeTestimonialId(7, (min, max) => {
    asked.push([min, max]);
    return min;
  });
  expect(asked).toEqual([[100_000_000_000, 1_000_000_000_000]]);
});

test.each([
  ['twelve digits without an ordinal', 'test_123456789012'],
  ['the id of the published example', 'test_123456789'],
  ['an ordinal that begins with 0', 'test_12345678901201'],
  ['randomness that begins with 0', 'test_0234567890121'],
  ['another prefix', 'tst_1234567890121'],
  ['digits of another script', 'test_123456789012١'],
  ['a line break after', 'test_1234567890121\n'],
  ['an ordinal beyond what a number holds exactly', `test_123456789012${'9'.repeat(17)}`],
  ['an endless ordinal', `test_123456789012${'9'.repeat(400)}`],
])('has no ordinal: %s', (_, id) => {
  expect(ordinalOfId(id)).toBeUndefined();
});

test('a stored testimonial with a malformed id has no ordinal', () => {
  expect(() => ordinalOf('test_12')).toThrow('malformed id test_12');
});
