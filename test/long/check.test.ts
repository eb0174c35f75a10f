/** `npm run check`, the whole of it, against a service that is sound; test/integration has one that is broken. */
import { afterAll, expect, test } from '@jest/globals';
import { closeFailingDynamoDbs } from '../failing-dynamodb.ts';
import { checkOf, closeServedApis, servedApi } from '../served-api.ts';
import { textOf } from '../stored-items.ts';

afterAll(() => {
  closeServedApis();
  closeFailingDynamoDbs();
});

test.each([
  ['with all that it may have', { moderation: true }, ['--moderation']],
  ['with two operations alone', {}, ['--only', 'access']],
])('of a sound service, %s, every rule holds, and nothing is left of the check', async (_, has, args) => {
  const service = await servedApi(undefined, has);
  const { code, stdout } = await checkOf(service, ...args);
  expect(stdout).not.toContain('NOT HELD');
  expect(stdout).toMatch(/\n(\d+) of \1 rules held, \d+ skipped, [\d,]+ requests, \d+ s\n$/);
  expect(code).toBe(0);
  expect(await textOf(service.table)).not.toContain('check-');
});
