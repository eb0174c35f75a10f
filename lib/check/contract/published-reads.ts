/** Published reads: lists for a token in a web page or a URL, and the rules for caching them. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { publishedId } from '../../../functions/domain/testimonial-id.ts';
import { makeSecret } from '../../../functions/domain/token.ts';
import {
  challenge,
  expectEqual,
  expectStatus,
  forbidden,
  invalidToken,
  listed,
  malformed,
  refused,
  unauthorized,
} from './expectations.ts';
import type { Organization } from './organization.ts';
import {
  type ApiRequest,
  createRequest,
  linksOf,
  type ServiceResponse,
  testimonialBody,
} from './requests.ts';
import { each, rule, type Suite } from './suite.ts';

const published = (api: Organization) => api.token('testimonials:read-published');
const whole = (api: Organization) => api.token('testimonials:read', 'testimonials:write');

/** Lists with the published token in the header. */
const byHeader = async (api: Organization, query = '', headers = {}) =>
  api.list(query, { token: await published(api), headers });

/** Lists with a token in the URL. The request may have another token in the header. */
const byUrl = (api: Organization, inUrl: string, query = '', request: ApiRequest = {}) =>
  api.list([query, `token=${inUrl}`].filter(Boolean).join('&'), { token: '', ...request });

const anAddress = 'jane@example.com';

/** Expects that no cache can give the response to another token or page. */
export function expectKeptApart({ headers }: ServiceResponse): void {
  expectEqual('Cache-Control', headers['cache-control'], 'public, max-age=60');
  const vary = (headers.vary ?? '').toLowerCase().split(/\s*,\s*/);
  assert(
    ['authorization', 'origin'].every((name) => vary.includes(name)),
    `Vary: ${headers.vary ?? 'none'}`,
  );
}

/** Expects that no cache may keep the response. */
function expectNotKept({ headers }: ServiceResponse): void {
  expectEqual('Cache-Control', headers['cache-control'], 'no-store');
  // The gateway adds the first value, compression the second.
  assert(/^(origin|accept-encoding|, )*$/i.test(headers.vary ?? ''), `Vary: ${headers.vary}`);
}

/** The lists of a web page, with additional headers. */
export const pageLists: [
  string,
  (api: Organization, headers: Record<string, string>) => Promise<ServiceResponse>,
][] = [
  ['in the header', (api, headers) => byHeader(api, '', headers)],
  ['in the URL', async (api, headers) => byUrl(api, await published(api), '', { headers })],
];

const searches: [query: string, total: number][] = [
  ['status=', 2],
  ['status=all', 2],
  ['status=approved', 2],
  ['search=waits', 0],
  ['search=amaz', 1],
  ['search=jane', 1],
  ['search=jane.e', 0],
  ['search=example', 0],
  ['search=ann', 1],
  ['search=ann%40', 1],
  ['search=ann%40acme', 0],
  ['search=bucher', 0],
  ['search=b%C3%BC%C2%ADcher', 0],
  ['tags=jane@example.com', 0],
  ['tags=ux', 1],
];

/** Tokens that must not be in a URL. */
const otherTokens: [string, (api: Organization) => string | Promise<string>][] = [
  ['one that may read and write', whole],
  ['one that may read', (api) => api.token('testimonials:read')],
  ['one that may write', (api) => api.token('testimonials:write')],
  ['one that is unknown', () => makeSecret('tst', randomInt)],
  ['another text', () => 'nonsense'],
  ['a malformed one', async (api) => `${await published(api)}x`],
];

const notInUrl =
  'Only tokens with testimonials:read-published may be sent in a URL. ' +
  'Revoke this token, because URLs are logged and shared.';

/** Expects the same response for known and unknown tokens. */
function expectNotInUrl(response: ServiceResponse): void {
  refused(response, invalidToken);
  expectEqual('the message', response.body.error.message, notInUrl);
  expectNotKept(response);
}

/** Requests that a published token does not allow, and the required permission. */
const notForIt: [string, ApiRequest, scope: string][] = [
  ...[
    'status=pending',
    'status=rejected&page=x',
    'status=approved&status=rejected',
    'sort=updatedAt&limit=0',
    'search=a&sort=%75pdatedAt',
  ].map((query): [string, ApiRequest, string] => [query, { query }, 'testimonials:read']),
  ['a create', createRequest(testimonialBody()), 'testimonials:write'],
  ['a create that is not valid', createRequest({}), 'testimonials:write'],
];

const notKept: [string, (api: Organization) => Promise<ServiceResponse>, status: number][] = [
  ['a refused parameter', (api) => byHeader(api, 'limit=0'), 400],
  ['an invalid token', async (api) => api.list('', { token: `${await published(api)}x` }), 401],
  ['a list of the whole', (api) => api.list('status=approved'), 200],
  ['another path', async (api) => api.send({ path: '/v1/nothing', token: await published(api) }), 404],
];

