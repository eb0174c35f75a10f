/**
 * All durations in milliseconds that correctness or cost depends on, how they follow from each other, and the limits on work that
 * runs at once.
 *
 *   a call      |1.5|1.5|1.5|1.5|                   four tries, with back-off between them
 *   a request   |---------------- 10 s -|           the time of a function of the API
 *   settled     |------------------ 11 s -|         a request that started before has ended
 *   a batch     |-------------------- 12 s -|       records from the start of a window have settled when the index function
 *                                                   gets them; it asks again for later ones, and for those in an idle window
 *
 *   index update ends   |---------------- 10 s -| +3 +3 |   by any two clocks, no list that started before it still runs:
 *                                                   items that only such a list needs are deleted
 *
 * Only the last one relies on time: a list that took longer could miss a change, so its result is discarded. Everything else is
 * correct by any clock and after any pause (docs/adr/0006); these numbers decide how much work is done twice. All times are the
 * database's, which each response tells (`Table.now`).
 */
import pMap from 'p-map';

const second = 1000;
const minute = 60 * second;

/** The limits of one try of a call to DynamoDB: to connect, and to get the response. */
export const connectTimeoutMs = second;
export const callTimeoutMs = 1.5 * second;

/** Tries of a call while a client waits. */
export const requestTries = 4;

/** Tries of a call in the background: a busy table must not end an index update or an import. */
export const backgroundTries = 12;
export const longestBackOffMs = 5 * second;

/** `Retry-After` of a request that DynamoDB has throttled beyond these tries. */
export const throttledRetryMs = 5 * second;

/** `Retry-After` of a list that waits for a rebuild, which takes a minute for some thousand testimonials. */
export const notReadyRetryMs = minute;

/** The timeout of the functions of the API, and the longest life of a list. */
export const requestTimeoutMs = 10 * second;

/** A function stops when it has this time left: enough to send and log a 500. */
export const answerMs = 500;

/**
 * The largest difference between `Table.now` and the time of the database, either way: responses have whole seconds and are up to
 * one call old, and a clock within two seconds of them is believed.
 */
export const clockErrorMs = 3 * second;
export const believedClockErrorMs = 2 * second;

/** A request that started this long ago has ended and can be indexed. One that still runs is sealed off and starts again. */
export const settledMs = requestTimeoutMs + second;

/** How long running lists keep an index update's change markers, and the old postings after a rebuild. */
export const forgetAfterMs = requestTimeoutMs + 2 * clockErrorMs;

/** The period of an organization's budget. */
export const budgetMinuteMs = minute;

/** How often a function adds its spending to the sum, and how late it may learn the spending of others. */
export const shareEveryMs = second;

/** The longest time that a request waits for the sum of its organization's spending. */
export const budgetCallMs = second / 2;

/** The longest time that a record of the table's stream waits for others. Lambda starts a window when an invocation ends. */
export const batchingWindowMs = 12 * second;

/** The same for the function that publishes events: an e-mail or a webhook follows within seconds. */
export const eventWindowMs = second;

/** The timeout of that function: some calls to read, and one for every ten events. */
export const eventTimeoutMs = 2 * minute;

/** The index function starts no further step after this time, so that organizations take turns. */
export const indexTurnMs = 10 * second;

/** The timeout of the index function. */
export const indexTimeoutMs = 2 * minute;

/** Another process may take over a rebuild that has shown no life for this long. */
export const rebuildGivenUpMs = 2 * minute;

/**
 * How long an index waits for an update that only a newer version can make. During a deployment either version may get the next
 * batch, so this is longer than a turn. After it, the newer version was rolled back, and this one rebuilds the index.
 */
export const newerGivenUpMs = 10 * minute;

/** An organization with a testimonial of this age has an index head, unless it was lost: the index function runs within seconds. */
export const headMissingMs = 10 * minute;

/**
 * Another run may take over an import or an undo that has shown no life for this long. It shows life between two calls, and all
 * tries of one in the background take at most 1.3 minutes, with their back-off.
 */
export const importGivenUpMs = 2 * minute;

/** How often such a run shows life: one write of its job among some thousand of testimonials. */
export const showLifeEveryMs = 20 * second;

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
