/** The command `import`. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'csv-stringify/sync';
import { organizationStore } from '../../../functions/accounts/dynamodb-organization-store.ts';
import { putItem } from '../../../functions/dynamodb/items.ts';
import { importPositionsKey } from '../../../functions/dynamodb/keys.ts';
import { idOfLoad } from '../../../functions/testimonials/load/load-record.ts';
import { loadStore } from '../../../functions/testimonials/table/load-store.ts';
import { adminOf, hurriedAdminOf, printed, refused } from '../../admin.ts';
import { createApiClient, testimonialBody } from '../../api-client.ts';
import { directory, fileOf } from '../../file-of.ts';
import { workbook } from '../../files-of-tools/workbook.ts';
import { personWith } from '../../person.ts';
import { textOf } from '../../stored-items.ts';
import { createTestTable } from '../../test-table.ts';

const csv = `content,author.name,author.email,rating,tags,status,createdAt
Amazing product! It saved us days.,Jane Doe,jane@example.com,5,"a,b",approved,2025-01-15T10:30:00Z
Great,José Amado,jose.example.com,six,,fulfilled,some day
"Good, and
fast support",Ann,ann@example.com,,,rejected,2025-01-14
`;
const refusals = [
  'row 3: content must have 10 to 10,000 characters',
  'row 3: author.email must be a valid e-mail address',
  'row 3: rating must be a whole number from 1 to 5',
  'row 3: status must be one of pending, approved, rejected',
  'row 3: createdAt must be a time in ISO 8601, such as 2026-01-15T10:30:00Z',
];
const otherTimes = 'If dates are written in another way, use --date-format.';

/** The lines of an output without progress, examples and the hint about undo. */
const said = (text: string) =>
  text
    .split('\n')
    .filter((each) => each !== '' && !/^((Check|Stor|Index)ing|To undo it, run:|Examples?:| {2})/.test(each));

async function importer() {
  const api = await createApiClient();
  const admin = await hurriedAdminOf(api.table);
  return {
    ...api,
    run: (file: string, ...args: string[]) => admin('import', file, '--organization', 'shop', ...args),
    admin,
    /** Imports a file with a person at the terminal. */
    answered: (answer: string, file: string) =>
      adminOf(api.table, personWith({ answers: [answer] }))('import', file, '--organization', 'shop'),
    listed: async (query = '') => {
      const token = await api.issue(['testimonials:read'], 'shop');
      return (await api.list(query, { authorization: `Bearer ${token}` })).body;
    },
  };
}

