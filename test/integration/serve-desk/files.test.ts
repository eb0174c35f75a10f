/** Imports at the desk: the browser’s code reads a file, and sends its lines to the handler in steps. */
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { getItem, putItem } from '../../../functions/dynamodb/items.ts';
import { importKey } from '../../../functions/dynamodb/keys.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { exportList } from '../../../functions/serve-desk/import-worker/export-list.ts';
import { FileImport } from '../../../functions/serve-desk/import-worker/file-import.ts';
import { importPart } from '../../../functions/serve-desk/import-worker/import-part.ts';
import { mappingIn } from '../../../functions/serve-desk/import-worker/mapping-form.ts';
import { openAll } from '../../../functions/testimonials/all.ts';
import { openCreates } from '../../../functions/testimonials/creates.ts';
import { openIndexUpdates } from '../../../functions/testimonials/index-updates.ts';
import { openLoads } from '../../../functions/testimonials/loads.ts';
import { loadStore } from '../../../functions/testimonials/table/load-store.ts';
import { deskOf } from '../../desk-client.ts';
import { fieldsOf, plain } from '../../forms.ts';
import { actAs } from '../../iam/acting.ts';
import { createTestTable } from '../../test-table.ts';

let table: Table;
let desk: Awaited<ReturnType<typeof deskOf>>;
beforeAll(async () => {
  table = await createTestTable();
  desk = await deskOf(table);
});

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

type Person = Awaited<ReturnType<typeof desk.signedIn>>;

/** What happens to a step on its way: it is lost, or its answer is. */
type Network = (number: number) => 'lost' | 'answer lost' | undefined;

let stepUrl = '';

/**
 * Sends the steps of the import with a person's cookies. The index function runs after each step, so that a
 * load takes several, or beside them if `isPrompt`.
 */
function connect(person: Person, organization: string, network: Network = () => undefined, isPrompt = false) {
  const steps: string[] = [];
  const updates = openIndexUpdates(table);
  const index = () =>
    actAs('IndexTestimonials', () =>
      updates.update(organization, { until: Date.now() + 10_000, sharedBy: 1 }),
    );
  stepUrl = `/desk/files/step?organization=${organization}`;
  globalThis.fetch = async (url, init) => {
    const fate = network(steps.length);
    steps.push(fate ?? 'sent');
    if (fate === 'lost') throw new TypeError('Failed to fetch');
    const raw = Buffer.from(await new Response(init?.body as Blob).arrayBuffer());
    const answer = person.ask('POST', String(url), { raw });
    const isOver = answer.then(() => true);
    while (isPrompt && !(await Promise.race([isOver, wait(200, false)]))) await index();
    const { status, text, headers } = await answer;
    await index();
    if (fate === 'answer lost') throw new TypeError('Failed to fetch');
    return new Response(text, { status, headers: { 'content-type': headers['content-type'] ?? '' } });
  };
  return steps;
}

const fileOf = (text: string, name = 'reviews.csv') =>
  Object.assign(new Blob([text]), { name, lastModified: Date.UTC(2025, 5, 1) });

const reviews = (count: number, from = 0) =>
  [
    'Name,E-mail,Stars,Review,Date',
    ...Array.from({ length: count }, (_, i) => {
      const n = from + i;
      const day = new Date(Date.UTC(2023, 0, 1 + n)).toISOString().slice(0, 10);
      return `Jane Doe ${n},jane${n}@example.com,${1 + (n % 5)},"Course ${n} helped us to plan our weeks.",${day}`;
    }),
  ].join('\n');

const open = async (file: ReturnType<typeof fileOf>, onChange: (file: FileImport) => void = () => {}) => {
  const opened = await FileImport.open(file, stepUrl, onChange);
  await opened.begin();
  return opened;
};

/** Returns the fields of a mapping's form, as a browser sends them. */
function mappingFields(markup: string): Record<string, string> {
  const selects = markup.matchAll(/<select id="[^"]*" name="([^"]*)">([\s\S]*?)<\/select>/g);
  const inputs = markup.matchAll(/<input id="[^"]*" name="([^"]*)" value="([^"]*)"/g);
  const boxes = markup.matchAll(/<input type="checkbox" name="([^"]*)" value="(yes)" checked/g);
  return Object.fromEntries([
    ...Array.from(selects, ([, name = '', options = '']) => [
      name,
      plain(/value="([^"]*)" selected/.exec(options)?.[1] ?? ''),
    ]),
    ...Array.from([...inputs, ...boxes], ([, name = '', value = '']) => [name, plain(value)]),
  ]);
}

