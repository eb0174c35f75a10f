/** Puts many items. */
import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { forEachAtOnce } from '../../functions/concurrency.ts';
import type { Table } from '../../functions/persistence/table.ts';

const batchSize = 25;
const progressEvery = 10_000;

/** Puts items unconditionally, in batches; tells every 10,000 how many are written. */
export async function bulkPut(
  { client, name }: Table,
  items: Iterable<Record<string, unknown>>,
  progress: (written: number) => void = () => {},
): Promise<void> {
  let written = 0;
  await forEachAtOnce(batches(items), async (batch) => {
    let rest: BatchWriteCommandInput['RequestItems'] = {
      [name]: batch.map((Item) => ({ PutRequest: { Item } })),
    };
    while (rest?.[name]) {
      rest = (await client.send(new BatchWriteCommand({ RequestItems: rest }))).UnprocessedItems;
    }
    const before = written;
    written += batch.length;
    if (Math.floor(before / progressEvery) < Math.floor(written / progressEvery)) progress(written);
  });
}

function* batches<Item>(items: Iterable<Item>): Generator<Item[], void, undefined> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
