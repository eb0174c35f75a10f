import { describe, expect, test } from '@jest/globals';
import type { Unreadable } from '../../../functions/domain/unreadable.ts';
import { layout, OtherLayout } from '../../../functions/dynamodb/stored-items.ts';
import {
  changeMarkerItem,
  testimonialItem,
} from '../../../functions/testimonials/table/stored-testimonials.ts';
import { testimonialStore } from '../../../functions/testimonials/table/testimonial-store.ts';
import { after, mockedTable, queryOf, testStore } from '../../mocked-table.ts';
import { position } from '../../position.ts';
import { markerOf, storedAt } from '../../testimonials.ts';

const now = new Date('2026-01-15T10:00:00.000Z');
const time = now.toISOString();
const stored = storedAt(position(1));
const { testimonial } = stored;
const { id } = testimonial;
const item = testimonialItem('acme', stored);
const { PK, SK } = item;
const Key = { PK, SK };
const get = { Get: { Key, ConsistentRead: true } };
const batchGet = (more: object) => ({
  BatchGet: { RequestItems: { testimonials: { ...more, Keys: [Key] } } },
});
const batchWrite = (requests: object[]) => ({ BatchWrite: { RequestItems: { testimonials: requests } } });
const found = { Item: item };

describe('the counter', () => {
  const counterKey = { PK, SK: 'COUNTER' };
  const value = { ordinal: 9, updateOrdinal: 12, time };
  const Attributes = { ...counterKey, lastOrdinal: 9, lastUpdateOrdinal: 12, lastTime: time };
  const getCounter = { Get: { Key: counterKey, ConsistentRead: true } };

  testStore(testimonialStore, {
    reopenHistory: {
      call: (store) => store.reopenHistory('acme', value),
      sends: [
        {
          Update: {
            Key: counterKey,
            UpdateExpression: 'REMOVE firstTime',
            ConditionExpression: 'lastOrdinal = :ordinal AND lastUpdateOrdinal = :updateOrdinal',
            ExpressionAttributeValues: { ':ordinal': 9, ':updateOrdinal': 12 },
          },
        },
      ],
      refused: { returns: undefined },
    },
    readCounter: {
      call: (store) => store.readCounter('acme'),
      sends: [getCounter],
      responses: [{ Item: { ...Attributes, firstTime: time, load: 'l' } }],
      returns: { ...value, firstTime: time, load: 'l' },
    },
  });
});

