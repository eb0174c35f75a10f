/** All limits on work that runs at once. */
import pMap from 'p-map';

/**
 * Calls to DynamoDB in flight, of all callers together. The client has more sockets (50), so that no call waits for one while
 * its timeout runs.
 */
export const callsAtOnce = 40;

/**
 * Organizations that one invocation updates at once: enough to keep `callsAtOnce` calls in flight. Together they take as much
 * as one alone in a step (`shareOfStep`), which a core writes within some 40 s, so that none of them runs out of time.
 */
export const updatesAtOnce = 6;

/** Does `work` for each item, for at most `concurrency` items at a time. */
export async function forEachAtOnce<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
  concurrency: number = callsAtOnce,
): Promise<void> {
  await pMap(items, work, { concurrency });
}
