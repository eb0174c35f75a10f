/** Commands during an unfinished import or seed. */
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { getItem, putItem } from '../../../functions/dynamodb/items.ts';
import { importKey } from '../../../functions/dynamodb/keys.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { idOfLoad } from '../../../functions/testimonials/load/load-record.ts';
import { loadStore } from '../../../functions/testimonials/table/load-store.ts';
import { unfinishedText } from '../../../lib/operator/import/command-texts.ts';
import { adminOf, commandOn, hurriedAdminOf, refused } from '../../admin.ts';
import { createApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { directory, fileOf } from '../../file-of.ts';
import { personWith } from '../../person.ts';
import { createImportWorld } from '../../world/import-world.ts';

const lines = Array.from({ length: 30 }, (_, i) =>
  JSON.stringify({ ...testimonialBody({ content: `Amazing line ${i}` }), status: 'approved' }),
).join('\n');

/** The warning about a stopped import. */
async function hintOf(table: Table): Promise<string> {
  const [one] = await loadStore(table).all('acme');
  const undo = commandOn(table, `import --organization acme --undo --id ${idOfLoad(one?.name ?? '')}`);
  return `An import into acme has not finished: at least 0 of 30 lines are stored. Run it again with the same file. To undo it, run: ${undo}`;
}

const worldOf = (table: Table) =>
  createImportWorld({ backend: { ...storesOf(table), loads: loadStore(table) } });

/** Stops an import in the middle. */
async function stopped(table: Table, text: string, options: { asNew?: boolean } = {}): Promise<string> {
  const world = await worldOf(table);
  const file = await fileOf(text, 'a.ndjson');
  const process = await world.beginImport({ file, ...options }).runUntil('insert');
  await process.run(10);
  process.kill();
  return file;
}

describe('during a stopped first import', () => {
  let table: Table;
  let file: string;
  let out: string;
  const run = (...args: string[]) =>
    adminOf({ name: table.name }, personWith({}))(...args, '--organization', 'acme');
  beforeAll(async () => {
    ({ table } = await createApiClient());
    file = await stopped(table, lines);
    out = join(await directory(), 'out.csv');
  });

  const hint = async () =>
    `Lists of acme do not show all testimonials yet. ${await hintOf(table)}
To show those stored so far, run: ${commandOn(table, 'index rebuild --organization acme')}`;

  test.each([
    ['export'],
    ['export', '--out', 'out'],
    ['index', 'verify'],
    ['testimonial', 'approve', '--where', 'status=pending'],
  ])('%s %s fails', async (...args) => {
    const printed = await run(...args.map((arg) => (arg === 'out' ? out : arg)));
    expect(printed).toEqual(refused(`${await hint()}`));
    await expect(access(out)).rejects.toThrow();
  });

  test.each([['testimonial', 'list'], ['stats'], ['testimonial', 'erase', '--email', 'nobody@example.com']])(
    '%s %s says so',
    async (...args) => {
      expect((await run(...args)).stderr).toContain(await hint());
    },
  );

  test('a rebuild of all organizations skips the organization', async () => {
    await run('token', 'issue', '--permission', 'testimonials:read');
    const { code, stderr } = await adminOf({ name: table.name })('index', 'rebuild', '--all');
    expect(code).toBe(0);
    expect(stderr).toContain('acme: skipped, because an import or a seed has not ended');
    expect((await run('export')).stderr).toBe(`${await hint()}\n`);
  });

  test('another import is refused, even a dry run; the same one finishes it', async () => {
    const other = await fileOf(`${lines}\n`, 'b.ndjson');
    for (const dryRun of [['--dry-run'], []]) {
      const printed = await run('import', other, ...dryRun);
      expect(printed).toMatchObject({ code: 1, stdout: '' });
      expect(printed.stderr).toContain('Another import or seed of acme has not finished. Wait for it');
    }
    expect(await run('import', file)).toMatchObject({ code: 0 });
    expect((await run('export')).stdout.split('\n')).toHaveLength(30 + 1);
    expect((await run('index', 'verify')).code).toBe(0);
  });
});

test('commands show how far a stopped import is and how to finish it', async () => {
  const { table, create } = await createApiClient();
  await create(testimonialBody());
  const run = adminOf(table);
  const file = await stopped(table, lines, { asNew: true });
  const hint = await hintOf(table);
  for (const args of [['export'], ['stats'], ['testimonial', 'list'], ['index', 'verify']]) {
    expect((await run(...args, '--organization', 'acme')).stderr).toContain(hint);
  }
  expect((await run('index', 'status', '--all')).stdout).toContain(`\n${hint}\n`);
  const hurried = await hurriedAdminOf(table);
  await hurried('import', file, '--organization', 'acme', '--as-new');
  expect((await run('stats', '--organization', 'acme')).stderr).toBe('');
});

test('commands show how to finish a stopped undo by its id, even if the file has changed', async () => {
  const { table, create } = await createApiClient();
  await create(testimonialBody());
  const world = await worldOf(table);
  const file = await fileOf(lines, 'a.ndjson');
  await world.import({ file });
  const process = await world.beginUndo({ file }).runUntil('erase');
  process.kill();
  await writeFile(file, 'edited');
  const run = await hurriedAdminOf(table);
  const [id = ''] = [...(await world.imports()).keys()];
  const hint = `The undo of an import into acme has not finished: at least 0 of 30 lines are erased or kept. To finish it, run: npm run admin -- import --organization acme --undo --id ${id}`;
  const { stderr } = await run('stats', '--organization', 'acme');
  expect(stderr.replace(/--table \S+ --endpoint \S+ /, '')).toBe(`${hint}\n`);
  expect(JSON.parse((await run('index', 'status', '--organization', 'acme', '--json')).stdout)).toMatchObject(
    [{ unended: [{ id, text: hint }] }],
  );
  const undo = ['import', '--organization', 'acme', '--undo', '--id', id];
  expect(await adminOf(table)(...undo.with(-1, '0123456789ab'))).toEqual(
    refused(
      `There is no import 0123456789ab into acme. To see unfinished imports, run: ${commandOn(table, 'index status --organization acme')}`,
    ),
  );
  expect((await run(...undo, '--dry-run')).stdout).toMatch(
    new RegExp(`^Import ${id}, imported into acme on .* UTC: 30 testimonials would be erased for good\\.`),
  );
  expect((await run(...undo, '--yes')).stdout).toMatch(/^Undone: .+ 30 testimonials erased\./);
  expect((await run('stats', '--organization', 'acme')).stderr).toBe('');
  expect((await run(...undo, '--yes')).stdout).toContain('Already undone: ');
});

test.each([
  ['begun', 'addPositions', ['index rebuild']],
  ['storing', 'insert', ['import', 'index rebuild']],
  ['stored', 'writePosting', ['import', 'index rebuild']],
] as const)(
  'the commands that name an import in the state %s succeed, and then other imports do',
  async (state, call, names) => {
    const historical = Array.from({ length: 3 }, (_, i) => {
      const createdAt = `2024-06-01T10:00:0${i}Z`;
      return JSON.stringify({ ...testimonialBody({ content: `Amazing line ${i}` }), createdAt });
    }).join('\n');
    for (const [nth, name] of names.entries()) {
      const { table, create } = await createApiClient();
      await create(testimonialBody());
      const world = await worldOf(table);
      const file = await fileOf(historical, 'a.ndjson');
      const process = await world.beginImport({ file }).runUntil(call);
      process.kill();
      expect((await loadStore(table).all('acme'))[0]?.record.state).toBe(state);
      const run = await hurriedAdminOf(table);
      const { stderr } = await run('stats', '--organization', 'acme');
      expect(stderr).toContain('Run it again with the same file.');
      const commands = [...stderr.matchAll(/npm run admin -- (.*?)(?= – |$)/gm)].map(([, words = '']) =>
        words.replace(/--table \S+ --endpoint \S+ /, '').split(' '),
      );
      expect(commands).toHaveLength(names.length);
      const command = commands[nth] ?? [];
      expect(command.join(' ')).toMatch(new RegExp(`^${name} `));
      const { code } = await run(...command, ...(name === 'import' ? ['--yes'] : []));
      expect({ command, code }).toMatchObject({ code: 0 });
      const other = await fileOf(`${historical.replaceAll('line', 'text')}\n`, 'b.ndjson');
      expect(await run('import', other, '--organization', 'acme')).toMatchObject({ code: 0 });
    }
  },
);

test('an unfinished import of another version is an error that says what to do', async () => {
  const { table, create } = await createApiClient();
  await create(testimonialBody());
  const file = await stopped(table, lines, { asNew: true });
  const [one] = await loadStore(table).all('acme');
  const key = importKey('acme', one?.name ?? '');
  const item = await getItem(table, key);
  const run = (...args: string[]) => adminOf(table)(...args, '--organization', 'acme');
  const message =
    /^An import was begun by another version of this program\. Finish it with that version, or delete the item \S+, \S+ from the table and run the import again/;
  for (const attributes of [{ layout: 99 }, { blocks: 'none' }]) {
    await putItem(table, { ...item, ...key, ...attributes });
    for (const args of [['import', file, '--as-new'], ['export']]) {
      const { code, stderr } = await run(...args);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) });
    }
  }
  await putItem(table, { ...item, ...key, layout: 99, state: 'ended' });
  expect((await run('stats')).stderr).toBe('');
});

test('a single line is named in the singular', () => {
  const status = { id: 'a', state: 'storing', at: '2026-01-15T10:00:00.000Z', done: 0, count: 1 } as const;
  expect(unfinishedText(status, 'acme')).toContain('has not finished: at least 0 of 1 line is stored.');
});