/** Undoes the only import of an organization. Returns the texts of the question, and of the page after it. */
async function undone(person: Person) {
  const path = '/desk/files/undo';
  const { text } = await person.get('/desk/files');
  const { text: question } = await person.post(path, fieldsOf(text, 'Undo import…'));
  let done = await person.send(path, fieldsOf(question, 'Undo the import for good'));
  while (done.text.includes('Undoing an import'))
    done = await person.send(path, fieldsOf(done.text, 'Continue'));
  return { question, text: done.text };
}

const stored = async (organization: string) =>
  actAs('Operator/Write', async () => (await Array.fromAsync(openAll(table)(organization))).flat());

describe('an import at the desk', () => {
  test('stores each testimonial once with its time, although steps and answers are lost', async () => {
    const person = await desk.signedIn({ organization: 'lossy', role: 'owner' });
    const losses = new Map([
      [0, 'lost'],
      [2, 'answer lost'],
      [4, 'answer lost'],
      [6, 'lost'],
    ] as const);
    const steps = connect(person, 'lossy', (number) => losses.get(number as 0), true);
    const file = await open(fileOf(reviews(300)));
    expect(file.state).toMatchObject({ kind: 'checked', result: { good: 300, rejected: 0, repeated: 0 } });
    expect(await stored('lossy')).toEqual([]);
    await file.store('all');
    expect(file.state).toMatchObject({ kind: 'ended', result: { good: 300 } });
    expect(steps.filter((fate) => fate !== 'sent').length).toBeGreaterThanOrEqual(3);
    const records = await stored('lossy');
    expect(records.map(({ testimonial }) => testimonial.author.email)).toEqual(
      Array.from({ length: 300 }, (_, i) => `jane${i}@example.com`),
    );
    expect(records[299]?.testimonial).toMatchObject({
      createdAt: new Date(Date.UTC(2023, 0, 300)).toISOString(),
      status: 'pending',
      rating: 5,
    });
    const { text } = await person.get('/desk/list?status=pending');
    expect(text).toContain('300 testimonials');
  });

  test('goes on with the same file after the page was closed, and is undone', async () => {
    const person = await desk.signedIn({ organization: 'closed', role: 'owner' });
    let last = Number.POSITIVE_INFINITY;
    const steps = connect(person, 'closed', (number) => (number > last ? 'answer lost' : undefined));
    const first = await open(fileOf(reviews(40)));
    // The choice of a status goes with the import, not with the browser.
    const chosen = () =>
      /<input type="radio" id="(\w+)"[^>]* checked/.exec(String(importPart(first, 'closed')))?.[1];
    expect(chosen()).toBe('queue');
    await first.checkWithStatus('approved');
    expect(chosen()).toBe('approve');
    await first.checkWithStatus('pending');
    expect(chosen()).toBe('queue');
    await first.checkWithStatus('approved');
    // It compares again, stores, and nobody hears of it.
    last = steps.length;
    const closing = first.store('all');
    while (first.waitingReason === undefined) await wait(20);
    first.stop();
    await closing;
    last = Number.POSITIVE_INFINITY;
    const again = await open(fileOf(reviews(40), 'renamed.csv'));
    expect(again.earlier).toMatchObject({ title: 'reviews.csv', count: 40 });
    const { done = 0, count = 0 } = again.earlier ?? {};
    const verb = done < count ? 'Continue' : 'Finish';
    expect(String(importPart(again, 'closed'))).toContain(`>${verb} the import</button>`);
    await again.store('all');
    expect(again.state).toMatchObject({ kind: 'ended' });
    const records = await stored('closed');
    expect(records.map(({ testimonial }) => testimonial.status)).toEqual(Array(40).fill('approved'));

    const page = await person.get('/desk/files');
    expect(page.text).toMatch(/reviews\.csv|renamed\.csv/);
    expect(page.text).toContain('40 testimonials imported.');
    const { question, text } = await undone(person);
    expect(question).toContain('40 testimonials will be erased for good.');
    expect(text).toContain('is undone.');
    expect(text).toContain('Undone.');
    expect(await stored('closed')).toEqual([]);
  });

  test('is known again after its columns were chosen as they had been guessed', async () => {
    const person = await desk.signedIn({ organization: 'known', role: 'owner' });
    connect(person, 'known', undefined, true);
    // Its heading is ours, so that no guess names the column. The form names all of them.
    const text = reviews(5).replace('Stars', 'rating');
    const file = await open(fileOf(text));
    await file.store('all');
    const again = await open(fileOf(text));
    expect(again.state).toMatchObject({ result: { wasImported: true } });
    expect(String(importPart(again, 'known'))).not.toContain('Nothing is stored yet');
    const shown = mappingFields(String(importPart(again, 'known')));
    expect(shown).toMatchObject({ 'column rating': '["rating"]', 'column content': '["Review"]' });
    await again.check(mappingIn(Object.entries(shown), again));
    expect(again.state).toMatchObject({ kind: 'checked', result: { wasImported: true } });
  });

  test('guesses again what nobody chose, after every change', async () => {
    const person = await desk.signedIn({ organization: 'guessed', role: 'owner' });
    connect(person, 'guessed', undefined, true);
    // Day and month are ambiguous, and nobody has a name.
    const file = await open(
      fileOf('E-mail,Review,Date\nann@example.org,"It was fine for us.",03/04/2025', 'odd.csv'),
    );
    const change = async (fields: Record<string, string>) => {
      const shown = mappingFields(String(importPart(file, 'guessed')));
      await file.preview(mappingIn(Object.entries({ ...shown, ...fields }), file));
      return String(importPart(file, 'guessed'));
    };
    expect(String(importPart(file, 'guessed'))).toContain('They could also be');
    const changed = await change({ 'value tags': 'spring' });
    expect(changed).toContain('They could also be');
    expect(changed).toContain('All testimonials get “Anonymous”');
    expect(file.chosenMapping).toEqual({ map: {}, defaults: { tags: 'spring' } });
    await change({ 'column author.name': '["Review"]' });
    expect(file.opened?.mapping.defaults).toEqual({ tags: 'spring' });
    await change({ 'value tags': '', 'column author.name': '[]' });
    expect(file.chosenMapping).toEqual({ map: {}, defaults: {} });
    const formats = ['M/d/yyyy', 'd/M/yyyy'];
    expect(file.dateFormats).toEqual(formats);
    const created = () =>
      file.firstLines?.examples.map(({ createdAt = 0 }) => new Date(createdAt).toISOString());
    expect(created()).toEqual(['2025-03-04T00:00:00.000Z']);
    const dayFirst = await change({ dateFormat: 'd/M/yyyy' });
    expect(dayFirst).toContain('selected>Day/month/year, as in 30/11/2025<');
    expect(created()).toEqual(['2025-04-03T00:00:00.000Z']);
    expect(file.dateFormats).toEqual(formats.toReversed());
    await change({ 'column createdAt': '[]' });
    expect(file.chosenMapping).not.toHaveProperty('dateFormat');
  });

  test('asks to keep the page open from the agreement to the end', async () => {
    const person = await desk.signedIn({ organization: 'kept-open', role: 'owner' });
    connect(person, 'kept-open', undefined, true);
    const parts: string[] = [];
    const file = await open(fileOf(reviews(3)), (each) => parts.push(String(importPart(each, 'kept-open'))));
    expect(parts.filter((part) => part.includes('Keep this page open'))).toEqual([]);
    parts.length = 0;
    await file.store('all');
    const working = parts.filter((part) => part.includes('<progress'));
    expect(working.some((part) => part.includes('Looking for duplicates'))).toBe(true);
    expect(working.filter((part) => !part.includes('Keep this page open'))).toEqual([]);
    expect(file).toMatchObject({ state: { kind: 'ended' }, isStoring: false });
  });

  test('offers the rejected rows of a file that was imported before', async () => {
    const person = await desk.signedIn({ organization: 'rejects', role: 'owner' });
    connect(person, 'rejects', undefined, true);
    const text = `${reviews(2)}\nAnn,nobody,5,"It was fine there, and more.",`;
    await (await open(fileOf(text))).store('all');
    const again = await open(fileOf(text));
    expect(again.state).toMatchObject({ result: { wasImported: true, rejected: 1 } });
    expect(String(importPart(again, 'rejects'))).toContain('Download the rejected rows');
    expect(again.state.kind === 'checked' && again.state.result.rejectedFileText).toContain('"Ann","nobody"');
    // Known rows in another file.
    const same = await open(fileOf(`${reviews(2)}\n`));
    const page = String(importPart(same, 'rejects'));
    expect(page).toContain('Nothing new in <bdi>reviews.csv</bdi>.');
    expect(page).toMatch(/class="solid" data-act="cancel">Done<[\s\S]*Import 2 testimonials again/);
  });

  test('stores nothing if a testimonial that arrived meanwhile makes another row too late', async () => {
    const person = await desk.signedIn({ organization: 'meanwhile', role: 'owner' });
    connect(person, 'meanwhile', undefined, true);
    const undated = 'Ann,ann@example.org,5,"It was fine there, and more.",';
    const file = await open(fileOf(`${reviews(1)}\n${undated}`));
    expect(file.state).toMatchObject({ kind: 'checked', result: { good: 2, rejected: 0 } });
    await actAs('CreateTestimonial', () =>
      openCreates(table)('meanwhile').create({
        content: 'We came back twice.',
        author: { name: 'Zoe', email: 'zoe@example.com' },
        type: 'text',
      }),
    );
    await file.store('all');
    expect(file.state).toMatchObject({
      kind: 'failed',
      error: expect.stringContaining('Nothing was stored'),
    });
    expect(await stored('meanwhile')).toHaveLength(1);
    await file.check(file.chosenMapping);
    expect(file.state).toMatchObject({ kind: 'checked', result: { good: 1, rejected: 1 } });
  });

  test('joins testimonials that are here, says which repeat, and leaves them out', async () => {
    const organization = 'joined';
    const creates = openCreates(table)(organization);
    await actAs('CreateTestimonial', () =>
      creates.create({
        content: 'Course 3 helped us to plan our weeks.',
        author: { name: 'Jane Doe 3', email: 'JANE3@example.com' },
        type: 'text',
      }),
    );
    const person = await desk.signedIn({ organization, role: 'owner' });
    connect(person, organization, undefined, true);
    const file = await open(
      fileOf(`${reviews(10)}\nJoe,joe@example.com,9,"It was fine, and more.",2024-01-01`),
    );
    expect(file.state).toMatchObject({ kind: 'checked', result: { good: 10, repeated: 1, rejected: 1 } });
    const shown = String(importPart(file, organization));
    expect(shown).toContain('Import 9 new testimonials');
    expect(shown).toContain('Import all 10, including 1 duplicate');
    expect(shown).toContain('Download the rejected rows');
    await file.store('only new');
    expect(file.state).toMatchObject({ kind: 'ended', result: { good: 9, leftOut: 1 } });
    expect(await stored(organization)).toHaveLength(10);
    const { text } = await person.get(`/desk/files/records?organization=${organization}&from=0`);
    expect(JSON.parse(text).records).toHaveLength(10);
  });

  test('does not come back after another window has undone it', async () => {
    const person = await desk.signedIn({ organization: 'elsewhere', role: 'owner' });
    let last = Number.POSITIVE_INFINITY;
    const steps = connect(person, 'elsewhere', (number) => (number > last ? 'answer lost' : undefined));
    const file = await open(fileOf(reviews(20)));
    last = steps.length;
    const storing = file.store('all');
    while (file.waitingReason === undefined) await wait(20);
    await undone(person);
    last = Number.POSITIVE_INFINITY;
    await storing;
    expect(file.state).toMatchObject({
      kind: 'failed',
      error: expect.stringContaining('undone in another window'),
    });
    expect(await stored('elsewhere')).toEqual([]);
  });

  test('checks again what was changed after the check, and keeps dates of a century ago', async () => {
    const person = await desk.signedIn({ organization: 'old', role: 'owner' });
    connect(person, 'old', undefined, true);
    const text = 'Name,E-mail,Review,Date\nAda,ada@example.org,"It was fine for us.",1900-01-01';
    const file = await open(fileOf(text, 'old.csv'));
    const approved = { map: { createdAt: ['Date'] }, defaults: { status: 'approved' } };
    const showing = file.preview(approved);
    const storing = file.store('all');
    await Promise.all([showing, storing]);
    expect(file.state).toMatchObject({ kind: 'checked', result: { good: 1 } });
    expect(await stored('old')).toEqual([]);
    await file.store('all');
    expect((await stored('old')).map(({ testimonial }) => testimonial)).toMatchObject([
      { status: 'approved', createdAt: '1900-01-01T00:00:00.000Z' },
    ]);
  });

  test('asks for a column, and takes the status that somebody chooses for all', async () => {
    const person = await desk.signedIn({ organization: 'asked', role: 'owner' });
    connect(person, 'asked', undefined, true);
    const file = await open(
      fileOf('qux,E-mail,Quz\nSKU-00012345,a@example.org,12\nSKU-00012346,b@example.org,13', 'odd.csv'),
    );
    expect(file.state).toEqual({ kind: 'unchecked' });
    const markup = String(importPart(file, 'asked'));
    expect(markup).toContain('has no column for');
    expect(markup).not.toContain('npm run');
    const mapping = mappingIn(
      [
        ['column content', '["qux"]'],
        ['value author.name', 'Somebody'],
        ['column author.name', '[]'],
        ['column author.email', '["E-mail"]'],
        ['value status', 'approved'],
      ],
      file,
    );
    await file.preview(mapping);
    expect(file.firstLines?.examples).toMatchObject([
      { content: 'SKU-00012345', status: 'approved' },
      { content: 'SKU-00012346' },
    ]);
    await file.check(mapping);
    await file.store('all');
    expect((await stored('asked')).map(({ testimonial }) => testimonial)).toMatchObject([
      { content: 'SKU-00012345', author: { name: 'Somebody' }, status: 'approved' },
      { content: 'SKU-00012346', status: 'approved' },
    ]);
  });

  test.each([
    ['no.pdf', 'x', 'no.pdf does not end in .xlsx, .csv, .tsv, .txt, .json, .ndjson or .jsonl.'],
    ['empty.csv', '', 'empty.csv is empty.'],
    ['export.xml', '<?xml version="1.0"?><rss></rss>', 'is XML, which cannot be imported'],
    ['book.xlsx', 'no workbook', 'book.xlsx is not an Excel workbook.'],
    ['large.csv', 'x'.repeat(4 * 1024 * 1024 + 1), 'large.csv is larger than 4 MB. Split the file'],
    ['torn.json', '{"a":', 'torn.json is not JSON.'],
  ])('says why %s cannot be read', async (name, text, why) => {
    await expect(FileImport.open(fileOf(text, name), '', () => {})).rejects.toThrow(why);
  });

  /** Returns an import of lines without times that is checked, in an organization with a testimonial. */
  async function checkedIn(
    organization: string,
    { network, name }: { network?: Network; name?: string } = {},
  ) {
    const creates = openCreates(table)(organization);
    const author = { name: 'Joe', email: 'joe@example.com' };
    await actAs('CreateTestimonial', () =>
      creates.create({ content: 'It was here before.', author, type: 'text' }),
    );
    const person = await desk.signedIn({ organization, role: 'owner' });
    const steps = connect(person, organization, network);
    const file = await open(fileOf(reviews(5).replace(/,[^,]*$/gm, ''), name));
    expect(file.state).toMatchObject({ kind: 'checked', result: { good: 5 } });
    return { person, file, steps };
  }

  test('says what was imported, although the last answer was lost', async () => {
    // The steps before look for the import, open it, compare its lines, check them, and compare them again.
    const network: Network = (number) => (number === 5 ? 'answer lost' : undefined);
    const { file, steps } = await checkedIn('answerless', { network });
    await file.store('all');
    expect(steps).toEqual([...Array(5).fill('sent'), 'answer lost', 'sent']);
    expect(String(importPart(file, 'answerless'))).toContain('5 testimonials imported into answerless.');
    expect(await stored('answerless')).toHaveLength(6);
  });

  test('says which testimonials it stored again, although the last answer was lost', async () => {
    const person = await desk.signedIn({ organization: 'again', role: 'owner' });
    connect(person, 'again', undefined, true);
    const before = await open(fileOf(reviews(2)));
    await before.store('all');
    let last = Number.POSITIVE_INFINITY;
    const steps = connect(person, 'again', (number) => (number === last ? 'answer lost' : undefined), true);
    const file = await open(fileOf(`${reviews(3)}\n${reviews(3).split('\n').at(-1)}`));
    expect(file.state).toMatchObject({ kind: 'checked', result: { good: 4, repeated: 3, twice: 1 } });
    // It compares again, then stores.
    last = steps.length + 1;
    await file.store('all');
    expect(steps.slice(last)).toEqual(['answer lost', 'sent']);
    expect(file.state).toMatchObject({
      kind: 'ended',
      result: { repeated: 3, twice: 1, wasImported: false },
    });
    const page = String(importPart(file, 'again'));
    expect(page).toContain('2 of 4 testimonials of reviews.csv were already in again');
    expect(page).toContain('They were stored again.');
    expect(page).toContain('4 testimonials imported into again.');
    expect(await stored('again')).toHaveLength(6);
  });

  test('does not begin again when a step arrives after the undo', async () => {
    const { file, person } = await checkedIn('undone');
    await file.store('all');
    expect((await undone(person)).text).toContain('is undone.');
    await file.store('all');
    expect(file.state).toEqual({
      kind: 'failed',
      error: 'This import was undone in another window. To import the file again, choose it again.',
    });
    expect(await stored('undone')).toHaveLength(1);
  });

  test('does not go on in another organization to which somebody signs in meanwhile', async () => {
    const { file } = await checkedIn('mine');
    const other = await desk.signedIn({ organization: 'theirs', role: 'owner' });
    connect(other, 'theirs');
    await file.store('all');
    expect(file.state).toEqual({
      kind: 'failed',
      error: 'You have switched to theirs. Reload this page.',
    });
    expect(await stored('theirs')).toEqual([]);
    expect(await other.get('/desk/files/records?organization=mine&from=0')).toMatchObject({ status: 422 });
    expect((await other.get('/desk/files')).text).toContain(
      'data-step="/desk/files/step?organization=theirs"',
    );
  });

  test('ends once, although its button is pressed twice', async () => {
    const { file, steps } = await checkedIn('twice');
    await Promise.all([file.store('all'), file.store('all')]);
    expect(steps).toHaveLength(6);
    expect(file.state).toMatchObject({ kind: 'ended', result: { stored: 5 } });
  });

  test('shows the end of a long name as text, also after its undo', async () => {
    // The name is cut in the middle of an emoji.
    const name = `${'😀'.repeat(150)}<b>"xy'.csv`;
    const { file, person } = await checkedIn('named', { name });
    const end = '😀&lt;b&gt;&quot;xy&#39;.csv';
    expect(String(importPart(file, 'named'))).toContain(end);
    await file.store('all');
    const { text } = await person.get('/desk/files');
    expect(text).toContain(`<bdi>\ufffd${'😀'.repeat(94)}`);
    expect(text).toContain(end);
    expect((await undone(person)).text).toContain(`${end} is undone.`);
  });

  test('of two files shows the one that was chosen last, whenever the first one is read', async () => {
    const person = await desk.signedIn({ organization: 'quick', role: 'owner' });
    connect(person, 'quick');
    const shown: string[] = [];
    const self = {
      onmessage: (_: { data: object }) => {},
      postMessage: ({ markup }: { markup: string }) => void shown.push(markup),
    };
    Object.assign(globalThis, { self });
    await import('../../../functions/serve-desk/import-worker/worker.ts');
    const ask = (data: object) => self.onmessage({ data });
    const tick = () => new Promise((resolve) => setTimeout(resolve, 10));
    ask({ kind: 'connect', stepUrl, organization: 'quick' });
    for (const isBroken of [true, false]) {
      const read = Promise.withResolvers<ArrayBuffer>();
      const slow = Object.assign(fileOf(reviews(3), 'slow.csv'), { arrayBuffer: () => read.promise });
      ask({ kind: 'open', file: slow });
      ask({ kind: 'open', file: fileOf(reviews(4), 'quick.csv') });
      const last = () => shown.at(-1) ?? '';
      while (!last().includes('is checked')) await tick();
      if (isBroken) read.reject(new Error('gone'));
      else read.resolve(new TextEncoder().encode(reviews(3)).buffer);
      for (let i = 0; i < 20; i += 1) await tick();
      expect(last()).toContain('quick.csv</bdi> is checked');
      shown.length = 0;
    }
  });

  test('refuses more lines than the page takes, and names the command', async () => {
    const person = await desk.signedIn({ organization: 'many', role: 'owner' });
    const steps = connect(person, 'many');
    const file = await open(fileOf(reviews(5001)));
    expect(file.state).toMatchObject({
      kind: 'failed',
      error: expect.stringMatching(
        /^reviews\.csv has 5,001 testimonials\. This page imports up to 5,000 at once\. .*“import”/,
      ),
    });
    // It only asks whether an import of the file has begun.
    expect(steps).toEqual(['sent']);
  });
});

