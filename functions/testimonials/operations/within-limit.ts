/** Limits the time of a list, and repeats one that an index update overlapped. */
import { ListTookTooLong } from '../../domain/outcomes.ts';
import { requestTimeoutMs } from '../../timing.ts';

const maxTries = 3;
const maxOverlaps = 20;

/**
 * Repeats a list until it ends in time and without an overlapping index update. A list that took too long,
 * because the process was paused or the table is slow, may miss a change whose marker was deleted in the
 * meantime (timing.ts).
 * @param list returns undefined if an index update overlapped it
 * @throws {ListTookTooLong}
 */
export async function withinLimit<Result>(
  clock: (() => number) | undefined = Date.now,
  list: () => Promise<Result | undefined>,
): Promise<Result> {
  let tries = 0;
  let overlaps = 0;
  while (tries < maxTries && overlaps < maxOverlaps) {
    const start = clock();
    const result = await list();
    if (clock() - start > requestTimeoutMs) tries += 1;
    else if (result === undefined) overlaps += 1;
    else return result;
  }
  const reason =
    tries < maxTries
      ? `Index updates overlapped the list ${maxOverlaps} times.`
      : `The list took longer than ${requestTimeoutMs / 1000} s, ${maxTries} times, because the table is slow or this program was paused.`;
  throw new ListTookTooLong(`${reason} Try again.`);
}
