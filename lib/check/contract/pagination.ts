/** The pagination object and the Link header of a list. */
import assert from 'node:assert/strict';
import { createTestimonialContract } from '../../../functions/create-testimonial/contract.ts';
import { expectEqual, expectStatus, idsOf, listed } from './expectations.ts';
import { linksOf, queryOf, testimonialBody } from './requests.ts';
import { each, rule, type Suite } from './suite.ts';

type Numbers = [shown: number, page: number, limit: number, total: number, totalPages: number];

// The last two numbers are the previous and the next page, if they exist.
const pages: [query: string, ...Numbers, prev?: number | undefined, next?: number][] = [
  ['', 5, 1, 25, 5, 1],
  ['limit=2', 2, 1, 2, 5, 3, undefined, 2],
  ['limit=2&page=2', 2, 2, 2, 5, 3, 1, 3],
  ['limit=2&page=3', 1, 3, 2, 5, 3, 2],
  ['limit=2&page=4', 0, 4, 2, 5, 3, 3],
  ['limit=2&page=2147483647', 0, 2_147_483_647, 2, 5, 3, 3],
  ['limit=100&page=2147483647', 0, 2_147_483_647, 100, 5, 1, 1],
  ['limit=1', 1, 1, 1, 5, 5, undefined, 2],
  ['limit=1&page=5', 1, 5, 1, 5, 5, 4],
  ['limit=4', 4, 1, 4, 5, 2, undefined, 2],
  ['limit=5', 5, 1, 5, 5, 1],
  ['limit=6', 5, 1, 6, 5, 1],
  ['limit=5&page=2', 0, 2, 5, 5, 1, 1],
  ['limit=2&rating=4', 2, 1, 2, 2, 1],
  ['limit=2&rating=3', 2, 1, 2, 3, 2, undefined, 2],
  ['search=zebra', 0, 1, 25, 0, 0],
  ['search=zebra&page=2', 0, 2, 25, 0, 0, 1],
  ['status=rejected&limit=1', 0, 1, 1, 0, 0],
];

// Every parameter of a list. A lone "&" is not a word.
const keptByLinks = {
  limit: '2',
  status: 'pending',
  type: 'text',
  rating: '1',
  sort: 'rating',
  order: 'asc',
  search: 'café & très',
  tags: 'a b,c&d',
};

const parametersOf = (query = '') => Object.fromEntries(new URLSearchParams(query));

export const pagination: Suite = {
  name: 'Pages of five testimonials',
  async prepare(api) {
    const { total } = listed(await api.list()).pagination;
    expectEqual('the total of an organization without testimonials', total, 0);
    for (let rating = 1; rating <= 5; rating += 1) {
      const tags = ['a b', 'c&d'];
      await api.created(testimonialBody({ rating, content: 'A Café we love, très bien', tags }));
    }
  },
  rules: [
    rule('an organization without testimonials has no page', async ({ service }) => {
      const empty = await service.begin();
      const numbers = { page: 1, limit: 25, total: 0, totalPages: 0 };
      const pagination = { ...numbers, hasNext: false, hasPrev: false };
      expectEqual('the list', listed(await empty.list()), { testimonials: [], pagination });
    }),
    each(
      'pagination of',
      pages.map((expected) => [`"${expected[0]}" shows ${expected[1]}`, expected] as const),
      async (api, _, [query, shown, page, limit, total, totalPages, prev, next]) => {
        const response = await api.list(query);
        const body = listed(response);
        expectEqual('testimonials', body.testimonials.length, shown);
        const neighbours = { hasNext: next !== undefined, hasPrev: prev !== undefined };
        expectEqual('pagination', body.pagination, { page, limit, total, totalPages, ...neighbours });
        const linked = Object.entries(linksOf(response)).map(([relation, each]) => [
          relation,
          Number(parametersOf(each).page),
        ]);
        const last = Math.max(totalPages, 1);
        const expected = { first: 1, ...(prev && { prev }), ...(next && { next }), last };
        expectEqual('links', Object.fromEntries(linked), expected);
      },
    ),
    rule('links have the path of the API', async (api) => {
      const { headers } = await api.list('limit=2&page=2');
      const targets = [...(headers.link ?? '').matchAll(/<([^?>]*)/g)].map(([, target]) => target);
      expectEqual('the paths', targets, Array(4).fill(createTestimonialContract.path));
    }),
    rule('every link keeps the other parameters', async (api) => {
      const response = await api.list(queryOf({ ...keptByLinks, page: '2' }));
      expectEqual('the total', listed(response).pagination.total, 5);
      const links = linksOf(response);
      expectEqual('relations', Object.keys(links).sort(), ['first', 'last', 'next', 'prev']);
      for (const [relation, each] of Object.entries(links)) {
        const { page = '', ...kept } = parametersOf(each);
        assert(/^[1-9]\d*$/.test(page), `${relation}: page=${page}`);
        expectEqual(relation, kept, keptByLinks);
      }
    }),
    rule('the next links lead through every testimonial once', async (api) => {
      const shown: string[] = [];
      let query: string | undefined = queryOf({ limit: '2', search: 'café', sort: 'rating' });
      while (query !== undefined) {
        const response = await api.list(query);
        shown.push(...idsOf(response));
        query = linksOf(response).next;
      }
      expectEqual('the ids', shown, idsOf(await api.list('sort=rating')));
    }),
    rule('links that are too long are left out, next only after all others', async (api) => {
      // Twenty tags of which one exists, so that each link has about one or two kilobytes.
      const tagsOf = (letters: number) => [
        'a b',
        ...Array.from({ length: 19 }, (_, i) => `${'я'.repeat(letters)}${i}`),
      ];
      const relations = async (letters: number, page: string) => {
        const query = queryOf({ limit: '2', page, tags: tagsOf(letters).join() });
        const response = await api.list(query);
        const length = response.headers.link?.length ?? 0;
        assert(length <= 4096, `Link has ${length} bytes`);
        return Object.keys(linksOf(response)).join();
      };
      expectEqual('of one kilobyte, page 2', await relations(9, '2'), 'prev,next,last');
      expectEqual('of two kilobytes, page 1', await relations(20, '1'), 'next');
      expectEqual('of two kilobytes, page 2', await relations(20, '2'), 'next');
      expectEqual('of two kilobytes, page 3', await relations(20, '3'), 'prev');
    }),
    rule('a refused list has no Link header', async (api) => {
      const response = await api.list('page=0');
      expectStatus(response, 400);
      expectEqual('Link', response.headers.link, undefined);
    }),
  ],
};