export const publishedReads: Suite = {
  name: 'Published lists',
  async prepare(api) {
    const bodies = [
      testimonialBody({ content: `Ask me: ${anAddress}!`, rating: 5, tags: ['ux', anAddress] }),
      testimonialBody({
        author: { name: 'Ann ann@bü\u00adcher.de', email: 'ann@example.com', company: 'ann@acme.test' },
      }),
      testimonialBody({ content: 'It waits to be approved' }),
    ];
    for (const body of bodies) await api.created(body);
    for (const { id } of api.known.all.slice(0, 2)) await api.change(id, { status: 'approved' });
  },
  rules: [
    rule(
      'a published token lists approved testimonials with public ids, and no e-mail address or update time',
      async (api) => {
        const response = await byHeader(api);
        const [first, second] = api.known.all;
        const approved = { type: 'text', status: 'approved' };
        expectEqual('testimonials', listed(response).testimonials, [
          {
            ...approved,
            id: publishedId(String(second?.id)),
            content: 'Amazing product, we love it',
            author: { name: 'Ann [e-mail address]', company: '[e-mail address]' },
            tags: [],
            createdAt: second?.createdAt,
          },
          {
            ...approved,
            id: publishedId(String(first?.id)),
            content: 'Ask me: [e-mail address]!',
            author: { name: 'Jane Doe' },
            rating: 5,
            tags: ['ux', '[e-mail address]'],
            createdAt: first?.createdAt,
          },
        ]);
        expectEqual('links', linksOf(response), { first: 'page=1', last: 'page=1' });
      },
    ),
    each(
      'a published token searches only published texts:',
      searches.map(([query, total]) => [`${query} finds ${total}`, query, total] as const),
      async (api, _, query, total) => {
        const { testimonials, pagination } = listed(await byHeader(api, query));
        expectEqual('the total', pagination.total, total);
        expectEqual('testimonials', testimonials.length, total);
      },
    ),
    each('a published token is refused with 403:', notForIt, async (api, _, request, scope) => {
      const response = await api.send({ ...request, token: await published(api) });
      refused(response, {
        ...forbidden,
        challenge: `${challenge}, error="insufficient_scope", scope="${scope}"`,
      });
      expectNotKept(response);
    }),
    each(
      'caches keep a published list per token and page, with the token',
      [{}, { origin: 'https://www.example.com' }].flatMap((headers: { origin?: string }) =>
        pageLists.map(
          ([where, list]) => [`${where}${headers.origin ? ', with an Origin' : ''}`, list, headers] as const,
        ),
      ),
      async (api, _, list, headers) => expectKeptApart(await list(api, headers)),
    ),
    each('caches may keep no other response:', notKept, async (api, _, ask, status) => {
      const response = await ask(api);
      expectStatus(response, status);
      expectNotKept(response);
    }),
    rule('a published token in the URL works as in the header, and links include it', async (api) => {
      const token = await published(api);
      const query = 'limit=1&order=asc';
      const [inHeader, inUrl] = [await byHeader(api, query), await byUrl(api, token, query)];
      expectEqual('by the URL', listed(inUrl), listed(inHeader));
      assert(!inHeader.headers.link?.includes('token'), `Link: ${inHeader.headers.link}`);
      const next = linksOf(inUrl).next ?? '';
      expectEqual('the token of the link', new URLSearchParams(next).get('token'), token);
      const second = await api.list(next, { token: '' });
      expectEqual('the next page', listed(second), listed(await byHeader(api, `${query}&page=2`)));
    }),
    each(
      'any other token in the URL is refused with 401 and the advice to revoke it, also beside a valid header:',
      otherTokens,
      async (api, _, tokenOf) => {
        const token = await tokenOf(api);
        const valid = await published(api);
        for (const header of ['', await whole(api), valid]) {
          for (const query of ['', 'limit=0&status=pending', `token=${valid}`, `token[]=${token}`]) {
            expectNotInUrl(await byUrl(api, token, query, { token: header }));
          }
        }
      },
    ),
    rule('the header wins over the URL, and no cache may keep that response', async (api) => {
      const token = await published(api);
      const ofOther = await published(await api.neighbour());
      const both = await byUrl(api, ofOther, '', { token });
      expectEqual('the total', listed(both).pagination.total, 2);
      expectEqual('Cache-Control', both.headers['cache-control'], 'no-store');
      assert(!both.headers.link?.includes('token'), `Link: ${both.headers.link}`);
      const ofWhole = await byUrl(api, token, '', { token: await whole(api) });
      expectEqual('the total of the whole', listed(ofWhole).pagination.total, 3);
      refused(await byUrl(api, token, '', { token: 'tst_0' }), invalidToken);
    }),
    rule(
      'many unknown tokens in the URL cost one read',
      async (api) => {
        const calls: string[] = [];
        api.service.process.onTableCall((name) => calls.push(name));
        const tokens = Array.from({ length: 100 }, () => `token=${makeSecret('tst', randomInt)}`);
        expectNotInUrl(await api.list(tokens.join('&'), { token: '' }));
        expectEqual('calls of the table', calls, ['GetItemCommand']);
      },
      'process',
    ),
    rule('two tokens in the URL are a 400, and an empty one counts as none', async (api) => {
      const token = await published(api);
      for (const header of ['', await whole(api)]) {
        refused(await byUrl(api, token, `token=${token}`, { token: header }), malformed('token'));
        refused(await byUrl(api, '', `token[]=${token}`, { token: header }), malformed('token'));
      }
      refused(await byUrl(api, ''), { ...unauthorized, challenge });
      expectStatus(await byUrl(api, token, 'token='), 200);
    }),
    rule(
      'a published token in the URL cannot create (403), and any other token there is a 401',
      async (api) => {
        const create = (inUrl: string, token = '') =>
          api.send({ ...createRequest(testimonialBody()), query: `token=${inUrl}`, token });
        refused(await create(await published(api)), forbidden);
        for (const header of ['', await whole(api)]) expectNotInUrl(await create(await whole(api), header));
        expectStatus(await create(await published(api), await whole(api)), 201);
      },
    ),
  ],
};
