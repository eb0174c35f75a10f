/** The pages of a desk by requests, under the policy of an operator who writes. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';
import { wallFiles } from '../../../lib/operator/wall/site-file.ts';
import { adminOf } from '../../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { deskByRequests, fieldsOf, plain } from '../../open-desk.ts';
import { hostileTexts } from '../../unit/operator/wall/hostile.ts';

let api: ApiClient;
let desk: Awaited<ReturnType<typeof deskByRequests>>;
beforeAll(async () => {
  api = await createApiClient();
  desk = await deskByRequests(api.table);
});

interface Created {
  id: string;
  updatedAt: string;
  status: string;
  tags?: string[];
}
async function create(overrides: Record<string, unknown> = {}): Promise<Created> {
  return (await api.create(testimonialBody(overrides))).body;
}
async function find(search: string): Promise<Created[]> {
  return (await api.list(`search=${search}`)).body.testimonials;
}
const seen = ({ id, updatedAt }: Created) => `${id}@${updatedAt}`;

test('texts are never markup, on any page', async () => {
  for (const text of hostileTexts) {
    await create({
      content: `Hostile words: ${text}`,
      author: { name: text.slice(0, 200), email: 'jane@example.com', company: text.slice(0, 200) },
      tags: [Array.from(text).slice(0, 50).join('').replaceAll(',', ';').trim()],
    });
  }
  const all = await find('hostile');
  const asked = { action: 'ask to erase', seen: all.map(seen) };
  for (const answer of [
    await desk.get('/desk/queue'),
    await desk.get('/desk/list?search=hostile'),
    await desk.send('/desk/list', asked),
  ]) {
    const { status, text } = answer;
    expect(status).toBe(200);
    expect(text.match(/<(script|img|svg|h1)\b/g)?.sort()).toEqual(['<h1', '<script', '<script']);
    expect(text).not.toMatch(/<[^>]* on\w+=[^>]*>/);
  }
  const typed = new URLSearchParams({
    search: '"><script>alert(1)</script>',
    tags: "' onclick='x",
    page: '0',
  });
  const { status, text } = await desk.get(`/desk/list?${typed}`);
  expect(status).toBe(400);
  expect(text).toContain('<p>page must be a whole number');
  expect(text).toContain('value="&quot;&gt;&lt;script&gt;');
  expect((text.match(/<script/g) ?? []).length).toBe(2);
});

test('the list has every parameter of the API', async () => {
  const { text } = await desk.get('/desk/list');
  for (const name of ['search', 'status', 'type', 'rating', 'tags', 'sort', 'order', 'limit']) {
    expect(text).toContain(`name="${name}"`);
  }
  await create({ content: 'A zebra of five', rating: 5, tags: ['stripes'] });
  await create({ content: 'A zebra of three', rating: 3, tags: ['stripes'] });
  const one = await desk.get('/desk/list?search=zebra&rating=4&tags=Stripes&status=pending&type=text');
  expect(one.text).toContain('>1 testimonial<');
  const asc = await desk.get('/desk/list?search=zebra&sort=rating&order=asc&limit=1&page=2');
  expect(asc.text).toContain('A zebra of five');
  expect(asc.text).not.toContain('A zebra of three');
  expect(asc.text).toMatch(/name="page"[^>]*value="2"/);
  expect((await desk.get('/desk/list?search=zebra&page=7')).text).toContain('No such page.');
});

test('a selection is approved, tagged and erased; what somebody else changed is marked and left alone', async () => {
  const [a, b, c] = [
    await create({ content: 'Giraffe one of some' }),
    await create({ content: 'Giraffe two of some' }),
    await create({ content: 'Giraffe three of some' }),
  ];
  await adminOf(api.table)('testimonial', 'reject', b.id, '--organization', 'acme');
  const told = await desk.send('/desk/list?search=giraffe', { action: 'approve', seen: [a, b, c].map(seen) });
  expect(told.text).toContain('2 testimonials approved.');
  expect(told.text).toMatch(/Changed by somebody else since you saw it[\s\S]*Giraffe two/);
  expect((await find('giraffe')).map(({ status }) => status)).toEqual(['approved', 'rejected', 'approved']);

  const now = await find('giraffe');
  const tagged = await desk.send('/desk/list', {
    action: 'tag',
    tags: ' featured, Best ',
    seen: now.map(seen),
  });
  expect(tagged.text).toContain('3 testimonials tagged.');
  const [first] = await find('giraffe');
  expect(first?.tags).toEqual(['featured', 'Best']);
  expect(
    (await desk.send('/desk/list', { action: 'tag', tags: 'x'.repeat(51), seen: now.map(seen) })).text,
  ).toContain(`The tag “${'x'.repeat(51)}” must`);
  expect((await desk.send('/desk/list', { action: 'approve' })).text).toContain('Select testimonials first.');

  const asked = await desk.send('/desk/list?search=giraffe', {
    one: `ask to erase on ${seen(first as Created)}`,
  });
  expect(asked.text).toContain('Erase 1 testimonial for good?');
  expect(await find('giraffe')).toHaveLength(3);
  // What was shown before the tag is not what is erased.
  const stale = await desk.send('/desk/list?search=giraffe', { action: 'erase', seen: seen(c) });
  expect(stale.text).toContain('Changed by somebody else since you saw it');
  expect(await find('giraffe')).toHaveLength(3);
  const erased = await desk.send('/desk/list?search=giraffe', {
    action: 'erase',
    seen: seen(first as Created),
  });
  expect(erased.text).toContain('1 testimonial erased');
  expect(erased.text).toContain('>2 testimonials<');
  const again = await desk.send('/desk/list?search=giraffe', {
    action: 'erase',
    seen: seen(first as Created),
  });
  expect(again.text).toContain('1 testimonial left as before');
  expect(await find('giraffe')).toHaveLength(2);
});

describe('the queue', () => {
  /** A page, and the same with a key pressed on it. */
  interface Tab {
    text: string;
    press: (key: string) => Promise<Tab>;
    reload: () => Promise<Tab>;
  }
  const path = (tag: string) => `/desk/queue?tags=${tag}`;
  const tabOf = (tag: string, text: string): Tab => ({
    text,
    async press(key) {
      const fields = [...text.matchAll(/<input type="hidden" name="(review|seen)" value="([^"]*)"/g)];
      const sent = fields.map(([, name = '', value = '']) => [name, plain(value)]);
      return tabOf(tag, (await desk.send(path(tag), { ...Object.fromEntries(sent), key })).text);
    },
    reload: () => open(tag),
  });
  const open = async (tag: string): Promise<Tab> => tabOf(tag, (await desk.get(path(tag))).text);
  /** What a page shows: the name, how many are pending, and what is said. */
  const shownIn = ({ text }: Tab) => [
    /<h2 id="who" class="who"><bdi>(\w+)/.exec(text)?.[1],
    /<strong>([\d,]+)<\/strong> pending/.exec(text)?.[1],
    /<p class="notice">([^<]*)/.exec(text)?.[1],
  ];
  const waiting = (tag: string, names: readonly string[]) =>
    Promise.all(names.map((name) => create({ author: { name, email: 'jane@example.com' }, tags: [tag] })));
  const inTurn = async (tag: string, names: readonly string[]) => {
    for (const name of names) await waiting(tag, [name]);
  };
  const statuses = async (tag: string): Promise<string[]> =>
    (await api.list(`tags=${tag}&order=asc&limit=100`)).body.testimonials.map(
      ({ status }: Created) => status,
    );

  test('shows the oldest first, and decides by keys; undo brings the last one back', async () => {
    await inTurn('keys', ['Ada', 'Bert', 'Cleo']);
    let tab = await open('keys');
    expect(shownIn(tab)).toEqual(['Ada', '3', undefined]);
    tab = await tab.press('a');
    expect(shownIn(tab)).toEqual(['Bert', '2', 'Ada is approved.']);
    tab = await (await tab.press('s')).press('r');
    expect(shownIn(tab)).toEqual([undefined, undefined, 'Cleo is rejected.']);
    expect(tab.text).toMatch(/Nothing else is pending\.[\s\S]*1 was skipped\./);
    expect(await statuses('keys')).toEqual(['approved', 'pending', 'rejected']);
    tab = await tab.press('u');
    expect(shownIn(tab)).toEqual(['Cleo', '2', 'Cleo is to be decided again.']);
    tab = await (await tab.press('u')).press('u');
    expect(shownIn(tab)).toEqual(['Ada', '3', 'Ada is to be decided again.']);
    expect(await statuses('keys')).toEqual(['pending', 'pending', 'pending']);
  });

  test('a page that is reloaded begins anew: nothing to undo, and what was skipped comes again', async () => {
    await inTurn('reload', ['Ada', 'Bert']);
    const tab = await (await open('reload')).press('s');
    expect(shownIn(tab)).toEqual(['Bert', '2', 'Skipped.']);
    const again = await tab.reload();
    expect(shownIn(again)).toEqual(['Ada', '2', undefined]);
    expect(again.text).toMatch(/value="u"[^>]* disabled/);
  });

  test('a page that carries no review, or asks for nothing, changes nothing', async () => {
    const [ada] = await waiting('nonsense', ['Ada']);
    const review = '{"steps":[],"skipped":[],"given":{"pending":0,"approved":0,"rejected":0}}';
    for (const fields of [
      { key: 'a', seen: seen(ada as Created) },
      { key: 'a', seen: seen(ada as Created), review: '{"steps":[{"id":1}]}' },
      { key: 'a', seen: 'nonsense', review },
      { key: 'x', seen: seen(ada as Created), review },
      { key: 'u', seen: seen(ada as Created), review },
    ]) {
      expect((await desk.send(path('nonsense'), fields)).status).toBe(422);
    }
    expect(await statuses('nonsense')).toEqual(['pending']);
  });
});

