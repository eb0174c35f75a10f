/** Files of the tools of this trade, read by the command and by the desk: what somebody types, what is told, and that nothing is lost. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Table } from '../../functions/persistence/table.ts';
import { assetsOf } from '../../functions/serve-desk/assets.ts';
import type { DeskPages } from '../../functions/serve-desk/desk.ts';
import { deskApp } from '../../lib/operator/desk/desk-app.ts';
import { deskAssets } from '../../lib/operator/desk/site.ts';
import { hurriedAdminOf } from '../admin.ts';
import { storesOf } from '../api-client.ts';
import { closeFailingDynamoDbs } from '../failing-dynamodb.ts';
import { fileOf, removeFiles } from '../file-of.ts';
import * as shops from '../files-of-tools/shops.ts';
import * as spreadsheets from '../files-of-tools/spreadsheets.ts';
import { googleMaps, googleTakeout, senja, testimonialTo } from '../files-of-tools/testimonial-tools.ts';
import type { Said, ToolFile } from '../files-of-tools/tool-file.ts';
import { workbook } from '../files-of-tools/workbook.ts';
import { actAs } from '../iam/acting.ts';
import { openTestDesk } from '../open-desk.ts';
import { personWith } from '../person.ts';
import { createTestTable } from '../test-table.ts';

const { writtenByPeople, airtable, germanExcel, titled, unicodeText, excel } = spreadsheets;
const { yotpo, shopify, loox, judgeMe, trustpilot, products, customers, agency } = shops;

/** The worst first: what was lost, then what stood as it should not, then what was refused. */
const files: ToolFile[] = [
  ...[googleMaps(), airtable(), testimonialTo(), germanExcel(), ...writtenByPeople()],
  ...[yotpo(), shopify(), loox(), senja()],
  ...[titled(), googleTakeout(), excel(), unicodeText()],
  ...[products(), customers(), agency(), judgeMe(), trustpilot()],
];

let table: Table;
const closers: (() => void)[] = [];
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(async () => {
  for (const close of closers) close();
  closeFailingDynamoDbs();
  await removeFiles();
});

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
      expect({
        code,
        typed: person.asked.length === 0 ? 'nothing' : 'y',
        questions: person.asked.length,
      }).toEqual({
        ...{ code: 0, typed: file.typed, questions: file.typed === 'y' ? 1 : 0 },
      });
      for (const each of file.told) expect(stderr).toMatch(each);
      if (file.told.length === 0) expect(stderr).not.toContain('Not used');
      expect(await storedIn(organization, file)).toMatchObject(
        file.said.map((each) => expected(each, dayIn(stderr))),
      );
    });

    test('by the desk', async () => {
      const its = `${organization}-desk`;
      const { desk, close } = openTestDesk(table, its);
      closers.push(close);
      const app = deskApp(desk, { port: 4200, key: 'key', pass: 'pass' }, assetsOf(await deskAssets()));
      const { text, path } = await drop(app, file);
      for (const each of file.told) expect(plain(text)).toMatch(each);
      expect(text).not.toContain(desk.folder);
      await send(app, form(text, `Import ${file.said.length} testimonials`));
      // A page that is asked for again and again holds up what it waits for.
      while ((await get(app, path)).includes('hx-trigger="every')) await wait(30);
      expect(await get(app, path)).toContain(`${file.said.length} testimonials imported into ${its}.`);
      expect(await storedIn(its, file)).toMatchObject(file.said.map((each) => expected(each, dayIn(text))));
    });
  },
);

const headers = { host: '127.0.0.1:4200', cookie: 'desk-4200=pass', 'sec-fetch-site': 'same-origin' };
const ask = (app: DeskPages, path: string, init: RequestInit = {}) =>
  actAs('Operator/Write', async () => app.request(`http://127.0.0.1:4200${path}`, { headers, ...init }));
const get = async (app: DeskPages, path: string) => (await ask(app, path)).text();
const send = (app: DeskPages, body: FormData | URLSearchParams) =>
  ask(app, '/desk/files', { method: 'POST', body });

