import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import { EventSourceMapping } from '../../../lib/local-runner/event-source-mapping.ts';
import { keysOnlyRecord, type RecordSource } from '../../../lib/local-runner/record-source.ts';
import type { TemplateEventSource } from '../../../lib/local-runner/template.ts';

/** A source that the test feeds. */
class FedSource implements RecordSource {
  done: string[] = [];
  stopped = false;
  #take: (records: readonly DynamoDBRecord[]) => void = () => {};

  async start(...[, take]: Parameters<RecordSource['start']>) {
    this.#take = take;
  }
  feed(...numbers: string[]) {
    this.#take(numbers.map((number) => keysOnlyRecord('INSERT', { PK: { S: `key ${number}` } }, number)));
  }
  processed(records: readonly DynamoDBRecord[]) {
    this.done.push(...numbersOf(records));
  }
  stop() {
    this.stopped = true;
  }
}

const numbersOf = (records: readonly DynamoDBRecord[]) =>
  records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? '');
const failedFrom = (itemIdentifier: string) => ({ batchItemFailures: [{ itemIdentifier }] });

let mapping: EventSourceMapping;
afterEach(() => mapping.stop());

async function start(
  answer: (numbers: string[], call: number) => unknown,
  definition: Partial<TemplateEventSource> = {},
) {
  const source = new FedSource();
  const calls: string[][] = [];
  const errors: string[] = [];
  mapping = new EventSourceMapping({
    source,
    definition: {
      batchSize: 3,
      windowMs: 0,
      accepts: () => true,
      reportsBatchItemFailures: true,
      maximumRetryAttempts: 2,
      ...definition,
    },
    invoke: async ({ Records }) => {
      calls.push(numbersOf(Records));
      return answer(numbersOf(Records), calls.length);
    },
    onError: (message) => errors.push(message),
    retryDelayMs: 1,
  });
  await mapping.start();
  return { source, calls, errors };
}

async function until(condition: () => boolean) {
  for (let i = 0; i < 500 && !condition(); i += 1) await wait(10);
  expect(condition()).toBe(true);
}

test('a full batch goes at once, however long the window is', async () => {
  const { source, calls } = await start(() => undefined, { windowMs: 600_000 });
  source.feed('1', '2', '3', '4');
  await until(() => calls.length === 1);
});

test('the rest of a batch goes when the window of its first record is over', async () => {
  const { source, calls } = await start(() => undefined, { windowMs: 300 });
  const fed = Date.now();
  source.feed('1', '2', '3', '4');
  await until(() => calls.length === 1);
  await wait(100);
  source.feed('5');
  await until(() => calls.length === 2);
  expect(Date.now() - fed).toBeGreaterThanOrEqual(295);
  expect(calls).toEqual([
    ['1', '2', '3'],
    ['4', '5'],
  ]);
  await until(() => source.done.length === 5);
});

test('invocations come one at a time', async () => {
  let running = 0;
  let most = 0;
  const { source } = await start(async () => {
    running += 1;
    most = Math.max(most, running);
    await wait(20);
    running -= 1;
  });
  source.feed('1', '2', '3', '4', '5', '6', '7');
  await until(() => source.done.length === 7);
  expect(most).toBe(1);
});

test('from the first record that the function reports on, records come again', async () => {
  const { source, calls } = await start((numbers) =>
    numbers[0] === '1' ? { batchItemFailures: [{ itemIdentifier: '3' }, { itemIdentifier: '2' }] } : {},
  );
  source.feed('1', '2', '3');
  await until(() => source.done.length === 3);
  expect(calls).toEqual([
    ['1', '2', '3'],
    ['2', '3'],
  ]);
});

test.each([
  ['throws', () => Promise.reject(new Error('no luck'))],
  ['reports a number that is not in the batch', () => failedFrom('77')],
  ['returns a malformed answer', () => ({ batchItemFailures: [{}] })],
])('when the function %s, the whole batch comes again', async (_, failure) => {
  const { source, calls } = await start((_numbers, call) => (call === 1 ? failure() : undefined));
  source.feed('1', '2');
  await until(() => source.done.length === 2);
  expect(calls).toEqual([
    ['1', '2'],
    ['1', '2'],
  ]);
});

test('an answer counts for nothing when the mapping does not ask for one', async () => {
  const { source, calls } = await start(() => failedFrom('1'), { reportsBatchItemFailures: false });
  source.feed('1');
  await until(() => source.done.length === 1);
  expect(calls).toHaveLength(1);
});

test('after the last retry the rest is dropped with a line that says so, and the next records go on', async () => {
  const { source, calls, errors } = await start((numbers) =>
    numbers.includes('2') ? failedFrom('2') : undefined,
  );
  source.feed('1', '2', '3');
  await until(() => errors.length === 1);
  source.feed('4');
  await until(() => source.done.length === 2);
  expect(calls).toEqual([['1', '2', '3'], ['2', '3'], ['2', '3'], ['4']]);
  expect(errors).toEqual(['dropped 2 records after 3 failures, the first is {"PK":{"S":"key 2"}}']);
  expect(source.done).toEqual(['1', '4']);
});

test('a batch that gets on has all its retries again', async () => {
  const { source, calls, errors } = await start((numbers, call) =>
    call <= 5 ? failedFrom(numbers[call % 2 === 0 && numbers.length > 1 ? 1 : 0] ?? '') : undefined,
  );
  source.feed('1', '2', '3');
  await until(() => source.done.length === 3);
  expect(errors).toEqual([]);
  expect(calls.map((numbers) => numbers[0])).toEqual(['1', '1', '2', '2', '3', '3']);
});

test('stop ends the waiting, and what an invocation under way brings counts no more', async () => {
  let finish = () => {};
  const { source, calls, errors } = await start(
    () =>
      new Promise((_resolve, reject) => {
        finish = () => reject(new Error('the environment exited'));
      }),
  );
  source.feed('1');
  await until(() => calls.length === 1);
  mapping.stop();
  finish();
  source.feed('2');
  await wait(50);
  expect({ calls, errors, done: source.done, stopped: source.stopped }).toEqual({
    calls: [['1']],
    errors: [],
    done: [],
    stopped: true,
  });
});

test('stop ends a pause before a retry', async () => {
  const { source, calls } = await start(() => failedFrom('1'), { maximumRetryAttempts: 1000 });
  source.feed('1');
  // By then the pause is 128 ms: it has doubled seven times.
  await until(() => calls.length === 8);
  mapping.stop();
  await wait(250);
  expect(calls).toHaveLength(8);
});
