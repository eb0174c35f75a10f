import { describe, expect, test } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import { organizationsOf, streamFilter } from '../../../functions/index-testimonials/stream-records.ts';
import {
  changeMarkerKey,
  counterKey,
  idempotencyKeyKey,
  indexHeadKey,
  type Key,
  postingKey,
  testimonialKey,
  tokenKey,
  tokenPointerKey,
} from '../../../functions/persistence/keys.ts';

const time = new Date('2026-01-15T10:00:00.000Z');
const change = { ordinal: 7, time, kind: 'status' } as const;

/** The records of new items, numbered from 100. */
const recordsOf = (...keys: Key[]): DynamoDBRecord[] =>
  keys.map(({ PK, SK }, i) => ({
    eventName: 'INSERT',
    dynamodb: { Keys: { PK: { S: PK }, SK: { S: SK } }, SequenceNumber: String(100 + i) },
  }));

test('new testimonials ask for the highest of their ordinals', () => {
  const records = recordsOf(
    testimonialKey('acme', 9),
    testimonialKey('acme', 123_456),
    testimonialKey('acme', 10),
  );
  expect(organizationsOf(records)).toEqual([
    { organization: 'acme', goal: { ordinal: 123_456, changes: false }, firstSequenceNumber: '100' },
  ]);
});

test('announced changes ask for changes and for no ordinal', () => {
  expect(organizationsOf(recordsOf(changeMarkerKey('acme', change)))).toEqual([
    { organization: 'acme', goal: { ordinal: 0, changes: true }, firstSequenceNumber: '100' },
  ]);
});

test('testimonials and changes of an organization are one goal', () => {
  const records = recordsOf(changeMarkerKey('acme', change), testimonialKey('acme', 8));
  expect(organizationsOf(records)).toEqual([
    { organization: 'acme', goal: { ordinal: 8, changes: true }, firstSequenceNumber: '100' },
  ]);
});

test('each organization has its own goal and the place of its own first record', () => {
  const records = recordsOf(
    testimonialKey('acme', 1),
    testimonialKey('acme-2', 5),
    changeMarkerKey('acme', change),
    testimonialKey('acme-2', 6),
  );
  expect(organizationsOf(records)).toEqual([
    { organization: 'acme', goal: { ordinal: 1, changes: true }, firstSequenceNumber: '100' },
    { organization: 'acme-2', goal: { ordinal: 6, changes: false }, firstSequenceNumber: '101' },
  ]);
});

describe('passed over are', () => {
  test.each<[string, Key]>([
    ['counters', counterKey('acme')],
    ['index heads', indexHeadKey('acme')],
    ['postings of terms', postingKey('acme', 1, { term: 'tag=TESTIMONIAL#1' }, 0)],
    ['postings of words', postingKey('acme', 1, { word: 'TESTIMONIAL#1' }, 0)],
    ['tokens', tokenKey('a'.repeat(64))],
    ['token pointers', tokenPointerKey('acme', 'a'.repeat(12))],
    ['idempotency keys', idempotencyKeyKey('acme', 'TESTIMONIAL#1')],
  ])('%s', (_what, key) => {
    expect(organizationsOf(recordsOf(key))).toEqual([]);
    // Nor do they become the place where the stream goes on.
    expect(organizationsOf(recordsOf(key, testimonialKey('acme', 3)))).toEqual([
      { organization: 'acme', goal: { ordinal: 3, changes: false }, firstSequenceNumber: '101' },
    ]);
  });

  test('records without keys', () => {
    expect(organizationsOf([{}, { dynamodb: {} }, { dynamodb: { Keys: {} } }])).toEqual([]);
  });
});

test('the filter of the stream lets just the keys pass that are looked at', () => {
  const prefixes = streamFilter.dynamodb.Keys.SK.S.map(({ prefix }) => prefix);
  const passes = ({ SK }: Key) => prefixes.some((prefix) => SK.startsWith(prefix));
  expect([testimonialKey('acme', 1), changeMarkerKey('acme', change)].every(passes)).toBe(true);
  expect([counterKey('acme'), indexHeadKey('acme'), tokenPointerKey('acme', 'a')].some(passes)).toBe(false);
  // A status that is set or a change that is forgotten asks for nothing.
  expect(streamFilter.eventName).toEqual(['INSERT']);
});
