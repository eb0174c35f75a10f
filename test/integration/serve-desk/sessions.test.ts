/**
 * Who may act at the desk, and from when: sessions that ended, people who were removed, and links that sign
 * people in.
 */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from '../../../functions/domain/page.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { type ApiClient, testimonialBody } from '../../api-client.ts';
import { type Browser, type Desk, openDesk, type SignedIn } from '../../desk-client.ts';
import { type Fields, linkIn, seen } from '../../forms.ts';
import { addPage } from '../../page-visitor.ts';
import { someOf } from '../../some-of.ts';
import { storedItems } from '../../stored-items.ts';
import { onTableCall } from '../../table-calls.ts';

let api: ApiClient;
let desk: Desk;
/** An owner whose function runs apart from the others'. */
let olivia: SignedIn;
let testimonial: Testimonial;
let page: Page;

beforeEach(async () => {
  ({ api, desk, owner: olivia } = await openDesk({ pages: true, remembers: true }));
  page = await addPage(api.table, { kind: 'form' });
  testimonial = (await api.create(testimonialBody())).body;
});

const people = (organization = 'acme') => desk.people.desks.listPeople(organization);
const idOf = async (name: string) => (await people()).find((person) => person.name === name)?.id ?? '';
const onPerson = (action: string, { person }: Pick<SignedIn, 'person'>) => `${action} on ${person.id}`;

/** Everything that belongs to an organization. */
async function itemsOf(organization: string): Promise<string[]> {
  const items = await storedItems(api.table);
  return items.map((item) => JSON.stringify(item)).filter((item) => item.includes(organization));
}

/** Removes a person as Olivia, whose function does not share its memory. */
const remove = (removed: Pick<SignedIn, 'person'>) =>
  olivia.post('/desk/people', { action: onPerson('remove', removed) });

/** Opens the link that a response shows, in a browser of its own. */
async function opened(text: string): Promise<Browser> {
  const browser = desk.browser();
  expect(await browser.post('/desk/open', { invitation: linkIn(text) })).toMatchObject({ status: 303 });
  return browser;
}

type Attempt = [
  route: string,
  fields: () => Fields,
  /** Marks the actions that a remembered session allows for a minute. */
  isDecision?: 'decision',
];

const noReview = '{"decisions":[],"skipped":[],"counts":{"pending":0,"approved":0,"rejected":0}}';
const allMatches = { all: new Date().toISOString(), edition: '1 0', of: '1' };
const added = {
  key: '0'.repeat(22),
  content: 'They answered at once.',
  'author.name': 'Eve',
  'author.email': 'eve@example.com',
};

