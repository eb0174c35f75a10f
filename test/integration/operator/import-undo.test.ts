/** The command `import --undo`. */
import { appendFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';
import { eraseTestimonial } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { loadStore } from '../../../functions/testimonials/table/load-store.ts';
import { adminOf, hurriedAdminOf } from '../../admin.ts';
import { createApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { fileOf } from '../../file-of.ts';
import { personWith } from '../../person.ts';
import { textOf } from '../../stored-items.ts';

const csv = `Text,author.name,author.email,createdAt
Zebras are fine animals,Ann,ann@example.com,2025-01-13
Okapis are fine animals,Bob,bob@example.com,2025-01-14
Quaggas were fine animals,Cid,cid@example.com,2025-01-15
`;

const gone = [
  'Lists no longer show them. Removing their words from the index (usually less than half a minute) …',
  'The testimonials are deleted from the table. Point-in-time backups keep them for up to 35 days.',
];

async function imported() {
  const { table, create, issue, list } = await createApiClient();
  await create(testimonialBody({ content: 'Created before' }), {
    authorization: `Bearer ${await issue(['testimonials:write'], 'shop')}`,
  });
  const admin = await hurriedAdminOf(table);
  const file = await fileOf(csv);
  const to = ['--organization', 'shop'];
  const run = (...args: string[]) => admin('import', file, ...to, ...args);
  const before = await run('--map', 'content=Text');
  const token = await issue(['testimonials:read'], 'shop');
  const found = async (query = '') =>
    (await list(query, { authorization: `Bearer ${token}` })).body.testimonials;
  return { table, admin, file, to, run, before, found };
}

const minute = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/g;
const timeless = (text: string) => text.replaceAll(minute, 'some time').trim().split('\n');

test('an undo erases only the import, and the file can be imported again', async () => {
  const { table, admin, file, to, run, before, found } = await imported();
  expect({ ...before, stdout: before.stdout.replace(/--table \S+ --endpoint \S+ /, '') }).toMatchObject({
    code: 0,
    stdout: `3 testimonials imported into shop.\nDates come from the file.\nTo undo it, run: npm run admin -- import ${file} --organization shop --undo\n`,
  });
  const [okapi] = await found('search=okapis');
  const [zebra] = await found('search=zebras');
  await admin('testimonial', 'approve', ...to, okapi?.id ?? '');
  const { testimonials } = storesOf(table);
  await eraseTestimonial({ testimonials, now: table.now }, 'shop', zebra?.id ?? '');

  const begin = `${file}, imported into shop on some time`;
  const would = [
    `${begin}: 1 testimonial would be erased for good.`,
    '1 was changed since and stays.',
    '1 testimonial was already erased.',
  ];
  const dry = await run('--undo', '--dry-run');
  expect({ code: dry.code, said: timeless(dry.stdout) }).toEqual({ code: 0, said: would });
  expect(JSON.parse((await run('--undo', '--dry-run', '--json')).stdout)).toEqual({
    organization: 'shop',
    dryRun: true,
    imported: expect.any(String),
    erased: 1,
    changed: 1,
    gone: 1,
    isFirst: false,
  });
  const nobody = await run('--undo');
  expect({ code: nobody.code, said: timeless(nobody.stderr) }).toEqual({
    code: 1,
    said: [`${would.join(' ')} Undo this import? To answer yes, add --yes.`],
  });
  const person = personWith({ answers: ['n'] });
  expect(await adminOf(table, person)('import', file, ...to, '--undo')).toMatchObject({
    code: 1,
    stderr: 'Cancelled. Nothing was changed.\n',
  });
  expect(person.asked).toEqual([expect.stringMatching(/ Undo this import\? \[y\/N\] $/)]);
  expect(await found()).toHaveLength(3);

  const undone = await run('--undo', '--yes');
  expect({ code: undone.code, said: timeless(undone.stdout), besides: timeless(undone.stderr) }).toEqual({
    code: 0,
    said: [
      `Undone: ${begin}. 1 testimonial erased.`,
      '1 was changed since and stays.',
      '1 testimonial was already erased.',
      'If you import the file again, its testimonials get new ids.',
    ],
    besides: gone,
  });
  expect(await found()).toMatchObject([{ content: 'Created before' }, { id: okapi?.id, status: 'approved' }]);
  expect(await textOf(table)).not.toMatch(/quagga/i);
  // New lines are still ordered around the approved testimonial, the second by its time.
  expect(await loadStore(table).positions('shop')).toMatchObject([{ keptRanks: [1], highWater: 3 }]);
  const room = { free: 983_036, occupied: 1, spent: 2 };
  const status = (...args: string[]) => admin('index', 'status', ...to, ...args);
  expect(JSON.parse((await status('--json')).stdout)).toMatchObject([{ room }]);
  expect((await status()).stdout).toContain(
    '\n983,036 of 983,039 positions for imported history are free. Imported lines hold 1; undone imports used up 2\n',
  );

  const again = await run('--undo', '--yes');
  expect({ code: again.code, said: timeless(again.stdout), besides: again.stderr }).toEqual({
    code: 0,
    said: [`Already undone: ${begin}.`],
    besides: '',
  });
  expect((await run('--map', 'content=Text', '--yes')).stdout).toContain(
    '3 testimonials imported into shop.',
  );
  expect(await found()).toHaveLength(5);
  expect(await admin('index', 'verify', ...to)).toMatchObject({ code: 0 });
});

test.each([
  [['--map', 'content=Text'], "option '--undo' cannot be used with option '--map <field=column>'"],
  [['--id', '0123456789ab'], 'Pass a file or --id, not both.'],
])('%j does not work with --undo', async (args, why) => {
  const admin = adminOf({ name: 'no-table' });
  const { code, stderr } = await admin('import', 'a.csv', '--organization', 'shop', '--undo', ...args);
  expect(code).toBe(1);
  expect(stderr).toContain(why);
});

test('a file that was not imported, or has changed since, is an error', async () => {
  const { admin, file, to, run, found } = await imported();
  const none = (into: string) =>
    `There is no import of ${file} into ${into}. Use the file that was imported, unchanged.\n`;
  const unknown = await admin('import', file, '--organization', 'stop', '--undo');
  expect(unknown.stderr).toMatch(/^There is no organization stop\. .* index status --all\n/);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining(none('stop')) });
  expect(await admin('import', file, '--undo')).toMatchObject({
    code: 1,
    stderr: 'Pass the organization with --organization.\n',
  });
  await appendFile(file, '\n');
  expect(await run('--undo')).toMatchObject({ code: 1, stderr: none('shop') });
  expect(await admin('import', `${file}.absent`, ...to, '--undo')).toMatchObject({
    code: 1,
    stderr: `There is no file ${file}.absent.\n`,
  });
  expect(await found()).toHaveLength(4);
});

test('the undo of a first import warns that times can be lost', async () => {
  const { table } = await createApiClient();
  const admin = await hurriedAdminOf(table);
  const id = (ordinal: number) => `test_123456789012${ordinal}`;
  const lines = [firstPosition + 5, firstPosition + 6].map((ordinal, i) =>
    JSON.stringify({ ...testimonialBody(), id: id(ordinal), createdAt: `2025-03-0${i + 1}T00:00:00Z` }),
  );
  const file = await fileOf(lines.join('\n'), 'export.ndjson');
  await admin('import', file, '--organization', 'acme');
  expect((await admin('import', file, '--organization', 'acme', '--undo', '--dry-run')).stdout).toContain(
    'If other testimonials exist, rows with later dates may be rejected when you import the file again.',
  );
});