describe('into an empty organization', () => {
  test('a dry run and a no store nothing; a yes stores the good lines, and the others go to a file with their reasons', async () => {
    const { run, listed, admin, table, answered } = await importer();
    const file = await fileOf(csv);
    const before = await textOf(table);
    const summary = (count: string) => [count, 'Dates and statuses come from the file.'];
    const dry = await run(file, '--dry-run');
    expect({ code: dry.code, stdout: said(dry.stdout), stderr: said(dry.stderr) }).toEqual({
      code: 1,
      stdout: summary('2 testimonials would be imported into shop.'),
      stderr: [
        ...refusals,
        `1 row would be rejected. Correct it in ${file}.rejected.csv and import that file.`,
        otherTimes,
      ],
    });
    const unasked = await run(file);
    expect({ ...unasked, stderr: said(unasked.stderr) }).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        ...refusals,
        `1 row is rejected, see ${file}.rejected.csv. Store 2 rows of ${file}? To answer yes, add --yes.`,
      ],
    });
    const asked = await answered('n', file);
    expect(asked).toMatchObject({ code: 1, stdout: '' });
    expect(asked.stderr).toContain('Cancelled. Nothing was changed.');
    expect(await textOf(table)).toBe(before);

    const { code, stdout, stderr } = await run(file, '--yes');
    expect({ code, stdout: said(stdout) }).toEqual({
      code: 1,
      stdout: summary('2 testimonials imported into shop.'),
    });
    expect(said(stderr)).toEqual([
      ...refusals,
      `1 row rejected. Correct it in ${file}.rejected.csv and import that file.`,
      otherTimes,
    ]);
    expect(await organizationStore(table).list()).toContain('shop');
    expect((await listed('order=asc')).testimonials).toMatchObject([
      { content: 'Good, and\nfast support', createdAt: '2025-01-14T00:00:00.000Z' },
      { content: 'Amazing product! It saved us days.', createdAt: '2025-01-15T10:30:00.000Z' },
    ]);
    expect(await admin('index', 'verify', '--organization', 'shop')).toMatchObject({ code: 0 });
    expect(await readFile(`${file}.rejected.csv`, 'utf8')).toContain('José Amado');
  });

  test('a corrected file of rejected lines is never overwritten, and an identical one is not written again', async () => {
    const { admin } = await importer();
    const file = await fileOf(csv);
    const into = (organization: string) => admin('import', file, '--organization', organization, '--yes');
    expect((await into('a')).stderr).toContain(`Correct it in ${file}.rejected.csv`);
    expect((await into('b')).stderr).toContain(`Correct it in ${file}.rejected.csv`);
    await writeFile(`${file}.rejected.csv`, 'mended');
    expect((await into('c')).stderr).toContain(`Correct it in ${file}.rejected-2.csv`);
    expect(await readFile(`${file}.rejected.csv`, 'utf8')).toBe('mended');
    expect(await readdir(dirname(file))).toHaveLength(3);
    // An ended import does not write rejected lines again.
    await writeFile(`${file}.rejected-2.csv`, 'mended, too');
    const { code, stdout, stderr } = await into('c');
    expect({ code, stdout, said: said(stderr).at(-2) }).toEqual({
      code: 1,
      stdout: `${file} was imported into c before. Nothing to do.\n`,
      said: '1 row was rejected then.',
    });
    expect(await readdir(dirname(file))).toHaveLength(3);
  });

  test('--json prints the whole result, with the id of the import and the testimonials that this run stored', async () => {
    const { admin, run, table } = await importer();
    const file = await fileOf(
      csv.replace('createdAt\n', 'createdAt,source\n').replace(/(Z|some day|-14)$/gm, '$1,web'),
    );
    const json = async (...args: string[]) => JSON.parse((await run(file, '--json', ...args)).stdout);
    const dry = await json('--dry-run');
    const first = await json('--yes');
    const again = await json();
    const id = idOfLoad((await loadStore(table).all('shop'))[0]?.name ?? '');
    const { unusedColumns, rejectedFile, ...facts } = first;
    expect({ unusedColumns, rejectedFile }).toEqual({
      unusedColumns: ['source'],
      rejectedFile: `${file}.rejected.csv`,
    });
    expect(facts).toEqual({
      organization: 'shop',
      id,
      dryRun: false,
      wasImported: false,
      good: 2,
      stored: 2,
      rejected: 1,
      repeated: 0,
      leftOut: 0,
      keepsTimes: true,
      hasTime: true,
      hasStatus: true,
      mapping: expect.objectContaining({ map: {} }),
      reasons: expect.arrayContaining([
        { field: 'rating', rule: 'must be a whole number from 1 to 5', count: 1, lines: [3] },
      ]),
    });
    expect([dry, again]).toMatchObject([
      { id, good: 2, stored: 0, dryRun: true, wasImported: false },
      { id, good: 2, stored: 0, wasImported: true },
    ]);
    const undo = ['import', '--organization', 'shop', '--undo', '--id', id, '--yes', '--json'];
    const undone = JSON.parse((await admin(...undo)).stdout);
    expect(undone).toMatchObject({ erased: 2, changed: 0, gone: 0 });
    expect(JSON.parse((await admin(...undo)).stdout)).toEqual({ ...undone, erased: 0, gone: 2 });
    // Another import of the file, with other ids.
    expect(await json('--yes')).toMatchObject({ id: `${id}-2`, stored: 2 });
  });
});