/** Attempts at each POST route of the desk. */
const attempts: Attempt[] = [
  ['/desk/queue', () => ({ key: 'a', seen: seen(testimonial), review: noReview }), 'decision'],
  ['/desk/list', () => ({ action: 'approve', seen: seen(testimonial) }), 'decision'],
  ['/desk/list', () => ({ action: 'erase', seen: seen(testimonial) })],
  ['/desk/list', () => ({ one: `erase on ${seen(testimonial)}` })],
  ['/desk/list', () => ({ one: `pin ${page.id} on ${seen(testimonial)}` })],
  ['/desk/list', () => ({ action: 'erase', confirmed: 'yes', ...allMatches })],
  ['/desk/author', () => ({ email: testimonial.author.email }), 'decision'],
  ['/desk/add', () => added],
  ['/desk/files/step', () => ({ step: 'store' })],
  ['/desk/files/undo', () => ({ id: '0123456789ab', do: 'undo' })],
  ['/desk/files/finish', () => ({ id: '0123456789ab' })],
  ['/desk/pages', () => ({ kind: 'form' })],
  ['/desk/pages/:id', () => ({ title: 'Mine', link: 'https://mine.test' })],
  ['/desk/pages/:id/pins', () => ({ up: testimonial.id })],
  ['/desk/pages/:id/remove', () => ({})],
  ['/desk/pages/:id/preview', () => ({ title: 'Mine' })],
  ['/desk/pages/:id/links', () => ({ lines: 'Jane' })],
  ['/desk/pages/:id/links.csv', () => ({ lines: 'Jane' })],
  ['/desk/pages/brand', () => ({ name: 'Mine' })],
  ['/desk/pages/brand/preview', () => ({ name: 'Mine' })],
  ['/desk/people', () => ({ action: 'invite', name: 'Eve', role: 'owner' })],
  ['/desk/people', () => ({ action: onPerson('remove', olivia) })],
  ['/desk/people', () => ({ action: onPerson('end', olivia) })],
  ['/desk/people', () => ({ action: onPerson('invite again', olivia) })],
  ['/desk/people', () => ({ action: 'cancel on 0123456789ab' })],
  ['/desk/me', () => ({ end: 'all', confirmed: 'yes' })],
  ['/desk/me', () => ({ end: 'this' })],
  ['/desk/me', () => ({ end: '0123456789ab' })],
  ['/desk/me', () => ({ action: 'link' })],
  ['/desk/me', () => ({ action: 'feed' })],
  ['/desk/me', () => ({ remove: '0123456789ab' })],
  ['/desk/me/challenge', () => ({})],
  ['/desk/me/passkey', () => ({ name: 'Mine', response: '{}' })],
];

const post = (browser: Browser, [route, fields]: Attempt) =>
  browser.post(`${route.replace(':id', page.id)}?organization=acme`, fields());

test('each POST route of the desk is attempted', () => {
  const routes = desk.routes.filter(
    ({ method, path }) => method === 'POST' && !path.startsWith('/desk/open'),
  );
  expect(new Set(attempts.map(([route]) => route))).toEqual(new Set(routes.map(({ path }) => path)));
});

test.each(someOf(attempts.map((attempt, i) => [attempt[0], i, attempt] as const)))(
  'an owner who was removed, and whom a function remembers, changes nothing at %s (attempt %i)',
  async (_route, _number, attempt) => {
    const otto = await desk.signedIn({ role: 'owner', name: 'Otto' });
    expect((await otto.get('/desk/queue')).status).toBe(200);
    await remove(otto);
    const before = await itemsOf('acme');
    const { status, text } = await post(otto, attempt);
    if (attempt[2]) {
      expect(status).toBeLessThan(400);
      return;
    }
    expect({ status, text }).toEqual({
      status: 401,
      text: expect.stringContaining('You are not signed in'),
    });
    expect(await itemsOf('acme')).toEqual(before);
    // The function has learned it.
    expect((await otto.get('/desk/queue')).status).toBe(401);
  },
);

/** The statuses of requests that only owners of the organization may make. */
const refusals: Record<string, (route: string) => number | undefined> = {
  'a moderator': (route) => (/^\/desk\/(pages|people|files)/.test(route) ? 403 : undefined),
  'an owner of another organization': (route) => {
    if (route.includes(':id')) return 404;
    return route === '/desk/people' ? 303 : undefined;
  },
};

test.each<[keyof typeof refusals, Parameters<typeof desk.signedIn>[0]]>([
  ['a moderator', { name: 'Mo', mayErase: false }],
  ['an owner of another organization', { organization: 'globex', role: 'owner' }],
])('%s changes nothing of the owners of an organization', async (who, person) => {
  const browser = await desk.signedIn(person);
  await browser.get('/desk/queue');
  for (const attempt of attempts) {
    const [route, , isDecision] = attempt;
    // They may decide, add, and change their own sessions.
    const isOfModerators = isDecision || route === '/desk/add';
    if (route.startsWith('/desk/me') || (who === 'a moderator' && isOfModerators)) continue;
    const before = await itemsOf('acme');
    const { status } = await post(browser, attempt);
    expect({ route, items: await itemsOf('acme') }).toEqual({ route, items: before });
    expect({ route, status }).toEqual({ route, status: refusals[who]?.(route) ?? status });
  }
});

