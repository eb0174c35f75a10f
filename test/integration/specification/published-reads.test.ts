/** Published reads: what a token that stands in a web page is answered. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { foldOrganization, takingAll } from '../../../functions/list-index/write/fold.ts';
import { publishedId } from '../../../functions/list-testimonials/published-testimonial.ts';
import { changeTestimonial } from '../../../functions/operations/change-testimonial.ts';
import { costMeter } from '../../../functions/persistence/cost-meter.ts';
import { budgetMinuteMs, settledMs, shareEveryMs } from '../../../functions/timing.ts';
import { type Answer, type ApiClient, createApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { refusalOf } from './refusal.ts';
import { stopClock } from './stopped-clock.ts';

let api: ApiClient;
let published: { authorization: string };
const created: { id: string; createdAt: string }[] = [];

async function approve(id: string): Promise<void> {
  await changeTestimonial({ ...storesOf(api.table), now: api.table.now }, 'acme', id, { status: 'approved' });
}

const issue = async (of: ApiClient) => ({
  authorization: `Bearer ${await of.issue(['testimonials:read-published'])}`,
});

beforeAll(async () => {
  api = await createApiClient();
  published = await issue(api);
  for (const body of [
    testimonialBody({ content: 'Ask me: jane@example.com!', rating: 5, tags: ['ux', 'jane@example.com'] }),
    testimonialBody({ author: { name: 'Ann', email: 'ann@example.com', company: 'ann@acme.test' } }),
    testimonialBody({ content: 'It waits to be approved' }),
  ]) {
    created.push((await api.create(body)).body);
  }
  for (const { id } of created.slice(0, 2)) await approve(id);
});

test('it sees the approved, without addresses, ids and times of updates', async () => {
  const { status, headers, body } = await api.list('', published);
  expect(status).toBe(200);
  expect(headers).toEqual({
    'content-type': 'application/json',
    'cache-control': 'public, max-age=60',
    vary: 'Authorization, Origin',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.any(String),
    link: '</v1/testimonials?page=1>; rel="first", </v1/testimonials?page=1>; rel="last"',
  });
  const [first, second] = created;
  expect(body).toEqual({
    testimonials: [
      {
        id: publishedId(String(second?.id)),
        content: 'Amazing product, we love it',
        author: { name: 'Ann', company: '[e-mail address]' },
        ...{ type: 'text', status: 'approved', tags: [], createdAt: second?.createdAt },
      },
      {
        id: publishedId(String(first?.id)),
        content: 'Ask me: [e-mail address]!',
        author: { name: 'Jane Doe' },
        ...{ rating: 5, type: 'text', status: 'approved' },
        ...{ tags: ['ux', '[e-mail address]'], createdAt: first?.createdAt },
      },
    ],
    pagination: { page: 1, limit: 25, total: 2, totalPages: 1, hasNext: false, hasPrev: false },
  });
});

test.each(['status=', 'status=all', 'status=approved'])('%s means approved', async (query) => {
  expect((await api.list(query, published)).body.pagination.total).toBe(2);
});

test.each([
  ['search=waits', 0],
  ['search=amaz', 1],
  ['search=jane', 1],
  ['search=jane.e', 0],
  ['search=example', 0],
  ['search=ann%40', 1],
  ['search=ann%40acme', 0],
  ['tags=jane@example.com', 0],
  ['tags=ux', 1],
])('%s finds by what everyone sees (%d)', async (query, total) => {
  const { body } = await api.list(query, published);
  expect([body.pagination.total, body.testimonials.length]).toEqual([total, total]);
});

describe('is refused', () => {
  test.each(['status=pending', 'status=rejected', 'sort=updatedAt', 'sort=updatedAt&limit=0'])(
    '%s, with 403',
    async (query) => {
      const answer = await api.list(query, published);
      expect(refusalOf(answer)).toEqual({ status: 403, code: 'forbidden', fields: undefined });
    },
  );

  test('a create, with 403, whatever its body', async () => {
    for (const body of [testimonialBody(), {}]) {
      expect((await api.create(body, published)).status).toBe(403);
    }
  });
});

describe('its token in the address', () => {
  const routeKey = 'GET /v1/testimonials';
  const inAddress = (query: string, headers = {}) => api.call({ routeKey, query, headers });
  const tokenOf = ({ authorization }: { authorization: string }) => authorization.slice('Bearer '.length);
  /** All that an answer says but what names this request. */
  const said = ({ status, headers: { 'x-request-id': id, ...headers }, body }: Answer) => ({
    ...{ status, headers, body: JSON.stringify(body).replace(String(id), 'id') },
  });

  test('is as good as in the header, and stands in the links', async () => {
    const token = tokenOf(published);
    const query = 'limit=1&order=asc';
    const [byHeader, byAddress] = [
      await api.list(query, published),
      await inAddress(`${query}&token=${token}`),
    ];
    expect(byAddress.body).toEqual(byHeader.body);
    const { link = '', ...headers } = byAddress.headers;
    expect({ ...headers, 'x-request-id': '' }).toEqual({
      ...byHeader.headers,
      link: undefined,
      'x-request-id': '',
    });
    const [, next = ''] = /<[^>?]+\?([^>]+)>; rel="next"/.exec(link) ?? [];
    expect(new URLSearchParams(next).get('token')).toBe(token);
    const second = await inAddress(next);
    expect(second.body).toEqual((await api.list(`${query}&page=2`, published)).body);
    expect(byHeader.headers.link).not.toContain('token');
  });

  test('any other token is refused there with 401 and the advice to revoke it, known or not', async () => {
    const other = await api.issue(['testimonials:read'], 'acme', 1);
    const unknown = tokenOf(await issue(await createApiClient()));
    const tokens = [
      api.token,
      await api.issue(['testimonials:write']),
      other,
      unknown,
      'nonsense',
      `${other}x`,
    ];
    const answers = [];
    for (const token of tokens) {
      for (const query of [`token=${token}`, `limit=0&status=pending&token=${token}`]) {
        answers.push(said(await inAddress(query)));
      }
    }
    const [first] = answers;
    expect(first).toMatchObject({
      status: 401,
      headers: {
        'www-authenticate': 'Bearer realm="testimonials", error="invalid_token"',
        'cache-control': 'no-store',
      },
      body: expect.stringContaining('This token has stood in an address: revoke it.'),
    });
    expect(answers).toEqual(answers.map(() => first));
  });

  test('the header wins where both are sent, and no cache is to keep that', async () => {
    const { status, headers, body } = await inAddress(`token=${api.token}`, published);
    expect([status, body.pagination.total, headers['cache-control']]).toEqual([200, 2, 'no-store']);
    expect(headers.link).not.toContain('token');
    const full = await inAddress(`token=${tokenOf(published)}`, { authorization: `Bearer ${api.token}` });
    expect([full.status, full.body.pagination.total]).toEqual([200, 3]);
    expect((await inAddress(`token=${tokenOf(published)}`, { authorization: 'Bearer tst_0' })).status).toBe(
      401,
    );
  });

  test('twice it is a 400, and empty it is none', async () => {
    const token = tokenOf(published);
    const twice = await inAddress(`token=${token}&token=${token}`);
    expect(refusalOf(twice)).toEqual({ status: 400, code: 'bad_request', fields: ['token'] });
    const empty = await inAddress('token=');
    expect(empty.headers['www-authenticate']).toBe('Bearer realm="testimonials"');
    expect((await inAddress(`token=&token=${token}`)).status).toBe(200);
  });

  test('allows no create: 403, and with any other token 401', async () => {
    const create = (token: string) =>
      api.call({
        ...{
          routeKey: 'POST /v1/testimonials',
          query: `token=${token}`,
          body: JSON.stringify(testimonialBody()),
        },
        headers: { 'content-type': 'application/json' },
      });
    expect((await create(tokenOf(published))).status).toBe(403);
    expect((await create(api.token)).status).toBe(401);
  });
});