describe('columns', () => {
  test('and the sheet, formats and missing values are chosen by options', async () => {
    const { run, listed } = await importer();
    const map = (...pairs: string[]) => pairs.flatMap((pair) => ['--map', pair]);
    const bytes = workbook({
      'This year': [
        ['Name', 'Email', 'Review'],
        ['Ann Lee', 'ann@example.com', 'It works as I had hoped.'],
        ['Ann Lee', 'ann@example.com', 'It still does.'],
      ],
      Old: [
        ['Title', 'Text', 'First', 'Last', 'Mail', 'Stars', 'status', 'When'],
        ['Wow', 'It works <b>well</b>.', 'Jane', 'Doe', '', '4.5', 'published', '31/01/2025'],
      ],
    });
    const file = await fileOf(bytes, 'reviews.xlsx');
    const { stderr: proposed } = await run(file, '--dry-run');
    expect(proposed).toContain("--sheet 'This year' --map");
    expect(said(proposed)).toContain('Sheet This year is imported. Ignored: Old.');
    const { code, stdout, stderr } = await run(
      file,
      '--sheet',
      'Old',
      ...map('content=Title', 'content=Text', 'author.name=First', 'author.name=Last', 'author.email=Mail'),
      ...map('rating=Stars', 'createdAt=When', 'status='),
      '--default',
      'author.email=unknown@example.com',
      '--date-format',
      'dd/MM/yyyy',
      '--round-ratings',
      '--keep-html',
    );
    expect({ code, stdout: said(stdout), stderr: said(stderr) }).toEqual({
      code: 0,
      stdout: ['1 testimonial imported into shop.', 'Dates come from the file.'],
      stderr: [
        'Sheet Old is imported. Ignored: This year.',
        'Ratings become stars from 1 to 5: “4.5” becomes 5.',
        'Not used: status (“published”).',
      ],
    });
    expect((await listed()).testimonials).toMatchObject([
      {
        content: 'Wow\n\nIt works <b>well</b>.',
        author: { name: 'Jane Doe', email: 'unknown@example.com' },
        rating: 5,
        createdAt: '2025-01-31T00:00:00.000Z',
      },
    ]);
  });

  test('are shown on one line without control characters', async () => {
    const { run } = await importer();
    const file = await fileOf(
      'content,author.name,author.email,"\u001B[2J\n0 lines refused"\nIt works well.,Jane,jane@example.com,\n',
    );
    const { stderr } = await run(file);
    expect(said(stderr)).toContain('Not used: \uFFFD[2J 0 lines refused.');
  });

  test('that are guessed are shown as a command line with examples, and nothing is stored unasked', async () => {
    const { run, table } = await importer();
    const file = await fileOf(
      'Review Date,Reviewer Name,Stars,Review Title,Review\n14/03/2024,Jane,4.5,Wow,"It works, well."\n1/4/2024,Ann,5,Good,It works.\n',
    );
    const before = await textOf(table);
    const { stderr, ...rest } = await run(file);
    expect(rest).toEqual({ code: 1, stdout: '' });
    // The printed command names the table of the test.
    expect(stderr.replace(/ --table \S+ --endpoint \S+/, '').split('\n')).toEqual([
      `The columns of ${file} are guessed from their names and values. To correct a guess, change this command:`,
      `  npm run admin -- import ${file} --organization shop --map 'content=Review Title' --map content=Review --map 'author.name=Reviewer Name' --map rating=Stars --map 'createdAt=Review Date' --date-format d/M/yyyy --round-ratings`,
      'No column contains author.email, which every testimonial needs. All testimonials get “unknown@example.com”.',
      'Dates are read as day/month/year (d/M/yyyy).',
      'Ratings become stars from 1 to 5: “4.5” becomes 5.',
      'Examples:',
      '  Jane <unknown@example.com> · 5 of 5 · 2024-03-14 · pending · Wow It works, well.',
      '  Ann <unknown@example.com> · 5 of 5 · 2024-04-01 · pending · Good It works.',
      `The columns of ${file} are guessed. All testimonials get unknown@example.com as author.email. To choose that without a terminal, add --default author.email=unknown@example.com. Nothing was stored.`,
      '',
    ]);
    expect(await textOf(table)).toBe(before);
  });
});

