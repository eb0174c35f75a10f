/** Runs asynchronous work on many items, a limited number at a time. */
import pMap from 'p-map';
import { callsAtOnce } from './timing.ts';

/**
 * Runs `work` for each item, for at most `concurrency` items at a time. After an error it starts no further
 * work.
 * @throws the first error, after all running work has ended, so that no call outlives its caller
 */
export async function forEachAtOnce<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
  concurrency: number = callsAtOnce,
): Promise<void> {
  let failure: { error: unknown } | undefined;
  await pMap(
    items,
    async (item) => {
      if (failure) return;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    },
    { concurrency },
  );
  if (failure) throw failure.error;
}
