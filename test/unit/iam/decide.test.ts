import { describe, expect, test } from '@jest/globals';
import { decide, isLike, type Statement } from '../../iam/decide.ts';

const key = 'dynamodb:LeadingKeys';
const allow: Statement = {
  Effect: 'Allow',
  Action: ['dynamodb:GetItem', 'dynamodb:BatchGetItem'],
  Resource: 'arn:table',
};
const of = (Condition: NonNullable<Statement['Condition']>): Statement => ({ ...allow, Condition });
const get = (...keys: string[]) => ({
  action: 'dynamodb:GetItem',
  resource: 'arn:table',
  context: { [key]: keys },
});
const isAllowed = (statements: Statement[], request = get('ORG#acme')) =>
  decide(statements, request).isAllowed;

test('what no statement allows is refused', () => {
  expect(decide([], get('a'))).toEqual({ isAllowed: false });
  expect(isAllowed([allow])).toBe(true);
  expect(isAllowed([allow], { ...get(), action: 'dynamodb:PutItem' })).toBe(false);
  expect(isAllowed([allow], { ...get(), resource: 'arn:table/index/by-status' })).toBe(false);
});

test('one Deny beats all that is allowed', () => {
  const deny: Statement = { ...allow, Effect: 'Deny', Action: 'dynamodb:*' };
  expect(decide([allow, deny, allow], get('a'))).toEqual({ isAllowed: false, by: deny });
});

test('actions are compared in any case, ARNs as they are', () => {
  expect(isAllowed([{ ...allow, Action: 'DynamoDB:getitem' }])).toBe(true);
  expect(isAllowed([{ ...allow, Resource: 'arn:Table' }])).toBe(false);
});

test.each([
  ['ORG#acme', 'ORG#*', true],
  ['ORG#', 'ORG#*', true],
  ['ORG#acme#KEY#1', 'ORG#*', true],
  ['XORG#acme', 'ORG#*', false],
  ['ORG#acme', 'ORG#*#*', false],
  ['org#acme', 'ORG#*', false],
  ['ORG\nx', 'ORG?x', true],
  ['ORGxx', 'ORG.x', false],
  ['a+b(c)[d]{e}^$|\\', 'a+b(c)[d]{e}^$|\\', true],
])('%j is like %j: %j', (text, pattern, expected) => {
  expect(isLike(text, pattern)).toBe(expected);
});

describe('of the keys of a request', () => {
  test('ForAllValues:StringLike wants each to be like one of the patterns', () => {
    const statement = of({ 'ForAllValues:StringLike': { [key]: ['ORG#*', 'ABSENT'] } });
    expect(isAllowed([statement], get('ORG#a', 'ABSENT'))).toBe(true);
    expect(isAllowed([statement], get('ORG#a', 'TOKEN#1'))).toBe(false);
  });

  test('ForAllValues:StringNotLike wants none to be like one of the patterns', () => {
    const statement = of({ 'ForAllValues:StringNotLike': { [key]: ['TOKEN#*', 'KEY#*'] } });
    expect(isAllowed([statement], get('ORG#a', 'ABSENT'))).toBe(true);
    expect(isAllowed([statement], get('ORG#a', 'TOKEN#1'))).toBe(false);
  });

  test('ForAnyValue:StringLike wants one to be like one of the patterns', () => {
    const statement = of({ 'ForAnyValue:StringLike': { [key]: ['TOKEN#*', 'KEY#*'] } });
    expect(isAllowed([statement], get('ORG#a', 'KEY#1'))).toBe(true);
    expect(isAllowed([statement], get('ORG#a'))).toBe(false);
  });

  test('of none, ForAllValues holds and ForAnyValue does not; Null tells', () => {
    expect(isAllowed([of({ 'ForAllValues:StringLike': { [key]: 'ORG#*' } })], get())).toBe(true);
    expect(isAllowed([of({ 'ForAllValues:StringNotLike': { [key]: 'ORG#*' } })], get())).toBe(true);
    expect(isAllowed([of({ 'ForAnyValue:StringLike': { [key]: '*' } })], get())).toBe(false);
    expect(isAllowed([of({ Null: { [key]: 'false' } })], get())).toBe(false);
    expect(isAllowed([of({ Null: { [key]: 'true' } })], get())).toBe(true);
    expect(isAllowed([of({ Null: { [key]: 'false' } })], get('a'))).toBe(true);
  });

  test('all conditions must hold', () => {
    const statement = of({
      'ForAllValues:StringLike': { [key]: 'ORG#*' },
      'ForAllValues:StringNotLike': { [key]: 'ORG#*#*' },
    });
    expect(isAllowed([statement], get('ORG#a'))).toBe(true);
    expect(isAllowed([statement], get('ORG#a#1'))).toBe(false);
    expect(isAllowed([statement], get('a'))).toBe(false);
  });
});

test('what it does not know is not judged', () => {
  expect(() => decide([of({ StringEquals: { [key]: 'a' } })], get('a'))).toThrow('StringEquals');
  const statement = { ...allow, NotAction: 'dynamodb:Scan' };
  expect(() => decide([statement], get('a'))).toThrow('NotAction');
});
