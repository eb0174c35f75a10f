/** Signing in and out of the desk of a deployment. */
import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { deskStore } from '../../../functions/accounts/dynamodb-desk-store.ts';
import { hashSecret, makeSecret } from '../../../functions/domain/token.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import {
  endSessions,
  findVisit,
  inviteAgain,
  invitePerson,
  openInvitation,
  removePerson,
} from '../../../functions/serve-desk/people.ts';
import { type Browser, type Desk, deskOf } from '../../desk-client.ts';
import { textOf } from '../../stored-items.ts';
import { onTableCall } from '../../table-calls.ts';
import { createTestTable } from '../../test-table.ts';

let table: Table;
let desk: Desk;
beforeAll(async () => {
  table = await createTestTable();
  desk = await deskOf(table);
});

const day = 24 * 60 * 60 * 1000;

/** Signs a person in, and makes another invitation for them. */
async function signedInAndInvited(name = 'Ann') {
  const signedIn = await desk.signedIn({ name });
  return { ...signedIn, invitation: await inviteAgain(desk.people, signedIn.person) };
}

const open = async (invitation: string, browser: Pick<Browser, 'post'> = desk.browser()) =>
  (await browser.post('/desk/open', { invitation })).status;

const statusOf = async ({ get }: Pick<Browser, 'get'>) => (await get('/desk/queue')).status;