test('an export that goes on beyond the end has no records', async () => {
  const owner = await desk.signedIn({ organization: 'ended', role: 'owner' });
  const from = (number: string) => owner.get(`/desk/files/records?organization=ended&from=${number}`);
  for (const number of ['0', '7', String(Number.MAX_SAFE_INTEGER)]) {
    expect(JSON.parse((await from(number)).text)).toEqual({ records: [] });
  }
  for (const number of ['-1', '1.5', '1e300', 'x']) expect(await from(number)).toMatchObject({ status: 422 });
});

/** Signs an owner in to an organization with the record of an import. */
async function importedAs(organization: string, state: 'storing' | 'undoing' | 'undone', claimedUntil = '') {
  const person = await desk.signedIn({ organization, role: 'owner' });
  const name = 'ab'.repeat(32);
  const progress = { state, claimedUntil, revision: 0, count: 3, blocks: [] };
  const file = { time: new Date().toISOString(), hash: name, title: 'reviews.csv' };
  await loadStore(table).replace(organization, name, { ...file, ...progress, isPlaced: false });
  return { person, name, id: name.slice(0, 12) };
}
const inTwoMinutes = () => new Date(Date.now() + 120_000).toISOString();

describe('the list of imports', () => {
  test.each([
    ['storing', 'This import is still running, in another window or with the command “import”.'],
    ['undoing', 'This import is already being undone, in another window or with the command “import”.'],
  ] as const)('says why an import that is %s cannot be undone now', async (state, text) => {
    const { person, id } = await importedAs(`busy-${state}`, state, inTwoMinutes());
    const page = await person.get('/desk/files');
    expect(page.text).toContain('hx-trigger="every 5s"');
    expect(page.text).toContain(`id="undo-${id}"`);
    const refused = await person.post('/desk/files/undo', { id });
    expect(refused).toMatchObject({ status: 422, text: expect.stringContaining(text) });
  });

  test('is not shown again and again while nobody works on an import', async () => {
    const { person } = await importedAs('quiet', 'storing');
    const { text } = await person.get('/desk/files');
    expect(text).toContain('Not finished:');
    expect(text).not.toContain('every 5s');
  });

  test.each([
    ['undone', 'reviews.csv was undone already.'],
    ['storing', 'This import cannot be finished now.'],
  ] as const)('does not finish an import that is %s', async (state, text) => {
    const { person, id } = await importedAs(`finish-${state}`, state);
    const { text: answer } = await person.send('/desk/files/finish', { id });
    expect(answer).toContain(text);
    expect(answer).not.toContain('is imported');
  });

  test('gives way to a sentence if another version began an import', async () => {
    const { person, id, name } = await importedAs('unreadable', 'storing');
    const key = importKey('unreadable', name);
    await putItem(table, { ...(await getItem(table, key)), ...key, layout: 4 });
    const text = expect.stringContaining('An import began with another version of this service.');
    const page = await person.get('/desk/files');
    expect(page).toMatchObject({ status: 200, text });
    expect(page.text).toContain('id="export"');
    for (const action of ['undo', 'finish'])
      expect(await person.post(`/desk/files/${action}`, { id })).toMatchObject({ status: 422, text });
  });
});

