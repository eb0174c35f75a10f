/**
 * The parts of the desk that help to find testimonials: the number in the tab, tags to suggest and to follow,
 * people by their address, next steps.
 */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { type ApiClient, testimonialBody } from '../../api-client.ts';
import { type Browser, type Desk, openDesk, type Page } from '../../desk-client.ts';
import { fieldsOf, plain, seen } from '../../forms.ts';
import { moderate } from '../../moderate.ts';
import { addPage } from '../../page-visitor.ts';

let api: ApiClient;
let desk: Desk;
let owner: Browser;
beforeEach(async () => {
  ({ api, desk, owner } = await openDesk({ pages: true }));
});

async function create(content: string, overrides: Record<string, unknown> = {}): Promise<Testimonial> {
  return (await api.create(testimonialBody({ content, ...overrides }))).body;
}

const by = (email: string, name = 'Tea') => ({ author: { name, email } });
const titleOf = ({ text }: Pick<Page, 'text'>) => /<title>(.*?)<\/title>/.exec(text)?.[1];

describe('the tab', () => {
  test('has the number of pending testimonials in the title of every page, as it is after each action', async () => {
    const one = await create('First of two texts');
    await create('Second of two texts');
    const { id } = await addPage(api.table, { title: 'Tell us' });
    const pages = [
      'queue',
      'list',
      'numbers',
      'pages',
      `pages/${id}`,
      'people',
      'me',
      'list?status=approved',
    ];
    for (const path of pages)
      expect(titleOf(await owner.get(`/desk/${path}`))).toMatch(/^\(2\) \S.* · acme · Desk$/);
    const approved = await owner.send('/desk/list', { action: 'approve', seen: seen(one) });
    expect(titleOf(approved)).toBe('(1) Testimonials · acme · Desk');
    const form = fieldsOf((await owner.get('/desk/queue')).text, 'Undo');
    expect(titleOf(await owner.send('/desk/queue', { ...form, key: 'r' }))).toBe('Queue · acme · Desk');
  });

  test('has an icon for each number, which needs no session', async () => {
    const { text } = await owner.get('/desk/me');
    const [, path = ''] = /<link rel="icon" href="(.*?)icon\.svg"/.exec(text) ?? [];
    const iconOf = (number: string) => desk.browser().get(`${path}icon-${number}.svg`);
    const headers = { 'content-type': 'image/svg+xml', 'x-content-type-options': 'nosniff' };
    for (const [number, shown] of [
      ['1', '>1<'],
      ['42', '>42<'],
      ['100', '>99+<'],
    ] as const)
      expect(await iconOf(number)).toMatchObject({
        status: 200,
        headers,
        text: expect.stringContaining(shown),
      });
    for (const none of ['0', '01', '101', 'x']) expect((await iconOf(none)).status).toBe(401);
  });
});

describe('tags', () => {
  const suggested = ({ text }: Page) =>
    Array.from(
      (/<datalist[\s\S]*?<\/datalist>/.exec(text)?.[0] ?? '').matchAll(/value="(.*?)"/g),
      ([, tag = '']) => plain(tag),
    );

  test('the queue suggests those of the latest approvals, and those that were just added', async () => {
    const tagged = await create('Approved with tags', { tags: ['R&D', 'support'] });
    await moderate(api, 'acme', tagged.id, 'approved', new Date());
    const again = await create('Approved later, too', { tags: ['support', 'later'] });
    await moderate(api, 'acme', again.id, 'approved', new Date(Date.now() + 60_000));
    for (const content of ['First pending text', 'Second pending text', 'Third pending text']) {
      await create(content, { tags: ['pending only'] });
    }
    const first = await owner.get('/desk/queue');
    expect(suggested(first)).toEqual(['support', 'later', 'R&D']);
    const form = { ...fieldsOf(first.text, 'Undo'), key: 'a', tags: 'brand new, R&D' };
    // Both ways of going on: by the script, and by a redirect.
    const next = await owner.post('/desk/queue', form, { 'hx-request': 'true' });
    expect(suggested(next).toSorted()).toEqual(['R&D', 'brand new', 'later', 'support']);
    const tooLong = { ...fieldsOf(next.text, 'Undo'), key: 'a', tags: 'x'.repeat(51) };
    const wrong = await owner.post('/desk/queue', tooLong);
    expect(suggested(wrong).toSorted()).toEqual(['R&D', 'brand new', 'later', 'support']);
  });

  test('the list suggests those on its page, and links to the list of each', async () => {
    await create('A heron in the reeds', { tags: ['R&D', 'wet'] });
    await create('A stork on the roof', { tags: ['wet'] });
    const page = await owner.get('/desk/list');
    expect(suggested(page)).toEqual(['wet', 'R&D']);
    const [, link = ''] = /href="(\/desk\/list\?tags=R[^"]*)"><bdi>R&amp;D</.exec(page.text) ?? [];
    const { text } = await owner.get(plain(link));
    expect(text).toContain('A heron in the reeds');
    expect(text).not.toContain('A stork on the roof');
    expect(text).toContain('<p class="count" role="status">1 testimonial</p>');
  });
});