test('no other answer may be kept by a cache', async () => {
  const answers = [
    await api.list('limit=0', published),
    await api.list('status=pending', published),
    await api.create(testimonialBody(), published),
    await api.list('', { authorization: `${published.authorization}x` }),
    await api.list('status=approved'),
    await api.call({ routeKey: '$default', headers: published }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 403, 403, 401, 200, 404]);
  for (const { headers } of answers) {
    expect([headers['cache-control'], headers.vary]).toEqual(['no-store', undefined]);
  }
});

test('no token has another permission beside it, and none is stored that would', async () => {
  for (const other of ['testimonials:read', 'testimonials:write'] as const) {
    await expect(api.issue([other, 'testimonials:read-published'], 'nobody')).rejects.toThrow(
      'A token with testimonials:read-published has no other permission: it may stand in a web page.',
    );
  }
});

test('it pays from a budget of its own, half of the organization’s', async () => {
  const begin = Math.floor(Date.now() / budgetMinuteMs) * budgetMinuteMs;
  // A list costs two millionths of a dollar or so.
  const own = await createApiClient(undefined, { dollars: 0.00002 });
  stopClock(own, begin);
  const inPage = await issue(own);
  const lists = async (headers?: { authorization: string }) => {
    for (let answered = 0; ; answered += 1) {
      const { status, headers: its } = await own.list('', headers);
      if (status === 429) return { answered, wait: its['retry-after'] };
    }
  };
  const ofPages = await lists(inPage);
  const ofOthers = await lists();
  expect([ofPages.wait, ofOthers.wait]).toEqual(['60', '60']);
  expect(ofPages.answered).toBeGreaterThan(1);
  expect(ofOthers.answered).toBeGreaterThan(1.5 * ofPages.answered);
  stopClock(own, begin + budgetMinuteMs + shareEveryMs);
  expect((await own.list('', inPage)).status).toBe(200);
});

