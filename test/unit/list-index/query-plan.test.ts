import { describe, expect, test } from '@jest/globals';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import { statuses } from '../../../functions/domain/testimonial.ts';
import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import { sortNames } from '../../../functions/domain/testimonial-order.ts';
import {
  isShallow,
  planList,
  planRows,
  type QueryPlan,
  type RowPlan,
} from '../../../functions/list-index/query-plan.ts';

const plan = (query: Partial<ListQuery> = {}) =>
  planList({ filter: {}, sort: 'createdAt', order: 'desc', page: 1, limit: 25, ...query });
const readsOf = (filter: TestimonialFilter) => plan({ filter }).allOf.map(({ anyOf }) => anyOf);

describe('the postings to read are', () => {
  test.each<[string, TestimonialFilter, unknown[]]>([
    ['those of every testimonial without a filter', {}, [[{ term: 'all' }]]],
    ['that of the status', { status: 'approved' }, [[{ term: 'status=approved' }]]],
    ['that of the type', { type: 'video' }, [[{ term: 'type=video' }]]],
    [
      'those of the ratings from the smallest on',
      { rating: 4 },
      [[{ term: 'rating=4' }, { term: 'rating=5' }]],
    ],
    [
      'those of all ratings and not the unrated for the smallest rating of 1',
      { rating: 1 },
      [[1, 2, 3, 4, 5].map((rating) => ({ term: `rating=${rating}` }))],
    ],
    [
      'those of any of the tags, folded',
      { tags: ['UX', 'Größe'] },
      [[{ term: 'tag=ux' }, { term: 'tag=grösse' }]],
    ],
    ['one of tags that differ in case only', { tags: ['UX', 'ux'] }, [[{ term: 'tag=ux' }]]],
    ['one of a prefix of one letter', { search: 'A' }, [[{ term: 'prefix=a' }]]],
    ['those of all words with a prefix of two letters', { search: 'am' }, [[{ wordsFrom: 'am' }]]],
    ['counted in code points for letters beyond 16 bits', { search: '𐐨' }, [[{ term: 'prefix=𐐨' }]]],
    [
      'those of each word of a search, all of which must be there',
      { search: 'amaz p' },
      [[{ wordsFrom: 'amaz' }], [{ term: 'prefix=p' }]],
    ],
    [
      'not those of a word that begins another of the search',
      { search: 'ama amazing' },
      [[{ wordsFrom: 'amazing' }]],
    ],
    [
      'those of each pair of neighbours of a script without spaces',
      { search: '素晴らしい' },
      [[{ wordsFrom: '素晴' }], [{ wordsFrom: '晴ら' }], [{ wordsFrom: 'らし' }], [{ wordsFrom: 'しい' }]],
    ],
    [
      'those of every part of a filter',
      { status: 'pending', type: 'text', rating: 5, tags: ['a'], search: 'x' },
      [
        [{ term: 'status=pending' }],
        [{ term: 'type=text' }],
        [{ term: 'rating=5' }],
        [{ term: 'prefix=x' }],
        [{ term: 'tag=a' }],
      ],
    ],
  ])('%s', (_what, filter, reads) => {
    expect(readsOf(filter)).toEqual(reads);
  });
});

describe('the order of ratings comes from', () => {
  const ascending = [0, 1, 2, 3, 4, 5].map((rating) => `rating=${rating}`);
  const search = { search: 'amazing' };

  test('the rating terms in turn, the unrated first in ascending order', () => {
    expect(plan({ filter: search, sort: 'rating', order: 'asc' }).ratings).toEqual(ascending);
  });

  test('the rating terms in turn, the unrated last in descending order', () => {
    expect(plan({ filter: search, sort: 'rating', order: 'desc' }).ratings).toEqual(ascending.toReversed());
  });

  test('the index alone, while that is walked at once', () => {
    expect(plan({ sort: 'rating', page: 5 }).ratings).toEqual([]);
    expect(plan({ sort: 'rating', page: 6 }).ratings).toHaveLength(6);
  });

  test.each(['createdAt', 'updatedAt'] as const)('no term for a list by %s', (sort) => {
    expect(plan({ filter: search, sort }).ratings).toEqual([]);
  });
});

