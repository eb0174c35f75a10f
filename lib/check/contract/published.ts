/** What a token that stands in a web page, or in an address, is answered, and what caches are told of it. */
import type { PublishedListBody } from '../../../functions/list-testimonials/contract.ts';
import type { Answer } from '../deployed-api.ts';
import type { Check } from '../deployment.ts';
import { expectSame, NotHeld } from '../not-held.ts';
import { refusing } from './refusals.ts';

/** @throws {NotHeld} where a cache could give the answer to somebody else */
export function expectKeptApart({ headers }: Answer): void {
  expectSame('Cache-Control', headers.get('cache-control'), 'public, max-age=60');
  const vary = (headers.get('vary') ?? '').toLowerCase().split(/\s*,\s*/);
  const missing = ['authorization', 'origin'].filter((name) => !vary.includes(name));
  if (missing.length > 0) throw new NotHeld(`Vary: ${headers.get('vary') ?? 'none'}`);
}

export const published: Check[] = [
  {
    name: 'a published token in the address is as good as in the header, and links carry it on',
    async play({ api, tokens, known }) {
      const byHeader = await api.list('limit=1', { token: tokens.published });
      expectKeptApart(byHeader);
      const byAddress = await api.list(`limit=1&token=${tokens.published}`, { token: '' });
      expectKeptApart(byAddress);
      const total = (body: unknown) => (body as PublishedListBody).pagination?.total; // held against the document
      expectSame('total', total(byAddress.body), known.list('status=approved').pagination.total);
      expectSame('by the address', byAddress.body, byHeader.body);
      const next = /<[^>?]+\?([^>]+)>; rel="last"/.exec(byAddress.headers.get('link') ?? '')?.[1] ?? '';
      expectSame('by a link', (await api.list(next, { token: '' })).status, 200);
      return undefined;
    },
  },
  ...refusing([
    {
      name: 'any other token in the address: 401, known or not',
      requests: ({ tokens: { readWrite, read, write, unknown, revoked } }) =>
        [readWrite, read, write, unknown, revoked, 'tst_0'].map((each) => ({
          query: `token=${each}`,
          token: '',
        })),
      ...{ status: 401, code: 'unauthorized' },
    },
    {
      name: 'a token twice in the address: 400',
      requests: ({ tokens: { published: each } }) => [{ query: `token=${each}&token=${each}`, token: '' }],
      ...{ status: 400, code: 'bad_request', details: ['token'] },
    },
    {
      name: 'what a published token may not ask for: 403',
      requests: ({ tokens }) =>
        ['status=pending', 'status=rejected', 'sort=updatedAt'].map((query) => ({
          query,
          token: tokens.published,
        })),
      ...{ status: 403, code: 'forbidden' },
    },
  ]),
];
