import { describe, expect, test } from '@jest/globals';
import { streamFilters } from '../../../functions/index-testimonials/stream-records.ts';
import {
  changeMarkerKey,
  counterKey,
  indexHeadKey,
  indexRequestKey,
  testimonialKey,
  tokenPointerKey,
} from '../../../functions/persistence/keys.ts';
import { recordFilter } from '../../../lib/local-runner/record-filter.ts';
import { keysOnlyRecord } from '../../../lib/local-runner/table-stream.ts';
import { readTemplate } from '../../../lib/local-runner/template.ts';

const record = (eventName: 'INSERT' | 'REMOVE', { PK, SK }: { PK: string; SK: string }) =>
  keysOnlyRecord(eventName, { PK: { S: PK }, SK: { S: SK } }, '1');

describe("the index function's filter", () => {
  const accepts = recordFilter(
    streamFilters.map((filter) => JSON.stringify(filter)),
    'Source',
  );
  const marker = changeMarkerKey('demo', 1);

  test.each([
    ['a new testimonial', record('INSERT', testimonialKey('demo', 1)), true],
    ['a new change marker', record('INSERT', marker), true],
    ['a removed change marker', record('REMOVE', marker), false],
    ['a request to update the index', record('INSERT', indexRequestKey('demo')), true],
    ['the index head', record('INSERT', indexHeadKey('demo')), false],
    ['the counter', record('INSERT', counterKey('demo')), false],
    ['a token', record('INSERT', tokenPointerKey('demo', 'id')), false],
  ])('%s: passes or not', (_, each, passes) => {
    expect(accepts(each)).toBe(passes);
  });
});

describe('filter patterns', () => {
  test('without any, every record passes', () => {
    expect(recordFilter([], 'Source')({})).toBe(true);
  });

  test('one of several is enough, and all fields of it are needed', () => {
    const accepts = recordFilter(['{"a":["1"],"b":["2","3"]}', '{"c":{"d":["4"]}}'], 'Source');
    expect(accepts({ a: '1', b: '3' })).toBe(true);
    expect(accepts({ a: '1', b: '4' })).toBe(false);
    expect(accepts({ a: '1' })).toBe(false);
    expect(accepts({ c: { d: '4' } })).toBe(true);
    expect(accepts({ c: '4' })).toBe(false);
  });

  test.each([
    ['{"a":[{"anything-but":["x"]}]}'],
    ['{"a":[{"exists":true}]}'],
    ['{"a":[{"numeric":[">",1]}]}'],
    ['{"a":[1]}'],
    ['{"a":"x"}'],
    ['{"a":[{"prefix":{"equals-ignore-case":"x"}}]}'],
  ])('%s is refused, and the message says where it stands', (pattern) => {
    expect(() => recordFilter([pattern], 'Source')).toThrow(
      'Source.a uses what the local runner does not serve: the filter',
    );
  });
});

describe('the template', () => {
  const table = {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: {
      AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [],
    },
  };
  const mapping = {
    EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
    FunctionName: { Ref: 'Fn' },
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
  };
  const read = (properties: object) =>
    readTemplate(
      {
        Resources: {
          Table: table,
          Source: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { ...mapping, ...properties } },
        },
      },
      '/assets',
    );

  test('says which function gets what of which table', () => {
    const { eventSources, table } = read({
      BatchSize: 1000,
      MaximumBatchingWindowInSeconds: 10,
      FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
    });
    expect(table).toMatchObject({ name: 'testimonials' });
    expect(eventSources).toMatchObject([{ functionId: 'Fn', batchSize: 1000, windowMs: 10_000 }]);
    expect(eventSources[0]?.accepts({ eventName: 'REMOVE' })).toBe(false);
  });

  test("what it leaves out is Lambda's default", () => {
    expect(read({}).eventSources).toMatchObject([{ batchSize: 100, windowMs: 0 }]);
  });

  test.each([
    ['several invocations of a shard at once', { ParallelizationFactor: 2 }],
    ['a last retry', { MaximumRetryAttempts: 20 }],
    ['batches that fail as a whole', { BisectBatchOnFunctionError: false }],
    ['no report of failures', { FunctionResponseTypes: [] }],
    ['a stream that is not the table’s', { EventSourceArn: { 'Fn::GetAtt': ['Other', 'StreamArn'] } }],
  ])('with %s is refused', (_, properties) => {
    expect(() => read(properties)).toThrow('Source uses what the local runner does not serve');
  });
});
