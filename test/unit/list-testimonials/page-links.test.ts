import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { pageLinks } from '../../../functions/list-testimonials/handler.ts';
import { type ListParameters, listQuery } from '../../../functions/list-testimonials/parameters.ts';

const path = '/v1/testimonials';

/** Returns the target of each relation, or undefined if there is no header. */
function targets(values: ListParameters, at: { page: number; totalPages: number }) {
  const header = pageLinks(path, values, at);
  if (header === undefined) return undefined;
  const links = header.split(', ').map((link) => /^<([^<>]*)>; rel="([a-z]+)"$/.exec(link));
  return Object.fromEntries(links.map((match) => [match?.[2], match?.[1]]));
}

test('the header has the form of RFC 8288', () => {
  expect(pageLinks(path, { status: 'approved', page: 2, limit: 10 }, { page: 2, totalPages: 3 })).toBe(
    '</v1/testimonials?status=approved&page=1&limit=10>; rel="first", ' +
      '</v1/testimonials?status=approved&page=1&limit=10>; rel="prev", ' +
      '</v1/testimonials?status=approved&page=3&limit=10>; rel="next", ' +
      '</v1/testimonials?status=approved&page=3&limit=10>; rel="last"',
  );
});

/** Queries of clients, with each parameter at most once. */
const queries = fc.record(
  {
    page: fc.integer({ min: 1, max: 50 }),
    limit: fc.integer({ min: 1, max: 100 }),
    status: fc.constantFrom('pending', 'all'),
    type: fc.constantFrom('video', 'all'),
    rating: fc.integer({ min: 1, max: 5 }),
    sort: fc.constantFrom('rating', 'updatedAt'),
    order: fc.constantFrom('asc', 'desc'),
    search: fc
      .string({ unit: fc.constantFrom(...'a é,我😀"<>&=%+;'), maxLength: 20 })
      .map((text) => `a${text}`),
    tags: fc
      .array(fc.string({ unit: fc.constantFrom(...'aé "<>&=%+;#'), maxLength: 5 }), { maxLength: 5 })
      .map(String),
  },
  { requiredKeys: [] },
);

const parse = (parameters: URLSearchParams) =>
  v.parse(
    listQuery,
    Object.fromEntries(
      [...parameters].filter(([, value]) => value !== '').map(([name, value]) => [name, [value]]),
    ),
  );

test('every link repeats the request except for its page', () => {
  fc.assert(
    fc.property(queries, fc.nat({ max: 60 }), (sent, totalPages) => {
      const parameters = new URLSearchParams(
        Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const { values, query } = parse(parameters);
      for (const [relation, target] of Object.entries(
        targets(values, { page: query.page, totalPages }) ?? {},
      )) {
        const linked = parse(new URL(String(target), 'http://x').searchParams).query;
        expect({ relation, ...linked }).toEqual({ relation, ...query, page: linked.page });
      }
    }),
  );
});

describe('a long header', () => {
  // Each letter is six bytes when escaped.
  const tags = (letters: number) => ({ tags: ['я'.repeat(letters)] });

  test.each([
    ['all links', 150, 2, 'first,prev,next,last'],
    ['all but the first', 200, 2, 'prev,next,last'],
    ['the neighbours', 300, 2, 'prev,next'],
    ['the next page', 400, 2, 'next'],
    ['the page before the last one', 400, 3, 'prev'],
    ['nothing', 700, 2, ''],
  ])('has %s', (_, letters, page, relations) => {
    expect(Object.keys(targets(tags(letters), { page, totalPages: 3 }) ?? {}).join()).toBe(relations);
  });

  test('has the next page whenever that alone fits, and no more than 4,096 bytes', () => {
    for (let letters = 0; letters <= 700; letters += 1) {
      for (const page of [1, 2, 3, 9]) {
        const header = pageLinks(path, tags(letters), { page, totalPages: 3 }) ?? '';
        expect(header.length).toBeLessThanOrEqual(4096);
        const next = `<${path}?${new URLSearchParams({ tags: 'я'.repeat(letters), page: `${page + 1}` })}>; rel="next"`;
        expect(header.includes('rel="next"')).toBe(page < 3 && next.length <= 4096);
      }
    }
  });
});
