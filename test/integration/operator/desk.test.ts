/** Requests to the pages of a desk, under the policy of an operator who may write. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { adminOf } from '../../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { workbook } from '../../files-of-tools/workbook.ts';
import { deskByRequests, fieldsOf, plain } from '../../open-desk.ts';

let api: ApiClient;
let desk: Awaited<ReturnType<typeof deskByRequests>>;
beforeAll(async () => {
  api = await createApiClient();
  desk = await deskByRequests(api.table);
});

async function create(overrides: Record<string, unknown> = {}): Promise<Testimonial> {
  return (await api.create(testimonialBody(overrides))).body;
}
async function find(search: string): Promise<Testimonial[]> {
  return (await api.list(`search=${search}`)).body.testimonials;
}
const seen = ({ id, updatedAt }: Testimonial) => `${id}@${updatedAt}`;

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
  expect((await desk.get('/desk/list?search=zebra&page=7')).text).toContain('This page does not exist');
  const wrong = expect.stringContaining('<p>page must be a whole number');
  expect(await desk.get('/desk/list?page=0')).toEqual({ status: 400, text: wrong });
});

test('a selection is approved, tagged and erased; a testimonial that someone else changed is marked and skipped', async () => {
  const animals = ['one', 'two', 'three'].map((n) => create({ content: `Giraffe ${n} of some` }));
  const [a, b, c] = (await Promise.all(animals)) as [Testimonial, Testimonial, Testimonial];
  const act = (action: string, some: readonly Testimonial[], more = {}) =>
    desk.send('/desk/list?search=giraffe', { action, seen: some.map(seen), ...more });
  await adminOf(api.table)('testimonial', 'reject', b.id, '--organization', 'acme');
  const response = await act('approve', [a, b, c]);
  expect(response.text).toContain('2 testimonials approved.');
  expect(response.text).toMatch(/Someone else changed this testimonial first[\s\S]*Giraffe two/);
  expect((await find('giraffe')).map(({ status }) => status).sort()).toEqual([
    'approved',
    'approved',
    'rejected',
  ]);

  const now = await find('giraffe');
  expect((await act('tag', now, { tags: ' featured, Best ' })).text).toContain('3 testimonials tagged.');
  const tagged = await find('giraffe');
  expect(tagged.map(({ tags }) => tags)).toEqual(now.map(() => ['featured', 'Best']));
  const long = 'x'.repeat(51);
  expect((await act('tag', now, { tags: long })).text).toContain(`The tag “${long}” must`);
  expect((await act('approve', [])).text).toContain('Select testimonials first.');

  const [first] = tagged as [Testimonial];
  const asked = await desk.send('/desk/list?search=giraffe', { one: `ask to erase on ${seen(first)}` });
  expect(asked.text).toContain('Erase 1 testimonial for good?');
  // The page showed the testimonial before it was tagged.
  expect((await act('erase', [c])).text).toContain('Someone else changed this testimonial first');
  expect(await find('giraffe')).toHaveLength(3);
  const erased = await act('erase', [first]);
  expect(erased.text).toContain('1 testimonial erased');
  expect(erased.text).toContain('>2 testimonials<');
  expect((await act('erase', [first])).text).toContain('1 testimonial needed no change.');
  expect(await find('giraffe')).toHaveLength(2);
});

test('a queue form without a valid review or action changes nothing', async () => {
  const one = await create({ content: 'Gazelle of nonsense' });
  const review = '{"decisions":[],"skipped":[],"counts":{"pending":0,"approved":0,"rejected":0}}';
  for (const fields of [
    { key: 'a', seen: seen(one) },
    { key: 'a', seen: seen(one), review: '{"decisions":[{"id":1}]}' },
    { key: 'a', seen: 'nonsense', review },
    { key: 'x', seen: seen(one), review },
    { key: 'u', seen: seen(one), review },
  ]) {
    expect((await desk.send('/desk/queue', fields)).status).toBe(422);
  }
  expect(await find('gazelle')).toMatchObject([{ status: 'pending' }]);
});

test('a form that no page of the desk contains is refused', async () => {
  expect((await desk.send('/desk/list', { action: 'approve', seen: 'nonsense' })).status).toBe(422);
  expect((await desk.send('/desk/list', { action: 'drop', seen: 'test_1@2026' })).text).toContain(
    'This form is out of date. Reload the page.',
  );
  expect((await desk.send('/desk/files', { do: 'store' })).status).toBe(422);
  expect((await desk.get('/absent')).status).toBe(404);
});

/** Presses a button of a page about files. */
const press = (text: string, label: string) => desk.send('/desk/files', fieldsOf(text, label));

