/**
 * Notes that a cookie carries over a redirect: only the session that wrote one reads it, for its purpose, and
 * for a minute.
 */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type ApiClient, testimonialBody } from '../../api-client.ts';
import { type Browser, type Desk, openDesk } from '../../desk-client.ts';
import { allMatchesIn } from '../../forms.ts';

let api: ApiClient;
let desk: Desk;
let owner: Browser;
beforeEach(async () => {
  ({ api, desk, owner } = await openDesk());
  for (let i = 0; i < 6; i += 1) await api.create(testimonialBody());
});

const total = async () => (await api.list()).body.pagination.total;

const work = async (browser: Browser) => ({
  action: 'erase',
  page: '',
  done: '',
  tags: '',
  confirmed: 'yes',
  ...allMatchesIn((await browser.get('/desk/list?limit=5')).text),
});

const workCookie = '__Host-desk-work';

/** Asks to erase all matches, and returns the sealed note of the confirmation. */
async function askedToErase(browser: Browser): Promise<string> {
  const { status } = await browser.post('/desk/list', { ...(await work(browser)), confirmed: '' });
  expect(status).toBe(303);
  return browser.cookies.get(workCookie) ?? '';
}

/** Expects that the pages of long work show nothing of it. */
async function expectNoWork(browser: Browser, headers = {}) {
  for (const page of ['progress', 'confirm']) {
    const cookie = browser.cookies.get(workCookie);
    expect(await browser.get(`/desk/list/${page}`, headers)).toMatchObject({
      status: 303,
      headers: { location: '/desk/list' },
    });
    if (cookie !== undefined) browser.cookies.set(workCookie, cookie);
  }
  expect(await total()).toBe(6);
}

describe('a note of long work begins nothing', () => {
  test.each<[string, (browser: Browser) => Promise<string>]>([
    ['that another program set', async (browser) => encodeURIComponent(JSON.stringify(await work(browser)))],
    [
      'with a seal of its own',
      async (browser) =>
        encodeURIComponent(`work 99999999999999 ${JSON.stringify(await work(browser))}.${'A'.repeat(43)}=`),
    ],
    ['of another session', async () => askedToErase(await desk.signedIn({ role: 'owner' }))],
    [
      'that was changed',
      async (browser) =>
        (await askedToErase(browser)).replace('%22confirmed%22%3A%22%22', '%22confirmed%22%3A%22yes%22'),
    ],
    ['that is empty', async () => ''],
  ])('%s', async (_, noteOf) => {
    const note = await noteOf(owner);
    owner.cookies.set(workCookie, note);
    await expectNoWork(owner);
  });

  test('on a navigation from elsewhere, also by an older browser', async () => {
    await askedToErase(owner);
    for (const relation of ['cross-site', 'same-site', 'none'])
      await expectNoWork(owner, { 'sec-fetch-site': relation });
    await expectNoWork(owner, { referer: 'https://attacker.example/' });
  });
});

test('a note begins nothing after a minute, even if the browser keeps it', async () => {
  const note = await askedToErase(owner);
  desk.clock.offset += 61_000;
  const browser = desk.browser();
  for (const [name, value] of owner.cookies) browser.cookies.set(name, value);
  browser.cookies.set(workCookie, note);
  await expectNoWork(browser);
});

test('a note is only read for its purpose', async () => {
  await owner.post('/desk/list', { action: 'approve', seen: 'test_1234567890121@x' });
  const outcome = owner.cookies.get('__Host-desk-outcome') ?? '';
  expect(decodeURIComponent(outcome)).toContain('1 testimonial could not be found.');
  owner.cookies.set('__Host-desk-link', outcome);
  const { text } = await owner.get('/desk/people');
  expect(text).not.toContain('Send this link');
  expect(text).toContain('1 testimonial could not be found.');
});

test('a note of the session itself goes on', async () => {
  await askedToErase(owner);
  const { text } = await owner.get('/desk/list/confirm', { 'sec-fetch-site': 'same-origin' });
  expect(text).toContain('Erase 6 testimonials');
  expect(await total()).toBe(6);
});

