/** Pinned testimonials, from the card at the desk to the wall that visitors see. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { pageStore } from '../../../functions/accounts/dynamodb-page-store.ts';
import { type Page, pathOfPage, pinnedBy } from '../../../functions/domain/page.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { publishedId } from '../../../functions/domain/testimonial-id.ts';
import { editPage, withPins } from '../../../functions/serve-pages/own-pages.ts';
import { eraseTestimonial } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { adminOf } from '../../admin.ts';
import { type ApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { type Browser, type Desk, openDesk } from '../../desk-client.ts';
import { addPage, visitorOf } from '../../page-visitor.ts';

let api: ApiClient;
let desk: Desk;
let owner: Browser;
let wall: Page;
let all: Testimonial[];
const names = ['Ada', 'Ben', 'Cleo', 'Dora', 'Emil', 'Fay'];

beforeEach(async () => {
  ({ api, desk, owner } = await openDesk({ pages: true }));
  all = [];
  for (const [i, name] of names.entries()) {
    const author = { name, email: `${name.toLowerCase()}@example.com` };
    const body = testimonialBody({ content: `Text of ${name}`, author, rating: 5 - (i % 2) });
    all.push((await api.create(body)).body);
  }
  const { table } = api;
  await adminOf(table)('testimonial', 'approve', '--organization', 'acme', ...all.map(({ id }) => id));
  wall = await addPage(table, { kind: 'wall', title: 'Praise', settings: { limit: '2' } });
});

const idOf = (name: string) => all[names.indexOf(name)]?.id ?? '';
const seen = (name: string) => `${idOf(name)}@2026-01-01T00:00:00.000Z`;
const pinned = async ({ id } = wall) => {
  const found = await pageStore(api.table).find(id);
  return found && pinnedBy(found).map((each) => names[all.findIndex(({ id }) => id === each)] ?? each);
};
const pinOnCard = (name: string, action: 'pin' | 'unpin' = 'pin', { id } = wall) =>
  owner.send('/desk/list', { one: `${action} ${id} on ${seen(name)}` });
const move = (fields: Record<string, string>) => owner.send(`/desk/pages/${wall.id}/pins`, fields);

/** Returns the names on each page of a wall, from its data. */
async function shown({ id } = wall): Promise<string[][]> {
  const visitor = visitorOf(api.table);
  const pages: string[][] = [];
  for (let number = 1; ; number += 1) {
    const { text } = await visitor.get(`/w/${id}.json?page=${number}`);
    const { testimonials, pagination } = JSON.parse(text);
    expect(pagination.total).toBe(names.length);
    if (testimonials.length === 0) return pages;
    pages.push(testimonials.map(({ author }: Testimonial) => author.name));
  }
}

test('an owner pins from a card, orders and unpins in the editor, and every view of the wall follows', async () => {
  const list = await owner.get('/desk/list');
  expect(list.text).toContain('Pin to “Praise”<span');
  expect(list.text).not.toContain('>Pinned</span>');
  for (const [i, name] of ['Ben', 'Ada', 'Dora'].entries()) {
    const said = `${name}’s testimonial is pinned to “Praise”, number ${i + 1} of ${i + 1}.`;
    expect((await pinOnCard(name)).text).toContain(said);
  }
  // A second time changes nothing.
  await pinOnCard('Ben');
  expect(await pinned()).toEqual(['Ben', 'Ada', 'Dora']);
  const after = await owner.get('/desk/list');
  expect(after.text.match(/>Pinned<\/span>/g)).toHaveLength(3);
  expect(after.text.match(/Unpin from “Praise”/g)).toHaveLength(3);

  expect((await move({ up: idOf('Dora') })).text).toContain('Dora’s testimonial is number 2 of 3.');
  expect((await move({ down: idOf('Ben') })).text).toContain('Ben’s testimonial is number 2 of 3.');
  expect(await pinned()).toEqual(['Dora', 'Ben', 'Ada']);
  // At the ends, nothing moves.
  await move({ up: idOf('Dora') });
  await move({ down: idOf('Ada') });
  expect(await pinned()).toEqual(['Dora', 'Ben', 'Ada']);
  await move({ move: idOf('Ada'), before: idOf('Dora') });
  expect(await pinned()).toEqual(['Ada', 'Dora', 'Ben']);
  await move({ move: idOf('Ada'), before: '' });
  expect(await pinned()).toEqual(['Dora', 'Ben', 'Ada']);
  const unpinned = await move({ unpin: idOf('Ada') });
  expect(unpinned.text).toContain('Ada’s testimonial is no longer pinned.');
  expect(await pinned()).toEqual(['Dora', 'Ben']);

  expect(await shown()).toEqual([
    ['Dora', 'Ben'],
    ['Fay', 'Emil'],
    ['Cleo', 'Ada'],
  ]);
  const page = await visitorOf(api.table).get(pathOfPage(wall));
  const cards = Array.from(page.text.matchAll(/<li class="card" id="(\w+)"/g), ([, id]) => id);
  expect(cards).toEqual([idOf('Dora'), idOf('Ben')].map(publishedId));
  // No id of the API and no setting of the owner.
  const data = await visitorOf(api.table).get(`${pathOfPage(wall)}.json`);
  expect(data.text + page.text).not.toMatch(/test_\d|pinned/);
  const preview = await owner.get(`/desk/pages/${wall.id}/preview`);
  expect(preview.text.indexOf('Text of Dora')).toBeLessThan(preview.text.indexOf('Text of Ben'));
  expect((await pinOnCard('Dora', 'unpin')).text).toContain('is no longer pinned to “Praise”.');
  expect(await pinned()).toEqual(['Ben']);
});

