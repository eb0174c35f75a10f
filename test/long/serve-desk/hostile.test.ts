/** Hostile and malformed requests to the desk of a deployment. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { deskOf } from '../../desk-client.ts';
import { type Fields, fieldsOf } from '../../forms.ts';
import { addPage } from '../../page-visitor.ts';
import { hostileTexts } from '../../unit/serve-pages/hostile.ts';

let api: ApiClient;
let desk: Awaited<ReturnType<typeof deskOf>>;
let withPages: typeof desk;
beforeAll(async () => {
  api = await createApiClient();
  desk = await deskOf(api.table);
  withPages = await deskOf(api.table, { pages: true });
});

const safe = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': expect.stringMatching(
    /^default-src 'none'(?!.*(unsafe|https?:|\*)).*frame-ancestors 'none'$/,
  ),
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** The preview of a page brings its own policy, and only the desk frames it. */
const ofPreview = {
  'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'self'$/),
  'x-frame-options': 'SAMEORIGIN',
};

const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&\u202e`;

test.each([evil, ...hostileTexts])('the text %j is never markup', async (text) => {
  const letters = (count: number) => Array.from(text).slice(0, count).join('');
  const name = `P${letters(99)}`;
  const { get, send } = await withPages.signedIn({ role: 'owner', name });
  const [author, company, email] = [`A${letters(199)}`, `C${letters(199)}`, 'a@example.com'];
  const tags = [letters(50).replaceAll(',', ';').trim()];
  await api.create(
    testimonialBody({ content: `Yak ${text}`, author: { name: author, company, email }, tags }),
  );
  const { id } = await addPage(api.table, { title: letters(200), settings: { intro: text, tags: text } });
  const query = new URLSearchParams({ search: text, tags: text, rating: text }).toString();
  const list = await get('/desk/list?search=yak');
  const [, seen = ''] = /name="seen" value="([^"]*)"/.exec(list.text) ?? [];
  const added = fieldsOf((await get('/desk/add')).text, 'Add testimonial');
  const quoted = `"${letters(190).replaceAll('"', '""')}"`;
  const shown = [
    list,
    await get('/desk/queue?search=yak'),
    await get('/desk/me'),
    await get(`/desk/list?${query}`),
    await get(`/desk/queue?${query}`),
    await send('/desk/author', { email: text }),
    await send('/desk/list', { action: text, seen }),
    await send('/desk/list', { action: 'ask to erase', seen }),
    await send('/desk/list?search=yak', { action: 'tag', tags: text, seen }),
    await send('/desk/list?search=yak', { action: 'approve', seen }),
    await send('/desk/open', { invitation: text }),
    await send('/desk/add', {
      ...added,
      content: 'An okapi by hand',
      'author.name': author,
      'author.email': email,
      source: letters(200),
    }),
    await get('/desk/list?search=okapi'),
    await send('/desk/people', { action: 'invite', name }),
    await get('/desk/people'),
    await get('/desk/pages'),
    await get(`/desk/pages/${id}`),
    await send(`/desk/pages/${id}/links`, { lines: `${quoted},${email},${quoted}\nJane,${quoted}` }),
    await send('/desk/pages/brand', { name: letters(100), accent: '' }),
    await get('/desk/pages/brand'),
  ];
  for (const page of shown) {
    expect(page.status).toBeLessThan(500);
    // Removes the values of attributes.
    const tags = page.text.replaceAll(/="[^"]*"/g, '');
    expect(tags).not.toMatch(
      /<script>|<img(?! src alt width height>)|<svg(?! class)|<b>x|<h1>mine|<[^>]* (on\w+|style)\b/,
    );
    expect((tags.match(/<script/g) ?? []).length).toBeLessThanOrEqual(3);
  }
});

