/** The pagination object and the Link header of a list. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';

let api: ApiClient;
beforeAll(async () => {
  api = await createApiClient();
  for (let rating = 1; rating <= 5; rating += 1) {
    await api.create(testimonialBody({ rating, content: 'A Café we love, très bien', tags: ['a b', 'c&d'] }));
  }
});

const idsOf = ({ body }: Answer): string[] => body.testimonials.map(({ id }: { id: string }) => id);

describe('pagination of five testimonials:', () => {
  test.each<
    [
      query: string,
      shown: number,
      page: number,
      limit: number,
      total: number,
      totalPages: number,
      hasNext: boolean,
      hasPrev: boolean,
    ]
  >([
    ['', 5, 1, 25, 5, 1, false, false],
    ['limit=2', 2, 1, 2, 5, 3, true, false],
    ['limit=2&page=2', 2, 2, 2, 5, 3, true, true],
    ['limit=2&page=3', 1, 3, 2, 5, 3, false, true],
    ['limit=2&page=4', 0, 4, 2, 5, 3, false, true],
    ['limit=2&page=2147483647', 0, 2_147_483_647, 2, 5, 3, false, true],
    ['limit=100&page=2147483647', 0, 2_147_483_647, 100, 5, 1, false, true],
    ['limit=1', 1, 1, 1, 5, 5, true, false],
    ['limit=1&page=5', 1, 5, 1, 5, 5, false, true],
    ['limit=4', 4, 1, 4, 5, 2, true, false],
    ['limit=5', 5, 1, 5, 5, 1, false, false],
    ['limit=6', 5, 1, 6, 5, 1, false, false],
    ['limit=5&page=2', 0, 2, 5, 5, 1, false, true],
    ['limit=2&rating=4', 2, 1, 2, 2, 1, false, false],
    ['limit=2&rating=3', 2, 1, 2, 3, 2, true, false],
    ['search=zebra', 0, 1, 25, 0, 0, false, false],
    ['search=zebra&page=2', 0, 2, 25, 0, 0, false, true],
    ['status=rejected&limit=1', 0, 1, 1, 0, 0, false, false],
  ])('"%s" shows %d', async (query, shown, page, limit, total, totalPages, hasNext, hasPrev) => {
    const { status, body } = await api.list(query);
    expect(status).toBe(200);
    expect(body.testimonials).toHaveLength(shown);
    expect(body.pagination).toEqual({ page, limit, total, totalPages, hasNext, hasPrev });
  });

  test('an organization without testimonials', async () => {
    const authorization = `Bearer ${await api.issue(['testimonials:read'], 'empty')}`;
    expect(await api.list('', { authorization })).toMatchObject({
      status: 200,
      body: {
        testimonials: [],
        pagination: { page: 1, limit: 25, total: 0, totalPages: 0, hasNext: false, hasPrev: false },
      },
    });
  });
});

test('142 testimonials read as in the published documentation', async () => {
  const many = await createApiClient();
  for (let batch = 0; batch < 142; batch += 1) await many.create(testimonialBody());
  const { body } = await many.list();
  expect(body.testimonials).toHaveLength(25);
  expect(JSON.stringify(body.pagination)).toBe(
    '{"page":1,"limit":25,"total":142,"totalPages":6,"hasNext":true,"hasPrev":false}',
  );
  expect((await many.list('limit=100')).body.testimonials).toHaveLength(100);
  expect((await many.list('limit=100&page=2')).body.testimonials).toHaveLength(42);
  expect((await many.list('page=6')).body.testimonials).toHaveLength(17);
});

/** The queries of a Link header by relation (RFC 8288, section 3). */
function linksOf({ headers }: Answer): Record<string, Record<string, string>> {
  const links = String(headers.link).matchAll(/<([^>]*)>; rel="([a-z]+)"(?:, |$)/g);
  return Object.fromEntries(
    Array.from(links, ([, target, relation]) => {
      const { pathname, searchParams } = new URL(String(target), 'https://api.example.com');
      expect(pathname).toBe('/v1/testimonials');
      return [relation, Object.fromEntries(searchParams)];
    }),
  );
}

const pagesOf = (answer: Answer) =>
  Object.fromEntries(Object.entries(linksOf(answer)).map(([relation, { page }]) => [relation, page]));

describe('the Link header of five testimonials:', () => {
  test.each<[query: string, pages: Record<string, string>]>([
    ['', { first: '1', last: '1' }],
    ['limit=2', { first: '1', next: '2', last: '3' }],
    ['limit=2&page=2', { first: '1', prev: '1', next: '3', last: '3' }],
    ['limit=2&page=3', { first: '1', prev: '2', last: '3' }],
    ['limit=2&page=4', { first: '1', prev: '3', last: '3' }],
    ['limit=2&page=1000', { first: '1', prev: '3', last: '3' }],
    ['search=zebra', { first: '1', last: '1' }],
  ])('"%s" links to %j', async (query, pages) => {
    expect(pagesOf(await api.list(query))).toEqual(pages);
  });

  test.each<[string, Record<string, string>]>([
    ['limit', { limit: '2' }],
    ['status', { limit: '2', status: 'pending' }],
    ['type', { limit: '2', type: 'text' }],
    ['rating', { limit: '2', rating: '1' }],
    ['sort and order', { limit: '2', sort: 'rating', order: 'asc' }],
    ['a search that needs escaping', { limit: '2', search: 'café & très' }],
    ['tags that need escaping', { limit: '2', tags: 'a b,c&d' }],
  ])('every link keeps %s', async (_name, parameters) => {
    // A search with a lone "&" is two words around punctuation.
    const answer = await api.list(String(new URLSearchParams({ ...parameters, page: '2' })));
    expect(answer.body.pagination.total).toBe(5);
    const links = linksOf(answer);
    expect(Object.keys(links).sort()).toEqual(['first', 'last', 'next', 'prev']);
    for (const { page, ...kept } of Object.values(links)) {
      expect(page).toMatch(/^[1-9]\d*$/);
      expect(kept).toEqual(parameters);
    }
  });

  test('following next shows every testimonial once', async () => {
    const shown: string[] = [];
    let parameters: Record<string, string> | undefined = { limit: '2', search: 'café', sort: 'rating' };
    while (parameters) {
      const answer = await api.list(String(new URLSearchParams(parameters)));
      shown.push(...idsOf(answer));
      parameters = linksOf(answer).next;
    }
    expect(shown).toEqual(idsOf(await api.list('sort=rating')));
  });

  test('a refused list has none', async () => {
    expect((await api.list('page=0')).headers).not.toHaveProperty('link');
  });
});
