/** Forms and walls at the desk, as an owner manages them. */
import { beforeEach, expect, test } from '@jest/globals';
import { pageStore } from '../../../functions/accounts/dynamodb-page-store.ts';
import type { Page } from '../../../functions/domain/page.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { createApiClient, testimonialBody } from '../../api-client.ts';
import { type Browser, deskOf, openDesk } from '../../desk-client.ts';
import { fieldsOf } from '../../forms.ts';
import { moderate } from '../../moderate.ts';
import { addPage, visitorOf } from '../../page-visitor.ts';
import { onTableCall } from '../../table-calls.ts';

let table: Table;
let owner: Browser;
beforeEach(async () => {
  ({ table, owner } = await openDesk({ pages: true }));
});

const stored = async (organization = 'acme') => pageStore(table).list(organization);

test('an owner creates a form, changes its settings, copies its link and removes it', async () => {
  expect((await owner.get('/desk/queue')).text).toContain('href="/desk/pages"');
  const created = await owner.post('/desk/pages', { kind: 'form' });
  const [page] = await stored();
  expect(page).toMatchObject({ kind: 'form', title: 'Tell us about your experience', settings: {} });
  const path = `/desk/pages/${page?.id}`;
  expect(created).toMatchObject({ status: 303, headers: { location: `${path}?new` } });

  const shown = await owner.get(path);
  expect(shown.text).toContain(`https://api.example.com/f/${page?.id}`);
  expect(shown.text).toContain(`<iframe name="preview" src="${path}/preview"`);
  const fields = { title: 'Tell us more', intro: 'Hello!\nHow was it?', hide: 'company', tags: 'form' };
  const saved = await owner.send(path, { ...fields, lang: 'de', 'texts.send': 'Los!', 'texts.sending': ' ' });
  expect(saved.text).toContain('Saved. Visitors see it within two minutes.');
  const settings = { hide: 'stars,role', tags: 'form', lang: 'de', texts: '{"send":"Los!"}' };
  expect(await stored()).toMatchObject([
    { title: 'Tell us more', settings: { intro: fields.intro, ...settings } },
  ]);
  // A switch shows a part. Each text that can be replaced has the text in the page's language as its label.
  expect(saved.text.match(/name="hide" value="\w+" (checked)?/g)).toEqual([
    'name="hide" value="stars" ',
    'name="hide" value="role" ',
    'name="hide" value="company" checked',
  ]);
  expect(saved.text).toMatch(/>Absenden<\/label>\s*<input id="page-texts-send"[^>]* value="Los!"/);

  const asked = (await owner.get(`${path}/remove`)).text;
  for (const part of [
    'Remove “<bdi>Tell us more</bdi>”?',
    'This link stops working for good and is never used again: ',
    `https://api.example.com/f/${page?.id}</span>`,
  ])
    expect(asked).toContain(part);
  expect(await stored()).toHaveLength(1);
  const removed = await owner.send(`${path}/remove`, {});
  expect(removed.text).toContain('The form “Tell us more” was removed.');
  expect(await stored()).toEqual([]);
  expect((await owner.get(path)).status).toBe(404);
});

test.each([
  ['form', 'tags'],
  ['wall', 'own-tags'],
])('the editor of a new %s opens the help, and folds it from then on', async (kind, name) => {
  const isOpen = (text: string) => {
    const [, attributes = ''] =
      /<details class="help"([^>]*)><summary>Help with the settings</.exec(text) ?? [];
    return attributes.trim() === 'open';
  };
  const created = await owner.send('/desk/pages', { kind });
  expect(isOpen(created.text)).toBe(true);
  const path = `/desk/pages/${(await stored())[0]?.id}`;
  const visited = await owner.get(path);
  expect(isOpen(visited.text)).toBe(false);
  const saved = await owner.send(path, { title: 'New', [name]: 'form' });
  expect(saved.text).toContain('Saved.');
  expect(isOpen(saved.text)).toBe(false);
  // A rule that a value breaks is no help, and always shown.
  const refused = await owner.post(path, { title: 'New', [name]: 'x'.repeat(51) });
  expect(isOpen(refused.text)).toBe(false);
  for (const { text } of [created, visited, saved, refused]) {
    const [, ids = ''] =
      new RegExp(`<input id="page-${name}"[^>]* aria-describedby="([^"]*)"`).exec(text) ?? [];
    expect(ids.split(' ')).toContain(`page-${name}-hint`);
    for (const id of ids.split(' ')) expect(text).toContain(`id="${id}">`);
    expect(text).toMatch(/id="page-title"[^>]* aria-describedby="page-title-hint(?: |")/);
    // Pinned testimonials are settings, too: the preview follows them.
    const [, preview] = text.split('id="preview"');
    expect(preview).toMatch(/^><p class="shown">Preview<\/p><iframe/);
    expect(preview).not.toContain('id="pins"');
  }
  expect(refused.text).toContain(`<p class="problem" id="page-${name}-problem">`);
});