const header = 'content,author.name,author.email\n';

test('a file is checked and stored, its rejected lines are downloaded, and its import is undone after a preview', async () => {
  const csv = `${header}A tapir is a fine animal,Ann,ann@example.com\nTapirs are shy,Bo,bo@example.com\nshort,Cy,cy@example.com\n`;
  const first = await desk.drop(csv, '../tapirs.csv');
  expect(first.text).toContain('2 testimonials would be imported into acme.');
  expect(first.text).toContain('row 4: Text must have');
  expect(first.text).not.toContain('Undo this import');
  expect(await find('tapir')).toEqual([]);
  await press(first.text, 'Import 2 testimonials');
  const stored = await desk.ended(first.path);
  expect(stored).toContain('2 testimonials imported into acme.');
  expect(stored).toContain('Undo this import');
  const rejected = await desk.get(first.path.replace('?', '/rejected?'));
  const lines = parse(rejected.text, { bom: true, columns: true });
  expect(lines).toMatchObject([{ content: 'short', 'rejected row': '4' }]);

  const whole = await desk.drop(csv.replace('short,Cy,cy@example.com\n', ''), 'whole.csv');
  expect((await desk.get(whole.path.replace('?', '/rejected?'))).status).toBe(404);

  const [ann] = await find('fine tapir');
  await adminOf(api.table)('testimonial', 'approve', '--organization', 'acme', ann?.id ?? '');
  const again = await desk.drop(csv, 'tapirs.csv');
  expect(again.text).toContain('was imported into acme before');
  const asked = await press(again.text, 'Undo this import');
  expect(asked.text).toMatch(
    /tapirs\.csv, imported into acme on [^:]*:\d\d UTC: 1 testimonial would be erased/,
  );
  expect(asked.text).toContain('1 was changed since and stays.');
  expect(await find('tapir')).toHaveLength(2);
  await press(asked.text, 'Undo this import for good');
  expect(await desk.ended(first.path)).toContain('is undone: 1 testimonial erased.');
  expect(await find('tapir')).toMatchObject([{ id: ann?.id }]);
  const fresh = await desk.drop(csv, 'tapirs.csv');
  expect(fresh.text).toContain('2 testimonials would be imported into acme.');
  expect(fresh.text).not.toContain('Undo this import');
});

test('the desk stores all lines of a file, or only those that are not duplicates', async () => {
  const line = (i: number) => `A gnu of the number ${i},Ann,ann@example.com\n`;
  const january = await desk.drop(header + line(1), 'january.csv');
  await press(january.text, 'Import 1 testimonial');
  await desk.ended(january.path);
  const february = await desk.drop(header + line(1) + line(2), 'february.csv');
  expect(february.text).toContain(
    '1 of 2 lines of february.csv is already in acme, with the same text and author.',
  );
  const all = fieldsOf(february.text, 'Import all 2 testimonials');
  // A testimonial created after the check makes another line a duplicate.
  await create({ content: 'A gnu of the number 2', author: { name: 'Ann', email: 'ann@example.com' } });
  await desk.send('/desk/files', all);
  expect(await desk.ended(february.path)).toContain(
    'The testimonials have changed since this file was checked. Nothing was stored.',
  );
  expect(await find('gnu')).toHaveLength(2);
  const checked = await desk.drop(header + line(1) + line(2) + line(3), 'march.csv');
  await press(checked.text, 'Import 1 new testimonial');
  expect(await desk.ended(checked.path)).toContain('2 duplicates left out.');
  expect(await find('gnu')).toHaveLength(3);
});

test('two tabs work on two files; a form for a closed file is refused with an error that names it', async () => {
  const csv = (animal: string) => `${header}A ${animal} is a fine animal,Ann,ann@example.com\n`;
  const a = await desk.drop(csv('lynx'), 'a.csv');
  const stored = await press(a.text, 'Import 1 testimonial');
  expect(stored.text).toContain('a.csv');
  await desk.ended(a.path);
  const asked = await press(await desk.ended(a.path), 'Undo this import');
  // In the other tab.
  const b = await desk.drop(csv('puma'), 'b.csv');
  await press(b.text, 'Import 1 testimonial');
  const other = await press(await desk.ended(b.path), 'Undo this import');
  expect(other.text).toContain('b.csv, imported into acme');
  await press(asked.text, 'Undo this import for good');
  expect(await desk.ended(a.path)).toContain('a.csv, imported into acme');
  expect({ lynx: await find('lynx'), puma: await find('puma') }).toMatchObject({ lynx: [], puma: [{}] });

  const checked = await desk.drop(csv('lynx'), 'a.csv');
  const forms = [
    ...[fieldsOf(checked.text, 'Import 1 testimonial'), fieldsOf(checked.text, 'Check again')],
    ...[fieldsOf(asked.text, 'Undo this import for good'), fieldsOf(checked.text, 'Cancel')],
    { ...fieldsOf(asked.text, 'Undo this import for good'), do: 'ask to undo' },
  ];
  expect(forms.map((each) => each.do)).toEqual(['store', 'check', 'undo', 'forget', 'ask to undo']);
  for (const { of, name } of forms) expect({ of, name }).toEqual({ of: a.path.split('=')[1], name: 'a.csv' });
  // One tab closes the file, and the other one still shows it.
  await press(checked.text, 'Cancel');
  for (const fields of forms) {
    const { status, text } = await desk.send('/desk/files', fields);
    expect(status).toBe(422);
    expect(text).toContain('a.csv is no longer open. Drop it again.');
  }
  expect({ lynx: await find('lynx'), puma: await find('puma') }).toMatchObject({ lynx: [], puma: [{}] });
});