test.each([{ look: 'future' }, { rating: '9' }, { pinned: 'future' }])(
  'a wall with %j of another version has pins that work, and each says that visitors do not see it',
  async (settings: Page['settings']) => {
    wall = await addPage(api.table, { kind: 'wall', title: 'Praise', settings });
    for (const name of ['Ada', 'Ben']) {
      const { text } = await owner.send('/desk/list', { one: `pin ${wall.id} on ${seen(name)}` });
      expect(text).toContain(`${name}’s testimonial is pinned to “Praise”`);
      expect(text.includes('until you correct its settings')).toBe(!settings.pinned);
    }
    expect((await move({ up: idOf('Ben') })).text).toContain('Ben’s testimonial is number 1 of 2.');
    expect(await pinned()).toEqual(['Ben', 'Ada']);
  },
);

test('a move that the SDK sends twice moves one place', async () => {
  for (const name of ['Ada', 'Ben', 'Cleo']) await pinOnCard(name);
  api.table.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        // The first response is lost.
        if (commandName === 'UpdateItemCommand') await next(args);
        return next(args);
      },
    { step: 'initialize', name: 'twice' },
  );
  const moved = await move({ up: idOf('Cleo') });
  expect(moved.text).toContain('Cleo’s testimonial is number 2 of 3.');
  expect(await pinned()).toEqual(['Ada', 'Cleo', 'Ben']);
});

test('with several walls an owner chooses one, and comes back to the same list', async () => {
  const other = await addPage(api.table, { kind: 'wall', title: 'Front page' });
  expect((await owner.get('/desk/list')).text).toContain('Pin to a wall…<span');
  const asked = await owner.post('/desk/list?search=text', { one: `choose wall on ${seen('Cleo')}` });
  expect(asked.headers.location).toBe(`/desk/list/pin?search=text&ids=${idOf('Cleo')}`);
  const choice = await owner.get(String(asked.headers.location));
  for (const text of ['Praise', 'Front page', 'Text of Cleo', 'action="/desk/list?search=text"'])
    expect(choice.text).toContain(text);
  await pinOnCard('Cleo', 'pin', other);
  expect(await pinned(other)).toEqual(['Cleo']);
  expect(await pinned()).toEqual([]);
  const again = await owner.get(String(asked.headers.location));
  expect(again.text).toContain('>Unpin<span class="visually-hidden"> from Front page');
  expect(again.text).toContain('>Pin<span class="visually-hidden"> to Praise');
});

describe('nothing is pinned', () => {
  test('by someone who may not edit pages', async () => {
    const moderator = await desk.signedIn({ name: 'Max' });
    expect((await moderator.get('/desk/list')).text).not.toContain('Pin to');
    const refused = await moderator.send('/desk/list', { one: `pin ${wall.id} on ${seen('Ben')}` });
    expect(refused.text).toContain('Only owners can manage forms and walls. Ask an owner.');
    expect(await pinned()).toEqual([]);
  });

  test('to a wall of another organization, a form or a removed wall', async () => {
    const form = await addPage(api.table, { title: 'Tell us' });
    const theirs = await addPage(api.table, { kind: 'wall', title: 'Theirs', organization: 'other' });
    for (const page of [form, theirs, { ...wall, id: '0'.repeat(22) }]) {
      const { status, text } = await pinOnCard('Ben', 'pin', page);
      expect(status).toBe(422);
      expect(text).toContain('This wall was removed. Reload the page.');
      const moved = await owner.post(`/desk/pages/${page.id}/pins`, { up: idOf('Ben') });
      expect(moved.status).toBe(404);
    }
    expect(await pinned(theirs)).toEqual([]);
  });

  test('that an organization does not have, or that a form of the desk does not contain', async () => {
    const otherOwner = await desk.signedIn({ organization: 'other', role: 'owner' });
    const theirs = await addPage(api.table, { kind: 'wall', title: 'Theirs', organization: 'other' });
    const { text } = await otherOwner.send('/desk/list', { one: `pin ${theirs.id} on ${seen('Ben')}` });
    expect(text).toContain('This testimonial no longer exists.');
    expect(await pinned(theirs)).toEqual([]);
    for (const fields of [{}, { up: '' }, { before: idOf('Ben') }])
      expect((await owner.post(`/desk/pages/${wall.id}/pins`, fields)).status).toBe(422);
  });

  test('beyond 24', async () => {
    const ids = Array.from({ length: 24 }, (_, n) => `test_${100_000_000_000 + n}${983_100 + n}`);
    const full = { ...wall, settings: { pinned: ids.join() } };
    await pageStore(api.table).replace(full, wall);
    const { status, text } = await pinOnCard('Ben');
    expect(status).toBe(422);
    expect(text).toContain('“Praise” already has 24 pinned testimonials, the maximum. Unpin one first.');
    expect(await pinned()).toEqual(ids);
  });
});

