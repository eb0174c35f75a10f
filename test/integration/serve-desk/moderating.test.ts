/** Moderating at the desk of a deployment: the queue, the list, and forms that no page sends. */
import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Testimonial, TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { factsOf } from '../../../functions/serve-desk/parts/testimonial.ts';
import { createTestimonial } from '../../../functions/testimonials/operations/create-testimonial.ts';
import { stepSize } from '../../../functions/testimonials/operations/find-matching.ts';
import { adminOf, hurriedAdminOf } from '../../admin.ts';
import { type ApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { type Browser, type Desk, deskOf, openDesk, type Page } from '../../desk-client.ts';
import { fileOf } from '../../file-of.ts';
import { allMatchesIn, fieldsOf, plain, seen } from '../../forms.ts';
import { onTableCall } from '../../table-calls.ts';

let api: ApiClient;
let desk: Desk;
let owner: Browser;
beforeAll(async () => {
  ({ api, desk, owner } = await openDesk());
});

async function create(content: string, overrides: Record<string, unknown> = {}): Promise<Testimonial> {
  return (await api.create(testimonialBody({ content, ...overrides }))).body;
}

/** Creates many testimonials without the API's handler, which is faster. */
async function createMany(
  count: number,
  content: (n: number) => string,
  { organization = 'acme', ...overrides }: Record<string, unknown> & { organization?: string } = {},
) {
  const deps = { ...storesOf(api.table), now: api.table.now, randomInt };
  for (let n = 0; n < count; n += 1) {
    // Valid.
    const input = testimonialBody({ content: content(n), ...overrides }) as TestimonialInput;
    await createTestimonial(deps, { organization, input });
  }
}

async function find(search: string): Promise<Testimonial[]> {
  return (await api.list(`search=${search}&limit=100`)).body.testimonials;
}

/** Continues an action on all matches until it is done, as the page does by itself. */
async function continueAll({ send }: Pick<Browser, 'send'>, path: string, page: Page) {
  let [last, requests] = [page, 1];
  for (; last.text.includes('>Continue<') && requests < 10; requests += 1) {
    last = await send(path, fieldsOf(last.text, 'Continue'));
  }
  return { text: last.text, requests };
}

test('in the queue, one form approves with a tag, and undo reverts both', async () => {
  const { get, send } = await desk.signedIn({ name: 'Ann' });
  const path = '/desk/queue?search=elephant';
  const { id } = await create('Elephant of the queue', { tags: ['grey'] });
  const { text } = await get(path);
  expect(text).toContain('<h1>Queue <span class="muted">1 pending</span></h1>');
  const form = fieldsOf(text, 'Undo');
  const approved = await send(path, { ...form, key: 'a', tags: 'Big, \u200b, gr\u00adey' });
  expect(approved.text).toContain(`<h1>Queue </h1>`);
  expect(approved.text).toContain('Jane Doe’s testimonial is approved.');
  const found = await find('elephant');
  expect(found).toMatchObject([{ id, status: 'approved', tags: ['grey', 'Big'] }]);
  expect(approved.logged).toMatch(
    /"person":"Ann","personId":"\w{10}","changes":\[\{"id":"test_\d+","before":\{"status":"pending","tags":1,/,
  );
  expect((await get('/desk/list?search=elephant')).text).toMatch(
    /<dt>Approved<\/dt><dd>by <bdi>Ann<\/bdi>, <time/,
  );
  // API responses do not include who decided.
  expect(JSON.stringify(found)).not.toMatch(/decision|Ann/);
  const undone = await send(path, { ...fieldsOf(approved.text, 'Undo'), key: 'u' });
  expect(await find('elephant')).toMatchObject([{ status: 'pending', tags: ['grey'] }]);
  const skipped = await send(path, { ...fieldsOf(undone.text, 'Undo'), key: 's' });
  expect(skipped.text).toMatch(/You skipped 1 testimonial<[\s\S]*Nothing else is pending\.[\s\S]*Review it/);
  // A new page shows skipped testimonials again and has nothing to undo.
  expect((await get(path)).text).toMatch(/Elephant of the queue[\s\S]*value="u"[^>]* disabled/);
});

test('an empty field of tags blocks no key, and an invalid one only its own', async () => {
  const { get, send } = await desk.signedIn({ name: 'Ann' });
  const path = '/desk/queue?search=giraffe';
  await create('Giraffe of the queue');
  const form = () => get(path).then(({ text }) => fieldsOf(text, 'Undo'));
  const approved = await send(path, { ...(await form()), key: 'a', tags: ' , ' });
  expect(approved.text).toContain('testimonial is approved.');
  const long = 'x'.repeat(200);
  const undone = await send(path, { ...fieldsOf(approved.text, 'Undo'), key: 'u', tags: long });
  expect(undone.text).toContain('is back in the queue.');
  const { status } = await send(path, { ...(await form()), key: 's', tags: long });
  expect(status).toBe(200);
  // Another person decides while the wrong tag is typed.
  const open = await form();
  const [other] = await find('giraffe');
  await send(path, { ...open, key: 'a', tags: '' });
  const late = await send(path, { ...open, key: 'a', tags: long });
  expect(late.text).not.toContain('Giraffe of the queue');
  expect((await find('giraffe'))[0]).toMatchObject({ id: other?.id, status: 'approved' });
});

test('the queue shows no testimonial that someone else approved with the tag that is added', async () => {
  const ann = await desk.signedIn({ name: 'Ann' });
  const ben = await desk.signedIn({ name: 'Ben' });
  const path = '/desk/queue?search=tapir';
  await create('Tapir of the queue');
  const form = fieldsOf((await ann.get(path)).text, 'Undo');
  await ben.send(path, { ...form, key: 'a', tags: 'Big' });
  const { text } = await ann.post(path, { ...form, key: 't', tags: 'Big' }, { 'hx-request': 'true' });
  expect(text).toContain('Tags added to Jane Doe’s testimonial.');
  expect(text).not.toContain('Tapir of the queue');
});

test('an undo reverts an approval whose response was lost, with its tags, but no approval older than the page', async () => {
  const { get, send } = await desk.signedIn({ name: 'Cy' });
  const path = '/desk/queue?search=okapi';
  const { id } = await create('Okapi of the queue', { tags: ['grey'] });
  const form = fieldsOf((await get(path)).text, 'Undo');
  await send(path, { ...form, key: 'a', tags: 'Big' });
  const again = await send(path, { ...form, key: 'a', tags: 'Big' });
  expect(again.text).toContain('testimonial is approved.');
  await send(path, { ...fieldsOf(again.text, 'Undo'), key: 'u' });
  expect(await find('okapi')).toMatchObject([{ id, status: 'pending', tags: ['grey'] }]);
  // A typed tag that it had before stays.
  const second = fieldsOf((await get(path)).text, 'Undo');
  await send(path, { ...second, key: 'a', tags: 'grey' });
  const repeated = await send(path, { ...second, key: 'a', tags: 'grey' });
  await send(path, { ...fieldsOf(repeated.text, 'Undo'), key: 'u' });
  expect(await find('okapi')).toMatchObject([{ id, status: 'pending', tags: ['grey'] }]);
});

test('too many tags keep the card and the typed tag', async () => {
  const { get, send, post } = await desk.signedIn({ name: 'Cy' });
  const full = Array.from({ length: 20 }, (_, n) => `tag${n}`);
  await create('Panda of the queue, without a tag');
  const { id } = await create('Panda of the queue, with all', { tags: full });
  const path = `/desk/queue?search=panda`;
  const form = fieldsOf((await get(`${path}&next=${id}`)).text, 'Undo');
  const { text } = await post(path, { ...form, key: 't', tags: 'one more' }, { 'hx-request': 'true' });
  expect(text).toContain('Nothing was changed: too many tags.');
  expect(text).toContain('Panda of the queue, with all');
  expect(text).toContain('value="one more"');
  // Someone else decides on the only one while it is skipped.
  await send('/desk/list', { one: `reject on ${seen((await find('panda without'))[0] as Testimonial)}` });
  await send('/desk/list', { one: `reject on ${seen((await find('panda all'))[0] as Testimonial)}` });
  const skipped = await post(path, { ...form, key: 's' }, { 'hx-request': 'true' });
  expect(skipped.text).toContain('Nothing pending matches these filters');
});

test('an approval in the queue calls the table only for the change, the next card and the badge', async () => {
  await createMany(3, (n) => `Otter ${n} of the queue`);
  const { get, post } = await (await deskOf(api.table, { remembers: true })).signedIn();
  const form = fieldsOf((await get('/desk/queue')).text, 'Undo');
  const calls: string[] = [];
  onTableCall(api.table, (name) => calls.push(name));
  await post('/desk/queue', { ...form, key: 'a' }, { 'hx-request': 'true' });
  onTableCall(api.table, () => {});
  const change = ['GetItemCommand', 'UpdateItemCommand', 'PutItemCommand', 'UpdateItemCommand'];
  expect(calls.slice(0, 4)).toEqual(change);
  const reads = calls.slice(4);
  expect(reads.filter((each) => !['QueryCommand', 'BatchGetItemCommand'].includes(each))).toEqual([]);
  expect(reads.length).toBeLessThanOrEqual(2);
});

describe('all matches', () => {
  test('change over several requests, except those that someone else changed or that need no change', async () => {
    const browser = await desk.signedIn();
    await createMany(stepSize + 10, (n) => `Penguin ${n} of many`);
    const [late, already] = (await find('penguin')) as [Testimonial, Testimonial];
    await browser.send('/desk/list', { one: `approve on ${seen(already)}` });
    const list = await browser.get('/desk/list?search=penguin&limit=10');
    expect(list.text).toContain(`All ${stepSize + 10} matching testimonials`);
    await browser.send('/desk/list', { one: `reject on ${seen(late)}` });
    await create('Penguin who came later');

    const form = { action: 'approve', confirmed: 'yes', ...allMatchesIn(list.text) };
    const first = await browser.send('/desk/list?search=penguin&limit=10', form);
    expect(first.text).toContain(`${stepSize} of ${stepSize + 10} testimonials approved`);
    // In another execution environment.
    const { text, requests } = await continueAll(await desk.signedIn(), '/desk/list?search=penguin', first);
    expect(text).toContain(`${stepSize + 8} testimonials approved.`);
    expect(text).toContain(
      '2 testimonials were skipped: no change needed, too many tags, changed in the meantime, or damaged',
    );
    expect(requests).toBe(3);
    const byStatus = Map.groupBy(await find('penguin'), ({ status }) => status);
    expect(byStatus.get('approved')).toHaveLength(stepSize + 9);
    expect(byStatus.get('rejected')).toMatchObject([{ id: late.id }]);
    expect(byStatus.get('pending')).toHaveLength(1);
  });

  test('wait for another look after an import or an undo has ended', async () => {
    const organization = 'importing';
    const path = '/desk/list?search=heron&status=pending&limit=1';
    const browser = await desk.signedIn({ organization });
    await createMany(stepSize + 10, (n) => `Heron ${n} of many`, { organization });
    const token = await api.issue(['testimonials:read'], organization);
    const pending = async () =>
      (await api.list('status=pending', { authorization: `Bearer ${token}` })).body.pagination.total;
    const importFile = async (lines: object[], ...args: string[]) => {
      const file = await fileOf(lines.map((line) => JSON.stringify(line)).join('\n'), 'herons.ndjson');
      const admin = hurriedAdminOf(api.table);
      const { code } = await admin('import', file, '--yes', '--organization', organization, ...args);
      expect(code).toBe(0);
    };
    const acting = async (action: string) => ({
      action,
      confirmed: 'yes',
      ...allMatchesIn((await browser.get(path)).text),
    });
    const erasing = await acting('erase');
    const first = await browser.send(path, await acting('approve'));
    const before = await pending();
    await importFile(
      [1, 2, 3].map((n) => ({
        ...testimonialBody({ content: `Heron ${n} of the past` }),
        createdAt: `2020-01-0${n}T00:00:00.000Z`,
      })),
    );
    const changed =
      'Other testimonials may match now: an import, an undo or a rebuild of the index has ended.';
    for (const [form, said] of [
      [fieldsOf(first.text, 'Continue'), `${stepSize} testimonials approved. Other testimonials`],
      [erasing, changed],
    ] as const) {
      const { status, text } = await browser.send(path, form);
      expect({ status, pending: await pending() }).toEqual({ status: 422, pending: before + 3 });
      expect(text).toContain(said);
      expect(text).toContain(`${before + 3} testimonials`);
    }
    // Imports of new testimonials and undos stop it as well. Afterwards it works again.
    const lines = [0, 1].map((n) => testimonialBody({ content: `Heron ${n} of today` }));
    for (const args of [[], ['--undo']]) {
      const form = await acting('reject');
      await importFile(lines, ...args);
      expect({ args, status: (await browser.send(path, form)).status }).toEqual({ args, status: 422 });
    }
    const last = await browser.send(path, await acting('reject'));
    expect((await continueAll(browser, path, last)).text).toContain('testimonials rejected.');
    expect(await pending()).toBe(0);
  });

  test('are not changed when a button of one card is pressed', async () => {
    const { post } = await desk.signedIn();
    const [one] = [await create('Newt one of some'), await create('Newt two of some')];
    const all = new Date(Date.now() + 1000).toISOString();
    await post('/desk/list?search=newt', { one: `reject on ${seen(one)}`, all, of: '2' });
    expect((await find('newt')).map(({ status }) => status).sort()).toEqual(['pending', 'rejected']);
  });

  test.each([
    ['approve', 'approve', 'Approve 12 testimonials?', 'visitors of your walls see them'],
    ['reject', 'reject', 'Reject 12 testimonials?', ''],
    ['tag', 'tag', 'Tag 12 testimonials?', 'Adds: large, extinct'],
    // The list asks by this name.
    ['erase', 'ask to erase', 'Erase 12 testimonials for good?', 'You cannot undo this'],
  ])('are changed by %s only after a question', async (action, asks, title, consequence) => {
    const browser = await desk.signedIn();
    const path = `/desk/list?search=auk${action}`;
    await createMany(12, (n) => `Auk${action} ${n} of many`);
    const all = allMatchesIn((await browser.get(`${path}&limit=10`)).text);
    const asked = await browser.send(path, { ...all, action: asks, tags: 'large, extinct' });
    expect(plain(asked.text)).toContain(title);
    expect(plain(asked.text)).toContain(consequence);
    const unchanged = await find(`auk${action}`);
    expect(unchanged).toHaveLength(12);
    for (const { status, tags = [] } of unchanged) expect([status, tags]).toEqual(['pending', []]);
    const verb = /name="action" value="\w+" class="[^"]*">([^<]*)</.exec(asked.text)?.[1] ?? '';
    const first = await browser.send(path, { ...fieldsOf(asked.text, verb), action });
    const { text } = await continueAll(browser, path, first);
    expect(text).toMatch(/12 testimonials (approved|rejected|tagged|erased)/);
    if (action !== 'erase') return;
    expect(first.logged).toMatch(/"changes":\[\{"id":"test_\d+",[^\]]*"after":"erased"/);
    expect(await find('aukerase')).toEqual([]);
  });

  test('cannot be changed by a link of someone else', async () => {
    const browser = await desk.signedIn();
    await createMany(3, (n) => `Moa ${n} of some`);
    const all = {
      ...allMatchesIn((await browser.get('/desk/list?search=moa&limit=1')).text),
      confirmed: 'yes',
    };
    const carried = String(new URLSearchParams({ action: 'erase', ...all, page: '1', done: '0', tags: '' }));
    for (const page of ['progress', 'confirm']) {
      for (const query of [new URLSearchParams({ carried }), new URLSearchParams(carried)]) {
        const { status, headers } = await browser.get(`/desk/list/${page}?search=moa&${query}`);
        expect({ status, to: headers.location }).toEqual({ status: 303, to: '/desk/list?search=moa' });
      }
    }
    expect(await find('moa')).toHaveLength(3);
  });
});

test('a person who may not erase sees no button, and their form is refused', async () => {
  const { get, post } = await desk.signedIn({ name: 'Ben', mayErase: false });
  const one = await create('Lynx that stays here');
  expect((await get('/desk/list?search=lynx')).text).not.toMatch(/>Erase/);
  for (const form of [
    { action: 'erase', seen: seen(one) },
    { action: 'erase', all: '2099-01-01T00:00:00.000Z' },
  ]) {
    const { status, text } = await post('/desk/list?search=lynx', form);
    expect({ status, says: text.includes('permission to erase') }).toEqual({ status: 422, says: true });
  }
  expect(await find('lynx')).toHaveLength(1);
});

test('everything one person wrote is found by e-mail address, in any case, a hundred at a time', async () => {
  const { send } = await desk.signedIn();
  const author = { name: 'Noreply', email: 'noreply@example.com' };
  await createMany(105, (n) => `Gnu number ${n}`, { author });
  const first = await send('/desk/author', { email: ' NOREPLY@example.com' });
  const pages = [first, await send('/desk/author', fieldsOf(first.text, 'Find more'))];
  const ids = pages.map(({ text }) => [...text.matchAll(/name="seen" value="([^@]*)@/g)].map(([, id]) => id));
  expect(ids.map(({ length }) => length)).toEqual([100, 5]);
  expect(new Set(ids.flat()).size).toBe(105);
  expect((await send('/desk/author', { email: ' \u200b' })).text).toContain('Enter an e-mail address first.');
});

test('a decision over the API shows the name of its token', async () => {
  const { get } = await desk.signedIn();
  const { id } = await create('A tortoise of the API');
  const named = ['--organization', 'acme', '--name', 'Robot', '--permission', 'testimonials:moderate'];
  const { stdout } = await adminOf(api.table)('token', 'issue', ...named);
  const { status } = await api.call({
    routeKey: 'PATCH /v1/testimonials/{id}',
    pathParameters: { id },
    headers: { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'approved' }),
  });
  expect(status).toBe(200);
  expect((await get('/desk/list?search=tortoise')).text).toMatch(
    /<dt>Approved<\/dt><dd>by <bdi>Robot<\/bdi>, <time/,
  );
});

test('the queue, the list and the page of an author show the page and the time of consent', async () => {
  const page = '0123456789abcdefABCDEF';
  const input = {
    content: 'Walrus by link',
    author: { name: 'Wim', email: 'wim@example.com' },
    type: 'text',
  } as const;
  const deps = { ...storesOf(api.table), now: api.table.now, randomInt };
  const { testimonial } = await createTestimonial(deps, { organization: 'acme', input, form: page });
  const { id, createdAt: at } = testimonial;
  await create('Walrus without a form');
  const minute = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  const consent = `<dt>Consent</dt><dd><time datetime="${at}">${minute}</time>, in <a href="https://api.example.com/f/${page}">this form</a></dd>`;
  const { get, send } = await desk.signedIn({ name: 'Ann' });
  const shown = (text: string) => text.split(consent).length - 1;
  const calls: string[] = [];
  expect(shown((await get('/desk/queue?search=walrus+link')).text)).toBe(1);
  onTableCall(api.table, (name) => calls.push(name));
  const { text } = await get('/desk/list?search=walrus');
  onTableCall(api.table, () => {});
  expect([shown(text), text.split('Consent<').length - 1]).toEqual([1, 1]);
  // One call reads the rows of all cards, another one the person of the session.
  expect(calls.filter((name) => name === 'BatchGetItemCommand')).toHaveLength(2);
  await send('/desk/list', { one: `approve on ${seen(testimonial)}` });
  expect((await get('/desk/list?search=walrus')).text).toMatch(
    /<dt>Approved<\/dt><dd>by <bdi>Ann<\/bdi>, <time[\s\S]*<dt>Consent/,
  );
  const byAuthor = await send('/desk/author', { email: 'wim@example.com' });
  expect(shown(byAuthor.text)).toBe(1);
  const [found] = await find('walrus+link');
  if (!found) throw new Error(`${id} is not found`);
  expect(JSON.stringify(found)).not.toContain(page);
  await send('/desk/list', { action: 'erase', seen: seen(found) });
  expect((await get('/desk/list?search=walrus')).text).not.toContain('Consent<');
});

test('a decision older than the status on the page is not shown, and consent is', async () => {
  const one = await create('Ibex that was decided on');
  const shown = { ...one, status: 'approved', updatedAt: '2026-02-01T00:00:00.000Z' };
  const old = {
    testimonial: { ...shown, updatedAt: '2026-01-15T00:00:00.000Z' },
    decision: { by: 'Ann', at: '' },
    consent: { page: '0123456789abcdefABCDEF', at: one.createdAt },
  };
  const testimonials = { findMany: async () => [old] };
  const deps = { testimonials, serviceUrl: 'https://api.example.com' } as never; // everything that it reads
  const found = await factsOf(deps, [shown as never]);
  const form = 'https://api.example.com/f/0123456789abcdefABCDEF';
  expect(found.get(one.id)).toEqual({ consent: { at: one.createdAt, form } });
});

test('the list has every parameter of the API', async () => {
  const { text } = await owner.get('/desk/list');
  for (const name of ['search', 'type', 'rating', 'tags', 'sort', 'order', 'limit']) {
    expect(text).toContain(`name="${name}"`);
  }
  for (const status of ['all', 'pending', 'approved', 'rejected'])
    expect(text).toContain(`href="/desk/list?status=${status}"`);
  // The filters keep the status of the tab.
  expect((await owner.get('/desk/list?status=rejected')).text).toContain(
    '<input type="hidden" name="status" value="rejected">',
  );
  await create('A zebra of five', { rating: 5, tags: ['stripes'] });
  await create('A zebra of three', { rating: 3, tags: ['stripes'] });
  const one = await owner.get('/desk/list?search=zebra&rating=4&tags=Stripes&status=pending&type=text');
  expect(one.text).toContain('>1 testimonial<');
  const asc = await owner.get('/desk/list?search=zebra&sort=rating&order=asc&limit=1&page=2');
  expect(asc.text).toContain('A zebra of five');
  expect(asc.text).not.toContain('A zebra of three');
  expect(asc.text).toMatch(/name="page"[^>]*value="2"/);
  // The words for the order depend on the sort.
  expect(asc.text).toContain('<option value="asc" selected>Lowest rating first</option>');
  expect(asc.text).toContain('Order: <bdi>Lowest rating first</bdi>');
  expect(text).toContain('<option value="desc" selected>Newest first</option>');
  const beyond = await owner.get('/desk/list?search=zebra&page=7');
  expect(beyond.text).toMatch(
    /The list has fewer pages now<[\s\S]*href="\/desk\/list\?search=zebra&amp;page=1">First</,
  );
  const wrong = expect.stringContaining('<p>page must be a whole number');
  expect(await owner.get('/desk/list?page=0')).toMatchObject({ status: 400, text: wrong });
  for (const tag of ['tail', 'mane']) await create(`A lion with a ${tag}`, { tags: [tag] });
  expect((await owner.get('/desk/list?tags=tail&tags=mane')).text).toContain('>2 testimonials<');
});

test('a selection is approved, tagged and erased; a testimonial that someone else changed is marked and skipped', async () => {
  const animals = ['one', 'two', 'three'].map((n) => create(`Toucan ${n} of some`));
  const [a, b, c] = (await Promise.all(animals)) as [Testimonial, Testimonial, Testimonial];
  const act = (action: string, some: readonly Testimonial[], more = {}) =>
    owner.send('/desk/list?search=toucan', { action, seen: some.map(seen), ...more });
  await adminOf(api.table)('testimonial', 'reject', b.id, '--organization', 'acme');
  const response = await act('approve', [a, b, c]);
  expect(response.text).toContain('2 testimonials approved.');
  expect(response.text).toMatch(/Someone else changed this testimonial first[\s\S]*Toucan two/);
  expect((await find('toucan')).map(({ status }) => status).sort()).toEqual([
    'approved',
    'approved',
    'rejected',
  ]);

  const now = await find('toucan');
  expect((await act('tag', now, { tags: ' featured, Best ' })).text).toContain('3 testimonials tagged.');
  const tagged = await find('toucan');
  expect(tagged.map(({ tags }) => tags)).toEqual(now.map(() => ['featured', 'Best']));
  const long = 'x'.repeat(51);
  expect((await act('tag', now, { tags: long })).text).toContain(`The tag “${long.slice(0, 19)}…” must`);
  expect((await act('approve', [])).text).toContain('Select testimonials first.');

  const [first] = tagged as [Testimonial];
  const asked = await owner.send('/desk/list?search=toucan', { one: `ask to erase on ${seen(first)}` });
  expect(asked.text).toContain('Erase 1 testimonial for good?');
  // The page showed the testimonial before it was tagged.
  expect((await act('erase', [c])).text).toContain('Someone else changed this testimonial first');
  expect(await find('toucan')).toHaveLength(3);
  const erased = await act('erase', [first]);
  expect(erased.text).toContain('1 testimonial erased');
  expect(erased.text).toContain('>2 testimonials<');
  expect((await act('erase', [first])).text).toContain('1 testimonial was already erased.');
  expect(await find('toucan')).toHaveLength(2);
});

test('a queue form without a valid review or action changes nothing', async () => {
  const one = await create('Gazelle of nonsense');
  const review = '{"decisions":[],"skipped":[],"counts":{"pending":0,"approved":0,"rejected":0}}';
  for (const fields of [
    { key: 'a', seen: seen(one) },
    { key: 'a', seen: seen(one), review: '{"decisions":[{"id":1}]}' },
    { key: 'a', seen: 'nonsense', review },
    { key: 'x', seen: seen(one), review },
    { key: 'u', seen: seen(one), review },
  ]) {
    expect((await owner.send('/desk/queue', fields)).status).toBe(422);
  }
  expect(await find('gazelle')).toMatchObject([{ status: 'pending' }]);
});

test('a form that no page of the desk contains is refused', async () => {
  expect((await owner.send('/desk/list', { action: 'approve', seen: 'nonsense' })).status).toBe(422);
  expect((await owner.send('/desk/list', { action: 'drop', seen: 'test_1@2026' })).text).toContain(
    'This form is out of date. Reload the page.',
  );
  expect((await owner.get('/desk/absent')).status).toBe(404);
});

test('the queue names its wrong parameters', async () => {
  const { status, text } = await owner.get('/desk/queue?rating=9&type=text&type=video');
  expect(status).toBe(400);
  expect(text).toContain('type must be given only once. rating must be a whole number from 1 to 5.');
});