describe('an invitation', () => {
  test('leads to the queue, sets a cookie that scripts cannot read, and is logged', async () => {
    const { opened, get, person } = await desk.signedIn({ organization: 'other' });
    expect(opened.status).toBe(303);
    expect(opened.headers.location).toBe('/desk/queue');
    expect(opened.headers.cookies).toMatch(
      /^__Host-desk=tss_\w{36}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(JSON.parse(opened.logged)).toMatchObject({
      organization: 'other',
      person: 'Ann',
      personId: person.id,
      signedIn: true,
    });
    expect((await get('/desk/queue')).text).toContain('Nothing is pending');
    expect((await get('/desk/me')).text).toContain('<bdi>Ann</bdi>');
  });

  test('works once, for one of two simultaneous browsers', async () => {
    const { secret, invitation } = await signedInAndInvited();
    expect(await open(secret)).toBe(403);
    const browsers = [desk.browser(), desk.browser()];
    const opened = await Promise.all(browsers.map((browser) => open(invitation, browser)));
    expect(opened.sort()).toEqual([303, 403]);
    expect((await Promise.all(browsers.map(statusOf))).sort()).toEqual([200, 401]);
  });

  test('expires after three days', async () => {
    const { invitation } = await signedInAndInvited();
    desk.clock.offset += 3 * day;
    const text = expect.stringContaining('works once, within 3 days');
    expect(await desk.browser().post('/desk/open', { invitation })).toMatchObject({ status: 403, text });
  });

  test('is no other text, and can be tried at any time, however often others on the same network failed', async () => {
    for (const typed of ['', 'x', 'tsi_123', 'tst_', `tss_${'a'.repeat(36)}`])
      expect([typed, await open(typed)]).toEqual([typed, 403]);
    for (let i = 0; i < 40; i += 1) expect(await open(makeSecret('tsi', randomInt))).toBe(403);
    const { invitation } = await signedInAndInvited();
    expect(await open(invitation)).toBe(303);
  });

  test.each([
    (secret: string) => `%23${secret}`,
    (secret: string) => `%2523${secret}`,
    (secret: string) => `%252523${secret.replace('_', '%5f')}`,
    (secret: string) => `#${secret}`,
    (secret: string) => `?${secret}`,
    (secret: string) => `%3F${secret.replace('_', '%255F')}`,
    (secret: string) => `/?link=%23${secret}&utm_source=mail`,
    (secret: string) => `/${secret}`,
  ])('works in a link changed to %s, and no log contains its secret', async (changed) => {
    const { invitation: secret } = await signedInAndInvited();
    const browser = desk.browser();
    const { status, text, logged } = await browser.get(`/desk/open${changed(secret)}`);
    expect(status).toBe(200);
    expect(text).toContain('changed on its way');
    expect(text).toContain(`name="invitation" value="${secret}"`);
    expect(logged).toContain('/desk/open');
    // People may paste the changed link.
    const invitation = `https://api.example.com/desk/open${changed(secret)}`;
    const opened = await browser.post('/desk/open', { invitation });
    expect(opened.status).toBe(303);
    expect(logged + opened.logged).not.toContain(secret.slice(4));
  });

  test('asks a signed-in person before it replaces their session, and stays unused meanwhile', async () => {
    const { secret: _, person, ...browser } = await desk.signedIn({ name: 'Ann <1>' });
    const { invitation, person: eve } = await signedInAndInvited('Eve');
    const hash = hashSecret([...browser.cookies.values()][0] ?? '');
    const page = await browser.get('/desk/open');
    expect(page.text).toContain('You are signed in as <bdi>Ann &lt;1&gt;</bdi> at acme');
    const [, replaces = ''] = /name="replaces" value="([^"]*)"/.exec(page.text) ?? [];

    // Shown before the sign-in, or for another session.
    for (const fields of [{ invitation }, { invitation, replaces: 'acme.0123456789ab' }]) {
      const { status, text, headers } = await browser.post('/desk/open', fields);
      expect({ status, cookies: headers.cookies }).toEqual({ status: 409, cookies: '' });
      expect(text).toContain('You are signed in as <bdi>Ann &lt;1&gt;</bdi> at acme');
      expect(text).toContain(`name="invitation" value="${invitation}"`);
      expect(text).toContain(`name="replaces" value="${replaces}"`);
      expect(text).not.toContain(hash);
    }
    expect((await browser.get('/desk/me')).text).toContain('Ann &lt;1&gt;</bdi>');

    const used = await browser.post('/desk/open', { invitation: makeSecret('tsi', randomInt), replaces });
    expect(used).toMatchObject({ status: 403, text: expect.stringContaining('You are signed in as') });
    expect(await findVisit(desk.people, hash)).toMatchObject({ person: { id: person.id } });

    const opened = await browser.post('/desk/open', { invitation, replaces });
    expect(opened.status).toBe(303);
    expect(JSON.parse(opened.logged)).toMatchObject({ personId: eve.id, signedIn: true });
    expect(opened.logged).not.toContain(invitation.slice(4));
    expect((await browser.get('/desk/me')).text).toContain('<bdi>Eve</bdi>');
    expect(await findVisit(desk.people, hash)).toBeUndefined();
  });

  test('opens without a question if the session that it would replace has ended', async () => {
    const { person, cookies, ...browser } = await desk.signedIn();
    const [, replaces = ''] =
      /name="replaces" value="([^"]*)"/.exec((await browser.get('/desk/open')).text) ?? [];
    await endSessions(desk.people, person);
    const invitation = await inviteAgain(desk.people, {
      ...person,
      ...(await desk.people.desks.findPerson('acme', person.id)),
    });
    expect((await browser.post('/desk/open', { invitation, replaces })).status).toBe(303);
  });

  test('must be pasted again if its link has lost a part', async () => {
    const secret = makeSecret('tsi', randomInt).slice(0, -3);
    const { status, text, logged } = await desk.browser().get(`/desk/open%23${secret}`);
    expect(status).toBe(200);
    expect(text).toContain('Copy the whole link');
    expect(text).toContain('name="invitation" value=""');
    expect(logged).not.toContain(secret.slice(4));
  });
});