test('every response has the strict headers: of each route, by each method, in each state', async () => {
  const { id } = await addPage(api.table, { kind: 'wall' });
  const person = await withPages.signedIn({ role: 'owner' });
  const paths = withPages.routes
    .map(({ path }) => path.replaceAll('/*', '/other').replace(':digest', 'x'))
    .flatMap((path) => ['no-such', id, person.person.id].map((each) => path.replace(':id', each)));
  const visitors = {
    owner: person,
    moderator: await withPages.signedIn(),
    stranger: withPages.browser(),
    'an owner without pages': await desk.signedIn({ role: 'owner' }),
  };
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  const previews: string[] = [];
  for (const path of new Set([...paths, '/desk/preview', '/desk/pages/preview', '/preview'])) {
    for (const [who, { ask }] of Object.entries(visitors)) {
      for (const method of methods) {
        const form = method === 'POST' ? { form: { title: 'A title' } } : {};
        // Removing the page would change the later responses.
        if (method === 'POST' && path.endsWith('/remove')) continue;
        const { status, headers } = await ask(method, path, form);
        const isPreview = [`/desk/pages/${id}/preview`, '/desk/pages/brand/preview'].includes(path);
        if (isPreview && who === 'owner' && status === 200) {
          previews.push(`${path.replace(id, 'id')} ${who}: ${method} ${status}`);
          expect(headers).toMatchObject({ ...safe, ...ofPreview });
          continue;
        }
        const files = {
          'cache-control': expect.stringMatching(/^no-store$|^public, max-age=\d+(, immutable)?$/),
        };
        const isFile = path.includes('/assets/');
        expect({ path, who, method, status, headers }).toMatchObject({
          headers: { ...safe, ...(isFile && files) },
        });
      }
    }
  }
  expect(previews.toSorted()).toEqual([
    ...['GET 200', 'HEAD 200', 'POST 200'].map((each) => `/desk/pages/brand/preview owner: ${each}`),
    ...['GET 200', 'HEAD 200', 'POST 200'].map((each) => `/desk/pages/id/preview owner: ${each}`),
  ]);
  // An invalid one, too.
  const invalid = await person.post(`/desk/pages/${id}/preview`, { title: '' });
  expect(invalid).toMatchObject({ status: 422, headers: { ...safe, ...ofPreview } });
});

test('no refusal may be framed, cached or sniffed', async () => {
  for (const { get, post } of [await desk.signedIn(), desk.browser()]) {
    for (const { headers } of [
      await get('/desk/list?limit=0'),
      await post('/desk/list', { tags: 'x'.repeat(2_000_000) }),
      await post('/desk/list', {}, { 'sec-fetch-site': 'cross-site' }),
    ])
      expect(headers).toMatchObject(safe);
  }
  const poor = await deskOf(api.table, { limits: { rate: 1 / 60 } });
  const { get } = await poor.signedIn({ organization: 'poor' });
  await get('/desk/queue');
  const { status, headers, text } = await get('/desk/queue');
  expect(status).toBe(429);
  expect(headers).toMatchObject({ ...safe, 'retry-after': expect.any(String) });
  expect(text).toContain('reached its request limit for this minute');
});

const multipart = { 'content-type': 'multipart/form-data; boundary=x' };

const forms = ['queue', 'list', 'author', 'me', 'me/passkey', 'open', 'open/passkey'];

test.each([
  ['no boundary', 'a=b', { 'content-type': 'multipart/form-data' }],
  ['no end', '--x\r\nContent-Disposition: form-data; name="end"\r\n\r\nall', multipart],
  [
    'a file',
    '--x\r\nContent-Disposition: form-data; name="end"; filename="a.txt"\r\n\r\nall\r\n--x--\r\n',
    multipart,
  ],
  ['bytes that are not UTF-8', Buffer.from([0x65, 0x6e, 0x64, 0x3d, 0xff, 0xfe]), {}],
  ['invalid escapes', 'end=%zz%ff%c0%af&__proto__=1&constructor=2', {}],
  ['another type', '{"end":"all"}', { 'content-type': 'application/json' }],
])('a form with %s is refused', async (_, raw, headers) => {
  const { ask, get } = await desk.signedIn();
  for (const path of forms) {
    const { status } = await ask('POST', `/desk/${path}`, { raw, headers });
    expect({ path, isRefused: [403, 422].includes(status) }).toEqual({ path, isRefused: true });
    expect((await get('/desk/me')).status).toBe(200);
  }
});

