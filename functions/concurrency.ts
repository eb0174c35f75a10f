/** How much runs at once: the one place that says so. */
import pMap from 'p-map';

/**
 * Calls to DynamoDB in flight at once, of all callers together. Fewer than the client has sockets (50), so that no
 * call waits for one while its time runs.
 */
export const callsAtOnce = 40;

/** Does `work` for each item, for at most `callsAtOnce` of them at a time. */
export async function forEachAtOnce<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  await pMap(items, work, { concurrency: callsAtOnce });
}