test('a new wall begins with four stars and more, and says so; its tags are hidden', async () => {
  const { text } = await owner.send('/desk/pages', { kind: 'wall' });
  expect(await stored()).toMatchObject([{ kind: 'wall', settings: { rating: '4', hide: 'tags' } }]);
  expect(text).toContain('The wall shows testimonials with four or more stars, and hides their tags.');
  expect(text).toMatch(/<select id="page-rating" name="rating"[^>]*>.*<option value="4" selected>4</);
  expect(text).toMatch(/value="tags" > Tags/);
});

test('one field chooses what a wall is sorted by and the order', async () => {
  const page = await addPage(table, { kind: 'wall', settings: { sort: 'rating' } });
  const path = `/desk/pages/${page.id}`;
  const chosen = (text: string) => {
    const [, options = ''] = /<select id="page-sort"[^>]*>(.*?)<\/select>/s.exec(text) ?? [];
    return [...options.matchAll(/<option value="([^"]*)" (?:selected)?>([^<]*)/g)].map(
      ([option, value, words]) => [value, words, option.includes('selected')],
    );
  };
  const { text } = await owner.get(path);
  expect(chosen(text)).toEqual([
    ['createdAt desc', 'Newest first', false],
    ['createdAt asc', 'Oldest first', false],
    ['rating desc', 'Highest rating first', true],
    ['rating asc', 'Lowest rating first', false],
  ]);
  expect(text).not.toContain('name="order"');
  const saved = await owner.send(path, { title: 'Wall', sort: 'createdAt asc' });
  expect((await stored())[0]?.settings).toMatchObject({ sort: 'createdAt', order: 'asc' });
  expect(chosen(saved.text)[1]).toEqual(['createdAt asc', 'Oldest first', true]);
  const refused = await owner.post(path, { title: 'Wall', sort: 'createdAt up' });
  expect(refused.text).toContain('id="page-sort-problem">Order must be');
});

test.each(['form', 'wall'] as const)('no two texts of a %s have one label', async (kind) => {
  const { id } = await addPage(table, { kind, settings: { lang: 'de' } });
  const { text } = await owner.get(`/desk/pages/${id}`);
  const labels = Array.from(text.matchAll(/<label for="page-texts-\w+">([^<]*)/g), ([, label]) => label);
  expect(labels.length).toBeGreaterThan(5);
  expect(labels.filter((label, i) => labels.indexOf(label) !== i)).toEqual([]);
});

test('an empty wall says what to do in its preview, and to nobody else', async () => {
  const api = await createApiClient(table);
  const { id } = await addPage(table, { kind: 'wall', title: 'Praise', settings: { rating: '4' } });
  const path = `/desk/pages/${id}/preview`;
  const preview = async (fields?: Record<string, string>) =>
    (await (fields ? owner.post(path, fields) : owner.get(path))).text;
  const forOwner = 'Only you see this: approve testimonials in the queue';
  const narrow = 'those that match its filters';
  expect(await preview()).toContain(forOwner);
  expect(await preview()).toContain(narrow);
  const anything = await preview({ title: 'Praise', rating: '' });
  expect(anything).toContain(forOwner);
  expect(anything).not.toContain(narrow);
  const visitor = visitorOf(table);
  const shown = await visitor.get(`/w/${id}`);
  expect(shown.text).toContain('There are no testimonials yet.');
  expect(shown.text).not.toContain('Only you see this');
  const { body } = await api.create(testimonialBody({ rating: 5 }));
  await moderate(api, 'acme', body.id, 'approved', new Date());
  expect(await preview()).not.toContain(forOwner);
});

