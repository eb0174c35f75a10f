/** Lists of every kind: counted by summaries or by bits, along either axis, rows read each way. */
import type { ListQuery } from '../../functions/domain/list-query.ts';

export const base: ListQuery = { filter: {}, sort: 'createdAt', order: 'asc', page: 1, limit: 10 };
export const approved: ListQuery = { ...base, filter: { status: 'approved' } };
export const pending: ListQuery = { ...base, filter: { status: 'pending' } };
/** No secondary index has just these, so the page is selected by ordinal. */
export const approvedAmazing: ListQuery = { ...base, filter: { status: 'approved', search: 'amaz' } };
export const taggedUx: ListQuery = { ...base, filter: { tags: ['ux'] } };
/** No secondary index has these either, and summaries count them. */
export const approvedText: ListQuery = {
  ...base,
  filter: { status: 'approved', type: 'text' },
  sort: 'rating',
};
export const byUpdate = (query: ListQuery): ListQuery => ({ ...query, sort: 'updatedAt' });
/** Lists by words alone. */
const amazing: ListQuery = { ...base, filter: { search: 'amaz' } };
const yaks: ListQuery = { ...base, filter: { search: 'yak' } };
export const queries = [
  base,
  approved,
  pending,
  approvedAmazing,
  taggedUx,
  approvedText,
  ...[base, approved, approvedText, approvedAmazing, taggedUx].map(byUpdate),
  amazing,
  byUpdate(amazing),
  yaks,
  byUpdate(yaks),
];
