/** The figures of docs/benchmark.json: what a run measured, rounded, for the page and its plot. */
import type { Cost } from '../../functions/dynamodb/cost-meter.ts';
import type { ListResult, Spread } from './measure-lists.ts';
import { indexUpdateDollars, listDollars, modelMs, unitsPerPartition } from './model.ts';
import type { Results } from './report.ts';
import type { IndexUpdateCost } from './writes.ts';

/** Milliseconds: the lower quartile, the median and the upper quartile. */
type Milliseconds = [low: number, median: number, high: number];

/** The cost of one list at one size. */
export type ListFigures = ReturnType<typeof listFigures>;

export type Figures = ReturnType<typeof figuresOf>;

export function figuresOf({
  lists,
  indexUpdates,
  besideChanges,
}: Pick<Results, 'lists' | 'indexUpdates' | 'besideChanges'>) {
  return {
    lists: lists.map(listFigures),
    indexUpdates: indexUpdates.map(updateFigures),
    besideChanges: besideChanges.map(({ list, changes, cold, warm, again }) => ({
      list,
      changes,
      cold: callsOf(cold),
      warm: callsOf(warm),
      again: callsOf(again),
    })),
  };
}

/** Returns the figures as JSON with a line for each list and each index update. */
export function toJson(figures: Figures): string {
  const lines = (each: readonly object[]) => each.map((one) => `    ${JSON.stringify(one)}`).join(',\n');
  const members = Object.entries(figures).map(([name, each]) => `  "${name}": [\n${lines(each)}\n  ]`);
  return `{\n${members.join(',\n')}\n}\n`;
}

function listFigures(result: ListResult) {
  const { list, size, matches, rows, cost, mostUnits, ours, again, postgresql, filterDesign } = result;
  return {
    list: list.name,
    testimonials: size,
    matches,
    rowsBy: rows,
    ...callsOf(cost),
    /** The limits of the reads of one partition. */
    listsASecond: Math.floor(unitsPerPartition / mostUnits),
    /** For a million of these lists. */
    dollars: rounded(listDollars(result), 2),
    /** On AWS, by the model. */
    modelMs: rounded(modelMs(result), 1),
    wall: milliseconds(ours.wall),
    ...cpuOf(ours),
    again: { ...callsOf(again.cost), ...cpuOf(again.times) },
    ...(postgresql && { postgresql: { wall: milliseconds(postgresql.wall), ...cpuOf(postgresql) } }),
    ...(filterDesign && {
      filterDesign: {
        readUnits: rounded(filterDesign.cost.units, 1),
        wall: milliseconds(filterDesign.times.wall),
      },
    }),
  };
}

/** The cost of an index update for each testimonial or change. */
function updateFigures(update: IndexUpdateCost) {
  return {
    indexed: update.name,
    testimonials: update.size,
    together: update.together,
    invocations: update.invocations,
    functionMs: Math.round(update.billedMs),
    writeUnits: rounded(update.writeUnits / update.together, 1),
    readUnits: rounded(update.readUnits / update.together, 1),
    /** For a million of them. */
    dollars: rounded(indexUpdateDollars(update), 2),
  };
}

function callsOf({ units, requests, rounds }: Cost) {
  return { readUnits: rounded(units, 1), requests, rounds };
}

function cpuOf({ cpu }: { cpu?: Spread }): { cpu?: Milliseconds } {
  return cpu ? { cpu: milliseconds(cpu) } : {};
}

function milliseconds({ low, median, high }: Spread): Milliseconds {
  return [rounded(low, 1), rounded(median, 1), rounded(high, 1)];
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
