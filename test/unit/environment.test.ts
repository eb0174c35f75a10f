import { expect, test } from '@jest/globals';
import { parseApiEnvironment, parseEnvironment } from '../../functions/environment.ts';

test('the environment is read without unknown variables, and an error names a missing one', () => {
  expect(parseEnvironment({ TABLE_NAME: 'testimonials', SECRET: 'x' })).toEqual({
    TABLE_NAME: 'testimonials',
  });
  expect(() => parseEnvironment({})).toThrow('TABLE_NAME');
});

test.each(['ORGANIZATION_BUDGET', 'ORGANIZATION_DAILY_BUDGET', 'ORGANIZATION_RATE'] as const)(
  'in functions of the API %s is a number, and 0 means none',
  (name) => {
    const limits = { ORGANIZATION_BUDGET: '1', ORGANIZATION_DAILY_BUDGET: '1', ORGANIZATION_RATE: '1' };
    const others = { TABLE_NAME: 'testimonials', ...limits };
    const of = (limit: string) => parseApiEnvironment({ ...others, [name]: limit })[name];
    expect(['0.5', '0', '12'].map(of)).toEqual([0.5, 0, 12]);
    for (const limit of ['', '-1', 'much']) expect(() => of(limit)).toThrow();
  },
);