describe('an export', () => {
  const exported = async (person: Person, organization: string, search = '') => {
    globalThis.fetch = async (url) => {
      const { status, text } = await person.ask('GET', String(url));
      return new Response(text, { status });
    };
    const told: string[] = [];
    const asked = { url: '/desk/files/records', search, format: 'csv', organization } as const;
    await exportList(asked, (message) => told.push(message.kind === 'save' ? 'saved' : message.text));
    return told;
  };

  test('says what is wrong with its filter', async () => {
    const person = await desk.signedIn({ organization: 'filter', role: 'owner' });
    expect(await exported(person, 'filter', 'search=%21%21%21')).toEqual([
      'search must contain a letter or a digit.',
    ]);
    expect(await exported(person, 'elsewhere')).toEqual(['You have switched to filter. Reload this page.']);
  });

  test('is refused while lists do not show an import', async () => {
    const person = await desk.signedIn({ organization: 'hidden', role: 'owner' });
    const { createdAt, ...author } = { createdAt: Date.UTC(2024, 0, 1), name: 'Jo', email: 'jo@example.org' };
    const line = { content: 'It was fine there.', author, type: 'text' as const, createdAt };
    const load = await openLoads(table)('hidden').open('ab'.repeat(32), 'cd'.repeat(32));
    const stopping = { progress: () => {}, sleep: () => Promise.reject(new Error('stopped')) };
    const checked = await load.check([line], {}, stopping);
    // Its lines are stored, and it waits for the index function, which nobody runs here.
    await expect(actAs('Operator/Write', () => checked.store('all', stopping))).rejects.toThrow('stopped');
    expect(await exported(person, 'hidden')).toEqual([
      expect.stringContaining('An import is still running or was stopped'),
    ]);
  });
});

