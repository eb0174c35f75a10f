import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readIdempotencyKey } from '../../../functions/create-testimonial/idempotency-key.ts';

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

test('white space around is no part of the key', () => {
  expect(read(' \tk ')).toBe('k');
});

test('a malformed key is a 400 that says what it may be', () => {
  const details = { 'Idempotency-Key': 'must be 1 to 255 visible ASCII characters' };
  expect(() => read('a b')).toThrow(expect.objectContaining({ code: 'bad_request', details }));
});

test('255 characters are counted without quotes and escapes', () => {
  expect(read(quote('"'.repeat(255)))).toBe('"'.repeat(255));
});
