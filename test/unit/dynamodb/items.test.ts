import { expect, test } from '@jest/globals';
import { batchDelete, batchGet } from '../../../functions/dynamodb/items.ts';
import { Throttled } from '../../../functions/dynamodb/throttled.ts';
import { mockedTable } from '../../mocked-table.ts';

const keysOf = (count: number) => Array.from({ length: count }, (_, i) => ({ PK: 'p', SK: String(i) }));
const found = (...Items: object[]) => ({ Responses: { testimonials: Items } });
const unprocessed = (Keys: object[]) => ({ UnprocessedKeys: { testimonials: { Keys } } });
const batchSizes = (calls: Record<string, unknown>[]) =>
  calls.map((call) => {
    const [input] = Object.values(call) as { RequestItems: Record<string, { Keys: object[] } | object[]> }[];
    const batch = input?.RequestItems.testimonials ?? [];
    return 'Keys' in batch ? batch.Keys.length : batch.length;
  });

test.each([
  ['gets at most 100 keys', batchGet, 250, [100, 100, 50]],
  ['writes at most 25 items', batchDelete, 60, [25, 25, 10]],
])('a batch %s', async (_, send, count, sizes) => {
  const { table, calls } = mockedTable([]);
  await send(table, keysOf(count), { consistent: true });
  expect(batchSizes(calls())).toEqual(sizes);
});

test('unprocessed parts of a batch are sent again until all are processed, however often', async () => {
  const keys = keysOf(7);
  const responses = keys.map((key, i) => ({ ...found(key), ...unprocessed(keys.slice(i + 1)) }));
  const { table, calls } = mockedTable(responses);
  expect(await batchGet(table, keys, { consistent: true })).toEqual(keys);
  expect(batchSizes(calls())).toEqual([7, 6, 5, 4, 3, 2, 1]);
});

test('a batch fails after four tries in a row that process no part', async () => {
  const keys = keysOf(2);
  const { table, calls } = mockedTable(Array(9).fill(unprocessed(keys)));
  await expect(batchGet(table, keys, { consistent: true })).rejects.toThrow(Throttled);
  expect(calls()).toHaveLength(4);
});
