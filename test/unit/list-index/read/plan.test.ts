import { describe, expect, test } from '@jest/globals';
import type { ListQuery } from '../../../../functions/domain/list-query.ts';
import type { Status } from '../../../../functions/domain/testimonial.ts';
import type { TestimonialFilter } from '../../../../functions/domain/testimonial-filter.ts';
import type { Axis, Direction } from '../../../../functions/domain/testimonial-order.ts';
import { type IndexHead, noIndex } from '../../../../functions/testimonials/list-index/index-store.ts';
import {
  planFor,
  planList,
  planRows,
  type RowPlan,
} from '../../../../functions/testimonials/list-index/read/plan.ts';

const plan = (query: Partial<ListQuery> = {}) =>
  planList({ filter: {}, sort: 'createdAt', order: 'desc', page: 1, limit: 25, ...query });
/** Describes the reads of a plan, as in “facet tag=a or facet tag=b, and words amaz”. */
const readsOf = (filter: TestimonialFilter) =>
  plan({ filter })
    .allOf.map((anyOf) => anyOf.map((read) => Object.values(read).join(' ')).join(' or '))
    .join(', and ');

test.each<[string, TestimonialFilter, string]>([
  ['those of every testimonial without a filter', {}, 'facet all'],
  ['those of the ratings from the smallest on', { rating: 4 }, 'facet rating=4 or facet rating=5'],
  ['one of each tag, in any case', { tags: ['UX', 'ux', 'Größe'] }, 'facet tag=ux or facet tag=grösse'],
  ['one of a prefix of two letters, counted in code points', { search: '𐐨m' }, 'beginning 𐐨m'],
  [
    'those of all words with a longer prefix, of each word of a search',
    { search: 'Ama p' },
    'words ama, and beginning p',
  ],
  ['not those of a word that begins another of the search', { search: 'ama amazing' }, 'words amazing'],
  [
    'those of each pair of neighbours of a script without spaces',
    { search: '素晴ら' },
    'beginning 素晴, and beginning 晴ら',
  ],
  [
    'those of every part of a filter',
    { status: 'pending', type: 'text', rating: 5, tags: ['a'], search: 'x' },
    'facet status=pending, and facet type=text, and facet rating=5, and beginning x, and facet tag=a',
  ],
])('the postings to read are %s', (_what, filter, reads) => {
  expect(readsOf(filter)).toBe(reads);
});

test.each<[Axis, ListQuery['sort'], TestimonialFilter]>([
  ['createdAt', 'rating', { tags: ['a'] }],
  ['updatedAt', 'updatedAt', { status: 'approved', tags: ['a'] }],
  // Words are on no other axis.
  ['createdAt', 'updatedAt', { search: 'a' }],
])('bits are read on the axis %s for a list by %s of %j', (axis, sort, filter) => {
  expect(plan({ sort, filter }).axis).toBe(axis);
});

test('a list by rating reads the bits of each rating in turn, the unrated first', () => {
  const ascending = [0, 1, 2, 3, 4, 5].map((rating) => `rating=${rating}`);
  expect(plan({ sort: 'rating' }).groups.terms.flat()).toEqual(ascending);
  expect(plan({ sort: 'updatedAt' }).groups.terms).toEqual([[]]);
});

test.each<[TestimonialFilter, { status?: Status } | undefined, boolean]>([
  [{}, {}, true],
  [{ status: 'approved' }, { status: 'approved' }, true],
  [{ status: 'approved', rating: 3 }, undefined, true],
  [{ tags: ['a'] }, undefined, false],
  [{ status: 'approved', search: 'a' }, undefined, false],
])(
  'a list of %j has the secondary index %j, and summaries count it: %j',
  (filter, secondaryIndex, mayCount) => {
    const planned = plan({ filter });
    expect(planned.secondaryIndex).toEqual(secondaryIndex);
    expect(planned).toMatchObject({ mayWalk: secondaryIndex !== undefined, mayCount });
  },
);

test.each([
  [5, 1, true],
  [6, 1, false],
  [5, 100, true],
  [2_147_483_647, 100, false],
])('the secondary index is walked at once on page %i of %i: %p', (page, limit, atOnce) => {
  const head = { ...noIndex, indexed: noIndex.indexed + 1 };
  expect(planFor(plan({ page, limit }), head).walk !== undefined).toBe(atOnce);
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

  test('with a walk from either end, or a range in the middle, if a secondary index contains the matches', () => {
    const sort = 'updatedAt';
    const along = (by: 'walk' | 'range', order: Direction, limit: number) => ({
      by,
      options: { sort, order, limit },
    });
    expect(rowsOf({ page: 2, sort }, 100_000)).toEqual(along('walk', 'desc', 50));
    expect(rowsOf({ page: 2000, sort }, 100_000)).toEqual(along('range', 'desc', 25));
    expect(rowsOf({ page: 3998, sort }, 100_000)).toEqual(along('walk', 'asc', 75));
    expect(rowsOf({ page: 4000, sort }, 100_000)).toEqual(along('walk', 'asc', 25));
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
