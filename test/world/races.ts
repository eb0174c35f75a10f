/** What the races of the list engine have in common: three testimonials, lists of every kind, and that all is right. */
import { expect } from '@jest/globals';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import type { TestimonialInput } from '../../functions/domain/testimonial.ts';
import type { IndexHead } from '../../functions/list-index/index-store.ts';
import type { World } from './world.ts';

export const input: TestimonialInput = {
  content: 'Amazing product, we love it',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text',
  tags: ['UX'],
};

export const base: ListQuery = { filter: {}, sort: 'createdAt', order: 'asc', page: 1, limit: 10 };
export const approved: ListQuery = { ...base, filter: { status: 'approved' } };
export const pending: ListQuery = { ...base, filter: { status: 'pending' } };
/** No secondary index has just these: the page is selected by ordinal. */
export const approvedAmazing: ListQuery = { ...base, filter: { status: 'approved', search: 'amaz' } };
export const ux: ListQuery = { ...base, filter: { tags: ['ux'] } };
/** No secondary index has these either: the page is counted by summaries. */
export const approvedText: ListQuery = {
  ...base,
  filter: { status: 'approved', type: 'text' },
  sort: 'rating',
};
const byUpdate = [base, approved, approvedText, approvedAmazing, ux].map(
  (query): ListQuery => ({ ...query, sort: 'updatedAt' }),
);
export const queries = [base, approved, pending, approvedAmazing, ux, approvedText, ...byUpdate];

/** Three testimonials in the index, of which the second is approved. */
export async function withThree(world: World) {
  const first = await world.create(input);
  const second = await world.create(input);
  const third = await world.create({ ...input, content: 'Terrible service, no more' });
  await world.setStatus(second.id, 'approved');
  await world.settle();
  expect(await world.markers()).toEqual([]);
  return Object.assign(world, { first, second, third });
}

export async function expectRightLists(world: World, heads?: Map<string, IndexHead>) {
  for (const query of queries) {
    expect(await world.list(query, heads && { cache: heads })).toEqual(await world.expected(query));
  }
}

/** Right now, and when nothing but the postings answers. */
export async function expectRightForGood(world: World) {
  await expectRightLists(world);
  await world.settle();
  await expectRightLists(world);
  expect(await world.differences()).toEqual([]);
}
