import { expect, test } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import {
  changeMarkerKey,
  counterKey,
  idempotencyKeyKey,
  indexHeadKey,
  indexRequestKey,
  type Key,
  testimonialKey,
  tokenKey,
  tokenPointerKey,
} from '../../../functions/dynamodb/keys.ts';
import { indexFilters } from '../../../functions/dynamodb/stream-filters.ts';
import { byOrganization, changesIn } from '../../../functions/testimonials/stream.ts';
import { postingKey } from '../../../functions/testimonials/table/posting-keys.ts';
import { recordFilter } from '../../../lib/local-runner/template.ts';
import { recordOf } from '../../stream-record.ts';

/** The records of items, numbered from 100. */
const recordsOf = (keys: Key[], eventName: 'INSERT' | 'MODIFY' | 'REMOVE' = 'INSERT'): DynamoDBRecord[] =>
  keys.map((key, i) => recordOf(key, 100 + i, eventName));

const passes = recordFilter(indexFilters);

test('records are grouped by organization, in the order of their first record', () => {
  const keys = [testimonialKey('acme', 9), testimonialKey('globex', 1), changeMarkerKey('acme', 10)];
  const groups = byOrganization(changesIn(recordsOf(keys)));
  expect(Array.from(groups, ([name, records]) => [name, records.map((each) => each.sequenceNumber)])).toEqual(
    [
      ['acme', ['100', '102']],
      ['globex', ['101']],
    ],
  );
});

test('records of other partitions and of removals are left out', () => {
  const others = [
    tokenKey('h'),
    idempotencyKeyKey('acme', 'k'),
    postingKey('acme', 1, { kind: 'facet', axis: 'createdAt', term: 'all' }, 0),
  ];
  expect(changesIn(recordsOf(others))).toEqual([]);
  expect(changesIn(recordsOf([testimonialKey('acme', 9)], 'REMOVE'))).toEqual([]);
  expect(changesIn([{}, { dynamodb: {} }])).toEqual([]);
});

test('a record replaces a testimonial if it is a modification of a testimonial', () => {
  const keys = [testimonialKey('acme', 9), changeMarkerKey('acme', 10)];
  expect(changesIn(recordsOf(keys, 'MODIFY')).map(({ isRewrite }) => isRewrite)).toEqual([true, false]);
  expect(changesIn(recordsOf(keys)).map(({ isRewrite }) => isRewrite)).toEqual([false, false]);
});

test('the filters of the index function pass testimonials, new change markers and requests to update the index', () => {
  const keys = [testimonialKey('acme', 1), changeMarkerKey('acme', 2), indexRequestKey('acme')];
  expect(recordsOf(keys).map(passes)).toEqual([true, true, true]);
  // A replaced testimonial may have been erased, and a repeated request replaces the one before.
  expect(recordsOf(keys, 'MODIFY').map(passes)).toEqual([true, false, true]);
  expect(recordsOf(keys, 'REMOVE').map(passes)).toEqual([false, false, false]);
});

test('the filters of the index function pass nothing else, so that its own writes do not start it', () => {
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
