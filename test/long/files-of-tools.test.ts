/** Files of the tools of this trade, read by the command and by the desk: what somebody types, what is told, and that nothing is lost. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Table } from '../../functions/persistence/table.ts';
import { hurriedAdminOf } from '../admin.ts';
import { storesOf } from '../api-client.ts';
import { closeFailingDynamoDbs } from '../failing-dynamodb.ts';
import { fileOf, removeFiles } from '../file-of.ts';
import { otherShops, shopsOfHtml, yotpo } from '../files-of-tools/shops.ts';
import { airtable, germanExcel, sheets, writtenByPeople } from '../files-of-tools/spreadsheets.ts';
import { googleMaps, googleTakeout, testimonialTools } from '../files-of-tools/testimonial-tools.ts';
import type { Said, ToolFile } from '../files-of-tools/tool-file.ts';
import { workbook } from '../files-of-tools/workbook.ts';
import { deskByRequests, fieldsOf, plain } from '../open-desk.ts';
import { personWith } from '../person.ts';
import { createTestTable } from '../test-table.ts';

/** The worst first: what was lost, then what stood as it should not, then what was refused. */
const files: ToolFile[] = [
  ...[googleMaps, airtable, germanExcel, ...writtenByPeople],
  ...[...shopsOfHtml, ...testimonialTools],
  ...[...sheets, googleTakeout],
  ...otherShops,
];

let table: Table;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(async () => {
  closeFailingDynamoDbs();
  await removeFiles();
});

const deskOf = (organization: string) => deskByRequests(table, organization);

/** What is stored, in the order of the file. */
async function storedIn(organization: string, { said }: ToolFile) {
  const all = (await Array.fromAsync(storesOf(table).testimonials.from(organization, 0))).flat();
  const placeOf = (content: string) => said.findIndex((each) => each.content === content);
  return all
    .map(({ testimonial: { tags = [], ...its } }) => ({ ...its, tags }))
    .toSorted((a, b) => placeOf(a.content) - placeOf(b.content));
}

/** @param from the day that `3 days ago` is counted from, where the file was told to be read so */
function expected(
  {
    content,
    name,
    email = 'unknown@example.com',
    company,
    rating,
    tags = [],
    status = 'pending',
    time,
    daysAgo,
  }: Said,
  from: string,
) {
  const day =
    daysAgo === undefined
      ? time
      : new Date(Date.parse(from) - daysAgo * 86_400_000).toISOString().slice(0, 10);
  return {
    ...{
      content,
      tags,
      status,
      type: 'text',
      author: { name, email, ...(company !== undefined && { company }) },
    },
    ...(rating !== undefined && { rating }),
    createdAt:
      day === undefined ? expect.any(String) : new Date(day.includes('T') ? `${day}Z` : day).toISOString(),
  };
}

const dayIn = (text: string) => /words en from (\S{10})/.exec(text)?.[1] ?? '';

describe.each(files.map((each, i) => [each.tool, each, `tool-${i}`] as const))(
  '%s',
  (_, file, organization) => {
    test('by the command', async () => {
      const path = await fileOf(file.bytes, file.file);
      const person = personWith({ answers: ['y'] });
      const { code, stderr } = await (await hurriedAdminOf(table, person))(
        'import',
        path,
        '--organization',
        organization,
      );
      expect({ code, questions: person.asked.length }).toEqual({ code: 0, questions: 1 });
      for (const each of file.told) expect(stderr).toMatch(each);
      if (file.told.length === 0) expect(stderr).not.toContain('Not used');
      expect(await storedIn(organization, file)).toMatchObject(
        file.said.map((each) => expected(each, dayIn(stderr))),
      );
    });

    test('by the desk', async () => {
      const its = `${organization}-desk`;
      const { drop, send, ended } = await deskOf(its);
      const { text, path } = await drop(file.bytes, file.file);
      for (const each of file.told) expect(plain(text)).toMatch(each);
      await send('/desk/files', fieldsOf(text, `Import ${file.said.length} testimonials`));
      expect(await ended(path)).toContain(`${file.said.length} testimonials imported into ${its}.`);
      expect(await storedIn(its, file)).toMatchObject(file.said.map((each) => expected(each, dayIn(text))));
    });
  },
);

