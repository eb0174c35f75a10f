/** What people do at the desk of a deployment. */
import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { stepSize } from '../../../functions/operations/attempt-matching.ts';
import { createTestimonial } from '../../../functions/operations/create-testimonial.ts';
import { deskStore } from '../../../functions/persistence/dynamodb-desk-store.ts';
import { tokenStore } from '../../../functions/persistence/dynamodb-token-store.ts';
import { decisionsOn } from '../../../functions/serve-desk/parts/testimonial.ts';
import { type ApiClient, createApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { deskOf } from '../../desk-client.ts';
import { onTableCall } from '../../table-calls.ts';

let api: ApiClient;
let desk: Awaited<ReturnType<typeof deskOf>>;
beforeAll(async () => {
  api = await createApiClient();
  desk = await deskOf(api.table);
});

/** Creates many at once, as nobody looks at their answers. */
async function createMany(
  count: number,
  content: (n: number) => string,
  tags: string[] = [],
  organization = 'acme',
): Promise<Created[]> {
  const { testimonials, idempotencyKeys } = storesOf(api.table);
  const deps = { testimonials, idempotencyKeys, now: api.table.now, randomInt };
  const made: Created[] = [];
  for (let n = 0; n < count; n += 1) {
    const { testimonial } = await createTestimonial(deps, {
      organization,
      input: testimonialBody({ content: content(n), tags }) as TestimonialInput, // a valid one
    });
    made.push({ tags: [], ...testimonial });
  }
  return made;
}

interface Created {
  id: string;
  updatedAt: string;
  status: string;
  tags: string[];
}
async function create(content: string, overrides: Record<string, unknown> = {}): Promise<Created> {
  return (await api.create(testimonialBody({ content, ...overrides }))).body;
}
async function find(search: string): Promise<Created[]> {
  return (await api.list(`search=${search}&limit=100`)).body.testimonials;
}
const seen = ({ id, updatedAt }: Created) => `${id}@${updatedAt}`;
const fieldOf = (text: string, name: string) =>
  (new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '').replaceAll('&quot;', '"');

/** The form of the page that goes on, as a browser sends it. */
function nextForm(text: string): Record<string, string> {
  const fields = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return Object.fromEntries(
    fields.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]),
  );
}