test('a page names the field without a column, and selects the guessed columns of the others', async () => {
  const csv = 'Quark,Customer,Mail\nA fine quagga,Ann,ann@example.com\n';
  const { text, path } = await desk.drop(csv, 'quaggas.csv');
  expect(text).toContain('has no column for Text. Choose');
  expect(text).toContain('Not used: Quark (“A fine quagga”).');
  for (const column of ['Customer', 'Mail']) expect(text).toContain(`selected>${column}<`);
  const again = await desk.send('/desk/files', {
    ...fieldsOf(text, 'Check again'),
    'column content': '["Quark"]',
    'column author.name': '["Customer"]',
    'column author.email': '["Mail"]',
  });
  expect(again.text).toContain('1 testimonial would be imported into acme.');
  await press(again.text, 'Import 1 testimonial');
  expect(await desk.ended(path)).toContain('1 testimonial imported into acme.');
  expect(await find('quagga')).toHaveLength(1);
});

describe('the form of a file', () => {
  const people = ['Ann', 'Bo', 'Cy', 'Di', 'Ed', 'Flo'];
  const csv = [
    'Quo,Qua,Mail,Quando,Quid',
    ...people.map(
      (name, i) =>
        `${name} Lee,${name} & Co,${name}@example.com,0${i + 1}.03.2024,The ${name} review is ${i} words long.`,
    ),
  ].join('\n');
  /** The fields that the form of a page sends, with those that a person changes. */
  const formOf = (text: string, changes: Record<string, string>) => ({
    ...fieldsOf(text, 'Check again'),
    ...Object.fromEntries(
      Array.from(
        text.matchAll(
          /<select id="[^"]*" name="([^"]*)">(?:(?!<\/select>)[\s\S])*?<option value="([^"]*)" selected>/g,
        ),
        ([, name = '', value = '']) => [name, plain(value)],
      ),
    ),
    ...changes,
  });
  const show = (text: string, changes: Record<string, string>) =>
    desk.send('/desk/files', formOf(text, { only: 'show', ...changes }));
  const previewOf = (text: string) =>
    Array.from(
      text.matchAll(/<li>\s*<p><strong><bdi>([^<]*)<\/bdi>[\s\S]*?<p class="content"[^>]*>([^<]*)</g),
      ([, name, words]) => [name, words],
    );
  /** The values beside the select of a field. */
  const valuesOf = (text: string, field: string) => {
    const [, list = ''] =
      new RegExp(`name="column ${field}"[\\s\\S]*?<ul class="samples"[^>]*>([\\s\\S]*?)</ul>`).exec(text) ??
      [];
    return Array.from(list.matchAll(/<li[^>]*>([^<]*)</g), ([, value = '']) => plain(value));
  };

  test('shows three values of each column, and the first five testimonials with every change', async () => {
    const { text, path } = await desk.drop(csv, 'quo.csv');
    expect(valuesOf(text, 'content')).toEqual(
      people.slice(0, 3).map((name, i) => `The ${name} review is ${i} words long.`),
    );
    expect(valuesOf(text, 'author.name')).toEqual(['Ann Lee', 'Bo Lee', 'Cy Lee']);
    expect(valuesOf(text, 'createdAt')).toEqual(['01.03.2024', '02.03.2024', '03.03.2024']);
    expect(valuesOf(text, 'rating')).toEqual([]);
    expect(previewOf(text)).toEqual(
      people.slice(0, 5).map((name, i) => [`${name} Lee`, `The ${name} review is ${i} words long.`]),
    );
    const other = await show(text, { 'column author.name': '["Qua"]', 'column createdAt': '[]' });
    expect(valuesOf(other.text, 'author.name')).toEqual(['Ann & Co', 'Bo & Co', 'Cy & Co']);
    expect(previewOf(other.text).map(([name]) => plain(name ?? ''))).toEqual(
      people.slice(0, 5).map((name) => `${name} & Co`),
    );
    expect(other.text).toContain('created now');
    // What was shown has to be checked before it can be stored.
    expect(other.text).not.toContain('>Import 6 testimonials<');
    const checked = await desk.send('/desk/files', formOf(other.text, {}));
    expect(checked.text).toContain('6 testimonials would be imported into acme.');
    expect(await find('review')).toEqual([]);
    await desk.send('/desk/files', { ...fieldsOf(text, 'Import 6 testimonials') });
    // The button of the first page agreed to other columns.
    expect(await desk.ended(path)).toContain('Nothing was stored.');
  });

  test('shows why first lines would be rejected, and takes back a field that every line needs', async () => {
    const { text } = await desk.drop(csv.replace('Quo', 'Qvo'), 'qvo.csv');
    const short = await show(text, { 'column content': '["Qvo"]', dateFormat: 'yyyy' });
    expect(short.text).toContain('The date format &quot;yyyy&quot; does not describe a date.');
    const again = await show(short.text, {
      'column content': '["Qvo"]',
      'column author.email': '[]',
      dateFormat: '',
    });
    expect(again.text).toMatch(/5 rows \(2, 3, 4, 5, 6\): Text must have 10 to 10,000 characters/);
    expect(again.text).toMatch(/name="column author\.email">(?:(?!<\/select>)[\s\S])*selected>Mail</);
    expect(again.text).not.toContain('unknown@example.com');
  });

  test('changes to another sheet, with the columns of that sheet', async () => {
    const rows = (name: string) => [
      ['Name', 'Email', name],
      ['Ann Lee', 'ann@example.com', `A sentence of the sheet ${name}.`],
    ];
    const bytes = workbook({
      Review: [...rows('Review'), ...rows('Review').slice(1)],
      Feedback: rows('Feedback'),
    });
    const { text } = await desk.drop(bytes, 'sheets.xlsx');
    expect(text).toMatch(/<option value="\[&quot;Review&quot;\]" selected>/);
    const other = await show(text, { sheet: '["Feedback"]' });
    expect(previewOf(other.text)).toEqual([['Ann Lee', 'A sentence of the sheet Feedback.']]);
    const checked = await desk.send('/desk/files', formOf(other.text, {}));
    expect(checked.text).toContain('1 testimonial would be imported into acme.');
  });
});

