/**
 * The parts of a template that the local runner reads, and those that it rejects. stream-changes.test.ts
 * tests the real filters.
 */
import { expect, test } from '@jest/globals';
import { readTemplate } from '../../../lib/local-runner/template.ts';

const mapping = {
  EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
  FunctionName: { 'Fn::Join': ['', [{ Ref: 'Alias' }, ':live']] },
  BatchSize: 1000,
  MaximumBatchingWindowInSeconds: 10,
  ParallelizationFactor: 1,
  BisectBatchOnFunctionError: true,
  FunctionResponseTypes: ['ReportBatchItemFailures'],
};
const filtered = (...patterns: object[]) => ({
  FilterCriteria: { Filters: patterns.map((each) => ({ Pattern: JSON.stringify(each) })) },
});

/** Reads a template whose function has a stream with these properties. */
function read(source: object, variables: object = {}) {
  const resources = {
    Table: [
      'AWS::DynamoDB::GlobalTable',
      {
        AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
        GlobalSecondaryIndexes: [],
      },
    ],
    Fn: [
      'AWS::Lambda::Function',
      { Handler: 'index.handler', MemorySize: 128, Timeout: 3, Environment: { Variables: variables } },
    ],
    Queue: ['AWS::SQS::Queue', {}],
    Alias: ['AWS::Lambda::Alias', { FunctionName: { Ref: 'Fn' } }],
    Source: ['AWS::Lambda::EventSourceMapping', { ...mapping, ...filtered(), ...source }],
  };
  const Metadata = { 'aws:cdk:path': 'stack/Fn/Resource', 'aws:asset:path': 'asset.1' };
  const Resources = Object.fromEntries(
    Object.entries(resources).map(([id, [Type, Properties]]) => [id, { Type, Properties, Metadata }]),
  );
  return readTemplate({ Resources }, '/assets');
}

test('the template gives the source and the filter of each function', () => {
  const { eventSources, functions, table } = read({});
  expect(table).toMatchObject({ name: 'testimonials' });
  expect(eventSources).toMatchObject([{ functionId: 'Fn', batchSize: 1000, windowMs: 10_000 }]);
  expect(functions.get('Fn')).toMatchObject({ name: 'Fn', codePath: '/assets/asset.1', timeoutMs: 3000 });
});

test('the queue of the check before a rollout is no source on this machine', () => {
  expect(read({ EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] } }).eventSources).toEqual([]);
});

test('a record has to match all fields of one filter', () => {
  const [source] = read(
    filtered({ a: ['1'], b: ['2', '3'] }, { c: { d: ['4', { prefix: '5' }] } }),
  ).eventSources;
  const records = [
    { a: '1', b: '3' },
    { a: '1', b: '4' },
    { a: '1' },
    { c: { d: '4' } },
    { c: { d: '56' } },
    { c: '4' },
  ];
  expect(records.map((each) => source?.accepts(each))).toEqual([true, false, false, true, true, false]);
});

test.each<[string, object]>([
  ['several invocations of a shard at once', { ParallelizationFactor: 2 }],
  ['a last retry', { MaximumRetryAttempts: 20 }],
  ['batches that fail as a whole', { BisectBatchOnFunctionError: false }],
  ['no report of failures', { FunctionResponseTypes: [] }],
  ['a stream that is not the table’s', { EventSourceArn: { 'Fn::GetAtt': ['Other', 'StreamArn'] } }],
  ...[
    [{ 'anything-but': ['x'] }],
    [{ exists: true }],
    [{ numeric: ['>', 1] }],
    [1],
    'x',
    [{ prefix: { 'equals-ignore-case': 'x' } }],
  ].map((a): [string, object] => [`the filter ${JSON.stringify(a)}`, filtered({ a })]),
])('%s is rejected, with its location', (_, properties) => {
  expect(() => read(properties)).toThrow(
    'The local runner does not support this part of the template, Source: ',
  );
});

test('a variable that is neither a text nor a reference is rejected', () => {
  expect(read({}, { TABLE: { Ref: 'Table' } }).functions.get('Fn')?.environment).toEqual({ TABLE: 'Table' });
  expect(() => read({}, { URL: { 'Fn::Join': ['', []] } })).toThrow(
    'The local runner does not support this part of the template, Fn: ',
  );
});