describe('two people at once', () => {
  test('lose no pin, whoever saves first', async () => {
    const store = pageStore(api.table);
    let isFirst = true;
    const replace: typeof store.replace = async (page, before) => {
      // Another owner pins between the read and the write.
      if (isFirst) await store.replace(withPins(before as Page, { pinned: idOf('Ada') }), before);
      isFirst = false;
      return store.replace(page, before);
    };
    const pinBen = (current: Page) =>
      withPins(current, { pinned: [...pinnedBy(current), idOf('Ben')].join() });
    expect(await editPage({ ...store, replace }, wall, pinBen)).toBeDefined();
    expect(await pinned()).toEqual(['Ada', 'Ben']);
    await Promise.all(['Cleo', 'Dora', 'Emil'].map((name) => pinOnCard(name)));
    expect((await pinned())?.toSorted()).toEqual(['Ada', 'Ben', 'Cleo', 'Dora', 'Emil']);
  });

  test('keep the pins when one saves an older editor, and what the other unpinned stays so', async () => {
    await pinOnCard('Ada');
    // The form of the settings was loaded now.
    await pinOnCard('Ben');
    await pinOnCard('Ada', 'unpin');
    const saved = await owner.send(`/desk/pages/${wall.id}`, { title: 'Praise!', limit: '2' });
    expect(saved.text).toContain('Saved.');
    expect(await pageStore(api.table).find(wall.id)).toMatchObject({
      title: 'Praise!',
      settings: { limit: '2', pinned: idOf('Ben') },
    });
    const late = await move({ down: idOf('Ada') });
    expect(late.text).toContain('Nothing was changed: Ada’s testimonial is no longer pinned.');
    expect(await pinned()).toEqual(['Ben']);
  });
});

describe('a pinned testimonial that visitors do not see', () => {
  const editor = async () => (await owner.get(`/desk/pages/${wall.id}`)).text;

  test('says why in the editor, and comes back to its place', async () => {
    await pinOnCard('Ben');
    await pinOnCard('Ada');
    const admin = adminOf(api.table);
    await admin('testimonial', 'reject', '--organization', 'acme', idOf('Ben'));
    const refused = await editor();
    expect(refused).toContain('Visitors do not see it while it is rejected.');
    expect(refused.match(/class="pill rejected"/g)).toHaveLength(1);
    expect((await visitorOf(api.table).get(`/w/${wall.id}.json`)).text).not.toContain('Text of Ben');
    await admin('testimonial', 'approve', '--organization', 'acme', idOf('Ben'));
    expect((await shown())[0]).toEqual(['Ben', 'Ada']);
    await owner.send(`/desk/pages/${wall.id}`, { title: 'Praise', rating: '5' });
    expect(await editor()).toContain('because it does not match the wall’s filters');
    const { text } = await visitorOf(api.table).get(`/w/${wall.id}.json`);
    const { testimonials, pagination } = JSON.parse(text);
    expect(testimonials[0].author.name).toBe('Ada');
    expect(pagination.total).toBe(3);
  });

  test('and was erased is harmless, and its id goes with the next change', async () => {
    await pinOnCard('Ben');
    await pinOnCard('Ada');
    const { testimonials } = storesOf(api.table);
    await eraseTestimonial({ testimonials, now: api.table.now }, 'acme', idOf('Ben'));
    const { text } = await visitorOf(api.table).get(`/w/${wall.id}.json`);
    expect(JSON.parse(text)).toMatchObject({
      testimonials: [{ author: { name: 'Ada' } }, {}],
      pagination: { total: 5 },
    });
    expect(await editor()).not.toContain(idOf('Ben'));
    expect(await pinned()).toEqual(['Ben', 'Ada']);
    const { text: list } = await pinOnCard('Fay');
    expect(list).toContain('number 2 of 2');
    expect(await pinned()).toEqual(['Ada', 'Fay']);
  });
});

test('commands set the order, and refuse a testimonial that the organization does not have', async () => {
  const set = (value: string) =>
    adminOf(api.table)('page', 'edit', wall.id, '--set', `pinned=${value}`, '--organization', 'acme');
  expect((await set(`${idOf('Cleo')}, ${idOf('Ada')}`)).code).toBe(0);
  expect((await shown())[0]).toEqual(['Cleo', 'Ada']);
  const refused = await set(`${idOf('Ada')},test_999999999999983041`);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    'pinned must only contain testimonials of acme, which has no test_999999999999983041',
  );
  expect(await pinned()).toEqual(['Cleo', 'Ada']);
});
