/** Writes what was measured: the document and its plots. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListResult } from '../measure-lists.ts';
import { overviewPlot, type Point, plot } from '../plots.ts';
import { overviewPoints } from './overview.ts';
import { report } from './report.ts';
import type { Results } from './results.ts';

/** Writes `benchmark.md` and the folder `benchmark` into a folder. */
export async function writeReport(results: Results, folder: string): Promise<void> {
  const plots = join(folder, 'benchmark');
  await mkdir(plots, { recursive: true });
  await writeFile(join(folder, 'benchmark.md'), report(results));
  await writeFile(join(plots, 'overview.svg'), await overviewPlot(overviewPoints(results.lists)));
  const plotted = results.lists.filter(({ list }) => list.isPlotted);
  const unitPoints = plotted.flatMap((result) => [
    point(result, 'ours', result.cost.units),
    ...filterPoint(results, result, (design) => design.cost.units),
  ]);
  const timePoints = plotted.flatMap((result) => [
    point(result, 'ours', result.wallMs.median),
    ...filterPoint(results, result, (design) => design.wallMs.median),
    ...(result.postgresql ? [point(result, 'PostgreSQL', result.postgresql.wallMs.median)] : []),
  ]);
  const contenders = ['ours', 'filter design', ...(results.postgresqlVersion ? ['PostgreSQL'] : [])];
  await writeFile(
    join(plots, 'read-units.svg'),
    await plot(unitPoints, 'read units', contenders.slice(0, 2)),
  );
  await writeFile(join(plots, 'wall-time.svg'), await plot(timePoints, 'milliseconds', contenders));
}

/** A point of the filter design, where it was asked; the last one says so. */
function filterPoint(
  { lists, sizes }: Results,
  result: ListResult,
  valueIn: (design: NonNullable<ListResult['filterDesign']>) => number,
): Point[] {
  if (!result.filterDesign) return [];
  const isLast = !lists.some(({ size, filterDesign }) => filterDesign && size > result.size);
  const isCut = isLast && sizes.some((size) => size > result.size);
  const made = point(result, 'filter design', valueIn(result.filterDesign));
  return [{ ...made, ...(isCut && { note: 'not asked above' }) }];
}

function point({ list, size }: ListResult, contender: string, value: number): Point {
  return { list: list.name, size, contender, value };
}