test.each([
  ['GET', '/desk/queue/', 404],
  ['GET', '/desk/../v1/testimonials', 404],
  ['GET', '/desk/%2e%2e/v1/testimonials', 404],
  ['GET', '/desk/assets/../queue', 401],
  ['GET', '/desk/open/..%2fqueue', 404],
  ['GET', '/desk/%00', 404],
  ['GET', '/desk/%ff%fe', 404],
  ['GET', '/desk/assets/x/desk.js/../../../../etc/passwd', 401],
  ['HEAD', '/desk/queue', 200],
  ['PUT', '/desk/list', 403],
  ['OPTIONS', '/desk/me', 403],
])('%s %s gets status %i', async (method, path, expected) => {
  const { ask } = await desk.signedIn();
  expect((await ask(method, path)).status).toBe(expected);
});

test('numbers in forms are bounded', async () => {
  const { send } = await desk.signedIn();
  const far = '999999999999';
  expect((await send('/desk/author', { email: 'a@example.com', from: far })).status).toBe(200);
  const all = { action: 'approve', all: '2000-01-01T00:00:00.000Z', passed: far, done: far, of: far };
  expect((await send('/desk/list?search=none', all)).status).toBeLessThan(500);
  const seen = 'test_99999999999999999999999@x';
  expect((await send('/desk/list', { action: 'approve', seen })).status).toBe(200);
  const review = { decisions: [], skipped: [], counts: { pending: -1, approved: 0, rejected: 0 } };
  expect((await send('/desk/queue', { key: 's', seen, review: JSON.stringify(review) })).status).toBe(422);
});

test('a long review continues', async () => {
  const { send } = await desk.signedIn({ organization: 'long' });
  const step = { id: 'test_1', updatedAt: 'x', status: 'approved', tags: ['素'.repeat(400)] };
  const review = {
    decisions: Array(50).fill(step),
    skipped: [],
    counts: { pending: 0, approved: 50, rejected: 0 },
  };
  const { text } = await send('/desk/queue', { key: 's', seen: 'test_2@x', review: JSON.stringify(review) });
  expect(text).toContain('50 approved');
});

describe('more than any page of the desk sends is refused', () => {
  const seen = 'test_1234567890121@2026-01-15T12:00:00.000Z';
  const skipped = Array(10_000).fill('test_1234567890121');
  const review = { decisions: [], skipped, counts: { pending: 0, approved: 0, rejected: 0 } };

  test.each<[string, string, Fields, string]>([
    ['7,000 testimonials', '/desk/list', { action: 'approve', seen: Array(7000).fill(seen) }, 'at most 100'],
    ['101 testimonials', '/desk/list', { action: 'erase', seen: Array(101).fill(seen) }, 'at most 100'],
    ['10,000 skips', '/desk/queue', { key: 's', seen, review: JSON.stringify(review) }, 'out of date'],
    ['junk', '/desk/author', { email: 'a@example.com', found: 'test_0123 x' }, 'out of date'],
    [
      'a line end',
      '/desk/author',
      { email: 'a@example.com', found: 'test_1\r\nset-cookie: a=b' },
      'out of date',
    ],
    ['an endless address', '/desk/author', { email: `${'x'.repeat(300)}@example.com` }, 'at most 254'],
  ])('%s', async (_, path, form, text) => {
    const { post } = await desk.signedIn({ role: 'owner' });
    expect(await post(path, form)).toMatchObject({ status: 422, text: expect.stringContaining(text) });
  });

  test.each(['remove', 'end', 'invite again', 'cancel'])('a long id of a person to %s', async (action) => {
    const { post, get } = await desk.signedIn({ role: 'owner' });
    expect((await post('/desk/people', { action: `${action} on ${'x'.repeat(3000)}` })).status).toBe(303);
    expect((await get(`/desk/people/${'x'.repeat(3000)}/remove`)).status).toBe(303);
  });
});

test.each(['null', 'null/x', '', 'javascript:1', 'https://'])(
  'links have the right origin although a form sends the origin %j',
  async (origin) => {
    const { id } = await addPage(api.table, { kind: 'form' });
    const { post } = await withPages.signedIn({ role: 'owner' });
    const { status, text } = await post(`/desk/pages/${id}/preview`, { title: 'A form' }, { origin });
    expect(status).toBe(200);
    expect(text).toContain(`<link rel="canonical" href="https://api.example.com/f/${id}">`);
  },
);