/**
 * Splits a printed command as a shell does. Returns the words after `npm run admin --`, but for the test's
 * table.
 */
function wordsOf(command: string): string[] {
  const words = command.replace(/^npm run admin -- /, '').replace(/--table \S+ --endpoint \S+/, '');
  const printedWords = execFileSync('sh', ['-c', `printf '%s\\0' ${words}`], { encoding: 'utf8' });
  return printedWords.split('\0').slice(0, -1);
}
/** The commands in an output, each at the end of its line. */
const commandsIn = (text: string) =>
  text.split('\n').flatMap((each) => /npm run admin -- .*$/.exec(each)?.[0] ?? []);

describe('a printed command can be pasted', () => {
  const people = [
    ['ann.lee@example.com', 'Ann Lee', 'It works as I had hoped.', '3,5', '31.12.2024'],
    ['bo@example.com', 'Bo Berg', 'The support is quick, too.', '4', '01.02.2024'],
  ];
  const odd = [
    'Wohin "schreiben"?',
    'It’s $who\nor `what`',
    "What's new; & good?",
    '½ Zufrieden?',
    'Wann \\ $(date)?',
  ];

  test('with headings that a shell would read: it says the same, and asks nothing', async () => {
    const { run, admin, answered, listed } = await importer();
    const file = await fileOf(stringify([odd, ...people]), "it's & so.csv");
    const { stderr } = await run(file, '--dry-run');
    const [proposed = ''] = commandsIn(stderr);
    const again = await admin(...wordsOf(proposed));
    const examples = (text: string) => text.split('\n').filter((each) => each.startsWith('  Ann Lee <'));
    expect(examples(again.stderr)).toEqual(examples(stderr));
    expect(examples(stderr)).toHaveLength(1);
    expect(commandsIn(again.stderr)).toEqual([]);
    const { stdout } = await answered('y', file);
    expect((await listed()).testimonials).toHaveLength(2);
    expect((await admin(...wordsOf(commandsIn(stdout)[0] ?? ''), '--yes')).stdout).toContain(
      '2 testimonials erased',
    );
  });

  test('with the likeliest column, if someone has to choose', async () => {
    const { run, admin, listed } = await importer();
    const rows = people.map(([, name = '', text = '']) => [`${name} Ltd`, 'info@example.com', name, text]);
    const file = await fileOf(stringify([['Quo', 'Qua', 'Qui', 'Quux'], ...rows]));
    const { code, stderr } = await run(file, '--yes');
    expect({ code, said: said(stderr) }).toEqual({
      code: 1,
      said: [
        `Which column of ${file} is author.name?`,
        'Choose with --map; several are joined. To use the first, run:',
        `${file} needs a column for author.name. Nothing was stored.`,
      ],
    });
    expect(stderr).toContain('\n  Quo (“Ann Lee Ltd”, “Bo Berg Ltd”)\n  Qui (“Ann Lee”, “Bo Berg”)\n');
    const words = wordsOf(commandsIn(stderr)[0] ?? '').map((each) =>
      each.replace('author.name=Quo', 'author.name=Qui'),
    );
    expect(await admin(...words)).toMatchObject({ code: 0 });
    expect((await listed()).testimonials).toMatchObject([
      { author: { name: 'Bo Berg', email: 'info@example.com' } },
      { author: { name: 'Ann Lee', email: 'info@example.com' } },
    ]);
  });
});

