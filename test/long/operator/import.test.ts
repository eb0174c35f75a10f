/** The command `import`. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { organizationStore } from '../../../functions/accounts/dynamodb-organization-store.ts';
import { putItem } from '../../../functions/dynamodb/items.ts';
import { importPositionsKey } from '../../../functions/dynamodb/keys.ts';
import { idOfLoad } from '../../../functions/testimonials/load/load-record.ts';
import { loadStore } from '../../../functions/testimonials/table/load-store.ts';
import { claimExpiryMs } from '../../../functions/timing.ts';
import { adminOf, hurriedAdminOf, printed, refused } from '../../admin.ts';
import { createApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { ownDynamoDb } from '../../dynamodb.ts';
import { directory, fileOf } from '../../file-of.ts';
import { workbook } from '../../files-of-tools/workbook.ts';
import { personWith } from '../../person.ts';
import { textOf } from '../../stored-items.ts';
import { createTestTable } from '../../test-table.ts';
import { query } from '../../world/arbitraries.ts';
import { createImportWorld } from '../../world/import-world.ts';

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
  test('good lines are stored, and rejected ones go to a file with their reasons', async () => {
    const { run, listed, admin, table } = await importer();
    const file = await fileOf(csv);
    const { code, stdout, stderr } = await run(file, '--yes');
    expect({ code, stdout: said(stdout) }).toEqual({
      code: 1,
      stdout: ['2 testimonials imported into shop.', 'Dates and statuses come from the file.'],
    });
    expect(await organizationStore(table).list()).toContain('shop');
    expect(said(stderr)).toEqual([
      ...refusals,
      `1 row rejected. Correct it in ${file}.rejected.csv and import that file.`,
      otherTimes,
    ]);
    const { testimonials } = await listed('order=asc');
    expect(testimonials).toMatchObject([
      {
        content: 'Good, and\nfast support',
        status: 'rejected',
        tags: [],
        createdAt: '2025-01-14T00:00:00.000Z',
      },
      {
        content: 'Amazing product! It saved us days.',
        author: { name: 'Jane Doe', email: 'jane@example.com' },
        rating: 5,
        type: 'text',
        status: 'approved',
        tags: ['a', 'b'],
        createdAt: '2025-01-15T10:30:00.000Z',
        updatedAt: '2025-01-15T10:30:00.000Z',
      },
    ]);
    expect(await admin('index', 'verify', '--organization', 'shop')).toMatchObject({ code: 0 });

    expect(parse(await readFile(`${file}.rejected.csv`), { bom: true, columns: true })).toEqual([
      {
        content: 'Great',
        'author.name': 'José Amado',
        'author.email': 'jose.example.com',
        type: 'text',
        rating: 'six',
        status: 'fulfilled',
        createdAt: 'some day',
        'rejected row': '3',
        'rejected text': '',
        'rejected because': expect.stringContaining(
          'rating must be a whole number from 1 to 5; status must be one of',
        ),
      },
    ]);
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
    expect((await readFile(`${file}.rejected-2.csv`, 'utf8')).split('\n')).toHaveLength(3);
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

  test('an unreadable row is in the text column of the rejected file', async () => {
    const { run } = await importer();
    const file = await fileOf('content,author.name,author.email\nToo, many, cells, here\n=a,"b\n');
    await run(file);
    const rows: Record<string, string>[] = parse(await readFile(`${file}.rejected.csv`), {
      bom: true,
      columns: true,
    });
    expect(rows.map((row) => row['rejected text'])).toEqual(['Too, many, cells, here', `'=a,"b`]);
  });

  test('--json prints the whole result', async () => {
    const { run } = await importer();
    const file = await fileOf(
      csv.replace('createdAt\n', 'createdAt,source\n').replace(/(Z|some day|-14)$/gm, '$1,web'),
    );
    const { code, stdout } = await run(file, '--json', '--yes');
    expect(code).toBe(1);
    const printed = JSON.parse(stdout);
    expect(Object.keys(printed).sort()).toEqual([
      'dryRun',
      'good',
      'hasStatus',
      'hasTime',
      'id',
      'keepsTimes',
      'leftOut',
      'mapping',
      'organization',
      'reasons',
      'rejected',
      'rejectedFile',
      'repeated',
      'stored',
      'unusedColumns',
      'wasImported',
    ]);
    expect(printed).toMatchObject({
      organization: 'shop',
      dryRun: false,
      good: 2,
      rejected: 1,
      keepsTimes: true,
      wasImported: false,
      unusedColumns: ['source'],
      reasons: expect.arrayContaining([
        { field: 'rating', rule: 'must be a whole number from 1 to 5', count: 1, lines: [3] },
      ]),
    });
  });

  test('the rejected file contains unreadable lines unchanged', async () => {
    const { run } = await importer();
    const deep = `{"content":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const file = await fileOf(`{"content":\n[1]\n${deep}\n`, 'a.ndjson');
    const { code, stdout, stderr } = await run(file);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '0 testimonials imported into shop.\n' });
    expect(said(stderr)).toEqual(
      expect.arrayContaining([
        'line 1 is not JSON',
        'line 2 is not a JSON object',
        `3 lines rejected. Correct them in ${file}.rejected.ndjson and import that file.`,
      ]),
    );
    const rejected = (await readFile(`${file}.rejected.ndjson`, 'utf8')).trim().split('\n');
    expect(rejected.map((each) => JSON.parse(each))).toEqual([
      { rejected: { line: 1, errors: { line: 'is not JSON' }, text: '{"content":' } },
      { rejected: { line: 2, errors: { line: 'is not a JSON object' }, text: '[1]' } },
      { rejected: { line: 3, errors: expect.anything(), text: deep } },
    ]);
  });

  test('rejected lines are counted by their reasons, with the first rows of each', async () => {
    const { run } = await importer();
    const file = await fileOf(`content\n${'short\n'.repeat(1500)}`);
    const defaults = ['author.email=a@example.com', 'author.name=A'].flatMap((pair) => ['--default', pair]);
    const { stderr } = await run(file, ...defaults);
    expect(said(stderr)).toEqual([
      '1,500 rows (2, 3, 4, 5, 6 …): content must have 10 to 10,000 characters',
      expect.stringMatching(/^1,500 rows rejected\. /),
    ]);
  });
});

test('a dry run stores nothing, and an import asks before it leaves out rejected lines', async () => {
  const { run, table, answered } = await importer();
  const file = await fileOf(csv);
  const before = await textOf(table);
  const dry = await run(file, '--dry-run');
  expect({ code: dry.code, stdout: said(dry.stdout), stderr: said(dry.stderr) }).toEqual({
    code: 1,
    stdout: ['2 testimonials would be imported into shop.', 'Dates and statuses come from the file.'],
    stderr: [
      ...refusals,
      `1 row would be rejected. Correct it in ${file}.rejected.csv and import that file.`,
      otherTimes,
    ],
  });
  const { code, stdout, stderr } = await run(file);
  expect({ code, stdout, stderr: said(stderr) }).toEqual({
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
});

test('corrected lines of a rejected file need no options', async () => {
  const { run, admin, listed } = await importer();
  const header = 'content,author.name,author.email,rating,createdAt';
  const file = await fileOf(`${header}\nToo short,Jane,jane@example.com,4.5,31/12/2024\n`);
  await run(file, '--date-format', 'dd/MM/yyyy', '--round-ratings');
  const rejected = `${file}.rejected.csv`;
  await writeFile(rejected, (await readFile(rejected, 'utf8')).replace('"Too short"', '"Long enough now"'));
  expect(await admin('import', rejected, '--organization', 'shop')).toMatchObject({ code: 0 });
  expect((await listed()).testimonials).toMatchObject([
    { content: 'Long enough now', rating: 5, createdAt: '2024-12-31T00:00:00.000Z' },
  ]);
});

describe('columns', () => {
  test('are chosen by --map, --default and --date-format', async () => {
    const { run, listed } = await importer();
    const map = (pair: string) => ['--map', pair];
    const file = await fileOf(
      'Title;Text;First;Last;Mail;status;When\nWow;It works <b>well</b>.;Jane;Doe;;published;31/01/2025\n',
    );
    const { code, stdout, stderr } = await run(
      file,
      ...map('content=Title'),
      ...map('content=Text'),
      ...map('author.name=First'),
      ...map('author.name=Last'),
      ...map('author.email=Mail'),
      ...map('createdAt=When'),
      ...map('status='),
      '--default',
      'author.email=unknown@example.com',
      '--date-format',
      'dd/MM/yyyy',
      '--keep-html',
    );
    expect({ code, stdout: said(stdout), stderr: said(stderr) }).toEqual({
      code: 0,
      stdout: ['1 testimonial imported into shop.', 'Dates come from the file.'],
      stderr: ['Not used: status (“published”).'],
    });
    expect((await listed()).testimonials).toMatchObject([
      {
        content: 'Wow\n\nIt works <b>well</b>.',
        author: { name: 'Jane Doe', email: 'unknown@example.com' },
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

  test('with too many other values are used only if they are chosen', async () => {
    const { run } = await importer();
    const file = await fileOf(
      'Text,Name,Email,Stars\nIt works well.,Jane,jane@example.com,5/5\nSo it does here.,Jo,jo@example.com,11\n',
    );
    expect(said((await run(file, '--dry-run')).stderr)).toContain(
      'Stars (“5/5”, “11”) is not used for rating: too many values do not fit. If you choose it anyway, those testimonials are rejected.',
    );
    const { code, stderr } = await run(file, '--dry-run', '--map', 'rating=Stars');
    expect({ code, isRefused: stderr.includes('1 row would be rejected') }).toEqual({
      code: 1,
      isRefused: true,
    });
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

describe('a placeholder', () => {
  const file = () => fileOf('Review,Who\nIt works as I had hoped.,Ann Lee\n');
  const question = (name: string) =>
    `The columns of ${name} are guessed. All testimonials get unknown@example.com as author.email.`;

  test('is not chosen by --yes, neither without a terminal nor at one', async () => {
    const { run, table, listed } = await importer();
    const name = await file();
    const { code, stderr } = await run(name, '--yes', '--map', 'author.name=Who');
    expect({ code, last: said(stderr).at(-1) }).toEqual({
      code: 1,
      last: `${question(name)} To choose that without a terminal, add --default author.email=unknown@example.com. Nothing was stored.`,
    });
    const person = personWith({ answers: ['n', 'y'] });
    const admin = await hurriedAdminOf(table, person);
    const args = ['import', name, '--organization', 'shop', '--map', 'author.name=Who', '--yes'];
    expect(await admin(...args)).toMatchObject({ code: 1 });
    expect(await admin(...args)).toMatchObject({ code: 0 });
    expect(person.asked).toEqual(Array(2).fill(`${question(name)} Store 1 row of ${name}? [y/N] `));
    expect((await listed()).testimonials).toMatchObject([{ author: { email: 'unknown@example.com' } }]);
  });

  test('is chosen by --default', async () => {
    const { run } = await importer();
    const args = ['--map', 'author.name=Who', '--default', 'author.email=unknown@example.com', '--yes'];
    expect(await run(await file(), ...args)).toMatchObject({ code: 0 });
  });
});

test('--sheet chooses the sheet of a workbook or the list of a JSON document', async () => {
  const { run, listed } = await importer();
  const rows = (...texts: string[]) => [
    ['Name', 'Email', 'Review'],
    ...texts.map((text) => ['Ann Lee', 'ann@example.com', text]),
  ];
  const bytes = workbook({
    'This year': rows('It works as I had hoped.', 'It still does.'),
    Old: rows('It worked in the past.'),
  });
  const book = await fileOf(bytes, 'reviews.xlsx');
  const { stderr } = await run(book, '--dry-run');
  expect(stderr).toContain("--sheet 'This year' --map");
  expect(said(stderr)).toContain('Sheet This year is imported. Ignored: Old.');
  expect(await run(book, '--sheet', 'Old', '--yes')).toMatchObject({ code: 0 });
  const person = { name: 'Ann Lee', email: 'ann@example.com' };
  const document = {
    data: {
      new: [{ ...person, review: 'It is new and good.' }],
      old: [{ ...person, review: 'It is old and good.' }],
    },
  };
  const list = await fileOf(JSON.stringify(document), 'reviews.json');
  expect(await run(list, '--sheet', 'data.old', '--yes')).toMatchObject({ code: 0 });
  expect((await listed()).testimonials).toMatchObject([
    { content: 'It is old and good.' },
    { content: 'It worked in the past.' },
  ]);
});

test('NDJSON with other names takes the same options as a table, and unreadable lines are rejected', async () => {
  const { run, listed } = await importer();
  const line = (stars: number) =>
    JSON.stringify({
      by: { full: 'Ann Lee', at: 'ann@example.com' },
      words: `It works, ${stars} of ten.`,
      stars,
    });
  const file = await fileOf(`${line(9)}\n{"by":\n${line(2)}\n`, 'reviews.ndjson');
  const { code, stderr } = await run(
    file,
    ...['content=words', 'author.name=by.full', 'author.email=by.at', 'rating=stars'].flatMap((pair) => [
      '--map',
      pair,
    ]),
    '--round-ratings',
    '--yes',
  );
  expect(code).toBe(1);
  expect(said(stderr)).toContain('row 2 is not JSON');
  expect((await listed()).testimonials).toMatchObject([
    { content: 'It works, 2 of ten.', rating: 1 },
    { content: 'It works, 9 of ten.', rating: 5, author: { name: 'Ann Lee', email: 'ann@example.com' } },
  ]);
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
  const { code, stdout, stderr } = await admin('import', file, '--organization', 'acme', '--yes');
  expect({ code, stdout: said(stdout), stderr: said(stderr) }).toEqual({
    code: 1,
    stdout: ['1 testimonial imported into acme.', 'Dates come from the file.'],
    stderr: [
      expect.stringMatching(
        /^row 3: createdAt must not be after the first testimonial that arrived here, 20\d\d-\d\d-\d\d$/,
      ),
      `1 row rejected. Correct it in ${file}.rejected.csv and import that file.`,
      'Some dates are after the first testimonial that was created here. To use today’s date for the whole file, use --as-new.',
    ],
  });
});

describe('duplicates', () => {
  const header = 'content,author.name,author.email,createdAt';
  const of = (...numbers: number[]) =>
    fileOf(
      [header, ...numbers.map((i) => `Review number ${i} is fine,Ann,ann@example.com,2024-05-0${i}`)].join(
        '\n',
      ),
    );
  const told = (file: string) =>
    `2 of 4 testimonials of ${file} are already in shop, with the same text and author.`;

  test('someone at the terminal chooses all, only the new ones, or none', async () => {
    for (const [answer, total] of [
      ['', 2],
      ['y', 2],
      ['new', 4],
      ['all', 6],
    ] as const) {
      const { run, table, listed } = await importer();
      await run(await of(1, 2));
      const file = await of(1, 2, 3, 4);
      const person = personWith({ answers: [answer] });
      const admin = await hurriedAdminOf(table, person);
      const { code, stdout } = await admin('import', file, '--organization', 'shop');
      expect(person.asked).toEqual([`${told(file)} Store all, or only the 2 new ones? [all/new/N] `]);
      expect({ answer, code, total: (await listed()).pagination.total }).toEqual({
        answer,
        code: total === 2 ? 1 : 0,
        total,
      });
      if (answer === 'new') expect(said(stdout)).toContain('2 duplicates left out.');
    }
  });

  test('a script chooses by an option, and a dry run shows them', async () => {
    const { run, listed } = await importer();
    await run(await of(1, 2));
    const file = await of(1, 2, 3, 4);
    expect(said((await run(file, '--dry-run')).stdout)).toEqual([
      told(file),
      '2 testimonials are new.',
      'Dates come from the file.',
    ]);
    const { code, stderr } = await run(file);
    expect({ code, stderr: said(stderr) }).toEqual({
      code: 1,
      stderr: [
        `${told(file)} To choose without a terminal, use --only-new, or --yes to store all rows. Nothing was stored.`,
      ],
    });
    expect(said((await run(file, '--only-new')).stdout)).toEqual([
      '2 testimonials imported into shop.',
      '2 duplicates left out.',
      'Dates come from the file.',
    ]);
    expect((await listed()).pagination.total).toBe(4);
  });

  test('--yes stores them again', async () => {
    const { run, listed } = await importer();
    await run(await of(1, 2));
    const file = await of(1, 2, 3, 4);
    expect(said((await run(file, '--yes')).stdout)).toEqual([
      `2 of 4 testimonials of ${file} were already in shop, with the same text and author. They were stored again.`,
      '4 testimonials imported into shop.',
      'Dates come from the file.',
    ]);
    expect((await listed()).pagination.total).toBe(6);
    const { stdout } = await run(await of(4, 5), '--yes', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ good: 2, stored: 2, repeated: 1 });
  });
});

test('--json prints the id of the import and the testimonials that this run stored', async () => {
  const { admin, run, table } = await importer();
  const file = await fileOf(csv.replace(/^Great.*\n/m, ''));
  const dry = JSON.parse((await run(file, '--json', '--dry-run')).stdout);
  const first = JSON.parse((await run(file, '--json')).stdout);
  const again = JSON.parse((await run(file, '--json')).stdout);
  const [one] = await loadStore(table).all('shop');
  const id = idOfLoad(one?.name ?? '');
  expect([dry, first, again]).toMatchObject([
    { id, good: 2, stored: 0, wasImported: false },
    { id, good: 2, stored: 2, wasImported: false },
    { id, good: 2, stored: 0, wasImported: true },
  ]);
  const undo = ['import', '--organization', 'shop', '--undo', '--id', id, '--yes', '--json'];
  const undone = JSON.parse((await admin(...undo)).stdout);
  expect(undone).toMatchObject({ erased: 2, changed: 0, gone: 0 });
  expect(JSON.parse((await admin(...undo)).stdout)).toEqual({ ...undone, erased: 0, gone: 2 });
  // Another import of the file, with other ids.
  expect(JSON.parse((await run(file, '--json')).stdout)).toMatchObject({ id: `${id}-2`, stored: 2 });
});

test('a run that continues counts only the lines it stores itself', async () => {
  const api = await createApiClient();
  const own = ownDynamoDb();
  const lines = Array.from({ length: 30 }, (_, i) =>
    JSON.stringify(testimonialBody({ content: `Amazing line ${i}` })),
  );
  const file = await fileOf(lines.join('\n'), 'a.ndjson');
  const backend = { ...storesOf(api.table), loads: loadStore(api.table) };
  const process = await (await createImportWorld({ backend })).beginImport({ file }).runUntil('insert');
  // Some lines are stored before the next run begins.
  for (const calls of [10, 0]) await process.run(calls);
  process.kill();
  own.state.aheadMs = claimExpiryMs + 1000;
  const pages = await Array.fromAsync(backend.testimonials.from('acme', 0));
  const before = pages.flat().length;
  expect(before).toBeGreaterThan(0);
  const admin = hurriedAdminOf(api.table, undefined, own);
  const { stdout } = await admin('import', file, '--organization', 'acme', '--json', '--yes');
  expect(JSON.parse(stdout)).toMatchObject({ good: 30, stored: 30 - before, wasImported: false });
});

test('a file that is too large is an error before it is read', async () => {
  const { run } = await importer();
  const file = await fileOf('', 'huge.ndjson');
  await truncate(file, 300 * 1024 * 1024);
  expect(await run(file)).toEqual(refused(`${file} is 300 MB. The limit is 256 MB: split the file.`));
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

test.each([true, false])(
  'on the real engine a stopped import can be continued; empty before: %s',
  async (isEmpty) => {
    const table = await createTestTable();
    const backend = { ...storesOf(table), loads: loadStore(table) };
    const world = await createImportWorld({ backend, linesPerBlock: 30 });
    const contents = Array.from({ length: 70 }, (_, i) => `Amazing line ${i}`);
    const others = isEmpty ? [] : ['The first of all'];
    for (const content of others) {
      await world.create({ content, author: { name: 'Joe', email: 'joe@example.com' }, type: 'text' });
    }
    const lines = contents.map((content, i) =>
      JSON.stringify({ ...testimonialBody({ content }), tags: [`t${i % 3}`] }),
    );
    const file = await fileOf(lines.join('\n'), 'a.ndjson');
    for (const calls of [0, 2, 5, 30, 60]) {
      const process = world.beginImport({ file });
      await process.run(calls);
      process.kill();
      world.advance(claimExpiryMs);
      await world.updateIndex();
    }
    await world.import({ file });
    expect((await world.contents()).toSorted()).toEqual([...others, ...contents].toSorted());
    await world.settleForGood();
    expect(await world.differences()).toEqual([]);
    for (const each of fc.sample(query, { numRuns: 10, seed: 1 })) {
      expect(await world.list(each)).toEqual(await world.expected(each));
    }
    expect((await world.beginImport({ file }).run()).calls).toEqual(['find']);
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
