/**
 * The stores of testimonials read unusual items, and read little. Their rules are in
 * test/conformance.
 */
import { describe, expect, test } from '@jest/globals';
import type { Unreadable } from '../../../functions/domain/unreadable.ts';
import { layout, OtherLayout } from '../../../functions/dynamodb/stored-items.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { noIndex } from '../../../functions/testimonials/list-index/index-store.ts';
import { eventItemStore } from '../../../functions/testimonials/table/event-item-store.ts';
import { idempotencyKeyStore } from '../../../functions/testimonials/table/idempotency-key-store.ts';
import { indexStore } from '../../../functions/testimonials/table/index-store.ts';
import { renewalStore } from '../../../functions/testimonials/table/renewal-store.ts';
import {
  changeMarkerItem,
  testimonialItem,
} from '../../../functions/testimonials/table/stored-testimonials.ts';
import { testimonialStore } from '../../../functions/testimonials/table/testimonial-store.ts';
import { conditionFailed, mockedTable } from '../../mocked-table.ts';
import { position } from '../../position.ts';
import { markerOf, storedAt } from '../../testimonials.ts';

const stored = storedAt(position(1));
const { id } = stored.testimonial;
const item = testimonialItem('acme', stored);
const { PK, SK } = item;
const marker = markerOf(position(2), position(1));
const texts = {
  updateOrdinal: position(2),
  ordinal: position(1),
  version: 1,
  time: '2026-01-15T10:00:00.000Z',
  texts: { content: 'Amazing product', author: { name: 'Jane Doe' } },
};