describe('a session', () => {
  test('ends 30 days after its last use, which renews its cookie, also by a form', async () => {
    const browser = await desk.signedIn();
    for (let i = 0; i < 3; i += 1) {
      desk.clock.offset += 29 * day;
      const { headers } = await browser.post('/desk/me', { action: 'link' });
      expect(headers.cookies).toMatch(/__Host-desk=tss_\w{36}; Max-Age=2592000/);
      expect(await statusOf(browser)).toBe(200);
    }
    desk.clock.offset += 30 * day;
    expect(await statusOf(browser)).toBe(401);
  });

  test('ends by signing out, in this browser or everywhere', async () => {
    const { person, post, cookies, ...here } = await desk.signedIn();
    const elsewhere = desk.browser();
    await open(await inviteAgain(desk.people, person), elsewhere);
    const oldCookies = new Map(cookies);
    const { headers } = await post('/desk/me', { end: 'this' });
    expect(headers.cookies).toMatch(/^__Host-desk=; Max-Age=0/);
    for (const [name, value] of oldCookies) cookies.set(name, value);
    expect(await statusOf(here)).toBe(401);
    expect(await statusOf(elsewhere)).toBe(200);

    const unused = await inviteAgain(desk.people, person);
    desk.clock.offset += 1000;
    const again = desk.browser();
    await open(await inviteAgain(desk.people, person), again);
    desk.clock.offset += 1000;
    const asked = await again.post('/desk/me', { end: 'all' });
    expect(asked.headers.location).toBe('/desk/me/sign-out?end=all');
    expect(await statusOf(elsewhere)).toBe(200);
    await again.post('/desk/me', { end: 'all', confirmed: 'yes' });
    expect(await statusOf(elsewhere)).toBe(401);
    expect(await open(unused)).toBe(403);
  });

  test('ends when its person is removed, and a later write does not bring it back', async () => {
    const { person, get } = await desk.signedIn();
    expect(await deskStore(table).removePerson('acme', person.id)).toBe(true);
    await endSessions(desk.people, person);
    const { status, text } = await get('/desk/queue');
    expect({ status, opens: text.includes('data-open') }).toEqual({ status: 401, opens: true });
    expect(text).not.toContain('You are signed in');
    expect(await deskStore(table).removePerson('acme', person.id)).toBe(false);
  });

  test('records the last hour of a visit', async () => {
    const { person, ...browser } = await desk.signedIn();
    desk.clock.offset += day / 12;
    await statusOf(browser);
    const { seenAt } = (await deskStore(table).findPerson('acme', person.id)) ?? {};
    expect(Date.parse(String(seenAt)) - Date.parse(person.invitedAt)).toBeGreaterThanOrEqual(day / 12);
  });

  test('stays ended if it ends while it is being extended', async () => {
    const { person, cookies } = await desk.signedIn();
    const hash = hashSecret([...cookies.values()][0] ?? '');
    desk.clock.offset += 2 * day;
    const { desks } = desk.people;
    const changePass: typeof desks.changePass = async (pass, changes) => {
      await desks.removePass(pass);
      return desks.changePass(pass, changes);
    };
    expect(await findVisit({ ...desk.people, desks: { ...desks, changePass } }, hash)).toBeUndefined();
    expect(await findVisit(desk.people, hash)).toBeUndefined();
    expect(await desks.findPerson('acme', person.id)).toBeDefined();
  });

  test('stays if the person who invited its owner is removed while it is being extended', async () => {
    const { person: otto, cookies } = await desk.signedIn({ role: 'owner', name: 'Otto' });
    const visitOf = (secret = '') => findVisit(desk.people, hashSecret(secret));
    const byOtto = await visitOf([...cookies.values()][0]);
    const fields = { organization: 'acme', name: 'Olivia', role: 'owner', mayErase: true } as const;
    const { secret: invitation } = await invitePerson(desk.people, fields, byOtto);
    const { secret } = (await openInvitation(desk.people, invitation)) ?? {};
    desk.clock.offset += day;
    const { desks } = desk.people;
    const changePass: typeof desks.changePass = async (...change) => {
      const visit = await visitOf(secret);
      expect(visit && (await removePerson(desk.people, otto, visit))).toBe(true);
      return desks.changePass(...change);
    };
    const hash = hashSecret(String(secret));
    await findVisit({ ...desk.people, desks: { ...desks, changePass } }, hash);
    expect(await visitOf(secret)).toMatchObject({ person: { name: 'Olivia' } });
  });

  test('is invalid if all sessions end while its invitation is being opened, regardless of clocks', async () => {
    const { person, invitation } = await signedInAndInvited();
    const { desks } = desk.people;
    const addPass: typeof desks.addPass = async (pass) => {
      await endSessions(desk.people, person);
      desk.clock.offset += 1000;
      await desks.addPass({ ...pass, createdAt: desk.people.now().toISOString() });
    };
    const opened = await openInvitation({ ...desk.people, desks: { ...desks, addPass } }, invitation);
    expect(await findVisit(desk.people, hashSecret(String(opened?.secret)))).toBeUndefined();
  });

  test('neither ends nor revives when the clock goes back', async () => {
    const { person, ...browser } = await desk.signedIn();
    desk.clock.offset -= day;
    expect(await statusOf(browser)).toBe(200);
    const invitation = await inviteAgain(desk.people, person);
    await endSessions(desk.people, person);
    desk.clock.offset += day;
    expect(await statusOf(browser)).toBe(401);
    expect(await open(invitation)).toBe(403);
  });
});