test('a form that no page of the desk makes is refused, and nothing is done', async () => {
  expect((await desk.send('/desk/list', { action: 'approve', seen: 'nonsense' })).status).toBe(422);
  expect((await desk.send('/desk/list', { action: 'drop', seen: 'test_1@2026' })).text).toContain(
    'nothing that can be done',
  );
  expect((await desk.send('/desk/files', { do: 'store' })).status).toBe(422);
  expect((await desk.get('/absent')).status).toBe(404);
  expect((await desk.get('/desk/wall/built/..%2f..%2fetc/passwd')).status).toBe(404);
});

test('a file is checked, then stored, and what was refused can be downloaded', async () => {
  const csv =
    'content,author.name,author.email,rating\nAn okapi is a fine animal,Ann,ann@example.com,5\nshort,Bo,bo@example.com,9\n';
  const { text, path } = await desk.drop(csv, '../okapis.csv');
  expect(text).toContain('1 testimonial would be imported into acme.');
  expect(text).toContain('row 3: Text must have');
  expect(await find('okapi')).toHaveLength(0);
  await desk.send('/desk/files', fieldsOf(text, 'Import 1 testimonial'));
  expect(await desk.ended(path)).toContain('1 testimonial imported into acme.');
  expect(await find('okapi')).toHaveLength(1);
  const rejected = await desk.get(path.replace('?', '/rejected?'));
  expect(parse(rejected.text, { bom: true, columns: true })).toMatchObject([
    { content: 'short', 'rejected row': '3' },
  ]);
});

