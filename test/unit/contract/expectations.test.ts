import { expect, test } from '@jest/globals';
import { same } from '../../contract/expectations.ts';
import { faultText } from '../../contract/suite.ts';

test('what differs is told by its name, in objects by that of the first member', () => {
  same('it', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] });
  expect(() => same('the total', 41, 42)).toThrow('the total: 41 instead of 42');
  const [seen, expected] = [
    { a: 1, author: { name: 'Jo' } },
    { a: 1, author: { name: 'Jane' } },
  ];
  expect(() => same('it', seen, expected)).toThrow('it, author, name: Jo instead of Jane');
  expect(() => same('it', { a: 1 }, {})).toThrow('it, a: 1 instead of nothing');
});

test('what is long is cut', () => {
  expect(() => same('it', 'x'.repeat(1000), '')).toThrow(`it: ${'x'.repeat(200)}… instead of `);
});

test('a fault on the way says why', () => {
  const failed = (cause: unknown) => faultText(new TypeError('fetch failed', { cause }));
  expect(failed(new Error('connect refused'))).toBe('connect refused');
  expect(failed(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
  expect(faultText(new Error('200'))).toBe('200');
});