test('an export contains the testimonials of the list', async () => {
  const { text } = await desk.get('/desk/files/export?format=ndjson&search=zebra&status=all');
  expect(text.match(/A zebra of \w+/g)).toEqual(['A zebra of five', 'A zebra of three']);
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
});

test('an export of another format is refused', async () => {
  const { status, text } = await desk.get('/desk/files/export?format=pdf');
  expect(status).toBe(400);
  expect(text).toContain('csv');
});

test.each(['/desk/queue', '/desk/files/export'])('%s names its wrong parameters', async (path) => {
  const { status, text } = await desk.get(`${path}?format=csv&rating=9&type=text&type=video`);
  expect(status).toBe(400);
  expect(text).toContain('type must be given only once. rating must be a whole number from 1 to 5.');
});

test('an operator makes a form, whose links are those of the deployment', async () => {
  const made = await desk.send('/desk/pages', { title: 'Tell us', kind: 'form' });
  const [, id] = /action="\/desk\/pages\/(\w{22})"/.exec(made.text) ?? [];
  expect(made.text).toContain(`<a class="button small" href="https://api.example.com/f/${id}">`);
  expect((await desk.get(`/desk/pages/${id}/preview`)).text).toContain('<h1>Tell us</h1>');
  expect((await desk.get('/desk/queue?search=absent')).status).toBe(200);
});

test('the numbers page shows the counts of stats', async () => {
  await create({ content: 'One that is counted', rating: 4 });
  const { stdout } = await adminOf(api.table)('stats', '--organization', 'acme');
  const { text } = await desk.get('/desk/numbers');
  const [, , byTrait = ''] = text.split('<table>');
  const cells = [...byTrait.matchAll(/<t[hd][^>]*>([^<]*)<\/t[hd]>/g)].map(([, cell = '']) =>
    cell.toLowerCase(),
  );
  expect(cells.slice(1)).toEqual(
    stdout
      .trimEnd()
      .split(/\s{2,}|\n/)
      .slice(1),
  );
});
