/** The feed of what waits: its document, its secret, and when it ends. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { hashSecret, makeSecret } from '../../../functions/domain/token.ts';
import { findVisit, makeFeed } from '../../../functions/serve-desk/people.ts';
import { type ApiClient, testimonialBody } from '../../api-client.ts';
import { type Desk, deskOf, openDesk, type SignedIn } from '../../desk-client.ts';
import { fieldsOf, linkIn } from '../../forms.ts';
import { moderate } from '../../moderate.ts';
import { storedItems } from '../../stored-items.ts';

const origin = 'https://api.example.com';
const minuteMs = 60_000;

let api: ApiClient;
let desk: Desk;
let olivia: SignedIn;

beforeEach(async () => {
  ({ api, desk, owner: olivia } = await openDesk({ remembers: true }));
});

/** Makes or renews the feed of an owner; returns the path that the page shows. */
async function made({ send }: Pick<SignedIn, 'send'> = olivia): Promise<string> {
  const { text } = await send('/desk/me', { action: 'feed' });
  const address = linkIn(text);
  expect(address).toMatch(/^https:\/\/api\.example\.com\/desk\/feed\?secret=tsf_\w{36}$/);
  return address.slice(origin.length);
}

const secretIn = (path: string) => path.replace(/.*=/, '');

/** Requests a path without cookies, at a function of its own. */
const read = (path: string, from: Desk = desk) => from.browser().get(path);

const statusAtAnother = async (path: string) => (await read(path)).status;

/** Returns the texts of an element in each entry, or of an attribute. */
const all = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found = '']) => found);
const titles = (text: string) => all(text, /<entry>[\s\S]*?<title>(.*?)<\/title>/g);

const create = async (overrides: object) =>
  (await api.create(testimonialBody({ content: 'A secret ostrich', ...overrides }))).body;

describe('the document', () => {
  test('has the stars of each pending testimonial and since when it waits, newest first, and nothing else of it', async () => {
    const author = {
      name: 'Hector <b>',
      email: 'hector@example.com',
      company: 'Ostrich & Co',
      role: 'Keeper',
    };
    const first = await create({ author, rating: 5, tags: ['plumage'] });
    const second = await create({ author, rating: 1 });
    const third = await create({ author, rating: undefined });
    const approved = await create({ author, rating: 4 });
    await moderate(api, 'acme', approved.id, 'approved', new Date());
    const { status, headers, text } = await read(await made());
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/atom+xml; charset=utf-8',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
    });
    const since = ({ createdAt }: { createdAt: string }) =>
      `received ${createdAt.slice(0, 10)} ${createdAt.slice(11, 16)} UTC`;
    expect(titles(text)).toEqual([
      `Unrated · ${since(third)}`,
      `1 star · ${since(second)}`,
      `5 stars · ${since(first)}`,
    ]);
    for (const part of [/ostrich/i, /hector/i, /@/, /keeper/i, /plumage/, /tsf_/])
      expect(text).not.toMatch(part);
    // Required elements (RFC 4287, sections 4.1.1 and 4.1.2).
    const [head = '', ...entries] = text.split('<entry>');
    expect(head).toMatch(
      /^<\?xml version="1\.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom">/,
    );
    for (const element of ['id', 'title', 'updated', 'author'])
      expect(all(head, new RegExp(`(<${element}>)`, 'g'))).toHaveLength(1);
    expect(entries).toHaveLength(3);
    for (const [i, { id, createdAt }] of [third, second, first].entries()) {
      const url = `${origin}/desk/queue?next=${id}`;
      const link = `<link rel="alternate" type="text/html" href="${url}"/>`;
      for (const part of [`<id>${url}</id>`, `<updated>${createdAt}</updated>`, link])
        expect(entries[i]).toContain(part);
    }
    expect(head).toContain(`<updated>${third.createdAt}</updated>`);
    expect(text.endsWith('</entry>\n</feed>\n')).toBe(true);
  });

  test('of an organization where nothing waits is still a feed, the same when read again, without a body for HEAD', async () => {
    const path = await made();
    const { status, text } = await read(path);
    expect([status, titles(text)]).toEqual([200, []]);
    expect(text).toContain('0 testimonials to review.');
    expect(text).toMatch(/<updated>\d{4}-\d\d-\d\dT[\d:.]+Z<\/updated>/);
    expect((await read(path)).text).toBe(text);
    expect(await desk.browser().ask('HEAD', path)).toMatchObject({ status: 200, text: '' });
    // It is of one organization.
    await create({ rating: 3 });
    const other = await desk.signedIn({ organization: 'other', role: 'owner', name: 'Otto' });
    const others = (await read(await made(other))).text;
    expect(titles(others)).toEqual([]);
    expect(others).toContain('<title>Pending testimonials · other</title>');
  });

  test('has the newest fifty', async () => {
    for (let n = 0; n < 53; n += 1) await create({ rating: n < 3 ? 1 : 2 });
    const { text } = await read(await made());
    expect(titles(text)).toHaveLength(50);
    expect(text).not.toContain('1 star ·');
    expect(text).toContain('53 testimonials to review.');
  });

  test('leads to the testimonial in the queue, behind the sign-in, while it is pending', async () => {
    const [oldest, newest] = [
      await create({ content: 'An old emu walks' }),
      await create({ content: 'A new emu walks' }),
    ];
    const { text } = await read(await made());
    const [link = ''] = all(text, /<entry>[\s\S]*?<id>https:\/\/api\.example\.com(.*?)<\/id>/g);
    expect(link).toMatch(/^\/desk\/queue\?next=test_\d+$/);
    expect((await read(link)).status).toBe(401);
    expect((await olivia.get(link)).text).toContain('A new emu walks');
    await moderate(api, 'acme', newest.id, 'rejected', new Date());
    const { text: after } = await olivia.get(link);
    expect(after).toContain('An old emu walks');
    expect(after).not.toContain('A new emu walks');
    await moderate(api, 'acme', oldest.id, 'approved', new Date());
    expect((await olivia.get(link)).text).toContain('Nothing is pending');
  });
});