test('pages of owners are closed to moderators, and those of an organization to other owners', async () => {
  const moderator = await desk.signedIn({ name: 'Mo' });
  const other = await desk.signedIn({ organization: 'globex', role: 'owner' });
  const ofPage = ['', '/preview', '/qr.svg', '/remove', '/links'].map(
    (end) => `/desk/pages/${page.id}${end}`,
  );
  const brand = ['', '/logo', '/preview'].map((end) => `/desk/pages/brand${end}`);
  for (const path of [
    ...ofPage,
    ...brand,
    '/desk/pages',
    '/desk/people',
    '/desk/files',
    '/desk/files/records',
  ])
    expect({ path, ...(await moderator.get(path)) }).toMatchObject({
      path,
      status: 403,
      text: expect.stringContaining('Only owners'),
    });
  for (const path of ofPage)
    expect({ path, ...(await other.get(path)) }).toMatchObject({ path, status: 404 });
  for (const path of ['queue', 'list', 'list?search=amazing', 'numbers', 'pages/brand', 'me']) {
    const { status, text } = await other.get(`/desk/${path}`);
    const leaks = text.includes(testimonial.id) || text.includes('acme');
    expect({ path, status, leaks }).toEqual({ path, status: 200, leaks: false });
  }
  const told = await other.send('/desk/list', { action: 'approve', seen: seen(testimonial) });
  expect(told.text).toContain('1 testimonial could not be found.');
  expect((await moderator.get('/desk/queue')).text).not.toMatch(/href="\/desk\/(pages|people|files)"/);
});

describe('a link that an owner makes', () => {
  test('for someone else signs them out everywhere, and tells them', async () => {
    const otto = await desk.signedIn({ role: 'owner', name: 'Otto' });
    expect((await otto.get(`/desk/people/${olivia.person.id}/link`)).text).toContain(
      'So creating it signs Olivia out everywhere',
    );
    const { text } = await otto.send('/desk/people', { action: onPerson('invite again', olivia) });
    // The other function learns it at the next action that matters, or within a minute.
    const { status, text: shown } = await olivia.post('/desk/me', { action: 'link' });
    expect(status).toBe(401);
    expect(shown).toMatch(
      /<bdi>Otto<\/bdi> signed you out everywhere[\s\S]*created a new link to sign in as you/,
    );
    expect((await otto.get('/desk/people')).text).toMatch(
      /Olivia<\/bdi>[\s\S]*Unused link<\/h3>[\s\S]*Cancel link[\s\S]*created <time.*by <bdi>Otto<\/bdi>/,
    );
    const again = await opened(text);
    expect((await again.get('/desk/me')).text).toMatch(
      /This session[\s\S]*with a link from <bdi>Otto<\/bdi>/,
    );
  });

  test('ends with its maker, and so does every session that came about by it', async () => {
    const otto = await desk.signedIn({ role: 'owner', name: 'Otto' });
    const mo = await desk.signedIn({ name: 'Mo' });
    const asMo = await opened(
      (await otto.send('/desk/people', { action: onPerson('invite again', mo) })).text,
    );
    // A link made in that session comes about by Otto's, too.
    const second = await opened((await asMo.send('/desk/me', { action: 'link' })).text);
    const unused = (await asMo.send('/desk/me', { action: 'link' })).text;
    const confirmation = (await olivia.get(`/desk/people/${otto.person.id}/remove`)).text;
    expect(
      confirmation.match(
        /<bdi>Mo<\/bdi><\/h2><p class="muted">(Unknown device: signed in|Unused link: created)/g,
      ),
    ).toHaveLength(3);
    await remove(otto);
    for (const browser of [asMo, second]) {
      expect((await browser.post('/desk/me', { action: 'link' })).status).toBe(401);
    }
    expect((await desk.browser().post('/desk/open', { invitation: linkIn(unused) })).status).toBe(403);
    expect((await olivia.get('/desk/people')).text).not.toContain('Unused link');
    expect((await people()).map(({ name }) => name).sort()).toEqual(['Mo', 'Olivia']);
  });

  test('does not end for the person who removes its maker', async () => {
    const { text } = await olivia.send('/desk/people', { action: 'invite', name: 'Otto', role: 'owner' });
    const otto = await opened(text);
    const confirmation = await otto.get(`/desk/people/${olivia.person.id}/remove`);
    expect(confirmation.text).toMatch(/Otto<\/bdi><\/h2>[\s\S]*This session stays\./);
    await otto.post('/desk/people', { action: onPerson('remove', olivia) });
    expect(await otto.post('/desk/me', { action: 'link' })).toMatchObject({ status: 303 });
    expect((await people()).map(({ name }) => name)).toEqual(['Otto']);
  });

  test('can be cancelled by every owner, and by the person', async () => {
    const otto = await desk.signedIn({ role: 'owner', name: 'Otto' });
    const eve = await desk.signedIn({ role: 'owner', name: 'Eve' });
    const { text } = await olivia.send('/desk/people', { action: onPerson('invite again', eve) });
    const shown = (await otto.get('/desk/people')).text;
    const [, cancel = ''] = /value="(cancel on [0-9a-f]{12})"/.exec(shown) ?? [];
    expect((await otto.send('/desk/people', { action: cancel })).text).toContain('Link cancelled.');
    expect((await desk.browser().post('/desk/open', { invitation: linkIn(text) })).status).toBe(403);
    expect(await idOf('Eve')).not.toBe('');

    const own = await otto.send('/desk/me', { action: 'link' });
    expect(own.text).toContain('Send this link to <bdi>yourself</bdi>');
    const [, end = ''] = /name="end" value="([0-9a-f]{12})"/.exec(own.text) ?? [];
    expect((await otto.send('/desk/me', { end })).text).toContain('Link cancelled.');
    expect((await desk.browser().post('/desk/open', { invitation: linkIn(own.text) })).status).toBe(403);
  });
});

