/** Puts many items. */
import { batchWrite, type Table } from '../../functions/persistence/document-client.ts';

const batchSize = 25;
const batchesAtOnce = 16;
const progressEvery = 10_000;

/** Puts items unconditionally, batches of them at once; tells every 10,000 how many are written. */
export async function bulkPut(
  table: Table,
  items: Iterator<Record<string, unknown>>,
  progress: (written: number) => void,
): Promise<void> {
  let written = 0;
  const writer = async () => {
    for (;;) {
      const batch: Record<string, unknown>[] = [];
      while (batch.length < batchSize) {
        const next = items.next();
        if (next.done) break;
        batch.push(next.value);
      }
      if (batch.length === 0) return;
      await batchWrite(
        table,
        batch.map((Item) => ({ PutRequest: { Item } })),
      );
      const before = written;
      written += batch.length;
      if (Math.floor(before / progressEvery) < Math.floor(written / progressEvery)) progress(written);
    }
  };
  await Promise.all(Array.from({ length: batchesAtOnce }, writer));
}
