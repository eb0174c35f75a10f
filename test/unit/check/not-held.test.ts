import { expect, test } from '@jest/globals';
import { expectSame, faultText, NotHeld } from '../../../lib/check/not-held.ts';

test('what differs is told by its name, in objects by that of the first member', () => {
  expectSame('it', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] });
  expect(() => expectSame('the total', 41, 42)).toThrow(new NotHeld('the total: 41 instead of 42'));
  const [seen, expected] = [
    { a: 1, author: { name: 'Jo' } },
    { a: 1, author: { name: 'Jane' } },
  ];
  expect(() => expectSame('it', seen, expected)).toThrow(new NotHeld('it, author, name: Jo instead of Jane'));
  expect(() => expectSame('it', { a: 1 }, {})).toThrow(new NotHeld('it, a: 1 instead of nothing'));
});

test('what is long is cut', () => {
  expect(() => expectSame('it', 'x'.repeat(1000), '')).toThrow(`it: ${'x'.repeat(200)}… instead of `);
});

test('a fault on the way says why', () => {
  expect(faultText(new TypeError('fetch failed', { cause: new Error('connect refused') }))).toBe(
    'connect refused',
  );
  const ofMany = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
  expect(faultText(new TypeError('fetch failed', { cause: ofMany }))).toBe('ECONNREFUSED');
  expect(faultText(new NotHeld('200'))).toBe('200');
});