async function drop(app: DeskPages, { bytes, file }: ToolFile): Promise<{ text: string; path: string }> {
  const body = new FormData();
  body.append('do', 'take');
  body.append('file', new File([Buffer.from(bytes)], file));
  const path = String((await send(app, body)).headers.get('location'));
  return { text: await get(app, path), path };
}

/** What a button of a page sends, by its label. */
function form(text: string, label: string): URLSearchParams {
  const its = text
    .match(/<form method="post"[\s\S]*?<\/form>/g)
    ?.find((each) => each.includes(`>${label}</button>`));
  const fields = (its ?? '').matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return new URLSearchParams(
    Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, plain(value)])),
  );
}

const plain = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

describe('what is there already, or stands twice', () => {
  const once = yotpo();
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
    const [only] = await storedIn('told', yotpo());
    expect(only).toMatchObject({
      content: 'A fine <b>mug</b> indeed',
      createdAt: '2024-04-03T00:00:00.000Z',
    });
    expect(only).not.toHaveProperty('rating');
  });

  test('by the desk, which shows what it guessed', async () => {
    const { desk, close } = openTestDesk(table, 'told-desk');
    closers.push(close);
    const app = deskApp(desk, { port: 4200, key: 'key', pass: 'pass' }, assetsOf(await deskAssets()));
    const { text, path } = await drop(app, { ...yotpo(), file: 'told.csv', bytes });
    for (const column of ['Name', 'Mail', 'Review', 'Note']) expect(text).toContain(`selected>${column}<`);
    const fields = form(text, 'Check again');
    for (const [field, column] of [
      ['createdAt', 'Wann'],
      ['author.name', 'Name'],
      ['content', 'Review'],
    ])
      fields.set(`column ${field}`, JSON.stringify([column]));
    fields.set('column rating', '[]');
    fields.set('column author.email', '["Mail"]');
    fields.set('dateFormat', 'd/M/yyyy');
    fields.set('keepHtml', 'yes');
    await send(app, fields);
    const again = await get(app, path);
    expect(plain(again)).toMatch(/Not used: Note \(“5”\)/);
    await send(app, form(again, 'Import 1 testimonial'));
    while ((await get(app, path)).includes('hx-trigger="every'));
    const [only] = await storedIn('told-desk', yotpo());
    expect(only).toMatchObject({
      content: 'A fine <b>mug</b> indeed',
      createdAt: '2024-04-03T00:00:00.000Z',
    });
    expect(only).not.toHaveProperty('rating');
  });
});

test('refused rows of a workbook come back as a table, in words of the page, and are imported once they are mended', async () => {
  const { desk, close } = openTestDesk(table, 'mended');
  closers.push(close);
  const app = deskApp(desk, { port: 4200, key: 'key', pass: 'pass' }, assetsOf(await deskAssets()));
  const rows = [
    ...[
      ['Name', 'Email', 'Review', 'Stars', 'When'],
      ['Ann', 'ann@example.com', 'A fine mug indeed', 5, { day: '2024-03-01' }],
    ],
    ['Bo', 'bo(at)example.com', 'A fine mug, too', 4, { day: '2024-03-02' }],
    ['Cy', 'cy(at)example.com', 'The third fine mug', 4.5, { day: '2024-03-03' }],
  ];
  const { text } = await drop(app, { ...yotpo(), file: 'mugs.xlsx', bytes: workbook({ Mugs: rows }) });
  expect(plain(text)).toContain('2 rows (3, 4): E-mail must be a valid e-mail address');
  const notices = text.slice(text.indexOf('class="notice'), text.indexOf('<details'));
  expect(notices).not.toMatch(/--\w|undefined|author\.email|and status/);
  const [link = ''] = /\/desk\/files\/rejected\?of=\w+/.exec(text) ?? [];
  const rejected = await get(app, link);
  const mended = await drop(app, {
    ...yotpo(),
    file: 'mugs.rejected.csv',
    bytes: rejected.replaceAll('(at)', '@'),
  });
  expect(mended.text).toContain('2 testimonials would be imported into mended.');
  expect(mended.text).not.toContain('Not used');
});
