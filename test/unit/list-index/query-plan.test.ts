import { describe, expect, test } from '@jest/globals';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import { statuses } from '../../../functions/domain/testimonial.ts';
import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import { sorts } from '../../../functions/domain/testimonial-order.ts';
import { isShallow, planList } from '../../../functions/list-index/query-plan.ts';

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
      { minRating: 4 },
      [[{ term: 'rating=4' }, { term: 'rating=5' }]],
    ],
    [
      'those of all ratings and not the unrated for the smallest rating of 1',
      { minRating: 1 },
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
      'those of every part of a filter',
      { status: 'pending', type: 'text', minRating: 5, tags: ['a'], search: 'x' },
      [
        [{ term: 'status=pending' }],
        [{ term: 'type=text' }],
        [{ term: 'rating=5' }],
        [{ term: 'tag=a' }],
        [{ term: 'prefix=x' }],
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
    expect(plan({ filter: search, sort: 'rating', order: 'asc' }).inTurn).toEqual(ascending);
  });

  test('the rating terms in turn, the unrated last in descending order', () => {
    expect(plan({ filter: search, sort: 'rating', order: 'desc' }).inTurn).toEqual(ascending.toReversed());
  });

  test('the index alone, while that is walked at once', () => {
    expect(plan({ sort: 'rating', page: 5 }).inTurn).toEqual([]);
    expect(plan({ sort: 'rating', page: 6 }).inTurn).toHaveLength(6);
  });

  test.each(['createdAt', 'updatedAt'] as const)('no term for a list by %s', (sort) => {
    expect(plan({ filter: search, sort }).inTurn).toEqual([]);
  });
});

describe('a secondary index', () => {
  test.each(sorts)('of the organization has the order by %s of an unfiltered list', (sort) => {
    expect(plan({ sort }).index).toEqual({});
  });

  test.each(statuses)('of the status has a list of just the %s', (status) => {
    expect(plan({ filter: { status } }).index).toEqual({ status });
  });

  test.each<TestimonialFilter>([
    { type: 'text' },
    { status: 'approved', minRating: 3 },
    { tags: ['a'] },
    { status: 'approved', search: 'a' },
  ])('has no list of %j', (filter) => {
    const { index, walkAtOnce } = plan({ filter });
    expect(index).toBeUndefined();
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
