/** The whole of `npm run check` against a sound service. test/integration has broken ones. */
import { expect, test } from '@jest/globals';
import { checkOf, servedApi } from '../served-api.ts';
import { textOf } from '../stored-items.ts';

test.each([
  [
    'with moderation, pages and a desk',
    { moderation: true, pages: true, desk: true },
    ['--moderation', '--pages', '--desk'],
  ],
  ['with neither', {}, ['--only', 'access', 'forms']],
])('%s, every rule of a sound service holds, and the check leaves nothing behind', async (_, has, args) => {
  const service = await servedApi(undefined, has);
  const { code, stdout } = await checkOf(service, ...args);
  expect(stdout).not.toContain('NOT HELD');
  expect(stdout).toMatch(/\n(\d+) of \1 rules held, \d+ skipped, [\d,]+ requests, \d+ s\n$/);
  expect(code).toBe(0);
  expect(await textOf(service.table)).not.toContain('check-');
});