describe('reads', () => {
  const index = (IndexName: string, more: object) => ({ Query: { IndexName, ...more } });

  testStore(testimonialStore, {
    find: {
      call: (store) => store.find('acme', position(1)),
      sends: [get],
      responses: [found],
      returns: stored,
    },
    findReadableParts: {
      call: (store) => store.findReadableParts('acme', id),
      sends: [get],
      responses: [{ Item: { ...Key, id, fields: { content: 7 }, layout } }],
      returns: {
        ordinal: position(1),
        version: 0,
        texts: { content: '', author: { name: '' }, tags: [] },
      },
    },
    'findReadableParts, which keeps each readable part': {
      call: (store) => store.findReadableParts('acme', id),
      sends: [get],
      responses: [
        {
          Item: {
            ...Key,
            id,
            layout,
            version: '3',
            isPartial: true,
            longFields: { content: 'A zebra' },
            fields: {
              author: { name: 'Zoë', email: 'zoe@example.com', company: 7, role: 'Keeper' },
              tags: [1, 'striped', null, 'ux'],
              rating: 'x',
            },
          },
        },
      ],
      returns: {
        ordinal: position(1),
        version: 0,
        texts: { content: 'A zebra', author: { name: 'Zoë', role: 'Keeper' }, tags: ['striped', 'ux'] },
      },
    },
    'findReadableParts of an author without a name': {
      call: (store) => store.findReadableParts('acme', id),
      sends: [get],
      responses: [
        { Item: { ...Key, id, layout, version: 2, fields: { author: { company: 'Zebra Ltd' }, tags: 'x' } } },
      ],
      returns: {
        ordinal: position(1),
        version: 2,
        storedVersion: 2,
        texts: { content: '', author: { name: '', company: 'Zebra Ltd' }, tags: [] },
      },
    },
    'findReadableParts of another id': {
      call: (store) => store.findReadableParts('acme', id),
      sends: [get],
      responses: [{ Item: { ...item, id: 'test_0' } }],
    },
    'findMany, each once': {
      call: (store) => store.findMany('acme', [position(1), position(1)]),
      sends: [batchGet({ ConsistentRead: true })],
      responses: [{ Responses: { testimonials: [item] } }],
      returns: [stored],
    },
    'findMany, eventually consistent': {
      call: (store) => store.findMany('acme', [position(1)], { consistent: false }),
      sends: [batchGet({ ConsistentRead: false })],
      returns: [],
    },
    from: {
      call: (store) => Array.fromAsync(store.from('acme', position(1), { limit: 5 })),
      sends: [queryOf(PK, SK, `TESTIMONIAL#${after}`, { Limit: 5 })],
      responses: [{ Items: [item] }],
      returns: [[stored]],
    },
    'walk of all': {
      call: (store) => Array.fromAsync(store.walk('acme', { sort: 'createdAt', order: 'desc' })),
      sends: [
        index('by-organization-created-at', {
          KeyConditionExpression: '#partition = :partition',
          ExpressionAttributeNames: { '#partition': 'PK' },
          ExpressionAttributeValues: { ':partition': PK },
          ScanIndexForward: false,
        }),
      ],
      responses: [{ Items: [item, { ...Key, updateOrdinal: 7, isPartial: true, layout }] }],
      returns: [
        [
          { ordinal: position(1), updateOrdinal: position(1), stored },
          { ordinal: position(1), updateOrdinal: 7 },
        ],
      ],
    },
    'walk of a status from one position to another': {
      call: (store) => {
        const options = { status: 'approved', sort: 'updatedAt', order: 'asc', limit: 5 } as const;
        return Array.fromAsync(store.walk('acme', { ...options, between: [[1], [9]] }));
      },
      sends: [
        index('by-status-updated-at', {
          KeyConditionExpression: '#partition = :partition AND #sort BETWEEN :from AND :to',
          ExpressionAttributeNames: { '#partition': 'statusPartition', '#sort': 'updatedAtSort' },
          ExpressionAttributeValues: {
            ':partition': `${PK}#STATUS#approved`,
            ':from': '000000000001',
            ':to': '000000000009',
          },
          ScanIndexForward: true,
          Limit: 5,
        }),
      ],
      returns: [[]],
    },
    wasErased: {
      call: (store) => store.wasErased('acme', id),
      sends: [get],
      responses: [{ Item: { ...Key, erased: id } }],
      returns: true,
    },
    findErased: {
      call: (store) => store.findErased('acme', [position(1)]),
      sends: [batchGet({ ConsistentRead: true, ProjectionExpression: 'erased' })],
      responses: [{ Responses: { testimonials: [{ erased: id }, {}] } }],
      returns: [id],
    },
  });
});

describe('writes', () => {
  const erasure = { updateOrdinal: position(2), time };
  const erased = { ...Key, erased: id, ...erasure };
  const eraseUnreadable = {
    Put: {
      Item: erased,
      ConditionExpression: '(attribute_exists(id) OR attribute_exists(layout)) AND #version = :version',
      ExpressionAttributeNames: { '#version': 'version' },
      ExpressionAttributeValues: { ':version': 3 },
    },
  };
  const eraseRemainsWithoutVersion = {
    Put: {
      Item: erased,
      ConditionExpression:
        '(attribute_exists(id) OR attribute_exists(layout)) AND NOT attribute_type(#version, :version)',
      ExpressionAttributeNames: { '#version': 'version' },
      ExpressionAttributeValues: { ':version': 'N' },
    },
  };
  /** @param values by their paths */
  const raised = (values: Record<string, unknown>) => {
    const all = Object.entries(values);
    const named = (path: string) => `#${path.replaceAll('.', '.#')}`;
    const placeholder = (path: string) => `:${path.replaceAll('.', '_')}`;
    return {
      Update: {
        Key,
        ConditionExpression: '#version = :previous',
        UpdateExpression: `SET ${all.map(([path]) => `${named(path)} = ${placeholder(path)}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(
          all.flatMap(([path]) => path.split('.').map((name) => [`#${name}`, name])),
        ),
        ExpressionAttributeValues: Object.fromEntries([
          ...all.map(([path, value]) => [placeholder(path), value]),
          [':previous', 1],
        ]),
      },
    };
  };
  const next = storedAt(
    position(1),
    { id, status: 'approved', tags: ['ux'], updatedAt: time },
    {
      updateOrdinal: position(2),
      previousUpdateOrdinal: position(1),
      version: 2,
      change: 'status',
      decision: { by: 'Olivia', at: time },
    },
  );
  const { statusPartition, updatedAtSort } = testimonialItem('acme', next) as Record<string, unknown>;

  testStore(testimonialStore, {
    writeChange: {
      call: (store) => store.writeChange('acme', stored, next),
      sends: [
        raised({
          // Only the difference: no member of a newer version is written over.
          statusPartition,
          updatedAtSort,
          'fields.status': 'approved',
          'fields.updatedAt': time,
          'fields.tags': ['ux'],
          updateOrdinal: position(2),
          version: 2,
          previousUpdateOrdinal: position(1),
          change: 'status',
          decision: { by: 'Olivia', at: time },
        }),
      ],
      returns: true,
      refused: { returns: false },
    },
    eraseUnreadable: {
      call: (store) => store.eraseUnreadable('acme', id, { storedVersion: 3 }, erasure),
      sends: [eraseUnreadable],
      returns: true,
      refused: { sends: [eraseUnreadable, get], responses: [found], returns: false },
    },
    'eraseUnreadable without a number as its version': {
      call: (store) => store.eraseUnreadable('acme', id, {}, erasure),
      sends: [eraseRemainsWithoutVersion],
      returns: true,
      refused: { sends: [eraseRemainsWithoutVersion, get], responses: [found], returns: false },
    },
  });
});

