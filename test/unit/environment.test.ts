import { expect, test } from '@jest/globals';
import { parseApiEnvironment, parseEnvironment } from '../../functions/environment.ts';

test('takes the table name and nothing else', () => {
  expect(parseEnvironment({ TABLE_NAME: 'testimonials', SECRET: 'x' })).toEqual({
    TABLE_NAME: 'testimonials',
  });
});

test('names the variable that is missing', () => {
  expect(() => parseEnvironment({})).toThrow('TABLE_NAME');
});

test('of the functions of the API the budget of an organization is a number, which none is too', () => {
  const of = (budget: string) =>
    parseApiEnvironment({ TABLE_NAME: 'testimonials', ORGANIZATION_BUDGET: budget }).ORGANIZATION_BUDGET;
  expect(['0.5', '0', '12'].map(of)).toEqual([0.5, 0, 12]);
  for (const budget of ['', '-1', 'much']) expect(() => of(budget)).toThrow();
});
