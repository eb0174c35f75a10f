/** The longest life of a list, on which the deletion of change markers rests (timing.ts). */
import { requestTimeoutMs } from '../../timing.ts';

/** No try to answer a list ended in time. */
export class ListTookTooLong extends Error {
  override name = 'ListTookTooLong';
}

const mostTries = 3;
const mostOverlaps = 20;

/**
 * Answers a list. What took too long, because this process was paused or the table is slow, may lack a change whose
 * marker was deleted meanwhile: it is thrown away, and begins again.
 * @param clock milliseconds, of this machine
 * @param list undefined when an index update has begun to write meanwhile: then it begins again, too
 * @throws {ListTookTooLong}
 */
export async function withinLimit<Result>(
  clock: () => number,
  list: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let tries = 0, overlaps = 0; tries < mostTries && overlaps < mostOverlaps; ) {
    const begun = clock();
    const result = await list();
    if (clock() - begun > requestTimeoutMs) tries += 1;
    else if (result === undefined) overlaps += 1;
    else return result;
  }
  throw new ListTookTooLong(
    `A list took longer than ${requestTimeoutMs / 1000} s, ${mostTries} times: the table is slow, or this program was paused. Run it again.`,
  );
}