describe('change markers and the texts of erasures', () => {
  const marker = markerOf(position(2), position(1), { formerFacets: ['tag=ux'] });
  const markerItem = { PK, SK: `TESTIMONIAL_CHANGE#${String(position(2)).padStart(12, '0')}` };
  const putMarker = {
    ...markerItem,
    o: position(1),
    p: position(1),
    v: 1,
    t: Date.parse(marker.time),
    f: ['tag=ux'],
  };
  const { content, author } = testimonial;
  const texts = {
    updateOrdinal: position(2),
    ordinal: position(1),
    version: 1,
    time,
    texts: { content, author },
  };
  const textsKey = { PK: `${PK}#ERASURES`, SK: markerItem.SK.replace('TESTIMONIAL_CHANGE', 'ERASURE') };
  const { updateOrdinal, ...kept } = texts;
  const textsItem = { ...textsKey, ...kept, layout };

  testStore(testimonialStore, {
    'putChangeMarkers of one, as functions may write no batch': {
      call: (store) => store.putChangeMarkers('acme', [marker]),
      sends: [{ Put: { Item: putMarker } }],
    },
    'putChangeMarkers of several': {
      call: (store) => store.putChangeMarkers('acme', [marker, marker]),
      sends: [batchWrite([{ PutRequest: { Item: putMarker } }, { PutRequest: { Item: putMarker } }])],
    },
    changeMarkers: {
      call: (store) => Array.fromAsync(store.changeMarkers('acme')),
      sends: [queryOf(PK, 'TESTIMONIAL_CHANGE#', `TESTIMONIAL_CHANGE#${after}`)],
      responses: [{ Items: [changeMarkerItem('acme', marker)] }],
      returns: [[marker]],
    },
    deleteChangeMarkers: {
      call: (store) => store.deleteChangeMarkers('acme', [position(2)]),
      sends: [batchWrite([{ DeleteRequest: { Key: markerItem } }])],
    },
    'putErasureTexts of one, as functions may write no batch': {
      call: (store) => store.putErasureTexts('acme', [texts]),
      sends: [{ Put: { Item: textsItem } }],
    },
    'putErasureTexts of several': {
      call: (store) => store.putErasureTexts('acme', [texts, texts]),
      sends: [batchWrite([{ PutRequest: { Item: textsItem } }, { PutRequest: { Item: textsItem } }])],
    },
    erasureTexts: {
      call: (store) => Array.fromAsync(store.erasureTexts('acme')),
      sends: [queryOf(textsKey.PK, undefined, undefined, { Limit: 25 })],
      responses: [{ Items: [textsItem] }],
      returns: [[{ ...texts, texts: { content, author: { name: author.name } } }]],
    },
    deleteErasureTexts: {
      call: (store) => store.deleteErasureTexts('acme', [position(2)]),
      sends: [batchWrite([{ DeleteRequest: { Key: textsKey } }])],
    },
  });
});

test('reads of several testimonials leave out an unreadable one, but refuse one of another layout', async () => {
  const reported: string[] = [];
  const read = (bad: object) => {
    const { table } = mockedTable([{ Items: [item, { ...item, ...bad }] }]);
    const onUnreadable = ({ attribute }: Unreadable) => void reported.push(attribute);
    return Array.fromAsync(testimonialStore({ ...table, onUnreadable }).from('acme', position(1)));
  };
  expect(await read({ fields: { ...item.fields, rating: '5' } })).toEqual([[stored]]);
  expect(reported).toEqual(['fields.rating']);
  await expect(read({ layout: layout - 1 })).rejects.toThrow(OtherLayout);
});
