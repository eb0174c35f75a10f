/**
 * Plays every work of the service with every fault at each kind of call; with FAULTS=all, at every call for
 * an hour.
 */
import { expect, test } from '@jest/globals';
import { failedChecks, lastOfEachKind, play } from './play.ts';
import { works } from './works.ts';

const hourMs = 3_600_000;

test.each(works.map((work) => [work.name, work] as const))(
  '%s, beside every fault',
  async (_, work) => {
    const played = await play(work, process.env.FAULTS === 'all' ? undefined : lastOfEachKind);
    expect(played.filter((cell) => failedChecks(cell).length > 0)).toEqual([]);
  },
  hourMs,
);
