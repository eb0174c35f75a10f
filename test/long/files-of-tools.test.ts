/** Files of each format, imported by the command and by the desk. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Table } from '../../functions/dynamodb/table.ts';
import { hurriedAdminOf } from '../admin.ts';
import { storesOf } from '../api-client.ts';
import { fileOf } from '../file-of.ts';
import { germanExcel, workbookOfExcel } from '../files-of-tools/spreadsheets.ts';
import { googleMaps, googleTakeout } from '../files-of-tools/testimonial-tools.ts';
import { saidAs, type ToolFile } from '../files-of-tools/tool-file.ts';
import { workbook } from '../files-of-tools/workbook.ts';
import { deskByRequests, fieldsOf, plain } from '../open-desk.ts';
import { personWith } from '../person.ts';
import { createTestTable } from '../test-table.ts';

let table: Table;
beforeAll(async () => {
  table = await createTestTable();
});

const deskOf = (organization: string) => deskByRequests(table, organization);

/** The stored testimonials in the order of the file. */
async function storedIn(organization: string, { said }: ToolFile) {
  const all = (await Array.fromAsync(storesOf(table).testimonials.from(organization, 0))).flat();
  const placeOf = (content: string) => said.findIndex((each) => each.content === content);
  return all
    .map(({ testimonial: { tags = [], ...its } }) => ({ ...its, tags }))
    .toSorted((a, b) => placeOf(a.content) - placeOf(b.content));
}

const dayIn = (text: string) => /words en from (\S{10})/.exec(text)?.[1] ?? '';

// How the files of all tools are read holds test/unit/operator/import/files-of-tools.test.ts.
describe.each(
  [googleMaps, germanExcel, workbookOfExcel, googleTakeout].map((each) => [each.tool, each] as const),
)('%s', (tool, file) => {
  const organization = tool.toLowerCase().replaceAll(' ', '-');
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
      file.said.map((each) => saidAs(each, dayIn(stderr))),
    );
  });

  test('by the desk', async () => {
    const ofDesk = `${organization}-desk`;
    const { drop, send, ended } = await deskOf(ofDesk);
    const { text, path } = await drop(file.bytes, file.file);
    for (const each of file.told) expect(plain(text)).toMatch(each);
    await send('/desk/files', fieldsOf(text, `Import ${file.said.length} testimonials`));
    expect(await ended(path)).toContain(`${file.said.length} testimonials imported into ${ofDesk}.`);
    expect(await storedIn(ofDesk, file)).toMatchObject(file.said.map((each) => saidAs(each, dayIn(text))));
  });
});

test('the desk shows every guess and can correct it', async () => {
  const bytes = 'Name,Mail,Review,Note,Wann\nAnn,ann@example.com,A fine <b>mug</b> indeed,5,03/04/2024\n';
  const { drop, send, ended } = await deskOf('told-desk');
  const { text, path } = await drop(bytes, 'told.csv');
  for (const column of ['Name', 'Mail', 'Review', 'Note']) expect(text).toContain(`selected>${column}<`);
  const again = await send('/desk/files', {
    ...fieldsOf(text, 'Check again'),
    'column createdAt': '["Wann"]',
    'column author.name': '["Name"]',
    'column content': '["Review"]',
    'column rating': '[]',
    'column author.email': '["Mail"]',
    dateFormat: 'd/M/yyyy',
    keepHtml: 'yes',
  });
  expect(plain(again.text)).toMatch(/Not used: Note \(“5”\)/);
  await send('/desk/files', fieldsOf(again.text, 'Import 1 testimonial'));
  await ended(path);
  const [only] = await storedIn('told-desk', googleMaps);
  expect(only).toMatchObject({
    content: 'A fine <b>mug</b> indeed',
    createdAt: '2024-04-03T00:00:00.000Z',
  });
  expect(only).not.toHaveProperty('rating');
});

test('rejected rows of a workbook can be downloaded from the desk, corrected and imported', async () => {
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
