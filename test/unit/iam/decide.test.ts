import { describe, expect, test } from '@jest/globals';
import { decide, isLike, type Statement } from '../../iam/decide.ts';

const key = 'dynamodb:LeadingKeys';
const allow: Statement = {
  Effect: 'Allow',
  Action: ['dynamodb:GetItem', 'dynamodb:BatchGetItem'],
  Resource: 'arn:table',
};
/** Returns a request to get items of these partitions. */
const get = (...keys: string[]) => ({
  action: 'dynamodb:GetItem',
  resource: 'arn:table',
  context: { [key]: keys },
});
const isAllowed = (statement: Partial<Statement>, request = get('ORG#acme')) =>
  decide([{ ...allow, ...statement }], request).isAllowed;

test('a request that no statement allows is denied', () => {
  expect(decide([], get('a'))).toEqual({ isAllowed: false });
  expect(isAllowed({})).toBe(true);
  expect(isAllowed({}, { ...get(), action: 'dynamodb:PutItem' })).toBe(false);
  expect(isAllowed({}, { ...get(), resource: 'arn:table/index/by-status' })).toBe(false);
});

test('a Deny overrides every Allow', () => {
  const deny: Statement = { ...allow, Effect: 'Deny', Action: 'dynamodb:*' };
  expect(decide([allow, deny, allow], get('a'))).toEqual({ isAllowed: false, by: deny });
});

test('actions ignore case, ARNs do not', () => {
  expect(isAllowed({ Action: 'DynamoDB:getitem' })).toBe(true);
  expect(isAllowed({ Resource: 'arn:Table' })).toBe(false);
});

test.each([
  ['ORG#acme', 'ORG#*', true],
  ['ORG#', 'ORG#*', true],
  ['XORG#acme', 'ORG#*', false],
  ['org#acme', 'ORG#*', false],
  ['ORG\nx', 'ORG?x', true],
  ['ORGxx', 'ORG.x', false],
  ['a+b(c)[d]{e}^$|\\', 'a+b(c)[d]{e}^$|\\', true],
])('%j is like %j: %j', (text, pattern, expected) => {
  expect(isLike(text, pattern)).toBe(expected);
});

describe('the keys of a request', () => {
  const conditions = (operators: Record<string, string[]>) =>
    Object.fromEntries(Object.entries(operators).map(([operator, like]) => [operator, { [key]: like }]));

  test.each<[Record<string, string[]>, keys: string[], expected: boolean]>([
    [{ 'ForAllValues:StringLike': ['ORG#*', 'ABSENT'] }, ['ORG#a', 'ABSENT'], true],
    [{ 'ForAllValues:StringLike': ['ORG#*', 'ABSENT'] }, ['ORG#a', 'TOKEN#1'], false],
    [{ 'ForAllValues:StringLike': ['ORG#*'] }, [], true],
    [{ 'ForAllValues:StringNotLike': ['TOKEN#*', 'KEY#*'] }, ['ORG#a', 'ABSENT'], true],
    [{ 'ForAllValues:StringNotLike': ['TOKEN#*', 'KEY#*'] }, ['ORG#a', 'TOKEN#1'], false],
    [{ 'ForAnyValue:StringLike': ['TOKEN#*', 'KEY#*'] }, ['ORG#a', 'KEY#1'], true],
    [{ 'ForAnyValue:StringLike': ['TOKEN#*', 'KEY#*'] }, ['ORG#a'], false],
    [{ 'ForAnyValue:StringLike': ['*'] }, [], false],
    [{ Null: ['false'] }, ['a'], true],
    [{ Null: ['false'] }, [], false],
    [{ 'ForAllValues:StringLike': ['ORG#*'], 'ForAllValues:StringNotLike': ['ORG#*#*'] }, ['ORG#a'], true],
    [{ 'ForAllValues:StringLike': ['ORG#*'], 'ForAllValues:StringNotLike': ['ORG#*#*'] }, ['ORG#a#1'], false],
  ])('under %j, %j: %j', (operators, keys, expected) => {
    expect(isAllowed({ Condition: conditions(operators) }, get(...keys))).toBe(expected);
  });
});

test('an unknown operator is an error', () => {
  expect(() => isAllowed({ Condition: { StringEquals: { [key]: 'a' } } })).toThrow('StringEquals');
  expect(() => decide([Object.assign({ NotAction: 'x' }, allow)], get('a'))).toThrow('NotAction');
});