test.each(['/desk', '/desk/'])('%s leads a person who is signed in to the queue', async (path) => {
  const { status, headers } = await olivia.get(path);
  expect({ status, location: headers.location }).toEqual({ status: 303, location: '/desk/queue' });
});

describe('“You”', () => {
  /** Returns the action that ends the first session, feed or link that a page shows. */
  const endIn = (text: string) => ({ end: /name="end" value="([0-9a-f]{12})"/.exec(text)?.[1] ?? '' });

  test('lists the sessions of a person only, keeps unused links apart, and ends each', async () => {
    const elsewhere = await opened((await olivia.send('/desk/me', { action: 'link' })).text);
    await desk.signedIn({ role: 'owner', name: 'Otto' });
    const { text } = await olivia.get('/desk/me');
    expect(text.match(/signed in <time/g)).toHaveLength(2);
    expect(text).toMatch(/This session[\s\S]*from your administrator/);
    expect(text).not.toContain('last used');
    expect(text).toContain('with a link from <bdi>Olivia</bdi>');
    await olivia.send('/desk/me', { action: 'link' });
    desk.clock.offset += 3 * 3600 * 1000;
    await elsewhere.get('/desk/queue');
    const { text: later } = await olivia.get('/desk/me');
    expect(later).toMatch(
      /This session[\s\S]*<h3>Unknown device<[\s\S]*, last used <time[\s\S]*Links that no one has used yet<[\s\S]*<h3>Unused link</,
    );
    expect(later.match(/<h3>Unused link</g)).toHaveLength(1);
    expect((await olivia.send('/desk/me', endIn(text))).text).toContain('Session ended.');
    expect((await elsewhere.post('/desk/me', { action: 'link' })).status).toBe(401);
    expect((await olivia.get('/desk/me')).text.match(/signed in <time/g)).toHaveLength(1);
  });

  test('lists the sessions that were used last, and folds the others', async () => {
    const sessions: Browser[] = [];
    for (let i = 0; i < 6; i += 1) {
      sessions.push(await opened((await olivia.send('/desk/me', { action: 'link' })).text));
      desk.clock.offset += 2 * 3600 * 1000;
    }
    // The oldest of them is used last.
    await sessions[0]?.get('/desk/queue');
    const { text } = await olivia.get('/desk/me');
    const [, rows = ''] = /<h2 id="sessions">([\s\S]*?)<\/form>/.exec(text) ?? [];
    const [shown = '', folded = ''] = rows.split('<details>');
    expect(shown.match(/signed in <time/g)).toHaveLength(5);
    expect(folded).toContain('<summary>2 more sessions</summary>');
    expect(folded.match(/signed in <time/g)).toHaveLength(2);
    // After this session.
    expect(shown.split('</li>')[1]).toMatch(/last used <time/);
    expect(text.match(/last used <time/g)).toHaveLength(1);
  });

  test('says that a link was used, or a session has ended, before it could be ended', async () => {
    const { text } = await olivia.send('/desk/me', { action: 'link' });
    const elsewhere = await opened(text);
    const { text: shown } = await olivia.send('/desk/me', endIn(text));
    expect(shown).toContain('This link or session is no longer valid. Look at the sessions below.');
    expect((await elsewhere.get('/desk/me')).status).toBe(200);
  });

  test('names the browser and the device of each session', async () => {
    const { text } = await olivia.send('/desk/me', { action: 'link' });
    const phone = desk.browser();
    const userAgent =
      'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile Safari/537.36';
    await phone.post('/desk/open', { invitation: linkIn(text) }, { 'user-agent': userAgent });
    expect((await phone.get('/desk/me')).text).toMatch(
      /<h3>Chrome on Android <span class="pill">This session[\s\S]*<h3>Unknown device</,
    );
  });

  test('shows a session of an earlier version, which no list has, as this session', async () => {
    const { client, name } = api.table;
    for (const { PK, SK } of await storedItems(api.table)) {
      if (String(SK).startsWith('PASS#'))
        await client.send(new DeleteCommand({ TableName: name, Key: { PK, SK } }));
    }
    expect((await olivia.get('/desk/me')).text).toMatch(/This session[\s\S]*signed in <time/);
  });
});

