/**
 * All durations (in milliseconds) and limits on concurrent work that correctness or cost depends on, and how
 * they depend on each other.
 *
 * | Span | Duration | Meaning |
 * |---|---|---|
 * | a call | four tries of 1.5 s | with back-off between them |
 * | a request | 10 s | the time of a function of the API |
 * | settled | 11 s | a request that started before has ended |
 * | a batch | 12 s | when it arrives, the records from the start of its window have settled; the index function requests another update for the others |
 * | forgetting | 16 s (10 + 3 + 3) after an index update has read a head | by any two clocks, no list with an older head still runs, so items that only such a list needs can be deleted |
 *
 * Two rules rely on time: the deletion of markers (the last row above) and the removal of erased words
 * (`longestStepMs`). The result of a list that took longer is discarded, because it could miss a change.
 * Everything else is correct with any clock and after any pause (docs/adr/0006); these numbers only decide
 * how much work is repeated. Times are those of `Table.now`: this machine's clock, corrected by the
 * database's responses. Only the duration of a list is measured with this machine's clock.
 */

const second = 1000;
const minute = 60 * second;

/** The timeouts of one try of a DynamoDB call: to connect, and to receive the response. */
export const connectTimeoutMs = second;
export const callTimeoutMs = 1.5 * second;

/** Tries of a call while a client waits. */
export const requestTries = 4;

/** AWS client options with these timeouts and tries. */
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

/** A function stops when this much time is left, which is enough to send and log a 500. */
export const responseReserveMs = 500;

/**
 * The largest difference between `Table.now` and the time of the database, either way. The time in a response
 * is in whole seconds and up to one call old. A machine's clock that differs by less than
 * `toleratedClockErrorMs` is not corrected.
 */
export const clockErrorMs = 3 * second;
export const toleratedClockErrorMs = 2 * second;

/**
 * Writes of this age can be indexed, because their requests have ended. The position of a request that still
 * runs is sealed, and the request starts again.
 */
export const settledMs = requestTimeoutMs + second;

/**
 * The time for which a step of an index update may write. It takes some 40 s at most (`updatesAtOnce`). The
 * texts of testimonials that are erased during a step are kept until this time is over, or the step has ended
 * and `settledMs` have passed, so that the words that the step writes can be found.
 */
export const longestStepMs = minute;

/**
 * The time for which covered change markers, and the old postings after a rebuild, are kept for running
 * lists.
 */
export const forgetAfterMs = requestTimeoutMs + 2 * clockErrorMs;

/** The period of an organization's budget per minute, and of its budget per day. */
export const budgetMinuteMs = minute;
export const minutesOfDay = 24 * 60;

/** The interval at which a function adds its spending to the sum and reads the spending of others. */
export const syncEveryMs = second;

/** The longest time that a request waits for the sum of its organization's spending. */
export const budgetCallMs = second / 2;

/**
 * The longest time that a record of the table's stream waits for more records. Lambda starts a window when an
 * invocation ends.
 */
export const batchingWindowMs = 12 * second;

/**
 * The same limit for the function that publishes events, so that an e-mail or a webhook follows within
 * seconds.
 */
export const eventWindowMs = second;

/**
 * The timeout of the function that publishes events. It makes some calls to read, and one for every ten
 * events.
 */
export const eventTimeoutMs = 2 * minute;

/**
 * The time of an index function's turn. It starts no further step afterwards, so that organizations take
 * turns.
 */
export const indexTurnMs = 10 * second;

/**
 * The timeout of a check before a rollout, which takes a minute or two. CodeDeploy waits an hour for all
 * checks of a deployment, at most five, which run one after the other.
 */
export const checkTimeoutMs = 10 * minute;

/**
 * The time that a check waits in its queue. By then, the hooks of all functions have queued their checks and
 * have ended.
 */
export const checkDelayMs = 30 * second;

/**
 * The number of new versions that a check invokes at once. With the check itself these are three executions;
 * an account allows at least ten.
 */
export const invocationsOfCheck = 2;

/** The time that a new policy may take to apply. */
export const policyAppliesMs = 30 * second;

/**
 * The timeout of the index function. A step of a rebuild begins in its turn, and writes for some 80 s at
 * most: twice as long as a step of an update (`updatesAtOnce`).
 */
export const indexTimeoutMs = 2 * minute;

/** Another process may take over a rebuild that has not renewed its lease for this long. */
export const rebuildLeaseMs = 2 * minute;

/**
 * The time for which an older version leaves an index to the newer version that built it. During a deployment
 * either version may receive the next batch, so this is longer than a turn. After this time, the older
 * version assumes that the newer one was rolled back, and rebuilds the index.
 */
export const newerVersionGraceMs = 10 * minute;

/**
 * If the oldest testimonial of an organization without an index head is older than this, the head was lost,
 * because the index function runs within seconds.
 */
export const headMissingMs = 10 * minute;

/**
 * Another process may take over an import or an undo that has not renewed its claim for this long. A process
 * renews it between two calls, and all tries of a background call with their back-off take at most 1.3
 * minutes.
 */
export const claimExpiryMs = 2 * minute;

/**
 * The time for which a step of an import at the desk works before it responds. The browser then sends the
 * next step.
 */
export const importStepMs = requestTimeoutMs / 2;

/** The interval at which an import or an undo renews its claim: one write per few thousand testimonials. */
export const renewClaimEveryMs = 20 * second;

/**
 * The maximum number of DynamoDB calls in flight, of all callers together. The client has more sockets (50),
 * so that no call waits for a socket while its timeout runs.
 */
export const callsAtOnce = 40;

/**
 * The number of organizations that one invocation updates at once, enough to keep `callsAtOnce` calls in
 * flight. They share the limits of one step (`shareOfStep`), which a core writes within some 40 s, so that
 * none of them runs out of time.
 */
export const updatesAtOnce = 6;