test('a placeholder is chosen by --default or at a terminal, and not by --yes', async () => {
  const { run, table, listed } = await importer();
  const file = await fileOf('Review,Who\nIt works as I had hoped.,Ann Lee\n');
  const question = `The columns of ${file} are guessed. All testimonials get unknown@example.com as author.email.`;
  const options = ['--map', 'author.name=Who', '--yes'];
  const placeholder = ['--default', 'author.email=unknown@example.com'];
  const { code, stderr } = await run(file, ...options);
  expect({ code, last: said(stderr).at(-1) }).toEqual({
    code: 1,
    last: `${question} To choose that without a terminal, add ${placeholder.join(' ')}. Nothing was stored.`,
  });
  expect(await run(file, ...options, ...placeholder, '--dry-run')).toMatchObject({ code: 0 });
  const person = personWith({ answers: ['n', 'y'] });
  const admin = await hurriedAdminOf(table, person);
  const args = ['import', file, '--organization', 'shop', ...options];
  expect(await admin(...args)).toMatchObject({ code: 1 });
  expect(await admin(...args)).toMatchObject({ code: 0 });
  expect(person.asked).toEqual(Array(2).fill(`${question} Store 1 row of ${file}? [y/N] `));
  expect((await listed()).testimonials).toMatchObject([{ author: { email: 'unknown@example.com' } }]);
});

