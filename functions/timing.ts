/**
 * All durations in milliseconds that correctness or cost depends on, how they relate, and the limits on concurrent work.
 *
 *   a call      |1.5|1.5|1.5|1.5|                   four tries, with back-off between them
 *   a request   |---------------- 10 s -|           the timeout of the API's functions
 *   settled     |------------------ 11 s -|         a request that started before has ended
 *   a batch     |-------------------- 12 s -|       records from the start of a window have settled when the index function
 *                                                   gets them; it requests another run for later ones, and in an idle window
 *
 *   index update ends   |---------------- 10 s -| +3 +3 |   by any two clocks, no list that started before it still runs:
 *                                                   items that only such a list needs are deleted
 *
 * Only the last one relies on time: a list that took longer could miss a change, so its result is discarded. Everything else is correct
 * with any clock and after any pause (docs/adr/0006). These numbers decide how much work is done twice. All times are the database's,
 * from its responses (`Table.now`).
 */
import pMap from 'p-map';

const second = 1000;
const minute = 60 * second;

/** The time limits of one attempt of a DynamoDB call: to connect, and to get the response. */
export const connectTimeoutMs = second;
export const callTimeoutMs = 1.5 * second;

/** Attempts of a call while a client waits. */
export const requestTries = 4;

/** Attempts of a call in the background, enough that a busy table does not end an index update or an import. */
export const backgroundTries = 12;
export const longestBackOffMs = 5 * second;

/** `Retry-After` of a request that DynamoDB still throttles after these attempts. */
export const throttledRetryMs = 5 * second;

/** `Retry-After` of a list that waits for a rebuild, which takes a minute for some thousand testimonials. */
export const notReadyRetryMs = minute;

/** The timeout of the API's functions, and the longest life of a list. */
export const requestTimeoutMs = 10 * second;

/** A function stops when this much time remains: enough to send and log a 500. */
export const answerMs = 500;

/**
 * The largest difference between `Table.now` and the time of the database, either way: responses have whole seconds and are up to
 * one call old, and a clock within two seconds of them is believed.
 */
export const clockErrorMs = 3 * second;
export const believedClockErrorMs = 2 * second;

/** A request that started this long ago has ended, and its writes can be indexed. One that still runs is sealed off and retries. */
export const settledMs = requestTimeoutMs + second;

/** How long covered change markers, and old postings after a rebuild, are kept for running lists. */
export const forgetAfterMs = requestTimeoutMs + 2 * clockErrorMs;

/** The period of an organization's budget. */
export const budgetMinuteMs = minute;

/** How often a function adds its spending to the shared sum, which is also how late it learns of others' spending. */
export const shareEveryMs = second;

/** The longest time that a request waits for the sum of its organization's spending. */
export const budgetCallMs = second / 2;

/** The longest time that a stream record waits for others. Lambda starts a window when an invocation ends. */
export const batchingWindowMs = 12 * second;

/** The same for the function that publishes events, so that e-mails and webhooks follow within seconds. */
export const eventWindowMs = second;

/** The timeout of that function, which makes a few reads and one call per ten events. */
export const eventTimeoutMs = 2 * minute;

/** The index function starts no further step of an organization after this time, so that organizations take turns. */
export const indexTurnMs = 10 * second;

/** The timeout of the index function. */
export const indexTimeoutMs = 2 * minute;

/** Another process may take over a rebuild whose hold was not renewed for this long. */
export const rebuildGivenUpMs = 2 * minute;

/**
 * How long an index waits for an update that only a newer version can make. During a deployment either version may get the next
 * batch, so this is longer than a turn. After it, the newer version was rolled back, and this one rebuilds the index.
 */
export const newerGivenUpMs = 10 * minute;

/** An organization with a testimonial of this age has an index head, unless the head was lost: the index function runs within seconds. */
export const headMissingMs = 10 * minute;

/**
 * Another run may take over an import or an undo whose hold was not renewed for this long. A run renews it between calls, and all attempts
 * of a background call take at most 1.3 minutes, with their back-off.
 */
export const importGivenUpMs = 2 * minute;

/** How often such a run renews its hold: one write of its job among some thousand of testimonials. */
export const renewHoldEveryMs = 20 * second;

/**
 * DynamoDB calls in flight, of all callers together. The client has more sockets (50), so that no call waits for one while its timeout
 * runs.
 */
export const callsAtOnce = 40;

/**
 * Organizations that one invocation updates at once: enough to keep `callsAtOnce` calls in flight. Together they handle as much in a step
 * as one alone (`shareOfStep`), which a core writes within some 40 s, so that none of them runs out of time.
 */
export const updatesAtOnce = 6;

/** Runs `work` for each item, for at most `concurrency` items at a time. */
export async function forEachAtOnce<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
  concurrency: number = callsAtOnce,
): Promise<void> {
  await pMap(items, work, { concurrency });
}
