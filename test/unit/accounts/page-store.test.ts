import { expect, test } from '@jest/globals';
import { pageStore } from '../../../functions/accounts/dynamodb-page-store.ts';
import type { Page } from '../../../functions/domain/page.ts';
import { layout } from '../../../functions/dynamodb/stored-items.ts';
import { after, mockedTable, queryOf, testStore } from '../../mocked-table.ts';

const page: Page = {
  id: 'p1',
  organization: 'acme',
  kind: 'form',
  title: 'Tell us',
  settings: { lang: 'de' },
  createdAt: '2026-01-15T10:00:00.000Z',
};
const key = { PK: 'PAGE#p1', SK: 'PAGE' };
const pointerKey = { PK: 'ORG#acme', SK: 'PAGE#p1' };
const item = { ...key, ...page, layout };
const listQuery = queryOf('ORG#acme', 'PAGE#', `PAGE#${after}`);
const pageDeletion = {
  Delete: {
    Key: key,
    ConditionExpression: 'organization = :organization',
    ExpressionAttributeValues: { ':organization': 'acme' },
  },
};
const pointerDeletion = { Delete: { Key: pointerKey, ConditionExpression: 'attribute_exists(PK)' } };

function batchOf(...ids: string[]) {
  const Keys = ids.map((id) => ({ PK: `PAGE#${id}`, SK: 'PAGE' }));
  return { BatchGet: { RequestItems: { testimonials: { ConsistentRead: true, Keys } } } };
}

testStore(pageStore, {
  'adds the pointer before the page': {
    call: (store) => store.add(page),
    sends: [
      { Put: { Item: { ...pointerKey, layout } } },
      {
        Put: {
          Item: item,
          ConditionExpression:
            'attribute_not_exists(PK) OR (organization = :organization AND createdAt = :createdAt)',
          ExpressionAttributeValues: { ':organization': 'acme', ':createdAt': page.createdAt },
        },
      },
    ],
  },
  find: {
    call: (store) => store.find('p1'),
    sends: [{ Get: { Key: key, ConsistentRead: true } }],
    responses: [{ Item: item }],
    returns: page,
  },
  'lists the oldest page first, and skips pointers to no page or to the page of another organization': {
    call: (store) => store.list('acme'),
    sends: [listQuery, batchOf('p1', 'p2', 'p3', 'p4')],
    responses: [
      { Items: ['p1', 'p2', 'p3', 'p4'].map((id) => ({ PK: 'ORG#acme', SK: `PAGE#${id}`, layout })) },
      {
        Responses: {
          testimonials: [
            { ...item, id: 'p2', createdAt: '2026-02' },
            { ...item, id: 'p3', organization: 'other' },
            item,
          ],
        },
      },
    ],
    returns: [page, { ...page, id: 'p2', createdAt: '2026-02' }],
  },
  'reads no page of an organization without pages': {
    call: (store) => store.list('acme'),
    sends: [listQuery],
    returns: [],
  },
  'removes the page before its pointer, or only a pointer without a page': {
    call: (store) => store.remove(page),
    sends: [pageDeletion, pointerDeletion],
    returns: true,
    refused: { sends: [pageDeletion, pointerDeletion], returns: true },
  },
});

test.each([
  [
    'without a title',
    { title: undefined },
    'Cannot read a page, PK PAGE#p1, SK PAGE: title is missing or not valid',
  ],
  [
    'of an unknown kind',
    { kind: 'poll' },
    'Cannot read a page, PK PAGE#p1, SK PAGE: kind is missing or not valid',
  ],
  ['of another layout', { layout: layout - 1 }, 'Export each organization with the version that wrote it'],
])('a page %s is refused by its name', async (_, change, message) => {
  const { table } = mockedTable([{ Item: { ...item, ...change } }]);
  await expect(pageStore(table).find('p1')).rejects.toThrow(message);
});
