/** The benchmark at a size that only shows that it works: its answers are compared, its results are written. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

let output: string;
beforeAll(async () => {
  output = await mkdtemp(join(tmpdir(), 'testimonials-bench-test-'));
  // PostgreSQL runs as another user.
  await chmod(output, 0o755);
});
afterAll(() => rm(output, { recursive: true, force: true }));

test('a small run compares all contenders, writes document and plots, and leaves nothing behind', async () => {
  const temporary = join(output, 'tmp');
  const results = join(output, 'docs');
  await mkdir(temporary);
  const bench = ['test/benchmark/bench.ts', '--quick', '--sizes', '50,200', '--output', results];
  const { stderr } = await promisify(execFile)(process.execPath, bench, {
    // Node's own cache of compiled code is of no interest here.
    env: { ...process.env, TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  expect(stderr).toContain('Written to');
  expect(await readdir(temporary)).toEqual([]);

  const document = await readFile(join(results, 'benchmark.md'), 'utf8');
  expect(document).toMatch(/\| a tag that three have \| 3 \| ordinal \| 2 \| 3 \|/);
  expect(document).not.toMatch(/NaN|undefined|Infinity/);
  // What it comes to at a glance stands before everything else.
  const [top = ''] = document.split('\n## ');
  for (const row of ['List', 'Search', 'Create', 'Index update'])
    expect(top).toMatch(new RegExp(`^\\| \\*\\*${row}\\*\\*, .*\\$\\d`, 'm'));
  const hasPostgreSql = existsSync('/usr/lib/postgresql') && !stderr.includes('PostgreSQL is not installed');
  if (hasPostgreSql) expect(document).toMatch(/\*\*PostgreSQL\*\* \d+/);
  const bundles = [...document.matchAll(/^\| \w+Testimonials? \| (\d+) KB \|/gm)].map(([, size]) =>
    Number(size),
  );
  expect(bundles).toHaveLength(3);
  // A warm list and a create as they usually are: nothing is read again, no write is refused.
  expect(document.match(/AWS SDK: \d calls/g)).toEqual(['AWS SDK: 3 calls', 'AWS SDK: 2 calls']);
  expect(Math.max(...bundles)).toBeLessThanOrEqual(310);

  for (const plot of ['overview.svg', 'read-units.svg', 'wall-time.svg']) {
    const svg = await readFile(join(results, 'benchmark', plot), 'utf8');
    expect(svg).toMatch(/^<svg/);
    expect(svg).toContain('filter design');
    // Legible on light and dark: nothing black, and no background.
    expect(svg).not.toMatch(/(fill|stroke)="(black|#000|#000000|white|#fff)"/);
  }
});
