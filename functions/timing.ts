/**
 * All durations (in milliseconds) and limits on concurrent work that correctness or cost depends on, and how
 * they follow from each other.
 *
 *   a call      |1.5|1.5|1.5|1.5|                   four tries, with back-off between them
 *   a request   |---------------- 10 s -|           the time of a function of the API
 *   settled     |------------------ 11 s -|         a request that started before has ended
 *   a batch     |-------------------- 12 s -|       records from the start of a window have settled
 *                                                   when the index function receives them; for later
 *                                                   ones it requests another update
 *
 *   index update ends   |---------------- 10 s -| +3 +3 |   by any two clocks, no list that started before
 *                                                           it still runs, so items that only such a list
 *                                                           needs can be deleted
 *
 * Two rules rely on time: the deletion of markers, the last bar above, and the removal of erased words
 * (`longestStepMs`). A list that took longer could miss a change, so its result is discarded. Everything else
 * is correct with any clock and after any pause (docs/adr/0006); these numbers only decide how much work is
 * repeated. Times are those of `Table.now`: this machine's clock, corrected by the database's responses. Only
 * the duration of a list is measured with this machine's clock.
 */

const second = 1000;
const minute = 60 * second;

/** The timeouts of one try of a DynamoDB call: to connect, and to receive the response. */
export const connectTimeoutMs = second;
export const callTimeoutMs = 1.5 * second;

/** Tries of a call while a client waits. */
export const requestTries = 4;

/** The options of an AWS client for them. */
export const clientOptions = {
  maxAttempts: requestTries,
  requestHandler: {
    connectionTimeout: connectTimeoutMs,
    requestTimeout: callTimeoutMs,
    throwOnRequestTimeout: true,
  },
};

/** Tries of a call in the background, where a busy table must not stop an index update or an import. */
export const backgroundTries = 12;
export const longestBackOffMs = 5 * second;

/** `Retry-After` of a request that DynamoDB throttled in all of its tries. */
export const throttledRetryMs = 5 * second;

/** `Retry-After` of a list that waits for a rebuild, which takes a minute for some thousand testimonials. */
export const notReadyRetryMs = minute;

/** The timeout of the functions of the API, and the longest time of a list. */
export const requestTimeoutMs = 10 * second;

/** A function stops when it has this time left: enough to send and log a 500. */
export const answerMs = 500;

/**
 * The largest difference between `Table.now` and the time of the database, either way. Responses give whole
 * seconds and are up to one call old. A machine's clock that differs less than `believedClockErrorMs` is used
 * as it is.
 */
export const clockErrorMs = 3 * second;
export const believedClockErrorMs = 2 * second;

/**
 * Writes of this age can be indexed, because their requests have ended. A request that still runs is sealed
 * off and starts again.
 */
export const settledMs = requestTimeoutMs + second;

/**
 * How long a step of an index update may write: it writes for some 40 s at most (`updatesAtOnce`). Until
 * then, or until it has ended and `settledMs` have passed, the texts of testimonials that were erased
 * meanwhile are kept, so that the words that it writes can be found.
 */
export const longestStepMs = minute;

/** How long covered change markers, and the old postings after a rebuild, are kept for running lists. */
export const forgetAfterMs = requestTimeoutMs + 2 * clockErrorMs;

/** The period of an organization's budget, and the periods of its daily budget. */
export const budgetMinuteMs = minute;
export const minutesOfDay = 24 * 60;

/** How often a function adds its spending to the sum and reads the spending of others. */
export const shareEveryMs = second;

/** The longest time that a request waits for the sum of its organization's spending. */
export const budgetCallMs = second / 2;

/**
 * The longest time that a record of the table's stream waits for more records. Lambda starts a window when an
 * invocation ends.
 */
export const batchingWindowMs = 12 * second;

/** The same for the function that publishes events, so that an e-mail or a webhook follows within seconds. */
export const eventWindowMs = second;

/** The timeout of that function. It makes some calls to read, and one for every ten events. */
export const eventTimeoutMs = 2 * minute;

/** The index function starts no further step after this time, so that organizations take turns. */
export const indexTurnMs = 10 * second;

/**
 * The timeout of a check before a rollout, which takes a minute or two. CodeDeploy waits an hour for all
 * checks of a deployment, which are played one after the other: for five functions at most.
 */
export const checkTimeoutMs = 10 * minute;

/**
 * How long a check waits in its queue. By then the hooks of all functions have put theirs into it and have
 * ended.
 */
export const checkDelayMs = 30 * second;

/**
 * New versions that a check invokes at once. With the check itself these are three executions, of at least
 * ten in an account.
 */
export const invocationsOfCheck = 2;

/** How long a policy that a deployment has written may take to apply. */
export const policyAppliesMs = 30 * second;

/**
 * The timeout of the index function. A step of a rebuild begins in its turn, and writes for some 80 s at
 * most: twice as much as a step of an update (`updatesAtOnce`).
 */
export const indexTimeoutMs = 2 * minute;

/** Another process may take over a rebuild that has not renewed its lease for this long. */
export const rebuildGivenUpMs = 2 * minute;

/**
 * How long an older version leaves an index to the newer version that built it. During a deployment either
 * version may receive the next batch, so this is longer than a turn. After that time, the older
 * version assumes that the newer one was rolled back, and rebuilds the index.
 */
export const newerGivenUpMs = 10 * minute;

/**
 * An organization with a testimonial of this age has lost its index head if it has none: the index function
 * runs within seconds.
 */
export const headMissingMs = 10 * minute;

/**
 * Another run may take over an import or an undo that has not renewed its claim for this long. A run renews
 * it between two calls, and all tries of a background call take at most 1.3 minutes with their back-off.
 */
export const claimExpiryMs = 2 * minute;

/** How long a step of an import at the desk works before it answers, and the browser sends the next one. */
export const importStepMs = requestTimeoutMs / 2;

/** How often an import or an undo renews its claim: one write per few thousand testimonials. */
export const renewClaimEveryMs = 20 * second;

/**
 * Maximum DynamoDB calls in flight, of all callers together. The client has more sockets (50), so that no
 * call waits for a socket while its timeout runs.
 */
export const callsAtOnce = 40;

/**
 * Organizations that one invocation updates at once, enough to keep `callsAtOnce` calls in flight. They share
 * the limits of one step (`shareOfStep`), which a core writes within some 40 s, so that none of them runs out
 * of time.
 */
export const updatesAtOnce = 6;