describe('the secret', () => {
  test('is stored as a hash, and no log has it', async () => {
    const posted = await olivia.post('/desk/me', { action: 'feed' });
    const { text } = await olivia.get('/desk/me');
    const secret = /tsf_\w{36}/.exec(text)?.[0] ?? '';
    const { logged } = await read(`/desk/feed?secret=${secret}`);
    const items = JSON.stringify(await storedItems(api.table));
    expect(items).not.toContain(secret.slice(4, 34));
    expect(items).toContain(hashSecret(secret));
    expect(JSON.parse(logged)).toMatchObject({ organization: 'acme', page: '/desk/feed', status: 200 });
    expect(posted.logged).toContain(`{"feedMade":"${olivia.person.id}"}`);
    for (const log of [logged, posted.logged, (await read(`/desk/feed/${secret}`)).logged]) {
      expect(log).not.toContain(secret.slice(4, 34));
    }
    // The page shows the address once.
    expect((await olivia.get('/desk/me')).text).not.toContain(secret);
  });

  test('is not a session, and a session is no secret of a feed', async () => {
    const path = await made();
    const browser = desk.browser();
    browser.cookies.set('__Host-desk', secretIn(path));
    expect((await browser.get('/desk/queue')).status).toBe(401);
    expect((await browser.post('/desk/open', { invitation: secretIn(path) })).status).toBe(403);
    const session = olivia.cookies.get('__Host-desk') ?? '';
    expect((await read(`/desk/feed?secret=${session}`)).status).toBe(404);
    // It opens the feed alone, and sets no cookie.
    expect((await read(path.replace('feed?', 'queue?'))).status).toBe(401);
    expect((await read(path)).headers.cookies).toBe('');
    // With a session the address is still needed.
    expect((await olivia.get('/desk/feed')).status).toBe(404);
  });

  test('is a 404 that says what to do if it is invalid', async () => {
    const unknown = makeSecret('tsf', (min, max) => Math.floor((min + max) / 2));
    for (const query of ['', ...['tsf_x', unknown, olivia.secret].map((each) => `?secret=${each}`)]) {
      const headers = { 'cache-control': 'no-store' };
      const text = expect.stringContaining('Ask an owner');
      expect(await read(`/desk/feed${query}`)).toMatchObject({ status: 404, text, headers });
    }
  });
});