test('an import is undone once its page has told what that erases, also when its file is dropped again', async () => {
  const csv =
    'content,author.name,author.email\nA tapir is a fine animal,Ann,ann@example.com\nTapirs are shy,Bo,bo@example.com\n';
  const first = await desk.drop(csv, 'tapirs.csv');
  expect(first.text).not.toContain('Undo this import');
  await desk.send('/desk/files', fieldsOf(first.text, 'Import 2 testimonials'));
  expect(await desk.ended(first.path)).toContain('Undo this import');
  const [ann] = await find('fine tapir');
  await adminOf(api.table)('testimonial', 'approve', '--organization', 'acme', ann?.id ?? '');
  const again = await desk.drop(csv, 'tapirs.csv');
  expect(again.text).toContain('was imported into acme before');
  const asked = await desk.send('/desk/files', fieldsOf(again.text, 'Undo this import'));
  expect(asked.text).toMatch(
    /tapirs\.csv, imported into acme on [^:]*:\d\d UTC: 1 testimonial would be erased/,
  );
  expect(asked.text).toContain('1 was changed since and stays.');
  expect(await find('tapir')).toHaveLength(2);
  await desk.send('/desk/files', fieldsOf(asked.text, 'Undo this import for good'));
  expect(await desk.ended(first.path)).toContain('is undone: 1 testimonial erased.');
  expect(await find('tapir')).toMatchObject([{ id: ann?.id }]);
  const fresh = await desk.drop(csv, 'tapirs.csv');
  expect(fresh.text).toContain('2 testimonials would be imported into acme.');
  expect(fresh.text).not.toContain('Undo this import');
});

