/** The whole of `npm run check` against a sound service. broken-services.test.ts has broken ones. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { bundling } from '../../lib/infrastructure/function-bundle.ts';
import { directory } from '../file-of.ts';
import { checkOf, servedApi } from '../served-api.ts';
import { textOf } from '../stored-items.ts';

const run = promisify(execFile);

test.each([
  ['with moderation, pages and a desk', { moderation: true, pages: true, desk: true }, []],
  ['with neither', {}, ['--only', 'access', 'forms']],
])(
  '%s, every rule of a sound service holds without a word about what it has, and the check leaves nothing behind',
  async (_, has, args) => {
    const service = await servedApi(undefined, has);
    const { code, stdout } = await checkOf(service, ...args);
    expect(stdout).not.toContain('FAILED');
    expect(stdout).toMatch(/\n(\d+) of \1 rules passed, \d+ skipped, [\d,]+ requests, \d+ s\n$/);
    expect(code).toBe(0);
    expect(await textOf(service.table)).not.toContain('check-');
  },
);

test('the bundle of the check before a rollout starts, with the texts of forms beside it', async () => {
  const folder = await directory();
  await build({
    ...bundling,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    entryPoints: ['lib/check/lambda.ts'],
    outfile: join(folder, 'index.mjs'),
  });
  await run(process.execPath, ['bin/assets.ts', 'pages', folder]);
  const load = `console.log(Object.keys(await import(${JSON.stringify(join(folder, 'index.mjs'))})).join())`;
  const env = {
    TABLE_NAME: 'testimonials',
    QUEUE_URL: 'https://sqs.example',
    AWS_REGION: 'us-east-1',
    VERSIONS: '{}',
    GROUPS: '{}',
  };
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', load], { env });
  expect(stdout).toBe('handler\n');
});