test('a list costs at most the units and rounds of the full one, the same whether a masked word is hit or not', async () => {
  for (let i = 0; i < 30; i += 1) {
    const { body } = await api.create(testimonialBody({ rating: (i % 5) + 1, tags: ['page'] }));
    if (i % 3 > 0) await approve(body.id);
  }
  const { body: masked } = await api.create(
    testimonialBody({
      content: 'Ask wladimirowitsch88@example.com about it',
      tags: ['wladimirowitsch88@example.com'],
    }),
  );
  await approve(masked.id);
  const now = () => new Date(api.table.now().getTime() + settledMs);
  await foldOrganization({ ...storesOf(api.table), now }, 'acme', takingAll);
  const meter = costMeter(api.table.client);
  const costOfList = async (query: string, headers?: { authorization: string }) => {
    api.memory.of('acme').forget();
    meter.reset();
    expect((await api.list(query, headers)).status).toBe(200);
    return meter.cost();
  };
  await api.list();
  for (const query of ['', 'limit=5&page=2', 'sort=rating&order=asc', 'type=text&rating=3']) {
    const full = await costOfList(`status=approved&${query}`);
    expect({ query, ...(await costOfList(query, published)) }).toEqual({ query, ...full });
  }
  // What is hidden from everyone is one more read of the full list.
  for (const query of ['tags=page', 'search=amaz', 'search=amaz&limit=5']) {
    const full = await costOfList(`status=approved&${query}`);
    const { requests, units, rounds } = await costOfList(query, published);
    expect({ query, requests, rounds }).toEqual({ query, requests: full.requests - 1, rounds: full.rounds });
    expect(units).toBeLessThan(full.units);
  }
  for (const guess of ['search=wladimirowitsch8', 'tags=wladimirowitsch88@example.com']) {
    const miss = guess.replace(/8(?=@|$)/, '7');
    expect((await api.list(`status=approved&${guess}`)).body.pagination.total).toBe(1);
    expect((await api.list(guess, published)).body.pagination.total).toBe(0);
    expect(await costOfList(guess, published)).toEqual(await costOfList(miss, published));
  }
});