test('a preview shows the settings as typed, stores nothing, and cannot be used', async () => {
  const api = await createApiClient(table);
  const { body } = await api.create(testimonialBody({ content: 'Quokkas are great' }));
  await moderate(api, 'acme', body.id, 'approved', new Date());
  const form = await addPage(table, { title: 'Tell us' });
  const wall = await addPage(table, { kind: 'wall', title: 'They say' });
  const unchanged = async () => (await stored()).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const before = await unchanged();
  const previewed = async (page: Page, typed: Record<string, string>) => {
    const { status, headers, text } = await owner.post(`/desk/pages/${page.id}/preview`, typed);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'x-frame-options': 'SAMEORIGIN',
      'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'self'$/),
    });
    expect(text).toContain('<body inert>');
    return text;
  };
  const typed = await previewed(form, { title: 'Tell me', intro: 'How was it?', 'texts.send': 'Go' });
  for (const part of ['<h1>Tell me</h1>', 'How was it?', '>Go</button>']) expect(typed).toContain(part);
  expect(await previewed(wall, { title: 'x', search: 'quokkas', hide: 'stars' })).toContain('Quokkas are');
  expect(await previewed(wall, { title: 'x', search: 'zebras' })).not.toContain('Quokkas are');
  expect((await owner.get(`/desk/pages/${wall.id}/preview`)).text).toContain('<h1 dir="auto">They say</h1>');
  const invalid = await owner.post(`/desk/pages/${form.id}/preview`, { title: 'x', link: 'javascript:1' });
  expect(invalid.status).toBe(422);
  expect(invalid.text).toBe('<p data-problem="link">Link must be a URL like https://www.example.com.</p>');
  expect(await unchanged()).toEqual(before);
});

test('an empty queue says to create a form, and then links to the form to send and the wall to see', async () => {
  expect((await owner.get('/desk/queue')).text).toContain('<a href="/desk/pages">Create a form');
  await addPage(table, { title: 'Tell us' });
  await addPage(table, { kind: 'wall', title: 'Our customers' });
  const { text } = await owner.get('/desk/queue');
  expect(text).toMatch(/href="https:\/\/api\.example\.com\/f\/\w{22}"><bdi>Tell us<\/bdi>/);
  expect(text).toMatch(/data-copy="https:\/\/api\.example\.com\/f\/\w{22}" hidden>Copy its link/);
  expect(text).toMatch(
    /See what you approved: <a href="https:\/\/api\.example\.com\/w\/\w{22}"><bdi>Our customers/,
  );
});

test('two owners who edit a page at once lose nothing, also after a wrong value', async () => {
  const wall = await addPage(table, { kind: 'wall', settings: { rating: '4' } });
  const path = `/desk/pages/${wall.id}`;
  const shown = fieldsOf((await owner.get(path)).text, 'Save');
  // A browser sends every field, changed or not.
  const fields = { ...shown, title: wall.title, rating: '4', sort: 'createdAt desc', limit: '12' };
  const defaults = { look: 'columns', theme: 'auto', lang: 'en', 'own-tags': 'featured' };
  const other = await owner.send(path, {
    ...fields,
    ...defaults,
    look: 'row',
    title: 'Our wall',
    tags: 'b2b',
  });
  expect(other.text).toContain('Saved.');

  const wrong = await owner.post(path, { ...fields, ...defaults, limit: '6', rating: 'six' });
  expect(wrong.status).toBe(422);
  const again = fieldsOf(wrong.text, 'Save');
  expect(again).toEqual(shown);
  await owner.send(path, { ...fields, ...again, ...defaults, limit: '6', rating: '' });
  expect(await stored()).toMatchObject([
    { title: 'Our wall', settings: { look: 'row', tags: 'b2b', limit: '6' } },
  ]);
  expect((await stored())[0]?.settings).not.toHaveProperty('rating');
});

