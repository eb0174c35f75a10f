import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readIdempotencyKey } from '../../../functions/create-testimonial/idempotency-key.ts';
import { ApiError } from '../../../functions/http/api-error.ts';

const read = (header: string) => readIdempotencyKey({ 'idempotency-key': header });
const quote = (key: string) => `"${key.replace(/["\\]/g, '\\$&')}"`;
const keys = fc.stringMatching(/^[!-~]{1,255}$/);

test('no header is no key', () => {
  expect(readIdempotencyKey({})).toBeUndefined();
});

test('any visible ASCII in quotes is read as the text it quotes', () => {
  fc.assert(fc.property(keys, (key) => expect(read(quote(key))).toBe(key)));
});

test('any visible ASCII that does not begin with a quote is read as it is', () => {
  fc.assert(
    fc.property(
      keys.filter((key) => !key.startsWith('"')),
      (key) => expect(read(key)).toBe(key),
    ),
  );
});

test('quoted and not, the same key is the same', () => {
  expect(read('"8e03978e-40d5"')).toBe(read('8e03978e-40d5'));
});

test('white space around is no part of the key', () => {
  expect(read(' \tk ')).toBe('k');
});

describe('a malformed key is a 400 that names the header', () => {
  test.each([
    ['empty', ''],
    ['white space', '  '],
    ['empty in quotes', '""'],
    ['space inside', 'a b'],
    ['space inside quotes', '"a b"'],
    ['a tab', 'a\tb'],
    ['a letter beyond ASCII', 'é'],
    ['a letter beyond ASCII in quotes', '"é"'],
    ['a control character', 'a\u007f'],
    ['a line break after quotes', '"a"\n"b"'],
    ['an open quote', '"a'],
    ['a quote inside quotes', '"a"b"'],
    ['a backslash before the closing quote', '"a\\"'],
    ['an unknown escape', '"a\\b"'],
    ['256 characters', 'a'.repeat(256)],
    ['256 characters in quotes', quote('a'.repeat(256))],
    ['parameters', '"a";b=1'],
  ])('%s', (_, header) => {
    expect(() => read(header)).toThrow(ApiError);
    try {
      read(header);
    } catch (error) {
      expect(error).toMatchObject({
        code: 'bad_request',
        details: { 'Idempotency-Key': 'must be 1 to 255 visible ASCII characters' },
      });
    }
  });
});

test('255 characters are counted without quotes and escapes', () => {
  expect(read(quote('"'.repeat(255)))).toBe('"'.repeat(255));
});
