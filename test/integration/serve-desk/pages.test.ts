/** Forms and walls at the desk, as an owner manages them. */
import { beforeEach, expect, test } from '@jest/globals';
import { pageStore } from '../../../functions/persistence/dynamodb-page-store.ts';
import type { Table } from '../../../functions/persistence/table.ts';
import { type Browser, deskOf } from '../../desk-client.ts';
import { plain } from '../../open-desk.ts';
import { addPage } from '../../page-visitor.ts';
import { onTableCall } from '../../table-calls.ts';
import { createTestTable } from '../../test-table.ts';
import { hostileTexts } from '../../unit/serve-pages/hostile.ts';

let table: Table;
let owner: Browser;
let desk: Awaited<ReturnType<typeof deskOf>>;
beforeEach(async () => {
  table = await createTestTable();
  desk = await deskOf(table, { pages: true });
  owner = await desk.signedIn({ role: 'owner' });
});

const stored = async (organization = 'acme') => pageStore(table).list(organization);

test('an owner creates a form, changes its settings, copies its link and removes it', async () => {
  expect((await owner.get('/desk/queue')).text).toContain('href="/desk/pages"');
  const created = await owner.post('/desk/pages', { title: 'Tell us', kind: 'form' });
  const [page] = await stored();
  expect(page).toMatchObject({ kind: 'form', title: 'Tell us', settings: {} });
  const path = `/desk/pages/${page?.id}`;
  expect(created).toMatchObject({ status: 303, headers: { location: path } });

  const shown = await owner.get(path);
  expect(shown.text).toContain(`https://api.example.com/f/${page?.id}`);
  expect(shown.text).toContain(`<iframe class="wall" src="/f/${page?.id}"`);
  const fields = {
    title: 'Tell us more',
    intro: 'Hello!\nHow was it?',
    hide: ['stars', 'company'],
    tags: 'form',
  };
  const saved = await owner.post(path, { ...fields, lang: 'de', texts: '', action: 'save' });
  expect(saved).toMatchObject({ status: 303, headers: { location: `${path}?saved` } });
  expect(await stored()).toMatchObject([
    {
      title: 'Tell us more',
      settings: { intro: fields.intro, hide: 'stars,company', tags: 'form', lang: 'de' },
    },
  ]);
  const again = await owner.get(`${path}?saved`);
  expect(again.text).toContain('Saved.');
  expect(again.text.match(/type="checkbox" name="hide" value="\w+" checked/g)).toHaveLength(2);

  expect((await owner.post(path, { action: 'ask to remove' })).text).toContain(
    'Remove <bdi>Tell us more</bdi>?',
  );
  expect(await stored()).toHaveLength(1);
  expect(await owner.post(path, { action: 'remove' })).toMatchObject({ status: 303 });
  expect(await stored()).toEqual([]);
  expect((await owner.get(path)).status).toBe(404);
});

test('an empty queue links to the form to send and the wall to see', async () => {
  await addPage(table, { title: 'Tell us' });
  await addPage(table, { kind: 'wall', title: 'Our customers' });
  const { text } = await owner.get('/desk/queue');
  expect(text).toMatch(/Send your form to a customer: <bdi>Tell us<\/bdi>/);
  expect(text).toMatch(
    /<a class="button" href="\/w\/\w{22}"><span>See what you approved: <bdi>Our customers/,
  );
});

test('an invalid setting is named, everything typed stays, and nothing is stored', async () => {
  const page = await addPage(table, { kind: 'wall', settings: { look: 'row' } });
  const typed = { title: 'Walls', look: 'list', limit: '1000', texts: '{"more":', action: 'save' };
  const { status, text } = await owner.post(`/desk/pages/${page.id}`, typed);
  expect(status).toBe(422);
  expect(text).toMatch(/limit must be|texts must be/i);
  expect(text).toContain('value="1000"');
  expect(plain(text)).toContain('{"more":</textarea>');
  expect(text).toMatch(/<option value="list" selected/);
  expect(await stored()).toEqual([page]);
  const untitled = await owner.post(`/desk/pages/${page.id}`, { ...typed, limit: '', texts: '', title: ' ' });
  expect(untitled).toMatchObject({ status: 422, text: expect.stringContaining('The title must have') });
  expect((await owner.post('/desk/pages', { title: '', kind: 'wall' })).status).toBe(422);
  expect((await owner.post('/desk/pages', { title: 'x', kind: 'door' })).status).toBe(422);
});

test('a failing table is no invalid setting: the error stays inside, and nothing is stored', async () => {
  const page = await addPage(table);
  onTableCall(table, (name) => {
    if (name === 'UpdateItemCommand') throw new Error('secret of the inside');
  });
  const { status, text } = await owner.post(`/desk/pages/${page.id}`, { title: 'Other', action: 'save' });
  onTableCall(table, () => {});
  expect(status).toBe(500);
  expect(text).not.toContain('secret of the inside');
  expect(await stored()).toEqual([page]);
});

test('moderators and owners of other organizations do not manage them', async () => {
  const page = await addPage(table);
  const other = await addPage(table, { organization: 'globex' });
  const moderator = await desk.signedIn({ name: 'Ben' });
  expect((await moderator.get('/desk/queue')).text).not.toContain('href="/desk/pages"');
  for (const path of ['/desk/pages', `/desk/pages/${page.id}`]) {
    expect(await moderator.get(path)).toMatchObject({
      status: 400,
      text: expect.stringContaining('Only owners'),
    });
    expect((await moderator.post(path, { action: 'remove', title: 'x', kind: 'form' })).status).toBe(422);
  }
  expect((await owner.get(`/desk/pages/${other.id}`)).status).toBe(404);
  expect((await owner.post(`/desk/pages/${other.id}`, { action: 'remove' })).status).toBe(404);
  expect([await stored(), await stored('globex')]).toEqual([[page], [other]]);
});

test('a deployment without pages has none at the desk, and walls with tokens instead', async () => {
  const { get } = await (await deskOf(table)).signedIn({ role: 'owner' });
  expect((await get('/desk/pages')).status).toBe(404);
  const { text } = await get('/desk/queue');
  expect(text).toContain('href="/desk/wall"');
  expect(text).not.toContain('href="/desk/pages"');
});

test('hostile titles and settings are shown as text', async () => {
  for (const text of hostileTexts) {
    const page = await addPage(table, { title: text.slice(0, 200), settings: { intro: text, tags: text } });
    for (const shown of [await owner.get(`/desk/pages/${page.id}`), await owner.get('/desk/pages')]) {
      const markup = shown.text.replaceAll(/="[^"]*"/g, '');
      expect(markup).not.toMatch(/<script>|<img|<svg|<h1>mine|<[^>]* (on\w+|style)\b/);
    }
  }
});