test('an undo that takes several requests to look erases nothing unasked', async () => {
  const load = {
    id: 'a'.repeat(12),
    state: 'ended',
    at: '2026-01-15T10:00:00.000Z',
    count: 3,
    done: 3,
    preview: ({ sleep }: { sleep: (ms: number) => Promise<void> }) => sleep(10 ** 6),
  };
  const files = () => ({ loads: { find: async () => load }, readPart: async () => ({ records: [] }) });
  const slow = await deskOf(table, { files: files as never });
  const person = await slow.signedIn({ organization: 'slow', role: 'owner' });
  const { text } = await person.post('/desk/files/undo', { id: load.id });
  expect(text).toContain('Undoing an import');
  expect(fieldsOf(text, 'Continue')).not.toHaveProperty('do');
});

describe('a step', () => {
  const sha = 'ab'.repeat(32);
  const line = {
    content: 'It was fine there.',
    author: { name: 'Jo', email: 'jo@example.org' },
    type: 'text',
  };
  const id = sha.slice(0, 12);
  const file = { id, fingerprint: sha, hash: sha, title: 'a', mapping: '{}', lines: [line] };
  const step = {
    step: 'store',
    ...file,
    at: new Date().toISOString(),
    asNew: false,
    rejected: [],
    which: 'all',
  };
  const send = (person: Person, body: unknown, organization: string, headers = {}) =>
    person.ask('POST', `/desk/files/step?organization=${organization}`, {
      raw: gzipSync(JSON.stringify(body)),
      headers,
    });

  test('is refused for moderators and for other sites', async () => {
    const moderator = await desk.signedIn({ organization: 'strict' });
    expect(await send(moderator, step, 'strict')).toMatchObject({ status: 403 });
    expect(await moderator.get('/desk/files')).toMatchObject({ status: 403 });
    expect(await moderator.get('/desk/files/records?from=0')).toMatchObject({ status: 403 });
    expect((await moderator.get('/desk/queue')).text).not.toContain('/desk/files');
    const owner = await desk.signedIn({ organization: 'strict', role: 'owner' });
    expect(await send(owner, step, 'strict', { 'sec-fetch-site': 'cross-site' })).toMatchObject({
      status: 403,
    });
    expect(await stored('strict')).toEqual([]);
  });

  test.each([
    ['lines.0.author.email', { lines: [{ ...line, author: { name: 'Jo', email: 'jo' } }] }],
    ['lines.0.createdAt must not be in the future', { lines: [{ ...line, createdAt: Date.now() + 9e9 }] }],
    ['lines.0.createdAt must be a time', { lines: [{ ...line, createdAt: '2024-01-01' }] }],
    ['lines.0.updatedAt must not be before createdAt', { lines: [{ ...line, createdAt: 2, updatedAt: 1 }] }],
    ['lines.0.status must be one of', { lines: [{ ...line, status: 'gone' }] }],
    ['lines must be 5000 lines at most', { lines: Array.from({ length: 5001 }, () => line) }],
    ['fingerprint must be a SHA-256', { fingerprint: 'x' }],
    ['which', { which: 'some' }],
    ['at must be of the last day', { at: '2024-01-01T00:00:00.000Z' }],
    ['at must be of the last day', { at: '2999-01-01T00:00:00.000Z' }],
    ['rejected', { rejected: [-1] }],
    ['step', { step: 'undo' }],
    ['title must be 200 characters at most', { title: 'x'.repeat(201) }],
    ['title must be valid Unicode', { title: '😀'.slice(1) }],
  ])('says what is wrong with %s', async (why, members) => {
    const owner = await desk.signedIn({ organization: 'wrong', role: 'owner' });
    const { status, text } = await send(owner, { ...step, ...members }, 'wrong');
    expect({ status, problem: JSON.parse(text).problem }).toEqual({
      status: 422,
      problem: expect.stringContaining(why),
    });
    expect(await stored('wrong')).toEqual([]);
  });

  test.each([
    ['no gzip', Buffer.from('{}')],
    ['nothing', Buffer.alloc(0)],
    ['a bomb', gzipSync(Buffer.alloc(40 * 1024 * 1024))],
  ])('of %s is refused', async (_, raw) => {
    const owner = await desk.signedIn({ organization: 'wrong', role: 'owner' });
    expect(await owner.ask('POST', '/desk/files/step?organization=wrong', { raw })).toMatchObject({
      status: 422,
    });
  });

  test('does not begin beside another import that has not ended', async () => {
    const owner = await desk.signedIn({ organization: 'beside', role: 'owner' });
    connect(owner, 'beside');
    const dated = { ...line, createdAt: Date.UTC(2024, 0, 1) };
    expect(await send(owner, { ...step, lines: [dated] }, 'beside')).toMatchObject({ status: 200 });
    const { status, text } = await send(
      owner,
      { ...step, id: 'cd'.repeat(6), fingerprint: 'cd'.repeat(32), lines: [dated] },
      'beside',
    );
    // The first one waits for the index function, which nobody runs here.
    expect({ status, ...JSON.parse(text) }).toMatchObject({
      status: 409,
      refused: { why: 'other load', text: expect.stringContaining('Another import has not finished') },
    });
    const page = await owner.get('/desk/files');
    expect(page.text).toContain('The testimonial is stored. Press “Finish” to complete the import.');
    await actAs('IndexTestimonials', () =>
      openIndexUpdates(table).update('beside', { until: Date.now() + 10_000, sharedBy: 1 }),
    );
    const finished = await owner.send('/desk/files/finish', fieldsOf(page.text, 'Finish'));
    expect(finished.text).toContain('a is imported. You can see its testimonials now.');
    expect(finished.text).toContain('1 testimonial imported.');
  });
});
