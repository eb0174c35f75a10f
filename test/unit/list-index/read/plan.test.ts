import { describe, expect, test } from '@jest/globals';
import type { ListQuery } from '../../../../functions/domain/list-query.ts';
import { statuses } from '../../../../functions/domain/testimonial.ts';
import type { TestimonialFilter } from '../../../../functions/domain/testimonial-filter.ts';
import { type Axis, type Direction, sortNames } from '../../../../functions/domain/testimonial-order.ts';
import { type IndexHead, noIndex } from '../../../../functions/testimonials/list-index/index-store.ts';
import {
  planFor,
  planList,
  planRows,
  type RowPlan,
} from '../../../../functions/testimonials/list-index/read/plan.ts';

const plan = (query: Partial<ListQuery> = {}) =>
  planList({ filter: {}, sort: 'createdAt', order: 'desc', page: 1, limit: 25, ...query });
/** What is read, as in “facet tag=a or facet tag=b, and words amaz”. */
const readsOf = (filter: TestimonialFilter) =>
  plan({ filter })
    .allOf.map((anyOf) => anyOf.map((read) => Object.values(read).join(' ')).join(' or '))
    .join(', and ');

describe('the postings to read are', () => {
  test.each<[string, TestimonialFilter, string]>([
    ['those of every testimonial without a filter', {}, 'facet all'],
    ['that of the status', { status: 'approved' }, 'facet status=approved'],
    ['that of the type', { type: 'video' }, 'facet type=video'],
    ['those of the ratings from the smallest on', { rating: 4 }, 'facet rating=4 or facet rating=5'],
    [
      'those of all ratings, without the unrated, for a minimum rating of 1',
      { rating: 1 },
      [1, 2, 3, 4, 5].map((rating) => `facet rating=${rating}`).join(' or '),
    ],
    ['those of any of the tags, indexed', { tags: ['UX', 'Größe'] }, 'facet tag=ux or facet tag=grösse'],
    ['one of tags that differ in case only', { tags: ['UX', 'ux'] }, 'facet tag=ux'],
    ['one of a prefix of one letter', { search: 'A' }, 'beginning a'],
    ['one of a prefix of two letters', { search: 'Am' }, 'beginning am'],
    ['those of all words with a prefix of three letters', { search: 'ama' }, 'words ama'],
    ['counted in code points for letters beyond 16 bits', { search: '𐐨' }, 'beginning 𐐨'],
    [
      'those of each word of a search, which must all match',
      { search: 'amaz p' },
      'words amaz, and beginning p',
    ],
    ['not those of a word that begins another of the search', { search: 'ama amazing' }, 'words amazing'],
    [
      'those of each pair of neighbours of a script without spaces',
      { search: '素晴らしい' },
      'beginning 素晴, and beginning 晴ら, and beginning らし, and beginning しい',
    ],
    [
      'those of every part of a filter',
      { status: 'pending', type: 'text', rating: 5, tags: ['a'], search: 'x' },
      'facet status=pending, and facet type=text, and facet rating=5, and beginning x, and facet tag=a',
    ],
  ])('%s', (_what, filter, reads) => {
    expect(readsOf(filter)).toBe(reads);
  });
});

describe('bits are read', () => {
  test.each<[Axis, ListQuery['sort'], TestimonialFilter]>([
    ['createdAt', 'createdAt', {}],
    ['createdAt', 'rating', { tags: ['a'] }],
    ['updatedAt', 'updatedAt', {}],
    ['updatedAt', 'updatedAt', { status: 'approved', tags: ['a'] }],
    // Words are on no other axis.
    ['createdAt', 'updatedAt', { search: 'amazing' }],
    ['createdAt', 'updatedAt', { search: 'a' }],
  ])('on the axis %s for a list by %s of %j', (axis, sort, filter) => {
    expect(plan({ sort, filter }).axis).toBe(axis);
  });

  test('of each rating in turn, the unrated first, for a list by rating', () => {
    const ascending = [0, 1, 2, 3, 4, 5].map((rating) => `rating=${rating}`);
    expect(plan({ sort: 'rating' }).groups.terms.flat()).toEqual(ascending);
    expect(plan({ sort: 'updatedAt' }).groups.terms).toEqual([[]]);
  });
});

test.each<[boolean, TestimonialFilter]>([
  [true, {}],
  [true, { status: 'pending' }],
  [true, { status: 'pending', type: 'video', rating: 2 }],
  [false, { tags: ['a'] }],
  [false, { status: 'pending', search: 'a' }],
])('mayCount is %p for the filter %j', (mayCount, filter) => {
  expect(plan({ filter }).mayCount).toBe(mayCount);
});

describe('a secondary index', () => {
  test.each(sortNames)('of the organization serves an unfiltered list by %s', (sort) => {
    expect(plan({ sort }).secondaryIndex).toEqual({});
  });

  test.each(statuses)('of the status serves a list of the %s ones', (status) => {
    expect(plan({ filter: { status } }).secondaryIndex).toEqual({ status });
  });

  test.each<TestimonialFilter>([
    { type: 'text' },
    { status: 'approved', rating: 3 },
    { tags: ['a'] },
    { status: 'approved', search: 'a' },
  ])('serves no list of %j', (filter) => {
    const { secondaryIndex, mayWalk } = plan({ filter });
    expect(secondaryIndex).toBeUndefined();
    expect(mayWalk).toBe(false);
  });
});