test('of lines that are there already, only the new ones or all are stored', async () => {
  const header = 'content,author.name,author.email\n';
  const line = (i: number) => `A gnu of the number ${i},Ann,ann@example.com\n`;
  const january = await desk.drop(header + line(1), 'january.csv');
  await desk.send('/desk/files', fieldsOf(january.text, 'Import 1 testimonial'));
  await desk.ended(january.path);
  const february = await desk.drop(header + line(1) + line(2), 'february.csv');
  expect(february.text).toContain(
    '1 of 2 lines of february.csv is in acme already, with the same text and author.',
  );
  const all = fieldsOf(february.text, 'Import all 2 testimonials');
  // Something else is there by then: what was agreed to is not so any more.
  await create({ content: 'A gnu of the number 2', author: { name: 'Ann', email: 'ann@example.com' } });
  await desk.send('/desk/files', all);
  expect(await desk.ended(february.path)).toContain(
    'Nothing is stored: what is there is not as it was shown.',
  );
  expect(await find('gnu')).toHaveLength(2);
  const checked = await desk.drop(header + line(1) + line(2) + line(3), 'march.csv');
  await desk.send('/desk/files', fieldsOf(checked.text, 'Import the 1 new one'));
  expect(await desk.ended(checked.path)).toContain('2 lines left out: there already.');
  expect(await find('gnu')).toHaveLength(3);
});

test('two tabs work on two files beside each other; a form about one that is not open is refused by its name', async () => {
  const csv = (animal: string) =>
    `content,author.name,author.email\nA ${animal} is a fine animal,Ann,ann@example.com\n`;
  const a = await desk.drop(csv('lynx'), 'a.csv');
  const stored = await desk.send('/desk/files', fieldsOf(a.text, 'Import 1 testimonial'));
  expect(stored.text).toContain('a.csv');
  await desk.ended(a.path);
  const asked = await desk.send('/desk/files', fieldsOf(await desk.ended(a.path), 'Undo this import'));
  // The other tab.
  const b = await desk.drop(csv('puma'), 'b.csv');
  await desk.send('/desk/files', fieldsOf(b.text, 'Import 1 testimonial'));
  const other = await desk.send('/desk/files', fieldsOf(await desk.ended(b.path), 'Undo this import'));
  expect(other.text).toContain('b.csv, imported into acme');
  await desk.send('/desk/files', fieldsOf(asked.text, 'Undo this import for good'));
  expect(await desk.ended(a.path)).toContain('a.csv, imported into acme');
  expect({ lynx: await find('lynx'), puma: await find('puma') }).toMatchObject({ lynx: [], puma: [{}] });

  const checked = await desk.drop(csv('lynx'), 'a.csv');
  const forms = [
    ...[fieldsOf(checked.text, 'Import 1 testimonial'), fieldsOf(checked.text, 'Check again')],
    ...[fieldsOf(asked.text, 'Undo this import for good'), fieldsOf(checked.text, 'Do nothing')],
    { ...fieldsOf(asked.text, 'Undo this import for good'), do: 'ask to undo' },
  ];
  expect(forms.map((each) => each.do)).toEqual(['store', 'check', 'undo', 'forget', 'ask to undo']);
  for (const { of, name } of forms) expect({ of, name }).toEqual({ of: a.path.split('=')[1], name: 'a.csv' });
  // Forgotten in one tab, it is still shown in another.
  await desk.send('/desk/files', fieldsOf(checked.text, 'Do nothing'));
  for (const fields of forms) {
    const { status, text } = await desk.send('/desk/files', fields);
    expect(status).toBe(422);
    expect(text).toContain('This page was about a.csv, which is not open any more: drop it again.');
  }
  expect({ lynx: await find('lynx'), puma: await find('puma') }).toMatchObject({ lynx: [], puma: [{}] });
});

test('columns that cannot be guessed are named on the page, beside what the others look like', async () => {
  const csv = 'Quark,Customer,Mail\nA quagga is a fine animal,Ann,ann@example.com\n';
  const { text, path } = await desk.drop(csv, 'quaggas.csv');
  expect(text).toContain('has no\n      column for Text. Say');
  for (const column of ['Customer', 'Mail']) expect(text).toContain(`selected>${column}<`);
  const again = await desk.send('/desk/files', {
    ...fieldsOf(text, 'Check again'),
    ...{ 'column content': '["Quark"]', 'column author.name': '["Customer"]' },
    'column author.email': '["Mail"]',
  });
  expect(again.text).toContain('1 testimonial would be imported into acme.');
  await desk.send('/desk/files', fieldsOf(again.text, 'Import 1 testimonial'));
  expect(await desk.ended(path)).toContain('1 testimonial imported into acme.');
  expect(await find('quagga')).toHaveLength(1);
});

