/** The benchmark at a size that only shows that it works: it compares all answers and writes its page. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import type { Figures } from '../benchmark/figures.ts';
import { plotOf } from '../benchmark/plot.ts';
import { plotText } from '../benchmark/report.ts';
import { directory } from '../file-of.ts';

test('a small run compares all contenders, writes the page, and leaves nothing behind', async () => {
  const output = await directory();
  // PostgreSQL runs as another user.
  await chmod(output, 0o755);
  const temporary = join(output, 'tmp');
  await mkdir(temporary);
  const bench = ['test/benchmark/bench.ts', '--quick', '--sizes', '50,200', '--output', output];
  const { stderr } = await promisify(execFile)(process.execPath, bench, {
    env: { ...process.env, TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  expect(stderr).toContain('Written to');
  expect(await readdir(temporary)).toEqual([]);

  const document = await readFile(join(output, 'benchmark.md'), 'utf8');
  expect(document).not.toMatch(/NaN|undefined|Infinity/);
  // A create in two calls, its table unit for each item, and a unit for each of six secondary indexes.
  expect(document).toMatch(/\| a create \| 2 \| 2 \| 6 \|/);
  expect(document).toContain(plotText);
  const figures: Figures = JSON.parse(await readFile(join(output, 'benchmark.json'), 'utf8'));
  expect(figures.lists).toContainEqual(
    expect.objectContaining({
      list: 'a tag that three have',
      testimonials: 200,
      matches: 3,
      rowsBy: 'ordinal',
      rounds: 2,
      requests: 3,
    }),
  );
  // The change is written into postings.
  expect(figures.indexUpdates).toContainEqual(
    expect.objectContaining({ indexed: 'a change of status', together: 1, invocations: expect.any(Number) }),
  );
  for (const { writeUnits } of figures.indexUpdates) expect(writeUnits).toBeGreaterThan(0);
  expect(new Set(figures.lists.map(({ testimonials }) => testimonials))).toEqual(new Set([50, 200]));
  expect(await readFile(join(output, 'images/benchmark.svg'), 'utf8')).toBe(plotOf(figures.lists));
  const [top = ''] = document.split('\n## ');
  for (const row of ['List', 'Search', 'Create', 'Index update'])
    expect(top).toMatch(new RegExp(`^\\| \\*\\*${row}\\*\\*, .*\\$\\d`, 'm'));
  if (existsSync('/usr/lib/postgresql') && !stderr.includes('PostgreSQL is not installed'))
    expect(document).toMatch(/\*\*PostgreSQL\*\* \d+/);
});