test.each([
  [['no-such.csv', '--organization', 'shop'], /^There is no file no-such\.csv\.$/m],
  [['.', '--format', 'csv', '--organization', 'shop'], /^\. is not a regular file\.$/m],
  [
    ['a.xls', '--organization', 'shop'],
    /^a\.xls does not end in \.xlsx, \.csv, \.tsv, \.txt, \.json, \.ndjson or \.jsonl\. Save it as \.xlsx or \.csv\.$/m,
  ],
  [['a.csv'], /^Pass the organization with --organization\.$/m],
  [['FILE', '--organization', 'shop', '--sheet', 'Nope'], /^\S+ has no sheet Nope\. Its sheets: none\.$/m],
  [
    ['FILE', '--organization', 'shop', '--map', 'text=A'],
    /option '--map <field=column>' argument 'text=A' is invalid. Write a field, = and a column or value/,
  ],
  [
    ['FILE', '--organization', 'shop', '--map', 'content=Nope'],
    /^The file has no column "Nope"\. Its columns: "content", "author.name",/,
  ],
  [
    ['FILE', '--organization', 'shop', '--date-format', 'when'],
    /^The date format "when" does not describe a date\. Write it with tokens, such as dd\/MM\/yyyy HH:mm\.$/m,
  ],
])('%j is an error, and nothing is stored', async (args, message) => {
  const { admin, table } = await importer();
  const before = await textOf(table);
  const file = await fileOf(csv);
  const { stderr, ...rest } = await admin('import', ...args.map((arg) => (arg === 'FILE' ? file : arg)));
  expect({ ...rest, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  expect(await textOf(table)).toBe(before);
});

test('lines later than the first created testimonial are rejected, with an option that accepts them', async () => {
  const { create, admin } = await importer();
  await create(testimonialBody());
  const header = 'content,author.name,author.email,createdAt';
  const lines = ['2024-05-01', new Date().toISOString()].map((time) => `It works well.,Ann,a@b.cd,${time}`);
  const file = await fileOf([header, ...lines].join('\n'));
  const { stderr } = await admin('import', file, '--organization', 'acme', '--yes');
  expect(said(stderr).slice(1)).toEqual([
    `1 row rejected. Correct it in ${file}.rejected.csv and import that file.`,
    'Some dates are after the first testimonial that was created here. To use today’s date for the whole file, use --as-new.',
  ]);
});

describe('duplicates', () => {
  const of = (...numbers: number[]) => {
    const rows = numbers.map((i) => `Review number ${i} is fine,Ann,ann@example.com,2024-05-0${i}`);
    return fileOf(['content,author.name,author.email,createdAt', ...rows].join('\n'));
  };
  /** An organization with two of the four testimonials of a file. */
  const imported = async () => {
    const api = await importer();
    await api.run(await of(1, 2));
    const file = await of(1, 2, 3, 4);
    const told = `2 of 4 testimonials of ${file} are already in shop, with the same text and author.`;
    return { ...api, file, told, total: async () => (await api.listed()).pagination.total };
  };

  test('are stored again, left out, or stop the import, as someone at the terminal chooses', async () => {
    const { table, file, told, total } = await imported();
    const asked: string[] = [];
    for (const [answer, name, expected] of [
      ['y', file, { code: 1, total: 2 }],
      ['new', file, { code: 0, total: 4 }],
      ['all', await of(4, 5), { code: 0, total: 6 }],
    ] as const) {
      const person = personWith({ answers: [answer] });
      const admin = await hurriedAdminOf(table, person);
      const { code } = await admin('import', name, '--organization', 'shop');
      asked.push(...person.asked);
      expect({ code, total: await total() }).toEqual(expected);
    }
    expect(asked[0]).toBe(`${told} Store all, or only the 2 new ones? [all/new/N] `);
    expect(asked).toHaveLength(3);
  });

  test('are chosen by an option of a script, and a dry run shows them', async () => {
    const { run, file, told, total } = await imported();
    expect(said((await run(file, '--dry-run')).stdout)).toEqual([
      told,
      '2 testimonials are new.',
      'Dates come from the file.',
    ]);
    const { code, stderr } = await run(file);
    expect({ code, stderr: said(stderr) }).toEqual({
      code: 1,
      stderr: [
        `${told} To choose without a terminal, use --only-new, or --yes to store all rows. Nothing was stored.`,
      ],
    });
    expect(said((await run(file, '--only-new')).stdout)).toEqual([
      '2 testimonials imported into shop.',
      '2 duplicates left out.',
      'Dates come from the file.',
    ]);
    expect(await total()).toBe(4);
    const { stdout } = await run(await of(4, 5), '--yes', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ good: 2, stored: 2, repeated: 1 });
    expect(said((await run(await of(1, 2, 6), '--yes')).stdout)[0]).toMatch(
      /^2 of 3 testimonials of \S+ were already in shop, with the same text and author\. They were stored again\.$/,
    );
  });
});

test.each(['csv', 'ndjson'])(
  'a sample in %s is written, and imported without a refusal, which leaves nothing beside it',
  async (format) => {
    const { admin, run } = await importer();
    const file = join(await directory(), `reviews.${format}`);
    expect(await admin('import', file, '--sample')).toEqual(
      printed(`${file} written. Fill it in, then import it.`),
    );
    const { code, stdout } = await run(file);
    expect({ code, stdout: said(stdout) }).toEqual({
      code: 0,
      stdout: ['2 testimonials imported into shop.', 'Dates and statuses come from the file.'],
    });
    expect(await readdir(dirname(file))).toEqual([`reviews.${format}`]);
    expect(await admin('import', file, '--sample')).toEqual(
      refused(`${file} exists: choose another name, or move it away.`),
    );
  },
);

test('the duplicates that an import leaves out are stored with its record', async () => {
  const loads = loadStore(await createTestTable());
  const time = '2026-01-15T10:00:00.000Z';
  const record = { state: 'begun', count: 2, time, revision: 0, hash: 'abc', leftOut: [1, 5, 6] } as const;
  await loads.replace('acme', 'abc', { ...record, leftOut: [...record.leftOut] });
  expect(await loads.find('acme', 'abc')).toMatchObject({ ...record, revision: 1 });
});

test('positions are stored in several items if one is too small', async () => {
  const table = await createTestTable();
  const loads = loadStore(table);
  let [place, random] = [0, 1];
  const ascending = Array.from({ length: 100_000 }, () => {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    place += 1 + (random % 1000);
    return place;
  });
  const both = { createdAt: ascending, updatedAt: ascending };
  const reserved = { number: 1, name: 'abc', positions: both, times: both, ranksByUpdate: ascending };
  expect(await loads.addPositions('acme', reserved)).toBe(true);
  expect(await loads.addPositions('acme', { ...reserved, name: 'late' })).toBe(false);
  // A part that remains of a stopped run with more positions.
  const later = importPositionsKey('acme', 1, { name: 'abc', part: 9 });
  await putItem(table, { ...later, b: new Uint8Array([1, 2, 3]) });
  expect(await loads.positions('acme')).toEqual([reserved]);
});
