import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readIdempotencyKey } from '../../../functions/create-testimonial/handler.ts';

const read = (header: string) => readIdempotencyKey({ 'idempotency-key': header });
const quote = (key: string) => `"${key.replace(/["\\]/g, '\\$&')}"`;
const keys = fc.stringMatching(/^[!-~]{1,255}$/);

test('a quoted key is read without its quotes', () => {
  fc.assert(fc.property(keys, (key) => expect(read(quote(key))).toBe(key)));
});

test('a key without quotes is read unchanged', () => {
  fc.assert(
    fc.property(
      keys.filter((key) => !key.startsWith('"')),
      (key) => expect(read(key)).toBe(key),
    ),
  );
});