test('neither the table nor the log contains a secret', async () => {
  const { secret, cookies, opened, get } = await desk.signedIn();
  const { logged } = await get('/desk/queue');
  const text = (await textOf(table)) + opened.logged + logged;
  for (const each of [secret, ...cookies.values()]) expect(text).not.toContain(each);
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another port', { 'sec-fetch-site': 'same-site' }],
  ['another origin', { origin: 'https://attacker.example', 'sec-fetch-site': '' }],
  ['another port by an older browser', { origin: 'https://api.example.com:4201', 'sec-fetch-site': '' }],
  ['an opaque origin', { origin: 'null', 'sec-fetch-site': '' }],
  ['no origin', { origin: '', 'sec-fetch-site': '' }],
])('a form from %s changes nothing', async (_, headers) => {
  const browser = await desk.signedIn();
  expect((await browser.post('/desk/me', { end: 'all' }, headers)).status).toBe(403);
  expect(await statusOf(browser)).toBe(200);
});

test('a form from an older browser, which sends only its origin, is accepted', async () => {
  const browser = await desk.signedIn();
  expect((await browser.post('/desk/me', { end: 'this' }, { 'sec-fetch-site': '' })).status).toBe(303);
  expect(await statusOf(browser)).toBe(401);
});

test('browsers keep the files of pages for a year, and nothing else', async () => {
  const { get } = desk.browser();
  const { status, text, headers } = await get('/desk');
  expect(status).toBe(200);
  const paths = Array.from(text.matchAll(/(?:src|href)="([^"]*assets[^"]*)"/g), ([, path = '']) => path);
  expect(paths).toHaveLength(5);
  const cachingOf = async (path: string) => (await get(path)).headers['cache-control'];
  for (const path of paths) expect(await cachingOf(path)).toBe('public, max-age=31536000, immutable');
  expect(await cachingOf('/desk/assets/another-one/desk.js')).toBe('no-store');
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'.*frame-ancestors 'none'$/);
});

describe('if a call to the table fails', () => {
  const failing = (name: keyof typeof desk.people.desks) => {
    const fail = () => Promise.reject(new Error('The table failed'));
    return { ...desk.people, desks: { ...desk.people.desks, [name]: fail } };
  };

  test.each(['findPass', 'findPeople', 'addPass', 'updatePerson', 'changePass'] as const)(
    'in %s, the invitation can be opened again',
    async (name) => {
      const { invitation } = await signedInAndInvited();
      await expect(openInvitation(failing(name), invitation)).rejects.toThrow('The table failed');
      expect((await openInvitation(desk.people, invitation))?.secret).toMatch(/^tss_/);
    },
  );

  test.each(['addPass', 'addPerson'] as const)('in %s, no person is stored', async (name) => {
    const organization = `halves-${name.toLowerCase()}`;
    await expect(
      invitePerson(failing(name), { organization, name: 'Ann', role: 'moderator', mayErase: false }),
    ).rejects.toThrow();
    expect(await desk.people.desks.listPeople(organization)).toEqual([]);
  });

  test('the sign-in page shows an error, and the log has its reason', async () => {
    const { invitation } = await signedInAndInvited();
    onTableCall(table, (call) => {
      if (call === 'PutItemCommand') throw new Error('The table failed');
    });
    const { status, text, logged } = await desk.browser().post('/desk/open', { invitation });
    onTableCall(table, () => {});
    expect(status).toBe(500);
    expect(text).toContain('Something went wrong');
    expect(logged).toContain('The table failed');
  });
});
