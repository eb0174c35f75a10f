/**
 * Every duration that order or economy rests on, in milliseconds, and how they follow from each other.
 *
 *   a call      |1.5|1.5|1.5|1.5|                   four tries, with back-off between
 *   a request   |---------------- 10 s -|           the time of a function of the API
 *   settled     |------------------ 11 s -|         whoever began before has ended
 *   a batch     |-------------------- 12 s -|       what came when its window began has settled when the index function
 *                                                   gets it; what came later, or in the midst of an idle window, is
 *                                                   asked for again
 *
 *   index update ends   |---------------- 10 s -| +3 +3 |   whatever two clocks say, no list that began before it is still
 *                                                   running: what only such a list needs is deleted
 *
 * Only the last rests on time: a list that ran longer could miss a change, and is thrown away. Everything else is right by any clock and
 * after any pause (docs/adr/0006), and these numbers decide how much work is done twice. All times are the
 * database's, which it tells with each answer (`Table.now`).
 */

const second = 1000;
const minute = 60 * second;

/** One try of a call to DynamoDB: that long to connect, that long to answer. */
export const connectTimeoutMs = second;
export const callTimeoutMs = 1.5 * second;

/** Tries of a call while a client waits. */
export const requestTries = 4;

/** Tries of a call in the background, where nobody waits: a busy table must not end an index update or an import. */
export const backgroundTries = 12;
export const longestBackOffMs = 5 * second;

/** A client waits that long before it sends a request again that DynamoDB has throttled beyond these tries. */
export const throttledRetryMs = 5 * second;

/** And that long before it asks again for a list that a rebuild has to come before: it takes a minute for some thousand testimonials. */
export const notReadyRetryMs = minute;

/** The timeout of the functions of the API, and the longest life of a list. */
export const requestTimeoutMs = 10 * second;

/** Left of a function's time when it is stopped: enough to answer and log a 500. */
export const answerMs = 500;

/**
 * How far `Table.now` can be from the time of the database, either way: its answers have whole seconds, are up to a
 * call under way, and a clock that is less than two seconds from them is believed.
 */
export const clockErrorMs = 3 * second;
export const believedClockErrorMs = 2 * second;

/** A request that began that long ago has ended, and may be indexed. One that has not ended is sealed off and begins again. */
export const settledMs = requestTimeoutMs + second;

/** How long after an index update its change markers, and after a rebuild the old postings, are kept for running lists. */
export const forgetAfterMs = requestTimeoutMs + 2 * clockErrorMs;

/** The time for which an organization has a budget. */
export const budgetMinuteMs = minute;

/** A function adds what an organization spent that often, and may know as late what others did. */
export const shareEveryMs = second;

/** A request is not held up for longer by the sum of what its organization spent. */
export const budgetCallMs = second / 2;

/** How long a record of the table's stream waits for others, at most: Lambda's windows begin when an invocation ends. */
export const batchingWindowMs = 12 * second;

/** The same for the function that tells events: whoever waits for an e-mail or a webhook is told within seconds. */
export const eventWindowMs = second;

/** The timeout of that function: some calls to read, and one for each ten events. */
export const eventTimeoutMs = 2 * minute;

/** The index function begins no further step after this, so that organizations take turns. */
export const indexTurnMs = 10 * second;

/** The timeout of the index function. */
export const indexTimeoutMs = 2 * minute;

/** A rebuild that shows no life for that long is gone on with by whoever comes to it. */
export const rebuildGivenUpMs = 2 * minute;

/**
 * An index that only a newer version can update waits that long for one: longer than any turn of that beside this one, since either
 * gets the next batch during a deployment. Then the newer one was taken back, and this one makes the index anew.
 */
export const newerGivenUpMs = 10 * minute;

/** An organization with a testimonial of that age has an index head, unless it was lost: the index function comes within seconds. */
export const headMissingMs = 10 * minute;

/**
 * The run of an import or an undo that has not shown life for that long may be taken over. It shows life between two calls: all
 * tries of one in the background, with their back-off, take 1.3 minutes at most.
 */
export const importGivenUpMs = 2 * minute;

/** Such a run shows life that often: a write of its job, beside some thousand of testimonials. */
export const showLifeEveryMs = 20 * second;
