import { expect, test } from '@jest/globals';
import { parseEnvironment } from '../../functions/environment.ts';

test('takes the table name and nothing else', () => {
  expect(parseEnvironment({ TABLE_NAME: 'testimonials', SECRET: 'x' })).toEqual({
    TABLE_NAME: 'testimonials',
  });
});

test('names the variable that is missing', () => {
  expect(() => parseEnvironment({})).toThrow('TABLE_NAME');
});