describe('the readable parts of a testimonial', () => {
  const partsOf = (attributes: object) => {
    const { table } = mockedTable([{ Item: { PK, SK, id, layout, ...attributes } }]);
    return testimonialStore(table).findReadableParts('acme', id);
  };

  test.each([
    [
      'are each text of any field',
      {
        version: '3',
        isPartial: true,
        longFields: { content: 'A zebra' },
        fields: {
          author: { name: 'Zoë', email: 'zoe@example.com', company: 7, role: 'Keeper' },
          tags: [1, 'striped', null, 'ux'],
          rating: 'x',
        },
      },
      {
        version: 0,
        texts: { content: 'A zebra', author: { name: 'Zoë', role: 'Keeper' }, tags: ['striped', 'ux'] },
      },
    ],
    [
      'have an empty text for each that every testimonial has',
      { version: 2, fields: { author: { company: 'Zebra Ltd' }, tags: 'x', content: 7 } },
      {
        version: 2,
        storedVersion: 2,
        texts: { content: '', author: { name: '', company: 'Zebra Ltd' }, tags: [] },
      },
    ],
  ])('%s', async (_, attributes, parts) => {
    expect(await partsOf(attributes)).toEqual({ ordinal: position(1), ...parts });
  });

  test('are none for another id', async () => {
    expect(await partsOf({ ...item, id: 'test_0' })).toBeUndefined();
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

test.each([
  ['a change marker', 'Put', (table: Table) => testimonialStore(table).putChangeMarkers('acme', [marker])],
  ['texts', 'Put', (table: Table) => testimonialStore(table).putErasureTexts('acme', [texts])],
  [
    'two markers',
    'BatchWrite',
    (table: Table) => testimonialStore(table).putChangeMarkers('acme', [marker, marker]),
  ],
])('%s: a single item is put alone, because some functions may write no batch', async (_, command, put) => {
  const { table, calls } = mockedTable([]);
  await put(table);
  expect(calls().map((call) => Object.keys(call))).toEqual([[command]]);
});

test.each<[string, (table: Table) => Promise<unknown>, object]>([
  [
    'a page of testimonials',
    (table) => Array.fromAsync(testimonialStore(table).from('acme', 1, { limit: 5 })),
    { Query: { Limit: 5 } },
  ],
  [
    'a page of a secondary index',
    (table) =>
      Array.fromAsync(testimonialStore(table).walk('acme', { sort: 'createdAt', order: 'desc', limit: 5 })),
    { Query: { Limit: 5 } },
  ],
  [
    'some hundred KB of erased texts',
    (table) => Array.fromAsync(testimonialStore(table).erasureTexts('acme')),
    { Query: { Limit: 25 } },
  ],
  [
    'the ids of erased testimonials',
    (table) => testimonialStore(table).findErased('acme', [1]),
    { BatchGet: { RequestItems: { testimonials: { ProjectionExpression: 'erased' } } } },
  ],
  [
    'testimonials that need not be the newest at half the cost',
    (table) => testimonialStore(table).findMany('acme', [1], { consistent: false }),
    { BatchGet: { RequestItems: { testimonials: { ConsistentRead: false } } } },
  ],
  [
    'one posting to know whether there are any',
    (table) => indexStore(table).hasPostings('acme', 2, { kind: 'facet', axis: 'createdAt', term: 'all' }),
    { Query: { Limit: 1 } },
  ],
  [
    'the keys of postings to delete',
    (table) =>
      indexStore(table).deletePartition('acme', 2, { kind: 'facet', axis: 'createdAt', term: 'all' }),
    { Query: { ProjectionExpression: 'PK, SK' } },
  ],
  [
    'all organizations, although no sort key may be empty,',
    (table) => Array.fromAsync(renewalStore(table).organizations('')),
    { Query: { ExpressionAttributeValues: { ':from': ' ' } } },
  ],
])('a store reads %s and no more', async (_, read, call) => {
  const { table, calls } = mockedTable([]);
  await read(table);
  expect(calls()).toMatchObject([call]);
});

describe('the recent items of an organization', () => {
  const head = { ...noIndex, revision: 4, identity: 'i' };
  const headItem = { PK, SK: 'TESTIMONIAL_INDEX', ...head, layout };
  const range = { ':partition': PK, ':from': SK, ':to': headItem.SK };

  test.each([
    [
      'are tail, markers and head in one query, backwards',
      { Items: [headItem, changeMarkerItem('acme', marker), item] },
      { head, markers: [marker], tail: [stored] },
    ],
    [
      'end with a page whose head has passed the ordinal',
      { Items: [{ ...headItem, indexed: position(2) }], LastEvaluatedKey: { PK, SK } },
      { head: { ...head, indexed: position(2) }, markers: [], tail: [] },
    ],
  ])('%s', async (_, response, recent) => {
    const { table, calls } = mockedTable([response]);
    expect(await indexStore(table).readRecent('acme', position(1))).toEqual(recent);
    expect(calls()).toMatchObject([{ Query: { ExpressionAttributeValues: range, ScanIndexForward: false } }]);
  });
});

test('the words of a wide prefix are read in three queries, and hidden words in one', async () => {
  const { table, calls } = mockedTable([]);
  const store = indexStore(table);
  await store.readWords('acme', 2, 'he');
  await store.readWords('acme', 2, 'he', { isHidden: true });
  const after = '\u{10ffff}';
  const ranges = calls().map((call) => Object(call.Query).ExpressionAttributeValues);
  expect(ranges).toMatchObject([
    { ':from': 'he', ':to': 'heh' },
    { ':from': 'heh', ':to': 'hep' },
    { ':from': 'hep', ':to': `he${after}` },
    { ':from': '!he', ':to': `!he${after}` },
  ]);
});

test('an idempotency key is claimed even if TTL deletes its old record before that is read', async () => {
  const now = new Date('2026-01-15T10:00:00.250Z');
  const record = { fingerprint: 'f', testimonialId: id, createdAt: now.toISOString(), updateOrdinal: 1 };
  const { table, calls } = mockedTable([conditionFailed, {}, {}]);
  expect(await idempotencyKeyStore(table).claim('acme', 'key', record, now)).toEqual(record);
  expect(calls().flatMap(Object.keys)).toEqual(['Put', 'Get', 'Put']);
});

test('events are about testimonials and erasures, not sealed positions, and about imports that have ended', async () => {
  const erased = { erased: 'test_2', updateOrdinal: 9, time: texts.time };
  const { SK: second } = testimonialItem('acme', storedAt(position(2)));
  const load = (name: string, state: string) => ({ PK, SK: `IMPORT#${name}`, state, count: 3 });
  const { table } = mockedTable([
    { Responses: { testimonials: [item, { PK, SK: second, ...erased }, { PK, SK: second }] } },
    { Responses: { testimonials: [load('a', 'ended'), load('b', 'storing')] } },
  ]);
  const store = eventItemStore(table);
  const items = await store.atPositions('acme', [position(1), position(2)]);
  expect(items).toEqual([stored, { ...erased, ordinal: position(2) }]);
  expect(await store.endedImports('acme', ['a', 'b'])).toEqual([{ fingerprint: 'a', count: 3 }]);
});
