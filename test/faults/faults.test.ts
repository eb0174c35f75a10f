/**
 * Plays every work of the service with every fault at each kind of call. Prints the results of a single fault
 * → of a lasting one, and fails if a check fails. FAULTS=all plays every call, which takes an hour.
 */
import { afterAll, expect, test } from '@jest/globals';
import { faultNames, faults } from './faults.ts';
import { type Cell, lastOfEachKind, play } from './play.ts';
import { tableOfCalls, tableOfWorks, wrong } from './report.ts';
import { works } from './works.ts';

const cells: Cell[] = [];

afterAll(async () => {
  const legend = faultNames.map((name) => `${name}: ${faults[name].description}`);
  process.stdout.write(
    `\n${tableOfCalls(cells)}\n\n${tableOfWorks(cells)}\n\n${legend.join('\n')}\n${cells.length} cells\n`,
  );
});

const hourMs = 3_600_000;

test.each(works.map((work) => [work.name, work] as const))(
  '%s, beside every fault',
  async (_, work) => {
    const played = await play(work, process.env.FAULTS === 'all' ? undefined : lastOfEachKind);
    cells.push(...played);
    expect(played.filter((cell) => wrong(cell).length > 0)).toEqual([]);
  },
  hourMs,
);
