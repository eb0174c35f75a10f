/** Who gets into the desk of a deployment, and how they leave it. */

import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { hashSecret, makeSecret } from '../../../functions/domain/token.ts';
import { deskStore } from '../../../functions/persistence/dynamodb-desk-store.ts';
import type { Table } from '../../../functions/persistence/table.ts';
import {
  endSessions,
  findVisit,
  inviteAgain,
  invitePerson,
  openInvitation,
} from '../../../functions/serve-desk/people.ts';
import { deskOf } from '../../desk-client.ts';
import { textOf } from '../../stored-items.ts';
import { onTableCall } from '../../table-calls.ts';
import { createTestTable } from '../../test-table.ts';

let table: Table;
let desk: Awaited<ReturnType<typeof deskOf>>;
beforeAll(async () => {
  table = await createTestTable();
  desk = await deskOf(table);
});

const day = 24 * 60 * 60 * 1000;

describe('an invitation', () => {
  test('becomes a cookie that no script reads, and leads to the queue', async () => {
    const { opened, get } = await desk.signedIn();
    expect(opened.status).toBe(303);
    expect(opened.headers.location).toBe('/desk/queue');
    expect(opened.headers.cookies).toMatch(
      /^__Host-desk=tss_\w{36}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await get('/desk/queue')).text).toContain('Nothing is pending.');
    expect((await get('/desk/me')).text).toContain('<bdi>Ann</bdi>');
  });

  test('opens once, and for one of two who open it at once', async () => {
    const { secret } = await desk.signedIn();
    expect((await desk.browser().post('/desk/open', { invitation: secret })).status).toBe(403);
    const { person } = await desk.signedIn();
    const other = await inviteAgain(desk.people, person);
    const both = [desk.browser(), desk.browser()];
    const answers = await Promise.all(both.map((each) => each.post('/desk/open', { invitation: other })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403]);
    const seen = await Promise.all(both.map((each) => each.get('/desk/queue')));
    expect(seen.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test('is over after three days', async () => {
    const { person } = await desk.signedIn();
    const secret = await inviteAgain(desk.people, person);
    desk.clock.offset += 3 * day;
    const late = await desk.browser().post('/desk/open', { invitation: secret });
    expect(late.status).toBe(403);
    expect(late.text).toContain('works once, within 3 days');
  });

  test.each(['', 'x', 'tsi_123', 'tst_', `tss_${'a'.repeat(36)}`])(
    '%j opens nothing, without a read',
    async (typed) => {
      expect((await desk.browser().post('/desk/open', { invitation: typed })).status).toBe(403);
    },
  );

  test('is tried twenty times a minute from one address; what can be none is not counted', async () => {
    const one = desk.browser();
    for (let i = 0; i < 30; i += 1) await one.post('/desk/open', { invitation: `junk ${i}` });
    const invitation = makeSecret('tsi', randomInt);
    for (let i = 0; i < 20; i += 1) {
      expect((await one.post('/desk/open', { invitation })).status).toBe(403);
    }
    const { status, text } = await one.post('/desk/open', { invitation });
    expect(status).toBe(429);
    expect(text).toContain('Too many attempts');
    desk.clock.offset += 61_000;
    expect((await one.post('/desk/open', { invitation })).status).toBe(403);
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
  ])(
    'whose link was changed on the way is answered with help, opens after a click, and is in no log: %s',
    async (changed) => {
      const { person } = await desk.signedIn();
      const secret = await inviteAgain(desk.people, person);
      const browser = desk.browser();
      const { status, text, logged } = await browser.get(`/desk/open${changed(secret)}`);
      expect(status).toBe(200);
      expect(text).toContain('changed on its way');
      expect(text).toContain(`name="invitation" value="${secret}"`);
      expect(logged).toContain('/desk/open');
      expect(logged).not.toContain(secret.slice(4));
      // What a person pastes may be the changed link.
      const invitation = `https://api.example.com/desk/open${changed(secret)}`;
      const opened = await browser.post('/desk/open', { invitation });
      expect(opened.status).toBe(303);
      expect(opened.logged).not.toContain(secret.slice(4));
    },
  );

  test('that a changed link has lost a part of is asked for whole', async () => {
    const secret = makeSecret('tsi', randomInt).slice(0, -3);
    const { status, text, logged } = await desk.browser().get(`/desk/open%23${secret}`);
    expect(status).toBe(200);
    expect(text).toContain('Copy the whole link');
    expect(text).toContain('name="invitation" value=""');
    expect(logged).not.toContain(secret.slice(4));
  });

  test('is logged when it is opened, by the ids of its organization and its person', async () => {
    const { opened, person } = await desk.signedIn({ organization: 'other' });
    expect(JSON.parse(opened.logged)).toMatchObject({
      organization: 'other',
      person: 'Ann',
      personId: person.id,
      signedIn: true,
    });
  });
});

describe('a session', () => {
  test('ends 30 days after it was used last', async () => {
    const { get } = await desk.signedIn();
    for (let i = 0; i < 3; i += 1) {
      desk.clock.offset += 29 * day;
      expect((await get('/desk/queue')).status).toBe(200);
    }
    desk.clock.offset += 30 * day;
    expect((await get('/desk/queue')).status).toBe(401);
  });

  test('is ended by signing out, here or everywhere', async () => {
    const { person, get, post, cookies } = await desk.signedIn();
    const elsewhere = desk.browser();
    await elsewhere.post('/desk/open', { invitation: await inviteAgain(desk.people, person) });
    const kept = new Map(cookies);
    const out = await post('/desk/me', { end: 'this' });
    expect(out.headers.cookies).toMatch(/^__Host-desk=; Max-Age=0/);
    for (const [name, value] of kept) cookies.set(name, value);
    expect((await get('/desk/queue')).status).toBe(401);
    expect((await elsewhere.get('/desk/queue')).status).toBe(200);

    const open = await inviteAgain(desk.people, person);
    desk.clock.offset += 1000;
    const again = desk.browser();
    await again.post('/desk/open', { invitation: await inviteAgain(desk.people, person) });
    desk.clock.offset += 1000;
    await again.post('/desk/me', { end: 'all' });
    expect((await elsewhere.get('/desk/queue')).status).toBe(401);
    expect((await desk.browser().post('/desk/open', { invitation: open })).status).toBe(403);
  });

  test('is over once its person is removed, and does not come back by what was on its way', async () => {
    const { person, get } = await desk.signedIn();
    expect(await deskStore(table).removePerson('acme', person.id)).toBe(true);
    await endSessions(desk.people, person);
    const { status, text } = await get('/desk/queue');
    expect({ status, opens: text.includes('data-open') }).toEqual({ status: 401, opens: true });
    expect(text).not.toContain('You are already signed in');
    expect(await deskStore(table).removePerson('acme', person.id)).toBe(false);
  });

  test('is believed for 60 s by a running function, as a token is', async () => {
    const remembering = await deskOf(table, { remembers: true });
    const { person, get } = await remembering.signedIn();
    expect((await get('/desk/queue')).status).toBe(200);
    await deskStore(table).removePerson('acme', person.id);
    expect((await get('/desk/queue')).status).toBe(200);
    const other = remembering.browser();
    expect((await other.get('/desk/queue')).status).toBe(401);
  });

  test('shows the last day on which its person was here', async () => {
    const { person, get } = await desk.signedIn();
    desk.clock.offset += 2 * day;
    await get('/desk/queue');
    const found = await deskStore(table).findPerson('acme', person.id);
    expect(Date.parse(String(found?.seenAt)) - Date.parse(person.invitedAt)).toBeGreaterThanOrEqual(2 * day);
  });
});

test('no secret stands in the table, nor in the log', async () => {
  const { secret, cookies, opened, get } = await desk.signedIn();
  const text = await textOf(table);
  const { logged } = await get('/desk/queue');
  for (const each of [secret, ...cookies.values()]) {
    expect(text).not.toContain(each);
    expect(opened.logged + logged).not.toContain(each);
  }
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another port', { 'sec-fetch-site': 'same-site' }],
  ['another origin', { origin: 'https://attacker.example', 'sec-fetch-site': '' }],
  ['nowhere', { origin: 'null', 'sec-fetch-site': '' }],
  ['no browser', { origin: '', 'sec-fetch-site': '' }],
])('a form of %s changes nothing', async (_, headers) => {
  const { post, get } = await desk.signedIn();
  expect((await post('/desk/me', { end: 'all' }, headers)).status).toBe(403);
  expect((await get('/desk/queue')).status).toBe(200);
});

test.each(['queue', 'list', 'wall/v1/testimonials', 'no-such'])(
  'whoever is not signed in sees the sign-in page in place of %s',
  async (path) => {
    const { status, text } = await desk.browser().get(`/desk/${path}`);
    expect(status).toBe(401);
    expect(text).toContain('Open your desk');
  },
);

test('files of pages are kept for a year, by names that change with them; nothing else is kept', async () => {
  const { get } = desk.browser();
  const { status, text, headers } = await get('/desk');
  expect(status).toBe(200);
  const paths = [...text.matchAll(/(?:src|href)="([^"]*assets[^"]*)"/g)];
  expect(paths).toHaveLength(4);
  const kept = async (path = '') => {
    const answer = await get(path);
    return [answer.status, answer.headers['cache-control']];
  };
  for (const [, path] of paths) {
    expect(await kept(path)).toEqual([200, 'public, max-age=31536000, immutable']);
  }
  expect(await kept('/desk/assets/another-one/desk.js')).toEqual([200, 'no-store']);
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'.*frame-ancestors 'none'$/);
});

describe('where a call to the table fails', () => {
  const failing = (name: keyof typeof desk.people.desks) => {
    const fail = () => Promise.reject(new Error('The table failed'));
    return { ...desk.people, desks: { ...desk.people.desks, [name]: fail } };
  };

  test.each([...(['findPass', 'findPerson', 'addPass', 'notePerson', 'replacePass'] as const)])(
    'by %s, an invitation can be opened again',
    async (name) => {
      const { person } = await desk.signedIn();
      const secret = await inviteAgain(desk.people, person);
      await expect(openInvitation(failing(name), secret)).rejects.toThrow('The table failed');
      expect((await openInvitation(desk.people, secret))?.secret).toMatch(/^tss_/);
    },
  );

  test.each(['addPass', 'addPerson'] as const)('by %s, nobody is invited by halves', async (name) => {
    const asked = { organization: `halves-${name.toLowerCase()}`, name: 'Ann', mayErase: false };
    await expect(invitePerson(failing(name), asked)).rejects.toThrow('The table failed');
    expect(await desk.people.desks.listPeople(asked.organization)).toEqual([]);
  });

  test('the sign-in page says so as every page does, and the log has why', async () => {
    const { person } = await desk.signedIn();
    const invitation = await inviteAgain(desk.people, person);
    onTableCall(table, (call) => {
      if (call === 'PutItemCommand') throw new Error('The table failed');
    });
    const { status, text, logged } = await desk.browser().post('/desk/open', { invitation });
    onTableCall(table, () => {});
    expect(status).toBe(500);
    expect(text).toContain('That did not work');
    expect(logged).toContain('The table failed');
  });
});

test('who has ended all sessions meanwhile is not let in by an invitation that was being opened, whatever the clock says', async () => {
  const { person } = await desk.signedIn();
  const secret = await inviteAgain(desk.people, person);
  const { desks } = desk.people;
  const addPass: typeof desks.addPass = async (pass) => {
    await endSessions(desk.people, person);
    desk.clock.offset += 1000;
    await desks.addPass({ ...pass, createdAt: desk.people.now().toISOString() });
  };
  const opened = await openInvitation({ ...desk.people, desks: { ...desks, addPass } }, secret);
  expect(await findVisit(desk.people, hashSecret(String(opened?.secret)))).toBeUndefined();
});

test('a session that was ended while it was being prolonged stays ended', async () => {
  const { person, cookies } = await desk.signedIn();
  const hash = hashSecret([...cookies.values()][0] ?? '');
  desk.clock.offset += 2 * day;
  const { desks } = desk.people;
  const replacePass: typeof desks.replacePass = async (pass) => {
    await desks.removePass(hash);
    return desks.replacePass(pass);
  };
  expect(await findVisit({ ...desk.people, desks: { ...desks, replacePass } }, hash)).toBeUndefined();
  expect(await findVisit(desk.people, hash)).toBeUndefined();
  expect(await desks.findPerson('acme', person.id)).toBeDefined();
});

test('a clock that goes back ends nothing and lets nobody in', async () => {
  const { person, get } = await desk.signedIn();
  desk.clock.offset -= day;
  expect((await get('/desk/queue')).status).toBe(200);
  const secret = await inviteAgain(desk.people, person);
  await endSessions(desk.people, person);
  desk.clock.offset += day;
  expect((await get('/desk/queue')).status).toBe(401);
  expect((await desk.browser().post('/desk/open', { invitation: secret })).status).toBe(403);
});
