import { afterEach, describe, expect, test } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import { eventSourceMapping } from '../../../lib/local-runner/event-source-mapping.ts';
import { jsonBytes, maxRequestBytes } from '../../../lib/local-runner/local-function.ts';
import { keysOnlyRecord } from '../../../lib/local-runner/table-stream.ts';
import type { TemplateEventSource } from '../../../lib/local-runner/template.ts';
import { SimulatedTime } from '../../simulated-time.ts';

const failedFrom = (itemIdentifier: string) => ({ batchItemFailures: [{ itemIdentifier }] });
const numbered = (...numbers: string[]) =>
  numbers.map((number) => keysOnlyRecord('INSERT', { PK: { S: `key ${number}` } }, number));
const numbersOf = (records: readonly DynamoDBRecord[]) =>
  records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? '');

let mapping: ReturnType<typeof eventSourceMapping>;
afterEach(() => mapping.stop());

/** Returns a mapping with a simulated clock. */
function start(
  respond: (numbers: string[], call: number) => unknown,
  definition: Partial<TemplateEventSource> = {},
) {
  const time = new SimulatedTime();
  const began = time.now();
  const calls: string[][] = [];
  /** Start of each invocation, in milliseconds since the start of the test. */
  const times: number[] = [];
  const errors: string[] = [];
  mapping = eventSourceMapping({
    clock: time,
    definition: { batchSize: 3, windowMs: 0, accepts: () => true, ...definition },
    invoke: async ({ Records }) => {
      calls.push(numbersOf(Records));
      times.push(time.now() - began);
      return respond(numbersOf(Records), calls.length);
    },
    onError: (message) => errors.push(message),
  });
  const feedAll = (records: readonly DynamoDBRecord[], shardId = 'only') => {
    for (const record of records) mapping.add(record, shardId);
  };
  const feed = (...numbers: string[]) => feedAll(numbered(...numbers));
  return { time, calls, times, errors, feed, feedAll };
}

describe('a batch', () => {
  test('is sent at once when it is full', async () => {
    const { time, calls, feed } = start(() => undefined, { windowMs: 600_000 });
    feed('1', '2', '3', '4');
    await time.pass(0);
    expect(calls).toEqual([['1', '2', '3']]);
  });

  test('is sent at the end of the window of its first record', async () => {
    const { time, calls, times, feed } = start(() => undefined, { windowMs: 1000 });
    feed('1');
    await time.pass(900);
    feed('2');
    await time.pass(1500);
    // Windows follow each other without records: this one began after two seconds.
    feed('3');
    await time.pass(1000);
    expect({ calls, times }).toEqual({ calls: [['1', '2'], ['3']], times: [1000, 3000] });
  });

  test('has a window from the end of the previous invocation, as long as in the template', async () => {
    const { time, calls, times, feed } = start(() => time.wait(400), { windowMs: 1000 });
    feed('1');
    await time.pass(1100);
    feed('2');
    await time.pass(10_000);
    expect({ calls, times }).toEqual({ calls: [['1'], ['2']], times: [1000, 2400] });
  });

  test('is sent when it reaches 6 MB, the limit of an invocation', async () => {
    const { time, calls, feedAll } = start(() => undefined, { batchSize: 10_000, windowMs: 60_000 });
    const large = 'x'.repeat(2048);
    const records = Array.from({ length: 4000 }, (_, i) =>
      keysOnlyRecord('INSERT', { PK: { S: `${i} ${large}` } }, String(i)),
    );
    feedAll(records);
    await time.pass(0);
    expect(calls).toHaveLength(1);
    const count = calls[0]?.length ?? 0;
    expect(jsonBytes({ Records: records.slice(0, count) })).toBeLessThanOrEqual(maxRequestBytes);
    expect(jsonBytes({ Records: records.slice(0, count + 1) })).toBeGreaterThan(maxRequestBytes);
    await time.pass(60_000);
    expect(calls.flat()).toEqual(numbersOf(records));
  });
});

test('a shard has one invocation at a time, concurrent with other shards', async () => {
  const running = new Set<string>();
  /** The records of concurrent invocations. */
  const together: string[][] = [];
  const { time, feed, feedAll } = start(async (numbers) => {
    for (const number of numbers) running.add(number);
    together.push([...running]);
    await time.wait(20);
    for (const number of numbers) running.delete(number);
  });
  feed('1', '2', '3', '4', '5', '6', '7');
  await time.pass(10);
  feedAll(numbered('a', 'b', 'c', 'd'), 'other');
  await time.pass(1000);
  expect(together).toEqual([
    ['1', '2', '3'],
    ['1', '2', '3', 'a', 'b', 'c'],
    ['a', 'b', 'c', '4', '5', '6'],
    ['4', '5', '6', 'd'],
    ['d', '7'],
  ]);
});

describe('a failed batch', () => {
  test('is retried from the first reported record on', async () => {
    const { time, calls, feed } = start((numbers) =>
      numbers[0] === '1' ? { batchItemFailures: [{ itemIdentifier: '3' }, { itemIdentifier: '2' }] } : {},
    );
    feed('1', '2', '3');
    await time.pass(10_000);
    expect(calls).toEqual([
      ['1', '2', '3'],
      ['2', '3'],
    ]);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('no luck'))],
    ['reports a number that is not in the batch', () => failedFrom('77')],
    ['returns a malformed response', () => ({ batchItemFailures: [{}] })],
  ])('is retried as a whole if the function %s', async (_, failure) => {
    const { time, calls, feed } = start((_numbers, call) => (call === 1 ? failure() : undefined));
    feed('1', '2');
    await time.pass(10_000);
    expect(calls).toEqual([['1', '2'], ['1'], ['2']]);
  });

  test('is retried in halves, until one record fails alone', async () => {
    const { time, calls, feed } = start(
      (numbers, call) =>
        numbers.includes('3') && call < 6 ? Promise.reject(new Error('no luck')) : undefined,
      { batchSize: 4 },
    );
    feed('1', '2', '3', '4');
    await time.pass(100_000);
    const alone = ['3'];
    expect(calls).toEqual([['1', '2', '3', '4'], ['1', '2'], ['3', '4'], alone, alone, alone, ['4']]);
  });

  test('waits longer before each retry', async () => {
    const { time, times, feed } = start(() => failedFrom('1'));
    feed('1');
    await time.pass(100_000);
    expect(times).toEqual([0, 1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000]);
  });
});

describe('stop', () => {
  test('ends the wait, and ignores the result of a running invocation', async () => {
    const { promise, reject } = Promise.withResolvers();
    const { time, calls, errors, feed } = start(() => promise);
    feed('1');
    await time.pass(0);
    mapping.stop();
    reject(new Error('the environment exited'));
    feed('2');
    await time.pass(1000);
    expect({ calls, errors }).toEqual({ calls: [['1']], errors: [] });
  });

  test('ends a pause before a retry', async () => {
    const { time, calls, feed } = start(() => failedFrom('1'));
    feed('1');
    await time.pass(1000);
    const before = calls.length;
    mapping.stop();
    await time.pass(100_000);
    expect(calls).toHaveLength(before);
  });
});