describe('the secondary index is walked at once', () => {
  test.each([
    [1, 1, true],
    [5, 1, true],
    [6, 1, false],
    [5, 100, true],
    [6, 100, false],
    [2_147_483_647, 100, false],
  ])('on page %i of %i: %p', (page, limit, atOnce) => {
    const head = { ...noIndex, indexed: noIndex.indexed + 1 };
    const walkOf = (filter: TestimonialFilter) => planFor(plan({ page, limit, filter }), head).walk;
    expect(walkOf({}) !== undefined).toBe(atOnce);
    expect(walkOf({ status: 'approved' }) !== undefined).toBe(atOnce);
  });
});

describe('a list by status, type and rating is counted', () => {
  const isCountedBySummary = (sort: ListQuery['sort'], { created, updates }: Record<string, number>) => {
    const query: ListQuery = { filter: { type: 'video' }, sort, order: 'desc', page: 1, limit: 25 };
    const head = { indexed: noIndex.indexed + Number(created), updated: noIndex.updated + Number(updates) };
    return planFor(planList(query), { ...noIndex, ...head }).usesSummaries;
  };

  test('by bits in a single chunk, and by summaries from the second chunk on', () => {
    expect(isCountedBySummary('createdAt', { created: 65_536, updates: 65_537 })).toBe(false);
    expect(isCountedBySummary('createdAt', { created: 65_537, updates: 65_536 })).toBe(true);
    expect(isCountedBySummary('updatedAt', { created: 65_536, updates: 65_537 })).toBe(true);
    expect(isCountedBySummary('updatedAt', { created: 65_537, updates: 65_536 })).toBe(false);
  });

  test('by summaries if it is sorted by rating, because each rating has its own bits', () => {
    expect(isCountedBySummary('rating', { created: 100, updates: 100 })).toBe(true);
  });
});

describe('the rows of a page are read', () => {
  const updates = 1_000_000;
  const head = { ...noIndex, indexed: noIndex.indexed + 1, updated: noIndex.updated + updates };
  const rowsOf = (query: Partial<ListQuery>, total: number, others: Partial<IndexHead> = {}): RowPlan =>
    planRows(planFor(plan(query), { ...head, ...others }), { ...head, ...others }, total);
  const video = { filter: { type: 'video' as const } };
  const search = { filter: { search: 'amazing' }, sort: 'updatedAt' as const };

  test('from the tail if nothing is indexed yet', () => {
    for (const query of [{}, video, search, { sort: 'rating' as const }]) {
      expect(rowsOf(query, 30, noIndex)).toEqual({ by: 'tail' });
    }
  });

  test('not at all past the last page', () => {
    expect(rowsOf({ page: 3 }, 50)).toEqual({ by: 'nothing' });
    expect(rowsOf({}, 0)).toEqual({ by: 'nothing' });
  });

  test.each(sortNames)(
    'by %s with a walk from either end, if a secondary index contains the matches',
    (sort) => {
      const walk = (order: Direction, limit: number) => ({ by: 'walk', options: { sort, order, limit } });
      expect(rowsOf({ page: 2, sort }, 100_000)).toEqual(walk('desc', 50));
      expect(rowsOf({ page: 3998, sort }, 100_000)).toEqual(walk('asc', 75));
      expect(rowsOf({ page: 4000, sort }, 100_000)).toEqual(walk('asc', 25));
    },
  );

  test.each(sortNames)('by %s with a range in the middle', (sort) => {
    expect(rowsOf({ page: 2000, sort }, 100_000)).toEqual({
      by: 'range',
      options: { sort, order: 'desc', limit: 25 },
    });
  });

  test('each by its position on the axis, if the filter narrows further', () => {
    expect(rowsOf(video, 100_000)).toEqual({ by: 'ordinal' });
    expect(rowsOf({ ...video, sort: 'rating' }, 100_000)).toEqual({ by: 'ordinal' });
    expect(rowsOf({ ...video, sort: 'updatedAt' }, 100_000)).toEqual({ by: 'update ordinal', walks: true });
    expect(rowsOf({ filter: { search: 'amazing' } }, 100_000)).toEqual({ by: 'ordinal' });
  });

  test('each by its ordinal, if most rows of the secondary index lack their content', () => {
    const rowsAmong = (long: number) =>
      rowsOf({ ...video, sort: 'updatedAt' }, 100_000, { rows: { count: 100, long, bytes: 40_000 } });
    expect(rowsAmong(50)).toEqual({ by: 'update ordinal', walks: true });
    expect(rowsAmong(51)).toEqual({ by: 'update ordinal', walks: false });
  });

  test('by the order of updates, from the nearer end, for a search by updatedAt', () => {
    // A fifth matches, so that 25 are expected within 125 positions.
    expect(rowsOf(search, 200_000)).toEqual({
      by: 'order of updates',
      fromEnd: false,
      expected: 163 + 2048,
    });
    expect(rowsOf({ ...search, page: 7990 }, 200_000)).toEqual({
      by: 'order of updates',
      fromEnd: true,
      expected: 1788 + 2048,
    });
  });

  test('by sorting all matches of a search by updatedAt, if they are few', () => {
    expect(rowsOf(search, 30)).toEqual({ by: 'sorting all' });
  });
});
