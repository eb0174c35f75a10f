/**
 * Many clients at once, and lists of many testimonials, which are compared with filtering, sorting and
 * slicing all testimonials.
 */
import assert from 'node:assert/strict';
import pMap from 'p-map';
import type { Status } from '../../../functions/domain/testimonial.ts';
import { sortNames } from '../../../functions/domain/testimonial-order.ts';
import { generateTestimonials } from '../../operator/sample-data/generate-testimonials.ts';
import { expectEqual, expectStatus, idsOf, listed } from './expectations.ts';
import { expectIndexed, expectVerified } from './list-index.ts';
import type { Organization } from './organization.ts';
import { linksOf, testimonialBody } from './requests.ts';
import { each, type Group, rule, type Suite } from './suite.ts';

const clientsAtOnce = 50;

// As in the example of list-testimonials/contract.json: several pages, and enough for an index update.
const many = 142;

// Few, because new accounts run fewer functions concurrently
// (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
const createsAtOnce = 4;

/** Creates testimonials until there are many. */
async function createMany(api: Organization): Promise<void> {
  const before = api.known.size;
  await pMap(
    generateTestimonials(many - before, { seed: before, firstOrdinal: before + 1 }),
    async ({ ordinal, testimonial: { content, author, rating, type, tags } }) => {
      const body = { content, author, ...(rating !== undefined && { rating }), type, tags };
      const create = () => api.created(body, { 'idempotency-key': `many-${ordinal}` });
      // Retried, because the expected lists require every testimonial to be known.
      await create().catch(create);
    },
    { concurrency: createsAtOnce },
  );
}

/** Returns queries for the first two pages of a list, one in the middle, and the last one. */
function somePages({ known }: Organization, query: string): string[] {
  const { totalPages } = known.list(query).pagination;
  const pages = new Set([1, 2, Math.ceil(totalPages / 2), totalPages].filter((page) => page >= 1));
  return [...pages].map((page) => `${query}&page=${page}`);
}

const someLists: [string, ...queries: string[]][] = [
  ...sortNames.map((sort): [string, string, string] => [
    `sorted by ${sort}, both ways`,
    `sort=${sort}&order=desc&limit=20`,
    `sort=${sort}&order=asc&limit=20`,
  ]),
  ['of each status', 'status=pending', 'status=approved', 'status=rejected'],
  ['of each type', 'type=text', 'type=video', 'type=audio'],
  ['of smallest ratings', 'rating=1', 'rating=3', 'rating=5'],
  ['of tags', 'tags=ONBOARDING', 'tags=support&tags=pricing', 'tags=nobody-has-it'],
  ['of a search', 'search=client', 'search=client+fif', 'search=am&limit=5'],
  [
    'of filters, search and sort together',
    'status=pending&type=text&rating=4&sort=rating&limit=7',
    'search=al&tags=onboarding,support&sort=updatedAt&order=asc&limit=5',
  ],
  ['of 100 a page', 'limit=100&sort=createdAt&order=asc'],
];

const lists = (where: string): Group =>
  each(`lists ${where} have the expected pages and exact totals:`, someLists, async (api, _, ...queries) => {
    for (const query of queries.flatMap((query) => somePages(api, query))) await api.expectPage(query);
  });

const turns: Status[] = ['rejected', 'approved', 'pending'];
const changedOnes = 15;

// Each has 40 KB, so that together they exceed one response of DynamoDB (1 MB).
const longest = 30;

export const manyTestimonials: Suite = {
  name: 'Many testimonials',
  // The fifty clients use all functions that an account may run concurrently.
  isAlone: true,
  rules: [
    rule(
      `${clientsAtOnce} concurrent clients each find their own testimonial in their next list`,
      async (api) => {
        const numbers = Array.from({ length: clientsAtOnce }, (_, i) => i + 1);
        const missed = await Promise.all(
          numbers.map(async (number) => {
            const content = `Client ${number} of fifty, all at once.`;
            const { id } = await api.created(testimonialBody({ content }));
            return idsOf(await api.list('limit=100')).includes(id) ? [] : [number];
          }),
        );
        expectEqual('clients that did not find it', missed.flat(), []);
        await api.expectPage('limit=100');
      },
    ),
    rule(`${createsAtOnce} concurrent clients create testimonials until lists are long`, createMany),
    rule(`a list of ${many} testimonials is as in the documentation`, async (api) => {
      const { testimonials, pagination } = listed(await api.list());
      expectEqual('testimonials', testimonials.length, 25);
      const documented = '{"page":1,"limit":25,"total":142,"totalPages":6,"hasNext":true,"hasPrev":false}';
      expectEqual('pagination', JSON.stringify(pagination), documented);
      expectEqual('the last page', idsOf(await api.list('page=6')).length, 17);
    }),
    rule('a large response is compressed if the client accepts gzip, and not otherwise', async (api) => {
      const ask = (encoding: string) => api.list('', { headers: { 'accept-encoding': encoding } });
      const [packed, plain] = [await ask('gzip'), await ask('identity')];
      expectEqual('Content-Encoding', packed.headers['content-encoding'], 'gzip');
      expectEqual('Content-Encoding', plain.headers['content-encoding'], undefined);
      for (const { headers } of [packed, plain]) {
        assert(/accept-encoding/i.test(headers.vary ?? ''), `Vary: ${headers.vary ?? 'none'}`);
      }
      expectEqual('the compressed list', listed(packed), listed(plain));
    }),
    lists('of unindexed testimonials'),
    rule('within two minutes the index contains the testimonials, except a short tail', expectIndexed),
    lists('of indexed testimonials'),
    rule('the links lead through all testimonials, 100 a page, each once and in order', async (api) => {
      const query = 'limit=100&order=asc';
      const first = await api.expectPage(query);
      const { next = '', last } = linksOf(first);
      expectEqual('the last page', last, next);
      const second = await api.expectPage(next);
      expectEqual('the page after the last', linksOf(second).next, undefined);
      expectEqual('testimonials', new Set([...idsOf(first), ...idsOf(second)]).size, many);
    }),
    rule('changes of indexed testimonials are in the next lists', async (api) => {
      for (const [i, { id }] of api.known.all.slice(0, changedOnes).entries()) {
        // Some change two or three times.
        for (const status of turns.slice(0, (i % turns.length) + 1)) await api.change(id, { status });
      }
      for (const status of turns) await api.expectPage(`status=${status}&sort=updatedAt`);
    }),
    rule('within two minutes the index includes the changes', expectIndexed),
    lists('after the changes'),
    rule('the index agrees with the testimonials', expectVerified),
    rule(`a page of ${longest} testimonials with the longest texts is complete`, async (api) => {
      const content = '😀'.repeat(10_000);
      await pMap(Array(longest).keys(), () => api.created(testimonialBody({ content })), {
        concurrency: createsAtOnce,
      });
      await api.expectPage(`limit=${longest}`);
      expectStatus(await api.list(), 200);
    }),
  ],
};