describe('a feed ends', () => {
  const renewed = async () => {
    expect(await statusAtAnother(await made())).toBe(200);
  };
  test.each<[string, (otto: SignedIn) => Promise<unknown>]>([
    ['by a new one', () => renewed()],
    [
      'on the page “You”',
      async () => {
        const { text } = await olivia.get('/desk/me');
        const [, end = ''] = />Feed<[\s\S]*?name="end" value="(\w+)"/.exec(text) ?? [];
        const ended = await olivia.send('/desk/me', { end });
        expect(ended.text).toContain('Feed ended.');
        expect(ended.logged).toContain(`{"feedEnded":"${olivia.person.id}"}`);
      },
    ],
    [
      'by another owner',
      async (otto) => {
        const { text } = await otto.get('/desk/people');
        const [, action = ''] =
          /<h3>Feed<\/h3>[\s\S]*?value="(cancel on \w+)"[^>]*>End feed/.exec(text) ?? [];
        expect((await otto.send('/desk/people', { action })).text).toContain('Feed ended.');
      },
    ],
    ['with its owner', (otto) => otto.post('/desk/people', { action: `remove on ${olivia.person.id}` })],
    ['with all sessions of its owner', () => olivia.post('/desk/me', { end: 'all', confirmed: 'yes' })],
  ])('%s, within a minute', async (_, end) => {
    const path = await made();
    const reader = desk.browser();
    expect((await reader.get(path)).status).toBe(200);
    await end(await desk.signedIn({ role: 'owner', name: 'Otto' }));
    // A function that remembers nothing knows at once.
    expect(await statusAtAnother(path)).toBe(404);
  });

  test('by a new one, of which two that are made at once stay', async () => {
    const earlier = await made();
    const visit = await findVisit(desk.people, hashSecret([...olivia.cookies.values()][0] ?? ''));
    if (!visit) throw new Error('Olivia is signed out');
    const { desks } = desk.people;
    const { promise: bothAdded, resolve } = Promise.withResolvers<void>();
    let added = 0;
    const addPass: typeof desks.addPass = async (pass) => {
      await desks.addPass(pass);
      added += 1;
      if (added === 2) resolve();
      await bothAdded;
    };
    const people = { ...desk.people, desks: { ...desks, addPass } };
    const secrets = await Promise.all([makeFeed(people, visit), makeFeed(people, visit)]);
    const paths = [earlier, ...secrets.map((secret) => `/desk/feed?secret=${secret}`)];
    expect(await Promise.all(paths.map(statusAtAnother))).toEqual([404, 200, 200]);
  });

  test('at the function that ends it at once', async () => {
    const handler = desk.running();
    const own = await desk.signedIn({ role: 'owner', name: 'Ann', handler });
    const reader = desk.browser(handler);
    for (let i = 0; i < 2; i += 1) {
      const path = await made(own);
      expect((await reader.get(path)).status).toBe(200);
      await (i === 0 ? made(own) : own.post('/desk/me', { end: 'all', confirmed: 'yes' }));
      expect((await reader.get(path)).status).toBe(404);
    }
  });

  test('a year after its last use', async () => {
    const path = await made();
    const forward = async (days: number) => {
      desk.clock.offset += days * 24 * 60 * minuteMs;
      return statusAtAnother(path);
    };
    expect([await forward(364), await forward(364), await forward(366)]).toEqual([200, 200, 404]);
  });
});

test('only owners make feeds, and see how', async () => {
  const ann = await desk.signedIn({ role: 'moderator', name: 'Ann' });
  const refused = await ann.post('/desk/me', { action: 'feed' });
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('Only owners can create a feed.');
  expect((await ann.get('/desk/me')).text).not.toContain('Get notified');
  const { text } = await olivia.get('/desk/me');
  for (const word of ['Get notified', 'Get a feed link', 'Slack', 'Outlook', 'By e-mail'])
    expect(text).toContain(word);
  expect(fieldsOf(text, 'Get a feed link')).toEqual({});
  await made();
  expect((await olivia.get('/desk/me')).text).toContain('Get a new feed link');
});

test('reading a feed is no visit of its owner', async () => {
  const path = await made();
  const seen = async () => (await desk.people.desks.findPerson('acme', olivia.person.id))?.seenAt;
  const before = await seen();
  desk.clock.offset += 3 * 60 * minuteMs;
  expect(await statusAtAnother(path)).toBe(200);
  expect(await seen()).toBe(before);
  expect((await olivia.get('/desk/me')).text).toMatch(
    />Feed<[\s\S]*created <time[^>]*>[^<]*<\/time>, last read/,
  );
});

test('requests are charged to the desk of the organization', async () => {
  // A request a minute.
  const poor = await deskOf(api.table, { limits: { rate: 4 / 60 } });
  const path = await made();
  const reader = poor.browser();
  const first = await reader.get(path);
  const { status, headers } = await reader.get(path);
  expect([first.status, status, headers['retry-after']]).toEqual([200, 429, expect.any(String)]);
});