describe('what is there already, or stands twice', () => {
  const once = yotpo;
  const twice = (): ToolFile => {
    const [header = '', ...lines] = String(once.bytes)
      .split('\r\n7')
      .map((line, i) => (i === 0 ? line : `7${line}`));
    return {
      ...once,
      bytes: [header, ...lines.map((line) => line.trimEnd()), lines[0]?.trimEnd(), ''].join('\r\n'),
    };
  };

  test('in one file is told, and skipped where only new ones are wanted', async () => {
    const path = await fileOf(twice().bytes, 'twice.csv');
    const person = personWith({ answers: ['new'] });
    await (await hurriedAdminOf(table, person))('import', path, '--organization', 'twice');
    expect(person.asked).toEqual([
      `1 line stands in ${path} twice. ${path} is read as it was guessed. Store all, or only the 3 new ones? [all/new/N] `,
    ]);
    expect(await storedIn('twice', once)).toHaveLength(3);
  });

  test('the full export of the next month, whose times are written otherwise, adds what is new', async () => {
    const admin = await hurriedAdminOf(table);
    const monthly = async (bytes: string) =>
      admin('import', await fileOf(bytes), '--organization', 'monthly', '--only-new', '--yes');
    await monthly(String(once.bytes));
    const later = String(once.bytes).replaceAll(':00Z', ':00.512+01:00');
    const { stdout } = await monthly(
      `${later}709,Published,5,In a word,Found in the month after,2024-04-02T10:00:00.512+01:00,Ann,ann@example.com,Mug\r\n`,
    );
    expect(stdout).toContain('1 testimonial imported into monthly.\n3 lines left out: there already.');
  });
});

describe('every guess can be corrected', () => {
  const bytes = 'Name,Mail,Review,Note,Wann\nAnn,ann@example.com,A fine <b>mug</b> indeed,5,03/04/2024\n';

  test('by the command', async () => {
    const path = await fileOf(bytes);
    const options = [
      '--map',
      'createdAt=Wann',
      '--date-format',
      'd/M/yyyy',
      '--map',
      'rating=',
      '--keep-html',
    ];
    const person = personWith({ answers: ['y'] });
    await (await hurriedAdminOf(table, person))('import', path, '--organization', 'told', ...options);
    const [only] = await storedIn('told', yotpo);
    expect(only).toMatchObject({
      content: 'A fine <b>mug</b> indeed',
      createdAt: '2024-04-03T00:00:00.000Z',
    });
    expect(only).not.toHaveProperty('rating');
  });

  test('by the desk, which shows what it guessed', async () => {
    const { drop, send, ended } = await deskOf('told-desk');
    const { text, path } = await drop(bytes, 'told.csv');
    for (const column of ['Name', 'Mail', 'Review', 'Note']) expect(text).toContain(`selected>${column}<`);
    const again = await send('/desk/files', {
      ...fieldsOf(text, 'Check again'),
      ...{ 'column createdAt': '["Wann"]', 'column author.name': '["Name"]', 'column content': '["Review"]' },
      ...{ 'column rating': '[]', 'column author.email': '["Mail"]' },
      ...{ dateFormat: 'd/M/yyyy', keepHtml: 'yes' },
    });
    expect(plain(again.text)).toMatch(/Not used: Note \(“5”\)/);
    await send('/desk/files', fieldsOf(again.text, 'Import 1 testimonial'));
    await ended(path);
    const [only] = await storedIn('told-desk', yotpo);
    expect(only).toMatchObject({
      content: 'A fine <b>mug</b> indeed',
      createdAt: '2024-04-03T00:00:00.000Z',
    });
    expect(only).not.toHaveProperty('rating');
  });
});

test('refused rows of a workbook come back as a table, in words of the page, and are imported once they are mended', async () => {
  const { drop, get } = await deskOf('mended');
  const rows = [
    ...[
      ['Name', 'Email', 'Review', 'Stars', 'When'],
      ['Ann', 'ann@example.com', 'A fine mug indeed', 5, { day: '2024-03-01' }],
    ],
    ['Bo', 'bo(at)example.com', 'A fine mug, too', 4, { day: '2024-03-02' }],
    ['Cy', 'cy(at)example.com', 'The third fine mug', 4.5, { day: '2024-03-03' }],
  ];
  const { text } = await drop(workbook({ Mugs: rows }), 'mugs.xlsx');
  expect(plain(text)).toContain('2 rows (3, 4): E-mail must be a valid e-mail address');
  const notices = text.slice(text.indexOf('class="notice'), text.indexOf('<details'));
  expect(notices).not.toMatch(/--\w|undefined|author\.email|and status/);
  const [link = ''] = /\/desk\/files\/rejected\?of=\w+/.exec(text) ?? [];
  const rejected = await get(link);
  const mended = await drop(rejected.text.replaceAll('(at)', '@'), 'mugs.rejected.csv');
  expect(mended.text).toContain('2 testimonials would be imported into mended.');
  expect(mended.text).not.toContain('Not used');
});
