/** Lists, compared with what filter, sort and slice make of all that the deployment has answered. */

import { sortNames } from '../../../functions/domain/testimonial-order.ts';
import type { ListBody } from '../../../functions/list-testimonials/contract.ts';
import { counted } from '../../operator/terminal/formatting.ts';
import { type Answer, answerText } from '../deployed-api.ts';
import type { Check, Deployment } from '../deployment.ts';
import { expectSame, NotHeld } from '../not-held.ts';

/**
 * Asks for a list, and expects the page that has to come: pagination with the exact total, and each testimonial.
 * @throws {NotHeld}
 */
export async function expectPage({ api, known }: Deployment, query: string): Promise<Answer> {
  const expected = known.list(query);
  const answer = await api.list(query);
  const of = query === '' ? '' : `${query}: `;
  if (answer.status !== 200) throw new NotHeld(`${of}${answerText(answer)}`);
  const seen = answer.body as ListBody; // every answer is held against the document
  for (const [name, value] of Object.entries(expected.pagination)) {
    expectSame(`${of}${name}`, seen.pagination?.[name as keyof ListBody['pagination']], value); // of its entries
  }
  expectSame(`${of}testimonials`, seen.testimonials.length, expected.testimonials.length);
  for (const [i, testimonial] of expected.testimonials.entries()) {
    const other = seen.testimonials[i];
    expectSame(`${of}place ${i + 1}`, other?.id, testimonial.id);
    expectSame(`${of}place ${i + 1}`, other, testimonial);
  }
  return answer;
}

const eachOf = (name: string, values: readonly (string | number)[]) =>
  values.map((value) => `${name}=${value}`);

/** The first pages, one in the middle, and the last. */
function somePages(known: Deployment['known'], query: string): string[] {
  const { totalPages } = known.list(query).pagination;
  const pages = new Set([1, 2, Math.ceil(totalPages / 2), totalPages].filter((page) => page >= 1));
  return [...pages].map((page) => `${query}&page=${page}`);
}

interface Lists {
  name: string;
  queries: readonly string[];
  /** Also the pages after the first. */
  paged?: true;
  /** Each of them has to match something. */
  matching?: true;
}

// Of what `creating` and the generated testimonials say.
const lists: readonly Lists[] = [
  { name: 'without parameters: 25 testimonials, the newest first', queries: [''] },
  ...sortNames.map(
    (sort): Lists => ({
      name: `sorted by ${sort}, both ways: the first pages, one in the middle, the last`,
      queries: [`sort=${sort}&order=desc&limit=20`, `sort=${sort}&order=asc&limit=20`],
      paged: true,
    }),
  ),
  { name: 'each status', queries: eachOf('status', ['pending', 'approved', 'rejected', 'all']), paged: true },
  {
    name: 'each type',
    queries: eachOf('type', ['text', 'video', 'audio', 'all']),
    paged: true,
    matching: true,
  },
  { name: 'each smallest rating', queries: eachOf('rating', [1, 2, 3, 4, 5]), paged: true, matching: true },
  {
    name: 'tags: any of them, in any case',
    queries: ['tags=ux', 'tags=UX,onboarding', 'tags=support&tags=pricing', 'tags=nobody-has-it'],
    paged: true,
  },
  {
    name: 'search: each word begins a word of the content or the author’s name',
    queries: ['search=amaz', 'search=prod+amaz', 'search=jane', 'search=amaz+jane'],
    ...{ paged: true, matching: true },
  },
  { name: 'search: nothing from within a word', queries: ['search=mazing', 'search=amazi+zzz'] },
  {
    name: 'search: case and accents do not count; letters without a decomposition',
    queries: ['search=CAFE', `search=${encodeURIComponent('łucja')}`, 'search=lucja+nowak'],
    matching: true,
  },
  {
    name: 'search: words with punctuation inside, and their parts',
    queries: [
      'search=node.js',
      'search=js',
      'search=node.j',
      `search=${encodeURIComponent('l’équipe')}`,
      'search=equipe',
    ],
    matching: true,
  },
  {
    name: 'search: scripts without spaces',
    queries: ['素晴', '素', 'ไทย'].map((text) => `search=${encodeURIComponent(text)}`),
    matching: true,
  },
  {
    name: 'filters, search and sort together',
    queries: [
      'status=pending&type=text&rating=4&sort=rating&limit=7',
      'search=amaz&tags=ux,support&sort=updatedAt&order=asc&limit=5',
      'rating=1&sort=rating&order=asc&limit=9',
    ],
    paged: true,
  },
  {
    name: 'past the last page: empty, with the same total',
    queries: ['page=2147483647', 'status=rejected&page=1000&limit=100'],
  },
];

/** The checks of lists, whatever is in the index by then. */
export const listing: Check[] = [
  ...lists.map(({ name, queries, paged, matching }) => ({
    name,
    async play(deployment: Deployment) {
      const all = queries.flatMap((query) => (paged ? somePages(deployment.known, query) : [query]));
      for (const query of all) await expectPage(deployment, query);
      const empty = queries.find((query) => matching && deployment.known.list(query).pagination.total === 0);
      if (empty !== undefined) throw new NotHeld(`nothing that was created matches ${empty}`);
      return undefined;
    },
  })),
  {
    name: 'all of them, 100 a page: by the links, each once, in order',
    async play(deployment) {
      const query = 'limit=100&sort=createdAt&order=asc';
      const { totalPages, total } = deployment.known.list(query).pagination;
      let link = linksOf(await expectPage(deployment, query));
      for (let page = 1; page < totalPages; page += 1) {
        const next = link.next ?? '';
        const given = new URLSearchParams(next);
        expectSame(`the next page of ${page}`, given.get('page'), String(page + 1));
        expectSame(
          `the last page of ${page}`,
          new URLSearchParams(link.last).get('page'),
          String(totalPages),
        );
        link = linksOf(await expectPage(deployment, next));
      }
      expectSame('the page after the last', link.next, undefined);
      return counted(total, 'testimonial');
    },
  },
  {
    name: 'Link: first, prev, next and last, with the same filters',
    async play(deployment) {
      const query = 'type=text&limit=5';
      const last = deployment.known.list(query).pagination.totalPages;
      const links = linksOf(await expectPage(deployment, `${query}&page=2`));
      const pages = { first: 1, prev: 1, next: 3, last };
      for (const [relation, page] of Object.entries(pages)) {
        const given = Object.fromEntries(new URLSearchParams(links[relation]));
        expectSame(relation, given, { type: 'text', limit: '5', page: String(page) });
      }
      return undefined;
    },
  },
];

/** The queries of the header Link (RFC 8288), by their relations. */
function linksOf({ headers }: Answer): Record<string, string> {
  const found = (headers.get('link') ?? '').matchAll(/<[^?>]*\?([^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries(Array.from(found, ([, query, relation]) => [relation, query]));
}
