/** Imports at the desk: the browser’s code reads a file, and sends its lines to the handler in steps. */
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { getItem, putItem } from '../../../functions/dynamodb/items.ts';
import { importKey } from '../../../functions/dynamodb/keys.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { exportList } from '../../../functions/serve-desk/import-worker/export-list.ts';
import { FileImport } from '../../../functions/serve-desk/import-worker/file-import.ts';
import { importPart } from '../../../functions/serve-desk/import-worker/import-part.ts';
import { mappingIn } from '../../../functions/serve-desk/import-worker/mapping-form.ts';
import { openCreates } from '../../../functions/testimonials/creates.ts';
import { openIndexUpdates } from '../../../functions/testimonials/index-updates.ts';
import { openLoads } from '../../../functions/testimonials/loads.ts';
import { openReadAll } from '../../../functions/testimonials/read-all.ts';
import { loadStore } from '../../../functions/testimonials/table/load-store.ts';
import { importStepMs } from '../../../functions/timing.ts';
import { type Desk, deskOf, type SignedIn } from '../../desk-client.ts';
import { fieldsOf, plain } from '../../forms.ts';
import { actAs } from '../../iam/acting.ts';
import { createTestTable } from '../../test-table.ts';

const { fetch, setTimeout } = globalThis;
let table: Table;
let desk: Desk;
beforeAll(async () => {
  table = await createTestTable();
  desk = await deskOf(table);
  // A step that waits for the index ends sooner, and a lost one is sent again at once.
  const shorter = new Map([
    [importStepMs, 400],
    [1000, 20],
    [2000, 20],
  ]);
  const sooner = (work: () => void, milliseconds = 0) =>
    setTimeout(work, shorter.get(milliseconds) ?? milliseconds);
  globalThis.setTimeout = Object.assign(sooner, setTimeout);
});

afterEach(() => {
  globalThis.fetch = fetch;
});

const indexAll = (organization: string) =>
  actAs('IndexTestimonials', () =>
    openIndexUpdates(table).update(organization, { until: Date.now() + 10_000, sharedBy: 1 }),
  );

let stepUrl = '';

/**
 * Signs an owner in, whose browser sends the steps. The index function runs after each step.
 * @param network returns the failure of a step, by its number
 */
async function importer(
  organization: string,
  network: (number: number) => 'lost' | 'answer lost' | undefined = () => undefined,
) {
  const person = await desk.signedIn({ organization, role: 'owner' });
  const steps: string[] = [];
  stepUrl = `/desk/files/step?organization=${organization}`;
  globalThis.fetch = async (url, init) => {
    const fate = network(steps.length);
    steps.push(fate ?? 'sent');
    if (fate === 'lost') throw new TypeError('Failed to fetch');
    const raw = Buffer.from(await new Response(init?.body as Blob).arrayBuffer());
    const { status, text, headers } = await person.ask('POST', String(url), { raw });
    await indexAll(organization);
    if (fate === 'answer lost') throw new TypeError('Failed to fetch');
    return new Response(text, { status, headers: { 'content-type': headers['content-type'] ?? '' } });
  };
  return { ...person, steps };
}

const fileOf = (text: string, name = 'reviews.csv') =>
  Object.assign(new Blob([text]), { name, lastModified: Date.UTC(2025, 5, 1) });

const reviews = (count: number) =>
  [
    'Name,E-mail,Stars,Review,Date',
    ...Array.from({ length: count }, (_, n) => {
      const day = new Date(Date.UTC(2023, 0, 1 + n)).toISOString().slice(0, 10);
      return `Jane Doe ${n},jane${n}@example.com,${1 + (n % 5)},"Course ${n} helped us to plan our weeks.",${day}`;
    }),
  ].join('\n');

