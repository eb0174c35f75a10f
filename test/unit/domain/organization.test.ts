import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { organizationName } from '../../../functions/domain/token.ts';

test.each([
  ['1 letter', 'a'],
  ['1 digit', '7'],
  ['63 characters', 'a'.repeat(63)],
  ['letters, digits and hyphens', 'acme-2-eu'],
  ['a hyphen at the end', 'acme-'],
])('a name may be %s', (_, name) => {
  expect(v.is(organizationName, name)).toBe(true);
});

test.each([
  ['empty', ''],
  ['64 characters', 'a'.repeat(64)],
  ['in upper case', 'Acme'],
  ['with a hyphen at its beginning', '-acme'],
  ['with an underscore', 'a_b'],
  ['with a dot', 'a.b'],
  ['with a blank', 'a b'],
  ['with a newline at its end', 'acme\n'],
  ['with a number sign', 'a#b'],
  ['outside ASCII', 'ácme'],
])('a name may not be %s', (_, name) => {
  expect(v.is(organizationName, name)).toBe(false);
});