test('a session that ended is forgotten at once by the function that ended it', async () => {
  for (const end of ['this', 'all']) {
    const otto = await desk.signedIn({ name: 'Otto' });
    const cookies = new Map(otto.cookies);
    expect((await otto.get('/desk/queue')).status).toBe(200);
    await otto.post('/desk/me', { end, confirmed: 'yes' });
    for (const [name, value] of cookies) otto.cookies.set(name, value);
    const decided = await otto.post('/desk/list', { action: 'approve', seen: seen(testimonial) });
    expect([end, decided.status]).toEqual([end, 401]);
  }
});

test('one owner of a function ends the sessions of another one there at once', async () => {
  const handler = desk.running();
  const one = await desk.signedIn({ role: 'owner', name: 'One', handler });
  const other = await desk.signedIn({ role: 'owner', name: 'Other', handler });
  expect((await other.get('/desk/queue')).status).toBe(200);
  await one.post('/desk/people', { action: onPerson('end', other) });
  expect((await other.get('/desk/queue')).status).toBe(401);
});

test('an ordinary decision of a remembered person reads neither session nor person', async () => {
  await olivia.get('/desk/queue');
  const names: string[] = [];
  onTableCall(api.table, (name, input) =>
    names.push(`${name} ${JSON.stringify(input).match(/DESK#|PERSON#|PASS#/)?.[0] ?? ''}`),
  );
  await olivia.post('/desk/list', { action: 'approve', seen: seen(testimonial) });
  onTableCall(api.table, () => {});
  expect(names.filter((each) => each.includes('#'))).toEqual([]);
});
