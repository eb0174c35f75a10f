/**
 * Passkeys at the desk: people add them, come back with them, and every response that is not what it should
 * be is refused.
 */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { endSessions } from '../../../functions/serve-desk/people.ts';
import { adminOf } from '../../admin.ts';
import { Authenticator, type ForgedResponse, flags, type KeyKind } from '../../authenticator.ts';
import { type Browser, type Desk, deskOf, type Page, type SignedIn } from '../../desk-client.ts';
import { linkIn, plain } from '../../forms.ts';
import { storedItems } from '../../stored-items.ts';
import { createTestTable } from '../../test-table.ts';

let table: Table;
let desk: Desk;
beforeEach(async () => {
  table = await createTestTable();
  desk = await deskOf(table, { remembers: true });
});

const admin = (...args: string[]) => adminOf(table)('desk', ...args, '--organization', 'acme');

const optionsFor = async ({ post }: Pick<Browser, 'post'>, path: string) =>
  JSON.parse((await post(path, {})).text);

/** Adds a passkey of a device. */
async function add(
  { post }: Pick<Browser, 'post'>,
  device: Authenticator,
  { name = 'Phone', pretence = {} as ForgedResponse } = {},
): Promise<Page> {
  const options = await optionsFor({ post }, '/desk/me/challenge');
  return post('/desk/me/passkey', { name, response: JSON.stringify(device.create(options, pretence)) });
}

/** Comes back with a device. */
async function comeBack(
  device: Authenticator,
  pretence: ForgedResponse = {},
  browser: Pick<Browser, 'post'> = desk.browser(),
): Promise<Page> {
  const options = await optionsFor(browser, '/desk/open/challenge');
  return browser.post('/desk/open/passkey', { response: JSON.stringify(device.get(options, pretence)) });
}

/** Signs a person in and adds a passkey. */
async function withPasskey(who: Parameters<typeof desk.signedIn>[0] = {}, counts = true) {
  const device = new Authenticator(undefined, { counts });
  const person = await desk.signedIn({ role: 'owner', name: 'Olivia', ...who });
  expect((await add(person, device)).status).toBe(303);
  return { ...person, device };
}

const statusesOf = (pages: readonly Page[]) => pages.map(({ status }) => status).toSorted();

const unknown = 'This desk does not know this passkey, or it was removed.';
const elsewhere = 'This passkey was added at another URL.';
const unverified = 'Your device did not verify that it is you.';
const tooLate = 'longer than 5 minutes';
const broken = 'That passkey did not work';

/** Expects a refusal with one sentence for the person, and a line with the reason and nothing secret. */
function expectRefused(
  { status, text, logged, headers }: Page,
  reason: string,
  sentence: string,
  code = 403,
) {
  expect({ status, cookies: headers.cookies }).toEqual({ status: code, cookies: '' });
  expect(plain(text)).toContain(sentence);
  expect(JSON.parse(logged)).toMatchObject({ passkeyRefused: reason });
  expect(logged).not.toMatch(/[\w-]{40}/);
}

