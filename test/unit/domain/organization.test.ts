import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { organizationName } from '../../../functions/domain/organization.ts';
import { tokenRecord } from '../../../functions/domain/token.ts';

const ofToken = (organization: string) =>
  v.is(tokenRecord, {
    hash: 'ab12',
    organization,
    permissions: ['testimonials:read'],
    createdAt: '2026-01-15T10:30:00.000Z',
  });

describe.each([
  ['an organization name', (name: string) => v.is(organizationName, name)],
  ['the organization of a token', ofToken],
])('%s', (_, isTaken) => {
  test.each([
    ['1 letter', 'a'],
    ['1 digit', '7'],
    ['63 characters', 'a'.repeat(63)],
    ['letters, digits and hyphens', 'acme-2-eu'],
    ['a hyphen at the end', 'acme-'],
  ])('may be %s', (_what, name) => {
    expect(isTaken(name)).toBe(true);
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
  ])('may not be %s', (_what, name) => {
    expect(isTaken(name)).toBe(false);
  });
});
