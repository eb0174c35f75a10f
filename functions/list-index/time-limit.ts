/** The longest life of a list, on which the deletion of change markers rests (timing.ts). */
import { requestTimeoutMs } from '../timing.ts';

/** Each try to answer a list took longer than a list may. */
export class ListTookTooLong extends Error {
  override name = 'ListTookTooLong';
}

const mostTries = 3;

/**
 * Answers a list. What took too long, because this process was paused or the table is slow, may lack a change whose
 * marker was deleted meanwhile: it is thrown away, and begins again.
 * @param clock milliseconds, of this machine
 * @throws {ListTookTooLong}
 */
export async function withinLimit<Result>(clock: () => number, list: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const begun = clock();
    const result = await list();
    if (clock() - begun <= requestTimeoutMs) return result;
  }
  throw new ListTookTooLong(
    `A list took longer than ${requestTimeoutMs / 1000} s, ${mostTries} times: the table is slow, or this program was paused. Run it again.`,
  );
}
