import { expect, test } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import {
  organizationsOf,
  rewrittenIn,
  streamFilters,
} from '../../../functions/index-testimonials/stream-records.ts';
import {
  changeMarkerKey,
  counterKey,
  idempotencyKeyKey,
  indexHeadKey,
  indexRequestKey,
  type Key,
  postingKey,
  testimonialKey,
  tokenKey,
  tokenPointerKey,
} from '../../../functions/persistence/keys.ts';
import { recordFilter } from '../../../lib/local-runner/template.ts';
import { recordOf } from '../../stream-record.ts';

/** The records of items, numbered from 100. */
const recordsOf = (keys: Key[], eventName: 'INSERT' | 'MODIFY' | 'REMOVE' = 'INSERT'): DynamoDBRecord[] =>
  keys.map((key, i) => recordOf(key, 100 + i, eventName));

const passes = recordFilter(streamFilters);

test('each organization is named once, in the order of its first record', () => {
  const records = recordsOf([
    testimonialKey('acme', 9),
    testimonialKey('globex', 1),
    changeMarkerKey('acme', 10),
    indexRequestKey('globex'),
  ]);
  expect(organizationsOf(records)).toEqual([
    { organization: 'acme', firstSequenceNumber: '100' },
    { organization: 'globex', firstSequenceNumber: '101' },
  ]);
});

test('records of no organization name none', () => {
  const others = [
    tokenKey('h'),
    idempotencyKeyKey('acme', 'k'),
    postingKey('acme', 1, { kind: 'facet', axis: 'createdAt', term: 'all' }, 0),
  ];
  expect(organizationsOf(recordsOf(others))).toEqual([]);
  expect(organizationsOf([{}, { dynamodb: {} }])).toEqual([]);
});

test('a testimonial that was written anew asks for no index update; it is named with its place', () => {
  const records = recordsOf(
    [
      testimonialKey('acme', 9),
      changeMarkerKey('acme', 10),
      testimonialKey('acme', 3),
      testimonialKey('a', 1),
    ],
    'MODIFY',
  );
  expect(organizationsOf(records)).toEqual([{ organization: 'acme', firstSequenceNumber: '101' }]);
  expect(rewrittenIn(records)).toEqual([
    { organization: 'acme', firstSequenceNumber: '100', ordinals: [9, 3] },
    { organization: 'a', firstSequenceNumber: '103', ordinals: [1] },
  ]);
  expect(rewrittenIn(recordsOf([testimonialKey('acme', 9)]))).toEqual([]);
});

test('the filter lets testimonials, new change markers and requests to update the index pass', () => {
  const keys = [testimonialKey('acme', 1), changeMarkerKey('acme', 2), indexRequestKey('acme')];
  expect(recordsOf(keys).map(passes)).toEqual([true, true, true]);
  // A testimonial that is written anew may be erased; a request that is made again replaces the one before.
  expect(recordsOf(keys, 'MODIFY').map(passes)).toEqual([true, false, true]);
  expect(recordsOf(keys, 'REMOVE').map(passes)).toEqual([false, false, false]);
});

test('the filter lets nothing else pass, and so nothing that indexing writes', () => {
  const others = [
    counterKey('acme'),
    indexHeadKey('acme'),
    postingKey('acme', 1, { kind: 'facet', axis: 'createdAt', term: 'all' }, 0),
    postingKey('acme', 1, { kind: 'word', word: 'testimonial' }, 0),
    tokenPointerKey('acme', 'h'),
    tokenKey('h'),
    idempotencyKeyKey('acme', 'k'),
  ];
  expect(recordsOf(others).filter(passes)).toEqual([]);
});