test('a person approves with a tag in the queue, by one request, and takes that back', async () => {
  const { get, post } = await desk.signedIn({ name: 'Ann' });
  const { id } = await create('Elephant of the queue', { tags: ['grey'] });
  const shown = await get('/desk/queue?search=elephant');
  const form = { review: fieldOf(shown.text, 'review'), seen: fieldOf(shown.text, 'seen') };
  const approved = await post('/desk/queue?search=elephant', { ...form, key: 'a', tags: 'Big, grey' });
  expect(approved.text).toContain('Jane Doe is approved.');
  expect(await find('elephant')).toMatchObject([{ id, status: 'approved', tags: ['grey', 'Big'] }]);
  expect(approved.logged).toMatch(
    /"person":"Ann","changes":\[\{"id":"test_\d+","before":\{"status":"pending","tags":1,/,
  );
  expect((await get('/desk/list?search=elephant')).text).toMatch(/approved by <bdi>Ann<\/bdi>, <time/);
  await post('/desk/queue?search=elephant', { review: fieldOf(approved.text, 'review'), key: 'u' });
  expect(await find('elephant')).toMatchObject([{ status: 'pending', tags: ['grey'] }]);
});

test('an approval in the queue makes no call to the store beside the change, and what the next card and the badge need', async () => {
  await Promise.all([1, 2, 3].map((n) => create(`Otter ${n} of the queue`)));
  const remembering = await deskOf(api.table, { remembers: true });
  const { get, post } = await remembering.signedIn();
  const shown = await get('/desk/queue');
  const form = { review: fieldOf(shown.text, 'review'), seen: fieldOf(shown.text, 'seen'), key: 'a' };
  const calls: string[] = [];
  onTableCall(api.table, (name) => calls.push(name));
  await post('/desk/queue', form);
  onTableCall(api.table, () => {});
  const change = ['GetItemCommand', 'UpdateItemCommand', 'PutItemCommand', 'UpdateItemCommand'];
  expect(calls.slice(0, 4)).toEqual(change);
  expect(calls.slice(4).filter((each) => each !== 'QueryCommand' && each !== 'BatchGetItemCommand')).toEqual(
    [],
  );
  expect(calls.length).toBeLessThanOrEqual(change.length + 2);
});

test('no API answer has who decided', async () => {
  const { text } = { text: JSON.stringify(await find('elephant')) };
  expect(text).not.toMatch(/decision|Ann/);
});

describe('all that match', () => {
  test('are changed in steps; what somebody changed since they were shown is left', async () => {
    const { get, post } = await desk.signedIn();
    await createMany(stepSize + 10, (n) => `Penguin ${n} of many`);
    const list = await get('/desk/list?search=penguin&limit=10');
    expect(list.text).toContain(`All ${stepSize + 10} testimonials that match`);
    const [, until = ''] = /name="all" value="([^"]*)"/.exec(list.text) ?? [];
    const [late] = await find('penguin');
    await post('/desk/list', { one: `reject on ${seen(late as Created)}` });
    await create('Penguin who came later');

    const form = { action: 'approve', all: until, of: fieldOf(list.text, 'of') };
    let page = await post('/desk/list?search=penguin&limit=10', form);
    expect(page.text).toContain(`${stepSize} of ${stepSize + 10} testimonials approved`);
    // Another running function goes on with it.
    const other = await desk.signedIn();
    let steps = 1;
    for (; page.text.includes('Going on'); steps += 1) {
      page = await other.post('/desk/list?search=penguin', nextForm(page.text));
    }
    expect(page.text).toContain(`${stepSize + 9} testimonials approved.`);
    expect(steps).toBe(3);
    const byStatus = Map.groupBy(await find('penguin'), ({ status }) => status);
    expect(byStatus.get('approved')).toHaveLength(stepSize + 9);
    expect(byStatus.get('rejected')).toMatchObject([{ id: late?.id }]);
    expect(byStatus.get('pending')).toHaveLength(1);
  });

  test('are passed where there is nothing to change, and tagged once', async () => {
    const { get, post } = await desk.signedIn();
    await createMany(3, (n) => `Walrus ${n} with ice`, ['ice']);
    await createMany(stepSize + 2, (n) => `Walrus ${n} of many`);
    const list = await get('/desk/list?search=walrus');
    const form = { action: 'tag', tags: 'Ice', all: fieldOf(list.text, 'all'), of: fieldOf(list.text, 'of') };
    let page = await post('/desk/list?search=walrus', form);
    while (page.text.includes('Going on')) page = await post('/desk/list?search=walrus', nextForm(page.text));
    expect(page.text).toContain(`${stepSize + 2} testimonials tagged.`);
    expect(page.text).toContain('3 testimonials left alone');
    expect((await api.list('search=walrus&tags=ice')).body.pagination.total).toBe(stepSize + 5);
  });

  test('are all done though others erase what stays in front meanwhile', async () => {
    const { get, post } = await desk.signedIn();
    const tagged = await createMany(stepSize, (n) => `Seal ${n} of many`, ['ice']);
    await createMany(2 * stepSize, (n) => `Seal ${n} without`);
    const list = await get('/desk/list?search=seal');
    const form = { action: 'tag', tags: 'ice', all: fieldOf(list.text, 'all'), of: fieldOf(list.text, 'of') };
    let page = await post('/desk/list?search=seal', form);
    await post('/desk/list', { action: 'erase', seen: tagged.slice(0, 30).map(seen) });
    while (page.text.includes('Going on')) page = await post('/desk/list?search=seal', nextForm(page.text));
    expect(page.text).toContain(`${2 * stepSize} testimonials tagged.`);
    const { pagination } = (await api.list('search=seal&tags=ice')).body;
    expect(pagination.total).toBe(3 * stepSize - 30);
  });

  test('are not meant by the button of one card', async () => {
    const { get, post } = await desk.signedIn();
    const [one] = [await create('Newt one of some'), await create('Newt two of some')];
    const list = await get('/desk/list?search=newt');
    const all =
      /name="all" value="([^"]*)"/.exec(list.text)?.[1] ?? new Date(Date.now() + 1000).toISOString();
    await post('/desk/list?search=newt', { one: `reject on ${seen(one as Created)}`, all, of: '2' });
    expect((await find('newt')).map(({ status }) => status).sort()).toEqual(['pending', 'rejected']);
  });

  test('are erased once more than one has been asked', async () => {
    const { get, post } = await desk.signedIn();
    for (let n = 0; n < 12; n += 1) await create(`Dodo ${n} of many`);
    const list = await get('/desk/list?search=dodo&limit=10');
    const form = { all: fieldOf(list.text, 'all'), of: fieldOf(list.text, 'of') };
    const asked = await post('/desk/list?search=dodo', { ...form, action: 'ask to erase' });
    expect(asked.text).toContain('Erase 12 testimonials for good?');
    let page = await post('/desk/list?search=dodo', { ...nextForm(asked.text), action: 'erase' });
    while (page.text.includes('Going on')) page = await post('/desk/list?search=dodo', nextForm(page.text));
    expect(page.text).toContain('12 testimonials erased');
    expect(await find('dodo')).toEqual([]);
  });
});

