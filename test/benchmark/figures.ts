/** The figures of docs/benchmark.json: what a run measured, rounded, for the page and its plot. */
import type { Cost } from '../../functions/dynamodb/cost-meter.ts';
import type { ListResult, Spread } from './measure-lists.ts';
import { indexUpdateDollars, listDollars, modelMs, unitsPerPartition } from './model.ts';
import type { IndexUpdateCost, ListBesideChanges } from './writes.ts';

/** Milliseconds: the lower quartile, the median and the upper quartile. */
type Milliseconds = [low: number, median: number, high: number];

interface Calls {
  readUnits: number;
  requests: number;
  rounds: number;
}

/** What one list costs at one size. */
export interface ListFigures extends Calls {
  list: string;
  testimonials: number;
  matches: number;
  rowsBy: string;
  /** What the reads of one partition allow. */
  listsASecond: number;
  /** For a million of these lists. */
  dollars: number;
  /** On AWS, by the model. */
  modelMs: number;
  wall: Milliseconds;
  cpu?: Milliseconds;
  again: Calls & { cpu?: Milliseconds };
  postgresql?: { wall: Milliseconds; cpu?: Milliseconds };
  filterDesign?: { readUnits: number; wall: Milliseconds };
}

/** What an index update costs for each testimonial or change. */
interface IndexUpdateFigures {
  indexed: string;
  testimonials: number;
  together: number;
  invocations: number;
  functionMs: number;
  writeUnits: number;
  readUnits: number;
  /** For a million of them. */
  dollars: number;
}

/** A list while changes are outstanding, which no index update has taken. */
interface BesideChangesFigures {
  list: string;
  changes: number;
  /** In a function that knows nothing of the organization. */
  cold: Calls;
  /** In a function that has answered the list before the changes. */
  warm: Calls;
  /** In that function once more. */
  again: Calls;
}

export interface Figures {
  lists: ListFigures[];
  indexUpdates: IndexUpdateFigures[];
  besideChanges: BesideChangesFigures[];
}

interface Measured {
  lists: ListResult[];
  indexUpdates: IndexUpdateCost[];
  besideChanges: ListBesideChanges[];
}

export function figuresOf({ lists, indexUpdates, besideChanges }: Measured): Figures {
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

function listFigures(result: ListResult): ListFigures {
  const { list, size, matches, rows, cost, mostUnits, ours, again, postgresql, filterDesign } = result;
  return {
    list: list.name,
    testimonials: size,
    matches,
    rowsBy: rows,
    ...callsOf(cost),
    listsASecond: Math.floor(unitsPerPartition / mostUnits),
    dollars: rounded(listDollars(result), 2),
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

function updateFigures(update: IndexUpdateCost): IndexUpdateFigures {
  return {
    indexed: update.name,
    testimonials: update.size,
    together: update.together,
    invocations: update.invocations,
    functionMs: Math.round(update.billedMs),
    writeUnits: rounded(update.writeUnits / update.together, 1),
    readUnits: rounded(update.readUnits / update.together, 1),
    dollars: rounded(indexUpdateDollars(update), 2),
  };
}

function callsOf({ units, requests, rounds }: Cost): Calls {
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