describe('a passkey', () => {
  test('signs its person in at a new browser without a name, and the session is like any other', async () => {
    const { device, person } = await withPasskey();
    const browser = desk.browser();
    const back = await comeBack(device, {}, browser);
    expect(back).toMatchObject({ status: 303, headers: { location: '/desk/queue' } });
    expect(JSON.parse(back.logged)).toMatchObject({
      organization: 'acme',
      person: 'Olivia',
      personId: person.id,
      signedIn: true,
      passkey: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    const { text } = await browser.get('/desk/me');
    expect(text).toMatch(/This session[\s\S]*with the passkey <bdi>Phone<\/bdi>/);
    expect(text).toMatch(/<bdi>Phone<\/bdi>, added <time[^>]*>[^<]*<\/time>, last used <time/);
    expect(text).toContain('To come back after you sign out, use a passkey, or ask');
    expect(text).toContain('Adding a passkey needs JavaScript.');
    await browser.post('/desk/me', { end: 'all', confirmed: 'yes' });
    expect((await browser.get('/desk/queue')).status).toBe(401);
  });

  test('asks for user verification, a discoverable credential, no attestation and the host of the deployment', async () => {
    const olivia = await desk.signedIn({ role: 'owner', name: 'Olivia' });
    const options = await optionsFor(olivia, '/desk/me/challenge');
    expect(options).toMatchObject({
      rp: { id: 'api.example.com', name: 'Desk of acme' },
      user: { name: 'Olivia (acme)', displayName: 'Olivia (acme)' },
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
      excludeCredentials: [],
    });
    // The handle says nothing about the person.
    expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(32);
    expect(Buffer.from(options.challenge, 'base64url').length).toBeGreaterThanOrEqual(32);
    const device = new Authenticator();
    await add(olivia, device);
    expect((await optionsFor(olivia, '/desk/me/challenge')).excludeCredentials).toEqual([
      { type: 'public-key', id: device.id },
    ]);
    expect(await optionsFor(desk.browser(), '/desk/open/challenge')).toMatchObject({
      rpId: 'api.example.com',
      userVerification: 'required',
      allowCredentials: [],
    });
  });

  test('works behind a front door that hides the host', async () => {
    const olivia = await desk.signedIn({ role: 'owner' });
    const device = new Authenticator('https://desk.example.org');
    const headers = { origin: 'https://desk.example.org', host: 'api.example.com' };
    const options = JSON.parse((await olivia.post('/desk/me/challenge', {}, headers)).text);
    expect(options.rp.id).toBe('desk.example.org');
    const response = JSON.stringify(device.create(options));
    expect((await olivia.post('/desk/me/passkey', { name: 'Laptop', response }, headers)).status).toBe(303);
    const browser = desk.browser();
    const asked = JSON.parse((await browser.post('/desk/open/challenge', {}, headers)).text);
    expect(asked.rpId).toBe('desk.example.org');
    const sent = { response: JSON.stringify(device.get(asked)) };
    expect((await browser.post('/desk/open/passkey', sent, headers)).status).toBe(303);
  });

  test('is one of several: each device has its own, and removing one leaves the other', async () => {
    const { device, ...olivia } = await withPasskey();
    const laptop = new Authenticator();
    await add(olivia, laptop, { name: 'Laptop <1>' });
    const { text } = await olivia.get('/desk/me');
    expect(text).toContain('<bdi>Laptop &lt;1&gt;</bdi>, added');
    const [, laptopId = ''] =
      /Laptop &lt;1&gt;<\/bdi>[\s\S]*?name="remove" value="([0-9a-f]{12})"/.exec(text) ?? [];
    const removed = await olivia.send('/desk/me', { remove: laptopId });
    expect(removed.text).toContain('The passkey “Laptop &lt;1&gt;” is removed.');
    expect(JSON.parse(removed.logged)).toMatchObject({ passkeyRemoved: laptopId });
    expectRefused(await comeBack(laptop), 'unknown passkey', unknown);
    expect((await comeBack(device)).status).toBe(303);
    expect((await olivia.send('/desk/me', { remove: laptopId })).text).toContain('was already removed');
    expect((await olivia.post('/desk/me', { remove: 'x' })).status).toBe(422);
  });

  test('is named, by default as its device', async () => {
    const olivia = await desk.signedIn();
    for (const [name, rule] of [
      ['', 'Enter a name.'],
      ['x'.repeat(101), 'The name must have 1 to 100 characters.'],
    ] as const) {
      const refused = await add(olivia, new Authenticator(), { name });
      expect(refused).toMatchObject({ status: 422, text: expect.stringContaining(rule) });
    }
    const named = async (agent: string) => (await olivia.get('/desk/me', { 'user-agent': agent })).text;
    expect(await named('Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X)')).toContain('value="iPhone"');
    expect(await named('"><script>')).toContain('value="This device"');
  });

  test('belongs to a person who has at most 20', async () => {
    const olivia = await desk.signedIn();
    for (let i = 0; i < 20; i += 1) await add(olivia, new Authenticator());
    const { status, text } = await olivia.post('/desk/me/challenge', {});
    expect({ status, text }).toEqual({ status: 422, text: expect.stringContaining('Remove one first.') });
  });

  test('replaces the session of the browser that it signs in', async () => {
    const { device, ...olivia } = await withPasskey();
    const eve = await desk.signedIn({ organization: 'globex', name: 'Eve' });
    const cookies = new Map(eve.cookies);
    expect((await comeBack(device, {}, eve)).status).toBe(303);
    expect((await eve.get('/desk/me')).text).toContain('<bdi>Olivia</bdi>');
    const former = desk.browser();
    for (const [name, value] of cookies) former.cookies.set(name, value);
    expect((await former.get('/desk/queue')).status).toBe(401);
    expect((await olivia.get('/desk/queue')).status).toBe(200);
  });
});

describe('a response is refused', () => {
  test.each<[string, ForgedResponse, string]>([
    ['foreign origin', { origin: 'https://evil.example' }, elsewhere],
    ['foreign origin', { crossOrigin: true }, elsewhere],
    ['foreign relying party', { rpId: 'evil.example' }, elsewhere],
    ['no user verification', { flags: flags.present }, unverified],
    ['malformed', { flags: flags.present | flags.verified | flags.backedUp }, broken],
    ['unknown challenge', { challenge: Buffer.from('a'.repeat(43)).toString('base64url') }, tooLate],
    ['unknown passkey', { id: 'AAAA' }, unknown],
    ['passkey of another person', { userHandle: Buffer.alloc(32).toString('base64url') }, unknown],
    ['bad signature', { damage: (bytes) => bytes.reverse() }, broken],
  ])('for %s (%j)', async (reason, pretence, sentence) => {
    const { device } = await withPasskey();
    expectRefused(await comeBack(device, pretence), reason, sentence);
    expect((await comeBack(device)).status).toBe(303);
  });

  test.each<[string, ForgedResponse & { keys?: KeyKind }, string]>([
    ['foreign origin', { origin: 'https://evil.example' }, elsewhere],
    ['foreign relying party', { rpId: 'evil.example' }, elsewhere],
    ['no user verification', { flags: flags.present | flags.attested }, unverified],
    ['malformed', { flags: flags.present | flags.verified }, broken],
    ['malformed', { id: 'AAAA' }, broken],
    ['unknown challenge', { challenge: 'AAAA' }, tooLate],
    ['unsupported key', { keys: 'small rsa' }, 'not supported here'],
    ['unsupported key', { keys: 'p384' }, 'not supported here'],
  ])('when it is to be added, for %s (%j)', async (reason, { keys, ...pretence }, sentence) => {
    const olivia = await desk.signedIn();
    const device = new Authenticator(undefined, { keys: keys ?? 'ec' });
    expectRefused(await add(olivia, device, { pretence }), reason, sentence, 422);
    expect(await desk.people.desks.listPasskeys('acme')).toEqual([]);
  });

  test('that was sent before, also at the same moment to two functions', async () => {
    const { device } = await withPasskey({}, false);
    const browsers = [desk.browser(), desk.browser(), desk.browser()] as const;
    const options = await optionsFor(browsers[0], '/desk/open/challenge');
    const response = JSON.stringify(device.get(options));
    const sent = await Promise.all(browsers.map(({ post }) => post('/desk/open/passkey', { response })));
    expect(statusesOf(sent)).toEqual([303, 403, 403]);
    const late = 'was already used';
    for (const { status, text } of sent) expect(text.includes(late)).toBe(status === 403);
    expectRefused(await desk.browser().post('/desk/open/passkey', { response }), 'unknown challenge', late);
    // A refused response uses the challenge up, too.
    const again = await optionsFor(browsers[0], '/desk/open/challenge');
    const foreign = { response: JSON.stringify(device.get(again, { origin: 'https://evil.example' })) };
    expectRefused(await browsers[0].post('/desk/open/passkey', foreign), 'foreign origin', elsewhere);
    const honest = { response: JSON.stringify(device.get(again)) };
    expectRefused(await browsers[0].post('/desk/open/passkey', honest), 'unknown challenge', late);
  });

  test('five minutes after its challenge, not before', async () => {
    const { device, ...olivia } = await withPasskey();
    const sentLater = async (milliseconds: number) => {
      const browser = desk.browser();
      const signIn = await optionsFor(browser, '/desk/open/challenge');
      const adding = await optionsFor(olivia, '/desk/me/challenge');
      const responses = [device.get(signIn), new Authenticator().create(adding)].map((each) =>
        JSON.stringify(each),
      );
      desk.clock.offset += milliseconds;
      return [
        await browser.post('/desk/open/passkey', { response: String(responses[0]) }),
        await olivia.post('/desk/me/passkey', { name: 'Late', response: String(responses[1]) }),
      ] as const;
    };
    expect(statusesOf(await sentLater(4 * 60_000))).toEqual([303, 303]);
    const [signIn, adding] = await sentLater(5 * 60_000);
    expectRefused(signIn, 'expired challenge', tooLate);
    expectRefused(adding, 'expired challenge', tooLate, 422);
  });

  test('to a challenge for something else, or of another session', async () => {
    const { device, ...olivia } = await withPasskey();
    const otto = await desk.signedIn({ name: 'Otto' });
    const [forAdding, forSignIn] = [
      await optionsFor(olivia, '/desk/me/challenge'),
      await optionsFor(olivia, '/desk/open/challenge'),
    ];
    const other = 'challenge of another session';
    const signIn = { response: JSON.stringify(device.get({ ...forSignIn, challenge: forAdding.challenge })) };
    expectRefused(await desk.browser().post('/desk/open/passkey', signIn), other, 'Try again.');
    for (const options of [
      { ...forAdding, challenge: forSignIn.challenge },
      await optionsFor(otto, '/desk/me/challenge'),
    ]) {
      const response = JSON.stringify(new Authenticator().create(options));
      expectRefused(await olivia.post('/desk/me/passkey', { name: 'x', response }), other, 'Try again.', 422);
    }
  });

  test('whose counter goes back or stays, also at the same moment; a higher one works', async () => {
    const { device } = await withPasskey();
    const sent = await Promise.all([1, 2, 3].map(() => comeBack(device, { count: 7 })));
    expect(statusesOf(sent)).toEqual([303, 403, 403]);
    const copied = 'This passkey may have been copied, so it was refused.';
    for (const count of [6, 7, 0])
      expectRefused(await comeBack(device, { count }), 'counter went back', copied);
    expect((await comeBack(device, { count: 8 })).status).toBe(303);
  });

  test('with a credential that someone else has added', async () => {
    const { device } = await withPasskey();
    const mallory = await desk.signedIn({ organization: 'globex', name: 'Mallory' });
    expectRefused(await add(mallory, device), 'known credential', 'You already added this passkey.', 422);
    expect((await mallory.get('/desk/me')).text).not.toContain('<bdi>Phone</bdi>');
    device.userHandle = (await optionsFor(mallory, '/desk/me/challenge')).user.id;
    expectRefused(await comeBack(device), 'passkey of another person', unknown);
    expect(await desk.people.desks.listPasskeys('globex')).toEqual([]);
  });

  test.each<[string, (own: SignedIn, olivia: SignedIn) => Promise<unknown>]>([
    ['was removed', ({ person: { id } }, { post }) => post('/desk/people', { action: `remove on ${id}` })],
    ['was signed out', ({ person: { id } }, { post }) => post('/desk/people', { action: `end on ${id}` })],
    [
      'got another link',
      ({ person: { id } }, { post }) => post('/desk/people', { action: `invite again on ${id}` }),
    ],
    ['signed out everywhere', ({ post }) => post('/desk/me', { end: 'all', confirmed: 'yes' })],
    ['was removed by an operator', ({ person: { id } }) => admin('remove', id)],
    ['lost every session to an operator', () => admin('end-sessions')],
  ])('of a person who %s, at once and for good', async (_, end) => {
    const olivia = await desk.signedIn({ role: 'owner', name: 'Olivia' });
    const { device, ...otto } = await withPasskey({ name: 'Otto' });
    await end(otto, olivia);
    expectRefused(await comeBack(device), 'unknown passkey', unknown);
    expect((await storedItems(table)).filter(({ SK }) => String(SK).startsWith('PASSKEY'))).toEqual([]);
  });

  test('of a passkey whose item a restore brought back, once all sessions have ended', async () => {
    const { device, person } = await withPasskey();
    const [passkey] = await desk.people.desks.listPasskeys('acme');
    await endSessions(desk.people, person);
    if (passkey) await desk.people.desks.addPasskey(passkey);
    expectRefused(await comeBack(device), 'ended passkey', unknown);
    const again = desk.browser();
    expect((await again.get('/desk/me')).status).toBe(401);
  });

  test('of a passkey that came about by the link of a person who was removed', async () => {
    const olivia = await desk.signedIn({ role: 'owner', name: 'Olivia' });
    const otto = await desk.signedIn({ role: 'owner', name: 'Otto' });
    const { text } = await otto.send('/desk/people', { action: 'invite', name: 'Mo' });
    const mo = desk.browser();
    await mo.post('/desk/open', { invitation: linkIn(text) });
    const device = new Authenticator();
    await add(mo, device);
    const back = desk.browser();
    expect((await comeBack(device, {}, back)).status).toBe(303);
    const confirmation = (await olivia.get(`/desk/people/${otto.person.id}/remove`)).text;
    expect(confirmation).toMatch(/<bdi>Mo<\/bdi><\/h2><p class="muted">Passkey <bdi>Phone<\/bdi>/);
    await olivia.post('/desk/people', { action: `remove on ${otto.person.id}` });
    expectRefused(await comeBack(device), 'ended passkey', unknown);
    expect((await back.post('/desk/me', { action: 'link' })).status).toBe(401);
  });

  test('of a passkey that ended with the maker whom its person removed, and the device gets another', async () => {
    const olivia = await desk.signedIn({ role: 'owner', name: 'Olivia' });
    const { text } = await olivia.send('/desk/people', { action: 'invite', name: 'Otto', role: 'owner' });
    const otto = desk.browser();
    await otto.post('/desk/open', { invitation: linkIn(text) });
    const device = new Authenticator();
    await add(otto, device);
    await otto.post('/desk/people', { action: `remove on ${olivia.person.id}` });
    expectRefused(await comeBack(device), 'ended passkey', unknown);
    expect((await optionsFor(otto, '/desk/me/challenge')).excludeCredentials).toEqual([]);
    const another = new Authenticator();
    expect((await add(otto, another)).status).toBe(303);
    expect((await comeBack(another)).status).toBe(303);
  });

  test('with garbage in any of its fields, without an error of the service', async () => {
    const { device, ...olivia } = await withPasskey();
    const browser = desk.browser();
    const signIn = device.get(await optionsFor(browser, '/desk/open/challenge'));
    const adding = new Authenticator().create(await optionsFor(olivia, '/desk/me/challenge'));
    const signInWith = (response: string) => browser.post('/desk/open/passkey', { response });
    const garbage = [
      undefined,
      null,
      '',
      0,
      [],
      {},
      true,
      '%',
      'a b',
      '🙂',
      'x'.repeat(2000),
      ['AAAA'],
      'AA',
    ];
    /** Returns credentials with the garbage in one field after the other. */
    const spoiled = (value: unknown, { response, ...whole }: { response: object }, unchecked: string[]) => [
      ...['id', 'type', 'response'].map((name) => JSON.stringify({ ...whole, response, [name]: value })),
      ...Object.keys(response)
        .filter((name) => !unchecked.includes(name))
        .map((name) => JSON.stringify({ ...whole, response: { ...response, [name]: value } })),
    ];
    const notChecked = ['attestationObject', 'transports', 'publicKeyAlgorithm'];
    for (const value of garbage) {
      for (const each of spoiled(value, signIn, []))
        expect([each, (await signInWith(each)).status]).toEqual([each, 403]);
      for (const response of spoiled(value, adding, notChecked)) {
        const { status } = await olivia.post('/desk/me/passkey', { name: 'x', response });
        expect([response, status]).toEqual([response, 422]);
      }
    }
    for (const each of ['', '{', 'null', '[]', '""', '{"__proto__":{}}', '1e999'])
      expectRefused(await signInWith(each), 'malformed', broken);
    for (const clientData of ['', 'x', '[]', '{"type":1,"challenge":2,"origin":3}']) {
      const clientDataJSON = Buffer.from(clientData).toString('base64url');
      const each = JSON.stringify({ ...signIn, response: { ...signIn.response, clientDataJSON } });
      expectRefused(await signInWith(each), 'malformed', broken);
    }
    expect((await desk.people.desks.listPasskeys('acme')).map(({ name }) => name)).toEqual(['Phone']);
  }, 120_000);
});

describe('signing out', () => {
  test.each<[end: 'this' | 'all', hasPasskey: boolean, isAsked: boolean]>([
    ['this', false, true],
    ['this', true, false],
    ['all', false, true],
    ['all', true, true],
  ])('(%s) of the last owner, with a passkey: %j, asks first: %j', async (end, hasPasskey, isAsked) => {
    const olivia = await desk.signedIn({ role: 'owner', name: 'Olivia' });
    await desk.signedIn({ name: 'Mo' });
    if (hasPasskey) await add(olivia, new Authenticator());
    const sent = await olivia.post('/desk/me', { end });
    const asks = `/desk/me/sign-out?end=${end}`;
    expect(sent.headers.location).toBe(isAsked ? asks : '/desk/open?signed-out');
    if (!isAsked) return;
    const { text } = await olivia.get(asks);
    expect(text).toContain(end === 'all' ? 'and your passkeys end, too' : 'and you have no passkey');
    expect(text).toMatch(/Only your\s+administrator could let you in again/);
    expect((await olivia.get('/desk/queue')).status).toBe(200);
    const confirmed = await olivia.post('/desk/me', { end, confirmed: 'yes' });
    expect(confirmed.headers.location).toBe('/desk/open?signed-out');
    expect((await olivia.get('/desk/queue')).status).toBe(401);
  });

  test('asks nobody else', async () => {
    const olivia = await desk.signedIn({ role: 'owner', name: 'Olivia' });
    await desk.signedIn({ role: 'owner', name: 'Otto' });
    const mo = await desk.signedIn({ name: 'Mo' });
    for (const each of [olivia, mo]) {
      expect((await each.post('/desk/me', { end: 'this' })).headers.location).toBe('/desk/open?signed-out');
    }
  });
});

describe('the sign-in page', () => {
  test('names the organization, the person and the maker of a link, without using it up', async () => {
    const olivia = await desk.signedIn({ role: 'owner', name: 'Olivia <1>' });
    const { text } = await olivia.send('/desk/people', { action: 'invite', name: 'Mo <2>' });
    const invitation = linkIn(text);
    const browser = desk.browser();
    for (let i = 0; i < 2; i += 1) {
      const looked = await browser.post('/desk/open/look', { invitation });
      expect(looked.status).toBe(200);
      expect(looked.text).toContain('Sign in to the desk of <bdi>acme</bdi>');
      expect(looked.text).toContain(
        '<p>Hello <bdi>Mo &lt;2&gt;</bdi>, <bdi>Olivia &lt;1&gt;</bdi> created this link for you. It works once.</p>',
      );
      expect(looked.logged).not.toContain(invitation.slice(-20));
    }
    expect((await olivia.post('/desk/open/look', { invitation })).text).toContain(
      'This link signs you in to <bdi>acme</bdi> as <bdi>Mo &lt;2&gt;</bdi>. It was created by <bdi>Olivia &lt;1&gt;</bdi>.',
    );
    const changed = await browser.get(invitation.slice(invitation.indexOf('/desk')).replace('#', '%23'));
    expect(changed.text).toContain('Hello <bdi>Mo &lt;2&gt;</bdi>');
    expect((await browser.post('/desk/open', { invitation })).status).toBe(303);
    for (const none of ['', 'x', 'tsi_123'])
      expect((await browser.post('/desk/open/look', { invitation: none })).status).toBe(204);
    const used = await desk.browser().post('/desk/open/look', { invitation });
    expect(used).toMatchObject({ status: 200, text: expect.stringContaining('This link was already used') });
    expect(used.text).not.toMatch(/Mo &lt;2|acme/);
  });

  test('greets a person whose link an operator made', async () => {
    const { stdout } = await admin('invite', '--name', 'Ann', '--url', 'https://api.example.com');
    const { text } = await desk.browser().post('/desk/open/look', { invitation: stdout });
    expect(text).toContain('<p>Hello <bdi>Ann</bdi>, this link signs you in once.</p>');
  });

  test('says that passkeys need JavaScript, and shows their button by it only', async () => {
    const { text } = await desk.browser().get('/desk');
    expect(text).toContain('Signing in with a passkey needs JavaScript.');
    expect(text).toMatch(/<form [^>]*data-passkey="\/desk\/open\/challenge" hidden>/);
  });
});