test('an export has what the list has, and the wall shows it', async () => {
  const { text } = await desk.get('/desk/files/export?format=ndjson&search=zebra&status=all');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).content);
  expect(lines).toEqual(['A zebra of five', 'A zebra of three']);
  const csv = await desk.get('/desk/files/export?format=csv&search=zebra&rating=4');
  expect(csv.text.split('\r\n')).toHaveLength(3);

  for (const tag of ['tail', 'mane']) {
    const { id } = await create({ content: `A lion with a ${tag}`, tags: [tag] });
    await adminOf(api.table)('testimonial', 'approve', id, '--organization', 'acme');
  }
  const list = await desk.get('/desk/list?tags=tail&tags=mane');
  expect(list.text).toContain('>2 testimonials<');
  const [, link = ''] = /href="([^"]*format=ndjson)"/.exec(list.text) ?? [];
  expect((await desk.get(plain(link))).text.trimEnd().split('\n')).toHaveLength(2);
  const wall = await desk.get('/desk/wall-files?tags=tail&tags=mane&sort=createdAt&order=asc');
  expect(wall.text).toContain('name="tags" type="text" value="tail,mane"');
  const [, frame = ''] = /<iframe[^>]*src="([^"]*)"/.exec(wall.text) ?? [];
  const shown = await desk.get(plain(frame));
  expect(shown.text.match(/A lion with a \w+/g)).toEqual(['A lion with a tail', 'A lion with a mane']);
  const all = await desk.get(plain(frame).replace('index.html', 'testimonials.json'));
  expect(JSON.parse(all.text)).toHaveLength(2);

  const titled = await desk.get('/desk/wall-files?tags=tail&title=Lions&look=list&hide=summary');
  expect(titled.text).toContain('--title Lions --look list --hide summary');
  const [, zip = ''] = /href="([^"]*wall-files\/zip[^"]*)"/.exec(titled.text) ?? [];
  const zipped = unzipSync(new Uint8Array(await (await desk.ask(plain(zip))).arrayBuffer()));
  expect(Object.keys(zipped).sort()).toEqual(Object.keys(wallFiles).sort());
  expect(strFromU8(zipped['index.html'] ?? new Uint8Array())).toMatch(
    /<h1[^>]*>Lions<[\s\S]*A lion with a tail/,
  );
  const wrong = await desk.get('/desk/wall-files?look=upside-down');
  expect({ status: wrong.status, says: wrong.text.includes('look must be one of columns') }).toEqual({
    status: 400,
    says: true,
  });
});

test.each(['/desk/queue', '/desk/wall-files', '/desk/files/export'])(
  '%s names what is wrong with its parameters',
  async (path) => {
    const { status, text } = await desk.get(`${path}?format=csv&rating=9&type=text&type=video`);
    expect(status).toBe(400);
    expect(text).toContain('type must be given only once. rating must be a whole number from 1 to 5.');
  },
);

test('numbers are those of stats, and by month', async () => {
  await create({ content: 'One that is counted', rating: 4 });
  const { stdout } = await adminOf(api.table)('stats', '--organization', 'acme');
  const { text } = await desk.get('/desk/numbers');
  const [, byTrait = '', byMonth = ''] = text.split('<table>');
  const cellsOf = (table: string) =>
    [...table.matchAll(/<t[hd][^>]*>([^<]*)<\/t[hd]>/g)].map(([, cell = '']) => cell.toLowerCase());
  const cells = cellsOf(byTrait);
  const { testimonials, pagination } = (await api.list('limit=100&order=asc')).body;
  const months = new Set(testimonials.map(({ createdAt }: { createdAt: string }) => createdAt.slice(0, 7)));
  expect(cellsOf(byMonth).filter((cell) => /^\d{4}-\d\d$/.test(cell))).toEqual([...months].reverse());
  expect(cellsOf(byMonth)).toContain(String(pagination.total));
  expect(cells.slice(1)).toEqual(
    stdout
      .trimEnd()
      .split(/\s{2,}|\n/)
      .slice(1),
  );
});