test.each(['confirm', 'progress'])(
  'a window goes on at %s only with a note of its own list',
  async (page) => {
    await askedToErase(owner);
    const { status, headers } = await owner.get(`/desk/list/${page}?status=approved`);
    expect([status, headers.location]).toEqual([303, '/desk/list?status=approved']);
    expect((await owner.get('/desk/list?status=approved')).text).toContain(
      'This action stopped because you started another one',
    );
    expect(await total()).toBe(6);
  },
);

test.each([
  '2999-01-01T00:00:00.000Z',
  '+275760-09-13T00:00:00.000Z',
  new Date(Date.now() + 60_000).toISOString(),
])('a list of the future (%s) is refused', async (all) => {
  const { status, text } = await owner.post('/desk/list', { ...(await work(owner)), all });
  expect({ status, text }).toEqual({
    status: 422,
    text: expect.stringContaining('This form is out of date'),
  });
  expect(await total()).toBe(6);
});

test.each([
  ['desk-link', '/desk/people'],
  ['desk-link', '/desk/me'],
  ['desk-outcome', '/desk/list'],
])('a planted %s shows nothing at %s', async (name, path) => {
  for (const prefix of ['', '__Host-']) {
    owner.cookies.set(prefix + name, encodeURIComponent('https://attacker.example/desk/open#tsi_x\nOlivia'));
  }
  const { status, text } = await owner.get(path);
  expect(status).toBe(200);
  expect(text).not.toContain('attacker');
});

test('over TLS, no other host can set a note; a laptop has no TLS', async () => {
  await owner.post('/desk/list', { action: 'approve', seen: 'test_1234567890121@x' });
  expect([...owner.cookies.keys()].sort()).toEqual(['__Host-desk', '__Host-desk-outcome']);
  const { headers } = await owner.post(
    '/desk/people',
    { action: 'invite', name: 'Ben', role: 'moderator' },
    { host: 'localhost:3000' },
  );
  expect(headers.cookies).not.toContain('__Host-desk-');
});

test('tags that just fit into the first note also fit into the later ones, with more digits', async () => {
  const tagged = async (spaces: number, confirmed: string) => {
    const tags = `long${' '.repeat(spaces)}`;
    return owner.post('/desk/list', { ...(await work(owner)), action: 'tag', tags, confirmed });
  };
  let [fits, tooLong] = [1000, 1300];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if ((await tagged(middle, '')).status === 303) fits = middle;
    else tooLong = middle;
  }
  const text = expect.stringContaining('Shorten them and try again');
  expect(await tagged(tooLong, '')).toMatchObject({ status: 422, text });
  expect((await tagged(fits, 'yes')).status).toBe(303);
});

test('all matches of a long filter can be changed, and an action without tags ignores typed ones', async () => {
  const tags = Array.from({ length: 20 }, (_, n) => `とても長いタグの名前${n}`);
  for (let i = 0; i < 6; i += 1) await api.create(testimonialBody({ tags: tags.slice(0, 1) }));
  const search = new URLSearchParams({ tags: tags.join(), limit: '5' });
  const { text } = await owner.get(`/desk/list?${search}`);
  const typed = { tags: '字'.repeat(400), page: '', done: '', foundNone: '', confirmed: '' };
  const asked = await owner.send(`/desk/list?${search}`, {
    ...allMatchesIn(text),
    ...typed,
    action: 'approve',
  });
  expect(asked.text).toContain('Approve 6 testimonials');
});

test('a long outcome is cut, and what it tells is done', async () => {
  const name = '名'.repeat(200);
  const { body } = await api.create(testimonialBody({ author: { name, email: 'long@example.com' } }));
  const { get, post } = owner;
  const [, key = ''] =
    /name="seen" value="([^"]*)"/.exec((await get(`/desk/queue?next=${body.id}`)).text) ?? [];
  const review = JSON.stringify({
    decisions: [],
    skipped: [],
    counts: { pending: 0, approved: 0, rejected: 0 },
  });
  expect((await post('/desk/queue', { seen: key, key: 'a', tags: '', known: '', review })).status).toBe(303);
});