test('whoever may not erase sees no button, and changes nothing by a form', async () => {
  const { get, post } = await desk.signedIn({ name: 'Ben', mayErase: false });
  const one = await create('Lynx that stays here');
  expect((await get('/desk/list?search=lynx')).text).not.toMatch(/>Erase/);
  for (const form of [
    { action: 'erase', seen: seen(one) },
    { action: 'erase', all: '2099-01-01T00:00:00.000Z' },
  ]) {
    const { status, text } = await post('/desk/list?search=lynx', form);
    expect({ status, says: text.includes('You may not erase') }).toEqual({ status: 422, says: true });
  }
  expect(await find('lynx')).toHaveLength(1);
});

test('all of one person are found by the address, whatever its case, and in steps', async () => {
  const { post } = await desk.signedIn();
  await create('Heron of somebody', { author: { name: 'Iris', email: 'iris@example.com' } });
  await create('Heron of somebody else');
  let page = await post('/desk/author', { email: ' IRIS@example.com' });
  while (page.text.includes('Searching')) page = await post('/desk/author', nextForm(page.text));
  expect(page.text).toContain('1 testimonial by');
  expect(page.text).toContain('Heron of somebody<');
});

test('of one person who wrote much, a hundred are found at a time', async () => {
  const { post } = await desk.signedIn();
  const author = { name: 'Noreply', email: 'noreply@example.com' };
  for (let n = 0; n < 130; n += 1) await create(`Gnu number ${n}`, { author });
  const pages = [await post('/desk/author', { email: author.email })];
  pages.push(await post('/desk/author', nextForm(String(pages[0]?.text))));
  const ids = pages.map(({ text }) => [...text.matchAll(/name="seen" value="([^@]*)@/g)].map(([, id]) => id));
  expect(ids.map(({ length }) => length)).toEqual([100, 30]);
  expect(new Set(ids.flat()).size).toBe(130);
});

test('nobody is named for a decision that is older than the status that is shown', async () => {
  const one = await create('Ibex that was decided on');
  const shown = { ...one, status: 'approved', updatedAt: '2026-02-01T00:00:00.000Z' };
  const old = {
    testimonial: { ...shown, updatedAt: '2026-01-15T00:00:00.000Z' },
    decision: { by: 'Ann', at: '' },
  };
  const stores = { testimonials: { findMany: async () => [old] } };
  // What it reads of a desk and a testimonial is there.
  const found = await decisionsOn({ stores, organization: 'acme' } as never, [shown as never]);
  expect([...found.keys()]).toEqual([]);
});

describe('another organization', () => {
  test('is seen and changed by no page, path or id', async () => {
    const other = await desk.signedIn({ organization: 'other', name: 'Eve' });
    const one = await create('Secret badger of acme');
    for (const path of [
      '/desk/queue',
      '/desk/list',
      '/desk/list?search=badger',
      '/desk/numbers',
      '/desk/wall',
      '/desk/wall/v1/testimonials',
    ]) {
      const { status, text } = await other.get(path);
      expect({ path, status, leaks: /Secret badger|acme/.test(text) }).toEqual({
        path,
        status: 200,
        leaks: false,
      });
    }
    const told = await other.post('/desk/list', { action: 'approve', seen: seen(one) });
    expect(told.text).toContain('1 testimonial not there any more.');
    await other.post('/desk/list', { action: 'erase', seen: seen(one) });
    const found = await other.post('/desk/author', { email: 'jane@example.com' });
    expect(found.text).toContain('0 testimonials by');
    expect(await find('badger')).toMatchObject([{ status: 'pending', updatedAt: one.updatedAt }]);
  });

  test('keeps its tokens', async () => {
    const token = await api.issue(['testimonials:read-published']);
    const [{ id = '' } = {}] = await tokenStore(api.table).list('acme');
    const other = await desk.signedIn({ organization: 'other' });
    await other.post('/desk/wall', { revoke: id });
    expect((await api.list('', { authorization: `Bearer ${token}` })).status).toBe(200);
  });
});

test('a token for a page is made, works, is not shown again, and is revoked; no other token is shown', async () => {
  const { get, post } = await desk.signedIn({ name: 'Cleo' });
  const made = await post('/desk/wall?rating=4&look=row&hide=dates', { name: 'home page' });
  const [, token = ''] = /token=(?:&quot;|")(tst_\w+)/.exec(made.text) ?? [];
  expect(made.text).toContain('src=&quot;https://api.example.com&quot;');
  expect(made.text).toContain('rating=&quot;4&quot; look=&quot;row&quot; hide=&quot;dates&quot;');
  expect((await get('/desk/wall?hide=everything')).text).toContain('hide must be of');
  expect(made.text).toContain('https://www.example.com may ask this API');
  const published = { authorization: `Bearer ${token}` };
  expect((await api.list('', published)).status).toBe(200);
  expect((await api.create(testimonialBody(), published)).status).toBe(403);
  const page = await get('/desk/wall');
  expect(page.text).not.toContain(token);
  const ids = [...page.text.matchAll(/name="revoke" value="([^"]*)"/g)].map(([, id]) => id);
  const own = await tokenStore(api.table).list('acme');
  const homes = own.filter(({ name }) => name === 'home page');
  expect(ids).toContain(homes[0]?.id);
  const secret = own.find(({ permissions }) => permissions.includes('testimonials:write'));
  await post('/desk/wall', { revoke: String(secret?.id) });
  expect((await api.list('')).status).toBe(200);
  await post('/desk/wall', { revoke: String(homes[0]?.id) });
  expect((await api.list('', published)).status).toBe(401);
});

test('the wall’s preview has what everyone sees, and nothing else', async () => {
  const { get } = await desk.signedIn();
  const { text } = await get('/desk/wall/v1/testimonials?limit=100&status=all&token=preview');
  const { testimonials } = JSON.parse(text);
  expect(testimonials.length).toBeGreaterThan(0);
  for (const each of testimonials) {
    expect(each).toMatchObject({ id: expect.stringMatching(/^pub_/), status: 'approved' });
    expect(each.author.email).toBeUndefined();
  }
});

test('a desk pays from its organization’s budget, and says so where that is used up', async () => {
  const poor = await deskOf(api.table, { limits: { rate: 1 / 20 } });
  const { get } = await poor.signedIn();
  const pages = [];
  for (let i = 0; i < 5; i += 1) pages.push(await get('/desk/queue'));
  const last = pages.at(-1);
  expect(last?.status).toBe(429);
  expect(last?.text).toContain('as many requests as it may in a minute');
});

test('twenty people on one queue undo nobody, and see nothing again that they decided; who is removed is out', async () => {
  const table = api.table;
  const people = await Promise.all(
    Array.from({ length: 20 }, (_, i) => desk.signedIn({ organization: 'busy', name: `Person ${i}` })),
  );
  const busy = await createApiClient(table);
  const token = await busy.issue(['testimonials:read', 'testimonials:write'], 'busy');
  const headers = { authorization: `Bearer ${token}` };
  await createMany(40, (n) => `Ant number ${n}`, [], 'busy');
  const decided = new Map<string, string>();
  const shownAgain: string[] = [];
  const out: number[] = [];
  await Promise.all(
    people.map(async ({ get, post, person }, i) => {
      const own = new Set<string>();
      let page = await get('/desk/queue');
      for (let turn = 0; turn < 5 && fieldOf(page.text, 'seen') !== ''; turn += 1) {
        const shown = fieldOf(page.text, 'seen');
        const [id = ''] = shown.split('@');
        if (own.has(id)) shownAgain.push(id);
        own.add(id);
        const key = i % 2 === 0 ? 'a' : 'r';
        page = await post('/desk/queue', { review: fieldOf(page.text, 'review'), seen: shown, key });
        if (/ is (approved|rejected)\.</.test(page.text))
          decided.set(id, key === 'a' ? 'approved' : 'rejected');
        if (i < 2 && turn === 2) {
          await deskStore(table).removePerson('busy', person.id);
          page = await get('/desk/queue');
          out.push(page.status);
        }
      }
    }),
  );
  const { testimonials } = (await busy.list('limit=100', headers)).body;
  for (const { id, status } of testimonials)
    expect({ id, status }).toEqual({ id, status: decided.get(id) ?? 'pending' });
  expect(decided.size).toBeGreaterThan(0);
  expect(shownAgain).toEqual([]);
  expect(out).toEqual([401, 401]);
});
