import { describe, expect } from '@jest/globals';
import { layout } from '../../../functions/dynamodb/stored-items.ts';
import { noIndex } from '../../../functions/testimonials/list-index/index-store.ts';
import type { PostingName } from '../../../functions/testimonials/list-index/index-terms.ts';
import { indexStore } from '../../../functions/testimonials/table/index-store.ts';
import { postingKey, postingPartition } from '../../../functions/testimonials/table/posting-keys.ts';
import {
  changeMarkerItem,
  testimonialItem,
} from '../../../functions/testimonials/table/stored-testimonials.ts';
import { after, queryOf, testStore } from '../../mocked-table.ts';
import { position } from '../../position.ts';
import { markerOf, storedAt } from '../../testimonials.ts';

const bytes = new Uint8Array([1, 2]);
const head = { ...noIndex, revision: 4, identity: 'i' };
const headKey = { PK: 'ORG#acme', SK: 'TESTIMONIAL_INDEX' };
const headItem = { ...headKey, ...head, layout };
const tail = storedAt(position(1));
const tailItem = testimonialItem('acme', tail);
const marker = markerOf(position(2), position(1));

describe('heads', () => {
  const written = (item: object, condition: object) => ({
    Put: {
      Item: { ...headKey, ...item, revision: expect.any(Number), layout, writeId: expect.any(String) },
      ...condition,
    },
  });
  const next = { ...head, revision: 5 };
  const replaced = written(head, {
    ConditionExpression: 'revision = :revision',
    ExpressionAttributeValues: { ':revision': 4 },
  });
  const get = { Get: { Key: headKey, ConsistentRead: true } };

  testStore(indexStore, {
    readHead: {
      call: (store) => store.readHead('acme'),
      sends: [get],
      responses: [{ Item: { ...headItem, writeId: 'w' } }],
      returns: head,
    },
    'replaceHead gives the first head an identity': {
      call: (store) => store.replaceHead('acme', noIndex),
      sends: [
        written(
          { ...noIndex, identity: expect.any(String) },
          { ConditionExpression: 'attribute_not_exists(PK)' },
        ),
      ],
      returns: { ...noIndex, revision: 1, identity: expect.any(String) },
      refused: {
        sends: [
          written(
            { ...noIndex, identity: expect.any(String) },
            { ConditionExpression: 'attribute_not_exists(PK)' },
          ),
          get,
        ],
        returns: undefined,
      },
    },
    'replaceHead after another write': {
      call: (store) => store.replaceHead('acme', head),
      sends: [replaced],
      returns: next,
      refused: { sends: [replaced, get], responses: [{ Item: headItem }], returns: undefined },
    },
    'readRecent reads tail, markers and head in one query, backwards': {
      call: (store) => store.readRecent('acme', position(1)),
      sends: [queryOf('ORG#acme', tailItem.SK, headKey.SK, { ScanIndexForward: false })],
      responses: [{ Items: [headItem, changeMarkerItem('acme', marker), tailItem] }],
      returns: { head, markers: [marker], tail: [tail] },
    },
    'readRecent stops after a page if the index has passed the ordinal': {
      call: (store) => store.readRecent('acme', position(1)),
      sends: [queryOf('ORG#acme', tailItem.SK, headKey.SK, { ScanIndexForward: false })],
      responses: [{ Items: [{ ...headItem, indexed: position(2) }], LastEvaluatedKey: headKey }],
      returns: { head: { ...head, indexed: position(2) }, markers: [], tail: [] },
    },
    requestIndexUpdate: {
      call: (store) => store.requestIndexUpdate('acme', new Date('2026-01-15T10:00:00.000Z')),
      sends: [{ Put: { Item: { PK: 'ORG#acme', SK: 'INDEX_REQUEST', at: '2026-01-15T10:00:00.000Z' } } }],
    },
  });
});

describe('postings', () => {
  const word: PostingName = { kind: 'word', word: 'heron' };
  const keyAt = (chunk: number) => postingKey('acme', 2, word, chunk);
  const { PK, SK } = keyAt(3);
  const ref = { posting: word, chunk: 3 };
  const item = { PK, SK, b: bytes, e: 7 };
  const partition = { kind: 'facet', axis: 'createdAt', term: 'all' } as const;
  const partitionKey = postingPartition('acme', 2, partition);
  const posting = { bytes, fence: 7 };

  testStore(indexStore, {
    readTerm: {
      call: (store) => store.readTerm('acme', 2, word, { from: 1, to: 3 }),
      sends: [queryOf(PK, keyAt(1).SK, SK)],
      responses: [{ Items: [item] }],
      returns: [{ chunk: 3, bytes, epoch: 7 }],
    },
    'readWords splits a wide prefix into three queries': {
      call: (store) => store.readWords('acme', 2, 'he'),
      sends: [queryOf(PK, 'he', 'heh'), queryOf(PK, 'heh', 'hep'), queryOf(PK, 'hep', `he${after}`)],
      responses: [{ Items: [item] }],
      returns: [{ chunk: 3, bytes, epoch: 7 }],
    },
    'readWords of hidden words': {
      call: (store) => store.readWords('acme', 2, 'he', { isHidden: true }),
      sends: [queryOf(PK, '!he', `!he${after}`)],
      returns: [],
    },
    'readPostings keeps the order of the references': {
      call: (store) => store.readPostings('acme', 2, [{ posting: word, chunk: 1 }, ref]),
      sends: [
        {
          BatchGet: {
            RequestItems: { testimonials: { ConsistentRead: true, Keys: [keyAt(1), { PK, SK }] } },
          },
        },
      ],
      responses: [{ Responses: { testimonials: [{ ...item, s: 5 }] } }],
      returns: [undefined, { ...posting, epoch: 5 }],
    },
    hasPostings: {
      call: (store) => store.hasPostings('acme', 2, partition),
      sends: [queryOf(partitionKey, undefined, undefined, { Limit: 1 })],
      returns: false,
    },
    readPartition: {
      call: (store) => Array.fromAsync(store.readPartition('acme', 2, partition)),
      sends: [queryOf(partitionKey)],
      responses: [{ Items: [{ SK: '000000003', b: bytes, e: 7 }] }],
      returns: [[{ ref: { posting: partition, chunk: 3 }, bytes, epoch: 7 }]],
    },
    deletePartition: {
      call: (store) => store.deletePartition('acme', 2, partition),
      sends: [
        queryOf(partitionKey, undefined, undefined, { ProjectionExpression: 'PK, SK' }),
        { BatchWrite: { RequestItems: { testimonials: [{ DeleteRequest: { Key: { PK, SK } } }] } } },
      ],
      responses: [{ Items: [{ PK, SK }] }],
      returns: 1,
    },
  });
});
