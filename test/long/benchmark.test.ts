/** The benchmark at a size that only shows that it works: it compares all answers and writes its document. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { directory } from '../file-of.ts';

test('a small run compares all contenders, writes the document, and leaves nothing behind', async () => {
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
  expect(document).toMatch(/\| a tag that three have \| 3 \| ordinal \| 2 \| 3 \|/);
  // A create in two calls, its table unit for each item, and a unit for each of six secondary indexes.
  expect(document).toMatch(/\| a create \| 2 \| 2 \| 6 \|/);
  // The change is written into postings.
  expect(document).toMatch(/\| a change of status \| 1 \| \d+ \| [\d,.]+ \| [1-9]/);
  const [top = ''] = document.split('\n## ');
  for (const row of ['List', 'Search', 'Create', 'Index update'])
    expect(top).toMatch(new RegExp(`^\\| \\*\\*${row}\\*\\*, .*\\$\\d`, 'm'));
  if (existsSync('/usr/lib/postgresql') && !stderr.includes('PostgreSQL is not installed'))
    expect(document).toMatch(/\*\*PostgreSQL\*\* \d+/);
});
