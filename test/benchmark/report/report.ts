/** Writes what was measured as docs/benchmark.md. */

import { fairUseSection } from './fair-use.ts';
import { findings } from './findings.ts';
import { listTables, simulatedSection } from './lists.ts';
import { number } from './markdown.ts';
import { methodSection } from './method.ts';
import { overheadSection } from './overhead.ts';
import { overview } from './overview.ts';
import type { Results } from './results.ts';
import { situationSection } from './situations.ts';
import { createSection, indexUpdateSection } from './writes.ts';

export function report(results: Results): string {
  const { lists, sizes, simulated } = results;
  const [largest = 0, ...smaller] = sizes.toSorted((a, b) => b - a);
  return [
    `# Benchmark

What lists, creates and index updates cost, beside two other ways to do the same. [How it is measured](#how-it-is-measured)
stands at the end.`,
    overview(results),
    findings(results),
    `## How cost grows

![Read units of a list against the number of testimonials, both logarithmic](benchmark/read-units.svg)

![Wall time of a list against the number of testimonials, both logarithmic](benchmark/wall-time.svg)`,
    `## ${number(largest)} testimonials\n\n${listTables(lists, largest)}`,
    ...(simulated.length > 0 ? [simulatedSection(results)] : []),
    '## Fewer testimonials',
    ...smaller.map(
      (size) =>
        `<details><summary>${number(size)} testimonials</summary>\n\n${listTables(lists, size)}\n\n</details>`,
    ),
    situationSection(results),
    createSection(results),
    indexUpdateSection(results),
    fairUseSection(results),
    overheadSection(results),
    methodSection(results),
  ].join('\n\n');
}