test('the error of a setting stands at its field, everything typed stays, and nothing is stored', async () => {
  const page = await addPage(table, { kind: 'wall', settings: { look: 'row' } });
  const typed = { title: 'Walls', look: 'list', limit: '1000', 'texts.more': 'Encore' };
  const { status, text } = await owner.post(`/desk/pages/${page.id}`, typed);
  expect(status).toBe(422);
  expect(text).toMatch(
    /<select id="page-limit"[^>]* aria-describedby="page-limit-problem" aria-invalid="true"/,
  );
  expect(text).toMatch(/<p class="problem" id="page-limit-problem">Limit must be [^<]*\.<\/p>/);
  expect(text).toContain('<option value="1000" selected');
  expect(text).toContain('value="Encore"');
  expect(text).toMatch(/<option value="list" selected/);
  expect(await stored()).toEqual([page]);
  const untitled = await owner.post(`/desk/pages/${page.id}`, { ...typed, limit: '', title: ' ' });
  expect(untitled.status).toBe(422);
  expect(untitled.text).toContain('<p class="problem" id="page-title-problem">Enter a title.');
  const odder = await owner.post(`/desk/pages/${page.id}`, { ...typed, limit: '', title: ' x\u0007 ' });
  expect(odder.text).toContain('<p class="problem" id="page-title-problem">The title must');
  const odd = { ...typed, limit: '', lang: '$$' };
  expect((await owner.post(`/desk/pages/${page.id}`, odd)).text).toContain('id="page-lang-problem"');
  expect((await owner.post('/desk/pages', { kind: 'door' })).status).toBe(422);
});

const ids = ['test_123456789012983041', 'test_123456789012983042'];

test.each<[Page['kind'], Page['settings'], wrong: string, correction: Record<string, string>]>([
  ['wall', { look: 'future' }, 'Look must be one of', { look: 'list' }],
  ['wall', { hide: 'future,stars' }, 'Hide must only contain', {}],
  ['wall', { sort: 'updatedAt' }, 'Sort must be createdAt or rating', { sort: 'rating desc' }],
  ['wall', { pinned: `future,${ids[0]},${ids}` }, 'Pinned must only contain ids', {}],
  ['wall', { texts: 'no JSON' }, 'Texts must be JSON', {}],
  ['form', { texts: '{"future":"x"}' }, 'Texts must only contain', {}],
  ['form', { ask: 'hologram' }, 'Ask must only contain', {}],
])('a %s with %j of another version says so in its editor, and saving mends it', async (...of) => {
  const [kind, settings, wrong, correction] = of;
  const { id } = await addPage(table, { kind, settings });
  const path = `/desk/pages/${id}`;
  const editor = await owner.get(path);
  expect(editor).toMatchObject({ status: 200, text: expect.stringContaining(wrong) });
  expect(editor.text).toMatch(new RegExp(`<p class="problem"[^>]*>${wrong}`));
  expect(await owner.get(`${path}/preview`)).toMatchObject({
    status: 422,
    text: expect.stringMatching(new RegExp(`<p data-problem="\\w+">${wrong}`)),
  });
  // The preview of the brand shows another page.
  const ofBrand = await owner.post('/desk/pages/brand/preview', { name: 'Acme', shown: kind });
  expect(ofBrand.status).toBe(200);
  const saved = await owner.send(path, { title: 'Mended', ...correction });
  expect(saved.text).toContain('Saved.');
  expect(await owner.get(`${path}/preview`)).toMatchObject({ status: 200 });
  expect((await visitorOf(table).get(`/${kind[0]}/${id}`)).status).toBe(200);
  if ('pinned' in settings) expect(await stored()).toMatchObject([{ settings: { pinned: ids.join() } }]);
});

test('a setting whose name this version does not know is kept as it is', async () => {
  const { id } = await addPage(table, { settings: { future: 'x'.repeat(3000), lang: 'de' } });
  expect((await owner.get(`/desk/pages/${id}`)).text).not.toContain('class="problem"');
  expect((await owner.get(`/desk/pages/${id}/preview`)).status).toBe(200);
  const saved = await owner.send(`/desk/pages/${id}`, { title: 'New', lang: 'fr' });
  expect(saved.text).toContain('Saved.');
  expect(await stored()).toMatchObject([
    { title: 'New', settings: { future: 'x'.repeat(3000), lang: 'fr' } },
  ]);
});

test('a failing table is no invalid setting: the error stays inside, and nothing is stored', async () => {
  const page = await addPage(table);
  onTableCall(table, (name) => {
    if (name === 'UpdateItemCommand') throw new Error('secret of the inside');
  });
  const { status, text } = await owner.post(`/desk/pages/${page.id}`, { title: 'Other' });
  onTableCall(table, () => {});
  expect(status).toBe(500);
  expect(text).not.toContain('secret of the inside');
  expect(await stored()).toEqual([page]);
});

test('a deployment without pages has none at the desk', async () => {
  const { get } = await (await deskOf(table)).signedIn({ role: 'owner' });
  expect((await get('/desk/pages')).status).toBe(404);
  const { text } = await get('/desk/queue');
  expect(text).not.toContain('href="/desk/pages"');
});
