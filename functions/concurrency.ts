/** How much runs at once: the one place that says so. */
import pMap from 'p-map';

/**
 * Calls to DynamoDB in flight at once, of all callers together. Fewer than the client has sockets (50), so that no
 * call waits for one while its time runs.
 */
export const callsAtOnce = 40;

/**
 * Organizations whose index one invocation updates at once: enough to keep `callsAtOnce` calls in flight. They share what one
 * alone may take in a step (`shareOfStep`), which a core writes within some 40 s, so that none of them runs out of time.
 */
export const updatesAtOnce = 6;

/** Does `work` for each item, for so many of them at a time. */
export async function forEachAtOnce<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
  concurrency: number = callsAtOnce,
): Promise<void> {
  await pMap(items, work, { concurrency });
}