describe('a secondary index', () => {
  test.each(sortNames)('of the organization has the order by %s of an unfiltered list', (sort) => {
    expect(plan({ sort }).secondaryIndex).toEqual({});
  });

  test.each(statuses)('of the status has a list of just the %s', (status) => {
    expect(plan({ filter: { status } }).secondaryIndex).toEqual({ status });
  });

  test.each<TestimonialFilter>([
    { type: 'text' },
    { status: 'approved', rating: 3 },
    { tags: ['a'] },
    { status: 'approved', search: 'a' },
  ])('has no list of %j', (filter) => {
    const { secondaryIndex, walkAtOnce } = plan({ filter });
    expect(secondaryIndex).toBeUndefined();
    expect(walkAtOnce).toBe(false);
  });
});

describe('the index is walked at once', () => {
  test.each([
    [1, 1, true],
    [5, 1, true],
    [6, 1, false],
    [5, 100, true],
    [6, 100, false],
    [2_147_483_647, 100, false],
  ])('on page %i of %i: %p', (page, limit, atOnce) => {
    expect(plan({ page, limit }).walkAtOnce).toBe(atOnce);
    expect(plan({ page, limit, filter: { status: 'approved' } }).walkAtOnce).toBe(atOnce);
  });

  test('as long as the walk is at most five pages', () => {
    expect(isShallow(125, 25)).toBe(true);
    expect(isShallow(126, 25)).toBe(false);
  });
});

test('a plan is the same value for the same query', () => {
  const query: ListQuery = {
    filter: { status: 'approved', tags: ['b', 'a'], search: 'great am' },
    sort: 'rating',
    order: 'asc',
    page: 12,
    limit: 7,
  };
  expect(planList(query)).toEqual(planList(structuredClone(query)));
});

describe('the rows of a page are found', () => {
  const rowsOf = (
    query: Partial<ListQuery>,
    total: number,
    { indexed = 1_000_000, planned = plan(query) }: { indexed?: number; planned?: QueryPlan } = {},
  ): RowPlan => planRows(planned, { sort: 'createdAt', page: 1, limit: 25, ...query }, { total, indexed });
  const video = { filter: { type: 'video' as const } };

  test('not at all past the last page', () => {
    expect(rowsOf({ page: 3 }, 50)).toEqual({ by: 'nothing' });
    expect(rowsOf({}, 0)).toEqual({ by: 'nothing' });
  });

  test('by a walk from either end, where a secondary index has just what matches', () => {
    expect(rowsOf({ page: 2 }, 100_000)).toEqual({ by: 'walk', fromEnd: false, rows: 50 });
    expect(rowsOf({ page: 3998 }, 100_000)).toEqual({ by: 'walk', fromEnd: true, rows: 75 });
    expect(rowsOf({ page: 4000, sort: 'rating' }, 100_000)).toEqual({ by: 'walk', fromEnd: true, rows: 25 });
  });

  test('by counting bits inside, and wherever a filter narrows further', () => {
    expect(rowsOf({ page: 2000 }, 100_000)).toEqual({ by: 'ordinal' });
    expect(rowsOf({ page: 2000, sort: 'rating' }, 100_000)).toEqual({ by: 'rating' });
    expect(rowsOf(video, 100_000)).toEqual({ by: 'ordinal' });
    expect(rowsOf({ ...video, sort: 'rating' }, 100_000)).toEqual({ by: 'rating' });
  });

  test('by updatedAt by walking from the nearer end, past what the filter drops', () => {
    expect(rowsOf({ page: 10, sort: 'updatedAt' }, 100_000)).toEqual({
      by: 'walk and filter',
      fromEnd: false,
      rows: 275,
    });
    expect(rowsOf({ page: 3990, sort: 'updatedAt' }, 100_000)).toMatchObject({
      by: 'walk and filter',
      fromEnd: true,
    });
    // Every fifth is a video.
    expect(rowsOf({ ...video, sort: 'updatedAt' }, 200_000)).toEqual({
      by: 'walk and filter',
      fromEnd: false,
      rows: 188,
    });
  });

  test('by updatedAt by sorting all where few match', () => {
    expect(rowsOf({ ...video, sort: 'updatedAt' }, 30)).toEqual({ by: 'sorting all' });
  });
});