const open = async (text: string, name?: string, onChange: (file: FileImport) => void = () => {}) => {
  const opened = await FileImport.open(fileOf(text, name), stepUrl, onChange);
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
async function undone(person: SignedIn) {
  const path = '/desk/files/undo';
  const { text } = await person.get('/desk/files');
  const { text: question } = await person.post(path, fieldsOf(text, 'Undo import…'));
  let done = await person.send(path, fieldsOf(question, 'Undo the import for good'));
  while (done.text.includes('Undoing an import'))
    done = await person.send(path, fieldsOf(done.text, 'Continue'));
  return { question, text: done.text };
}

/** Creates a testimonial in an organization that may have had none. */
const create = (organization: string, content: string, author = { name: 'Joe', email: 'joe@example.com' }) =>
  actAs('CreateTestimonial', () =>
    openCreates(table)(organization).create({ content, author, type: 'text' }),
  );

const stored = (organization: string) =>
  actAs('Operator/Write', async () => {
    const records = await Array.fromAsync(openReadAll(table)(organization));
    return records.flat().map(({ testimonial }) => testimonial);
  });

describe('an import at the desk', () => {
  test('stores each testimonial once with its time, although steps and answers are lost, and asks to keep the page open', async () => {
    // Each kind of step is lost once, the last one after it stored the lines.
    const losses = new Map([
      [0, 'lost'],
      [2, 'answer lost'],
      [4, 'answer lost'],
      [6, 'lost'],
      [9, 'answer lost'],
    ] as const);
    const person = await importer('lossy', (number) => losses.get(number as 0));
    const parts: string[] = [];
    const file = await open(reviews(100), undefined, (each) => parts.push(String(importPart(each, 'lossy'))));
    expect(file.state).toMatchObject({ kind: 'checked', result: { good: 100, rejected: 0, repeated: 0 } });
    expect(await stored('lossy')).toEqual([]);
    expect(parts.filter((part) => part.includes('Keep this page open'))).toEqual([]);
    parts.length = 0;
    await file.store('all');
    const working = parts.filter((part) => part.includes('<progress'));
    expect(working.some((part) => part.includes('Looking for duplicates'))).toBe(true);
    expect(working.filter((part) => !part.includes('Keep this page open'))).toEqual([]);
    expect(file).toMatchObject({ state: { kind: 'ended', result: { good: 100 } }, isStoring: false });
    expect(parts.at(-1)).toContain('100 testimonials imported into lossy.');
    expect(person.steps.filter((fate) => fate !== 'sent')).toHaveLength(losses.size);
    const testimonials = await stored('lossy');
    expect(testimonials.map(({ author }) => author.email)).toEqual(
      Array.from({ length: 100 }, (_, i) => `jane${i}@example.com`),
    );
    const createdAt = new Date(Date.UTC(2023, 0, 100)).toISOString();
    expect(testimonials[99]).toMatchObject({ createdAt, status: 'pending', rating: 5 });
    expect((await person.get('/desk/list?status=pending')).text).toContain('100 testimonials');
  });

  test('goes on with the same file after the page was closed, with the chosen status, and is undone', async () => {
    let last = Number.POSITIVE_INFINITY;
    const person = await importer('closed', (number) => (number > last ? 'answer lost' : undefined));
    const first = await open(reviews(40));
    const chosen = () =>
      /<input type="radio" id="(\w+)"[^>]* checked/.exec(String(importPart(first, 'closed')))?.[1];
    expect(chosen()).toBe('queue');
    for (const [status, button] of [
      ['approved', 'approve'],
      ['pending', 'queue'],
      ['approved', 'approve'],
    ] as const) {
      await first.checkWithStatus(status);
      expect(chosen()).toBe(button);
    }
    // It compares again, stores, and nobody hears of it.
    last = person.steps.length;
    const closing = first.store('all');
    while (first.waitingReason === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    first.stop();
    await closing;
    last = Number.POSITIVE_INFINITY;
    const again = await open(reviews(40), 'renamed.csv');
    expect(again.earlier).toMatchObject({ title: 'reviews.csv', count: 40 });
    const { done = 0, count = 0 } = again.earlier ?? {};
    const verb = done < count ? 'Continue' : 'Finish';
    expect(String(importPart(again, 'closed'))).toContain(`>${verb} the import</button>`);
    await again.store('all');
    expect(again.state).toMatchObject({ kind: 'ended' });
    expect((await stored('closed')).map(({ status }) => status)).toEqual(Array(40).fill('approved'));

    expect((await person.get('/desk/files')).text).toContain('40 testimonials imported.');
    const { question, text } = await undone(person);
    expect(question).toContain('40 testimonials will be erased for good.');
    expect(text).toContain('is undone.');
    expect(text).toContain('Undone.');
    expect(await stored('closed')).toEqual([]);
  });

  test('is recognized, even if the guessed columns are chosen by hand, and offers rejected rows and all rows', async () => {
    await importer('known');
    // Its heading is ours, so that no guess names the column. The form names all of them.
    const text = `${reviews(2).replace('Stars', 'rating')}\nAnn,nobody,5,"It was fine there, and more.",`;
    await (await open(text)).store('all');
    const again = await open(text);
    const part = () => String(importPart(again, 'known'));
    expect(again.state).toMatchObject({ result: { wasImported: true, rejected: 1 } });
    expect(part()).not.toContain('Nothing is stored yet');
    expect(part()).toContain('Download the rejected rows');
    expect(again.state.kind === 'checked' && again.state.result.rejectedFileText).toContain('"Ann","nobody"');
    const shown = mappingFields(part());
    expect(shown).toMatchObject({ 'column rating': '["rating"]', 'column content': '["Review"]' });
    await again.check(mappingIn(Object.entries(shown), again));
    expect(again.state).toMatchObject({ kind: 'checked', result: { wasImported: true } });
    // Known rows in another file.
    const same = await open(`${reviews(2)}\n`);
    const page = String(importPart(same, 'known'));
    expect(page).toContain('Nothing new in <bdi>reviews.csv</bdi>.');
    expect(page).toMatch(/class="solid" data-act="cancel">Done<[\s\S]*Import 2 testimonials again/);
    await same.store('all');
    expect(String(importPart(same, 'known'))).toContain('They were stored again.');
  });

  test('guesses again what nobody chose, after every change', async () => {
    await importer('guessed');
    // Day and month are ambiguous, and nobody has a name.
    const file = await open('E-mail,Review,Date\nann@example.org,"It was fine for us.",03/04/2025');
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

  test('joins testimonials that are here, says which repeat, and leaves them out', async () => {
    const author = { name: 'Jane Doe 3', email: 'JANE3@example.com' };
    await create('joined', 'Course 3 helped us to plan our weeks.', author);
    const person = await importer('joined');
    const file = await open(`${reviews(10)}\nJoe,joe@example.com,9,"It was fine, and more.",2024-01-01`);
    expect(file.state).toMatchObject({ kind: 'checked', result: { good: 10, repeated: 1, rejected: 1 } });
    const shown = String(importPart(file, 'joined'));
    expect(shown).toContain('Import 9 new testimonials');
    expect(shown).toContain('Import all 10, including 1 duplicate');
    await file.store('only new');
    expect(file.state).toMatchObject({ kind: 'ended', result: { good: 9, leftOut: 1 } });
    const { text } = await person.get('/desk/files/records?organization=joined&from=0');
    expect(JSON.parse(text).records).toHaveLength(10);
  });

  test('checks again what was changed after the check, and keeps dates of a century ago', async () => {
    await importer('old');
    const file = await open('Name,E-mail,Review,Date\nAda,ada@example.org,"It was fine for us.",1900-01-01');
    const approved = { map: { createdAt: ['Date'] }, defaults: { status: 'approved' } };
    await Promise.all([file.preview(approved), file.store('all')]);
    expect(file.state).toMatchObject({ kind: 'checked', result: { good: 1 } });
    expect(await stored('old')).toEqual([]);
    await file.store('all');
    expect(await stored('old')).toMatchObject([
      { status: 'approved', createdAt: '1900-01-01T00:00:00.000Z' },
    ]);
  });

  test('asks for a column, and shows the values that someone chooses for all', async () => {
    await importer('asked');
    const file = await open('qux,E-mail,Quz\nSKU-00012345,a@example.org,12\nSKU-00012346,b@example.org,13');
    expect(file.state).toEqual({ kind: 'unchecked' });
    const markup = String(importPart(file, 'asked'));
    expect(markup).toContain('has no column for');
    expect(markup).not.toContain('npm run');
    const fields = {
      'column content': '["qux"]',
      'value author.name': 'Someone',
      'column author.name': '[]',
      'column author.email': '["E-mail"]',
      'value status': 'approved',
    };
    await file.preview(mappingIn(Object.entries(fields), file));
    expect(file.firstLines?.examples).toMatchObject([
      { content: 'SKU-00012345', author: { name: 'Someone' }, status: 'approved' },
      { content: 'SKU-00012346', status: 'approved' },
    ]);
  });

  test.each([
    ['no.pdf', 'x', 'no.pdf does not end in .xlsx, .csv, .tsv, .txt, .json, .ndjson or .jsonl.'],
    ['large.csv', 'x'.repeat(4 * 1024 * 1024 + 1), 'large.csv is larger than 4 MB. Split the file'],
  ])('says why %s cannot be read', async (name, text, why) => {
    await expect(FileImport.open(fileOf(text, name), '', () => {})).rejects.toThrow(why);
  });

  /** Returns an import of lines without times that is checked, in an organization with a testimonial. */
  async function checkedIn(organization: string, name?: string) {
    await create(organization, 'It was here before.');
    const person = await importer(organization);
    const file = await open(reviews(5).replace(/,[^,]*$/gm, ''), name);
    expect(file.state).toMatchObject({ kind: 'checked', result: { good: 5 } });
    return { person, file };
  }

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

  test('does not go on in another organization to which someone signs in meanwhile', async () => {
    const { file } = await checkedIn('mine');
    const other = await importer('theirs');
    await file.store('all');
    const error = 'You have switched to theirs. Reload this page.';
    expect(file.state).toEqual({ kind: 'failed', error });
    expect(await stored('theirs')).toEqual([]);
    expect(await other.get('/desk/files/records?organization=mine&from=0')).toMatchObject({ status: 422 });
    const step = 'data-step="/desk/files/step?organization=theirs"';
    expect((await other.get('/desk/files')).text).toContain(step);
  });

  test('ends once, although its button is pressed twice', async () => {
    const { file } = await checkedIn('twice');
    const storing = file.store('all');
    await file.store('all');
    expect(file.state).toMatchObject({ kind: 'working' });
    await storing;
    expect(file.state).toMatchObject({ kind: 'ended', result: { good: 5, wasImported: false } });
  });

  test('shows the end of a long name as text, also after its undo', async () => {
    // The name is cut in the middle of an emoji.
    const { file, person } = await checkedIn('named', `${'😀'.repeat(150)}<b>"xy'.csv`);
    const end = '😀&lt;b&gt;&quot;xy&#39;.csv';
    expect(String(importPart(file, 'named'))).toContain(end);
    await file.store('all');
    const { text } = await person.get('/desk/files');
    expect(text).toContain(`<bdi>\ufffd${'😀'.repeat(94)}`);
    expect(text).toContain(end);
    expect((await undone(person)).text).toContain(`${end} is undone.`);
  });

  test('of two files shows the one that was chosen last, whenever the first one is read', async () => {
    await importer('quick');
    const shown: string[] = [];
    const self = {
      onmessage: (_: { data: object }) => {},
      postMessage: ({ markup }: { markup: string }) => void shown.push(markup),
    };
    Object.assign(globalThis, { self });
    await import('../../../functions/serve-desk/import-worker/worker.ts');
    const ask = (data: object) => self.onmessage({ data });
    const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
    ask({ kind: 'connect', stepUrl, organization: 'quick' });
    for (const isBroken of [true, false]) {
      const read = Promise.withResolvers<ArrayBuffer>();
      const slow = Object.assign(fileOf(reviews(3), 'slow.csv'), { arrayBuffer: () => read.promise });
      ask({ kind: 'open', file: slow });
      ask({ kind: 'open', file: fileOf(reviews(4), 'quick.csv') });
      const last = () => shown.at(-1) ?? '';
      while (!last().includes('was checked')) await tick();
      if (isBroken) read.reject(new Error('gone'));
      else read.resolve(new TextEncoder().encode(reviews(3)).buffer);
      for (let i = 0; i < 20; i += 1) await tick();
      expect(last()).toContain('quick.csv</bdi> was checked');
      shown.length = 0;
    }
  });

  test('refuses more lines than the page takes, and names the command', async () => {
    const { steps } = await importer('many');
    const file = await open(reviews(5001));
    const says = /^reviews\.csv has 5,001 testimonials\. This page imports up to 5,000 at once\. .*“import”/;
    expect(file.state).toMatchObject({ kind: 'failed', error: expect.stringMatching(says) });
    // It only asks whether an import of the file has begun.
    expect(steps).toEqual(['sent']);
  });
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

describe('the list of imports', () => {
  test.each([
    ['storing', 'This import is still running, in another window or with the command “import”.'],
    ['undoing', 'This import is already being undone, in another window or with the command “import”.'],
  ] as const)('shows again and again one that is %s, and says why it cannot be undone now', async (...of) => {
    const [state, text] = of;
    const inTwoMinutes = new Date(Date.now() + 120_000).toISOString();
    const { person, id } = await importedAs(`busy-${state}`, state, inTwoMinutes);
    const page = await person.get('/desk/files');
    expect(page.text).toContain('hx-trigger="every 5s"');
    expect(page.text).toContain(`id="undo-${id}"`);
    const refused = await person.post('/desk/files/undo', { id });
    expect(refused).toMatchObject({ status: 422, text: expect.stringContaining(text) });
  });

  test.each([
    ['undone', 'reviews.csv was undone already.'],
    ['storing', 'This import cannot be finished now.'],
  ] as const)('does not finish an import that is %s while nobody works on it', async (state, text) => {
    const { person, id } = await importedAs(`finish-${state}`, state);
    const page = await person.get('/desk/files');
    expect(page.text).toContain(state === 'undone' ? 'Undone.' : 'Not finished:');
    expect(page.text).not.toContain('every 5s');
    const { text: response } = await person.send('/desk/files/finish', { id });
    expect(response).toContain(text);
    expect(response).not.toContain('is imported');
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
  const exported = async (person: SignedIn, organization: string, search = '') => {
    globalThis.fetch = async (url) => {
      const { status, text } = await person.ask('GET', String(url));
      return new Response(text, { status });
    };
    const told: string[] = [];
    const asked = { url: '/desk/files/records', search, format: 'csv', organization } as const;
    await exportList(asked, (message) => told.push(message.kind === 'save' ? 'saved' : message.text));
    return told;
  };

  test('that goes on beyond the end has no records, and says what is wrong with its filter', async () => {
    const person = await desk.signedIn({ organization: 'filter', role: 'owner' });
    const from = (number: string) => person.get(`/desk/files/records?organization=filter&from=${number}`);
    for (const number of ['0', '7', String(Number.MAX_SAFE_INTEGER)])
      expect(JSON.parse((await from(number)).text)).toEqual({ records: [] });
    for (const number of ['-1', '1.5', '1e300', 'x'])
      expect(await from(number)).toMatchObject({ status: 422 });
    const why = 'search must contain a letter or a digit.';
    expect(await exported(person, 'filter', 'search=%21%21%21')).toEqual([why]);
    expect(await exported(person, 'elsewhere')).toEqual(['You have switched to filter. Reload this page.']);
  });

  test('is refused while lists do not show an import', async () => {
    const person = await desk.signedIn({ organization: 'hidden', role: 'owner' });
    const author = { name: 'Jo', email: 'jo@example.org' };
    const line = { content: 'It was fine there.', author, type: 'text', createdAt: Date.UTC(2024) } as const;
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

test('an undo that is previewed in several requests erases nothing before it is confirmed', async () => {
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
  const author = { name: 'Jo', email: 'jo@example.org' };
  const line = { content: 'It was fine there.', author, type: 'text' };
  const file = { id: sha.slice(0, 12), fingerprint: sha, hash: sha, title: 'a', mapping: '{}' };
  const at = new Date().toISOString();
  const step = { step: 'store', ...file, lines: [line], at, asNew: false, rejected: [], which: 'all' };
  const send = (person: SignedIn, body: unknown) =>
    person.ask('POST', `/desk/files/step?organization=${person.person.organization}`, {
      raw: gzipSync(JSON.stringify(body)),
    });

  test('that is wrong says why, and stores nothing', async () => {
    const owner = await desk.signedIn({ organization: 'wrong', role: 'owner' });
    for (const [why, members] of [
      ['lines.0.author.email', { lines: [{ ...line, author: { ...author, email: 'jo' } }] }],
      ['lines.0.createdAt must not be in the future', { lines: [{ ...line, createdAt: Date.now() + 9e9 }] }],
      ['lines.0.createdAt must be a time', { lines: [{ ...line, createdAt: '2024-01-01' }] }],
      ['lines.0.createdAt must be a time', { lines: [{ ...line, createdAt: -1e14 }] }],
      [
        'lines.0.updatedAt must not be before createdAt',
        { lines: [{ ...line, createdAt: 2, updatedAt: 1 }] },
      ],
      ['lines must be 5000 lines at most', { lines: Array.from({ length: 5001 }, () => line) }],
      ['fingerprint must be a SHA-256', { fingerprint: 'x' }],
      ['which', { which: 'some' }],
      ['at must be of the last day', { at: '2024-01-01T00:00:00.000Z' }],
      ['at must be of the last day', { at: '2999-01-01T00:00:00.000Z' }],
      ['rejected', { rejected: [-1] }],
      ['step', { step: 'undo' }],
      ['title must be 200 characters at most', { title: 'x'.repeat(201) }],
      ['title must be valid Unicode', { title: '😀'.slice(1) }],
    ] as const) {
      const { status, text } = await send(owner, { ...step, ...members });
      const problem = expect.stringContaining(why);
      expect({ status, problem: JSON.parse(text).problem }).toEqual({ status: 422, problem });
    }
    const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024));
    for (const raw of [Buffer.from('{}'), Buffer.alloc(0), bomb])
      expect((await owner.ask('POST', '/desk/files/step?organization=wrong', { raw })).status).toBe(422);
    expect(await stored('wrong')).toEqual([]);
  });

  test('does not begin beside another import that has not ended, which its button finishes', async () => {
    const owner = await desk.signedIn({ organization: 'beside', role: 'owner' });
    const lines = [{ ...line, createdAt: Date.UTC(2024, 0, 1) }];
    const files = async () => (await owner.get('/desk/files')).text;
    // On a busy machine one step may not store everything.
    for (let steps = 0; steps < 20 && !(await files()).includes('is stored'); steps += 1)
      expect(await send(owner, { ...step, lines })).toMatchObject({ status: 200 });
    // The first one waits for the index function, which has not run yet.
    const other = { ...step, id: 'cd'.repeat(6), fingerprint: 'cd'.repeat(32), lines };
    const { status, text } = await send(owner, other);
    expect({ status, ...JSON.parse(text) }).toMatchObject({
      status: 409,
      refused: { why: 'other load', text: expect.stringContaining('Another import has not finished') },
    });
    const page = await files();
    expect(page).toContain('The testimonial is stored. Press “Finish” to complete the import.');
    await indexAll('beside');
    const finished = await owner.send('/desk/files/finish', fieldsOf(page, 'Finish'));
    expect(finished.text).toContain('a is imported. You can see its testimonials now.');
    expect(finished.text).toContain('1 testimonial imported.');
  });
});