test('an undo is named after what it does, with its person', async () => {
  await create('Decided twice by Olivia');
  const queue = await owner.get('/desk/queue');
  expect(queue.text).not.toContain('Back to pending');
  const approved = await owner.send('/desk/queue', { ...fieldsOf(queue.text, 'Undo'), key: 'a' });
  const undone = await owner.send('/desk/queue', { ...fieldsOf(approved.text, 'Undo'), key: 'u' });
  expect(undone.text).toMatch(/<dt>Back to pending<\/dt><dd>by <bdi>Olivia<\/bdi>, <time/);
  expect(undone.text).not.toContain('<dt>Pending</dt>');
});

describe('a search for an e-mail address', () => {
  beforeEach(async () => {
    await create('A tern by the sea', by('tea@example.com'));
    await create('Tea wrote again, later', by('tea@example.com'));
    await create('Someone else entirely', by('bo@example.com', 'Bo'));
  });
  const own = { 'sec-fetch-site': 'same-origin' };
  const search = (words: string, headers = {}) =>
    owner.get(`/desk/list?${new URLSearchParams({ search: words })}`, { ...own, ...headers });
  const pathOf = async (address: string) => {
    const { status, headers } = await search(address);
    expect(status).toBe(303);
    return String(headers.location);
  };
  const textsBy = async (address: string) => (await owner.get(await pathOf(address))).text;

  test('leads to everything by that person, whom the cards name as soon as one differs', async () => {
    const namesIn = (text: string) =>
      Array.from(text.matchAll(/<span class="(visually-hidden)?"><bdi>Tea<\/bdi>/g), ([, each]) => each);
    for (const address of ['tea@example.com', ' TEA@Example.com ']) {
      const text = await textsBy(address);
      expect(text).toMatch(/<bdi>tea@example.com<\/bdi>[\s\S]*>2 testimonials, oldest first</);
      expect(text).not.toContain('Someone else');
      expect(text).toContain('<a href="mailto:tea@example.com">');
      expect(text).toContain('class="toolbar"');
      expect(namesIn(text)).toEqual(['visually-hidden', 'visually-hidden']);
    }
    await create('As head of the harbor now', { author: { ...by('tea@example.com').author, role: 'Head' } });
    expect(namesIn(await textsBy('tea@example.com'))).toEqual([undefined, undefined, undefined]);
    // Someone who wrote once has no actions on a selection, since there is none.
    const once = await textsBy('bo@example.com');
    expect(once).toContain('1 testimonial<');
    expect(once).toMatch(/<button name="one" value="approve on /);
    expect(once).not.toMatch(/name="seen"|class="toolbar"|name="action"|name="tags"/);
  });

  test('leads back to everything by that person after an action, and nowhere else', async () => {
    const path = await pathOf('tea@example.com');
    const page = await owner.get(path);
    expect(page.text).toContain('<h1><bdi>Tea</bdi></h1>');
    expect(page.text).not.toContain('All by this person');
    const [, action = ''] = /<form method="post" action="([^"]*)" id="selection"/.exec(page.text) ?? [];
    const [one = '', other = ''] = Array.from(
      page.text.matchAll(/name="seen" value="([^"]*)"/g),
      ([, each = '']) => each,
    );
    const approved = await owner.send(plain(action), { one: `approve on ${one}` });
    expect(approved.text).toMatch(/<h1><bdi>Tea<\/bdi><\/h1>[\s\S]*1 testimonial approved\./);
    const asked = await owner.send(plain(action), { action: 'ask to erase', seen: [other] });
    expect(decodeURIComponent(plain(asked.text))).toContain(`href="${path}">Keep it</a>`);
    const erased = await owner.send(plain(action), { action: 'erase', seen: [other] });
    expect(erased.text).toMatch(/<h1><bdi>Tea<\/bdi><\/h1>[\s\S]*1 testimonial erased\./);
    // Someone else has decided: the list offers a new decision.
    const late = await owner.send(plain(action), { one: `reject on ${one}` });
    expect(late.text).toContain('Someone else changed this testimonial first');
    const [last = ''] = /test_\d+@[^"]*/.exec((await owner.get(path)).text) ?? [];
    const gone = await owner.post(plain(action), { action: 'erase', seen: [last] });
    expect((await owner.get(String(gone.headers.location))).headers.location).toBe('/desk/list');
    const elsewhere = `/desk/list?${new URLSearchParams({ author: '//attacker.example/?ids=x' })}`;
    const sent = await owner.post(elsewhere, { one: `approve on ${seen(await create('A last tern'))}` });
    expect(sent.headers.location).toMatch(/^\/desk\/author\?/);
  });

  test('without a testimonial says so, above a text that mentions the address; parts of one are words', async () => {
    const { status, text } = await search('nobody@example.com');
    expect(status).toBe(200);
    expect(text).toContain('No testimonials by nobody@example.com (searched 3 testimonials).');
    expect(text).not.toMatch(/Nothing matches|Searches do not look/);
    await create('Please ask ida@example.com about it', by('bo@example.com', 'Bo'));
    const { text: mentioned } = await search('ida@example.com');
    expect(mentioned).toContain(
      'No testimonials by ida@example.com (searched 4 testimonials). The text of this one mentions the address:',
    );
    expect(mentioned).toContain('Please ask ida@example.com about it');
    for (const words of ['tea', 'tea@', 'tea@example', '@example.com'])
      expect([words, (await search(words)).status]).toEqual([words, 200]);
  });

  test('goes on after those that were found, and after they are erased says that there may be more', async () => {
    const { searchParams } = new URL(await pathOf('tea@example.com'), 'https://api.example.com');
    const ids = searchParams.get('ids') ?? '';
    const last = ids.split(',').at(-1) ?? '';
    const page = await owner.get(`/desk/author?ids=${ids}&after=${last}`);
    expect(page.text).toContain('2 testimonials, oldest first. There may be more');
    const fields = { email: 'tea@example.com', after: last, read: '', more: 'yes', found: '' };
    const more = await owner.send('/desk/author', fields);
    expect(more.text).toContain('No more testimonials by tea@example.com.');
    for (const testimonial of (await api.list('limit=100')).body.testimonials)
      await owner.send('/desk/list', { action: 'erase', seen: [seen(testimonial)] });
    const gone = await owner.get(`/desk/author?ids=${ids}&after=${last}`);
    expect(gone.text).toContain('There may be more by this person');
  });

  test('goes nowhere while it is typed, and from another website, but offers to', async () => {
    const htmx = { 'hx-request': 'true' };
    for (const headers of [htmx, { 'sec-fetch-site': 'cross-site' }]) {
      const { status, text } = await search('tea@example.com', headers);
      expect(status).toBe(200);
      expect(text).toContain('Find everything by <bdi>tea@example.com</bdi>');
      expect(text).not.toContain('Searches do not look');
    }
    const submitted = await owner.get('/desk/list?search=tea%40example.com&submitted=yes', {
      ...own,
      ...htmx,
    });
    expect(submitted.status).toBe(303);
    const { headers } = await owner.get(String(submitted.headers.location), htmx);
    expect(headers).toMatchObject({ 'hx-retarget': '#main', 'hx-reselect': '#main' });
  });
});

test('from a page that no longer exists, the pager leads to the first one', async () => {
  const { text } = await owner.get('/desk/list?status=rejected&page=2');
  expect(plain(text)).toContain('href="/desk/list?status=rejected&page=1">Previous');
});

test('without testimonials, an owner creates a form, and a moderator asks for one', async () => {
  for (const [role, step] of [
    ['owner', 'href="/desk/pages">Create a form'],
    ['moderator', 'Ask an owner of your desk for the link of a form'],
  ] as const) {
    const { get } = await desk.signedIn({ role });
    const { text } = await get('/desk/list');
    expect(text).toContain('There are no testimonials yet.');
    expect(text).toContain(step);
    // A filter that nothing matches is another case.
    const filtered = (await get('/desk/list?rating=5')).text;
    expect(filtered).toContain('Nothing matches');
    expect(filtered).not.toContain('no testimonials yet');
  }
});

test.each([
  {
    count: 1,
    title: 'Erase 1 testimonial for good?',
    parts: ['Its text, author and tags', 'cannot undo this', 'keep it for', 'contain it.', 'Keep it'],
    none: /\b(them|their)\b/i,
    approval: 'visitors of your walls see it.',
    words: 'Export it',
  },
  {
    count: 2,
    title: 'Erase 2 testimonials for good?',
    parts: ['Their texts, authors and tags', 'cannot undo this', 'keep them', 'contain them.', 'Keep them'],
    none: /\b(it|its)\b/i,
    approval: 'visitors of your walls see them.',
    words: 'Export these',
  },
])('texts agree with their number, $count', async ({ count, title, parts, none, approval, words }) => {
  const all = [];
  for (let n = 0; n < count; n += 1) all.push(await create(`One of the ${count} texts`));
  const { text } = await owner.send('/desk/list', { action: 'ask to erase', seen: all.map(seen) });
  for (const part of [title, ...parts]) expect(text).toContain(part);
  expect(/<h1[\s\S]*?<form/.exec(text)?.[0]).not.toMatch(none);
  const matches = { all: new Date().toISOString(), edition: '1 0', of: String(count) };
  const asked = await owner.send('/desk/list', { ...matches, action: 'approve' });
  expect(asked.text).toContain(approval);
  const list = (await owner.get('/desk/list?status=pending&tags=')).text;
  expect(list).toContain(`href="/desk/files?status=pending#export"`);
  expect(list).toContain(words);
  expect((await owner.get('/desk/files?status=approved')).text).toMatch(/value="approved"[^>]* selected/);
});
