/** Measures each list on each contender, in turns, and checks that all give the same answer. */
import { isDeepStrictEqual } from 'node:util';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import type { Cost } from '../../functions/dynamodb/cost-meter.ts';
import type { RowPlan } from '../../functions/testimonials/list-index/read/plan.ts';
import type { Engine } from './engine.ts';
import type { FilterDesign } from './filter-design.ts';
import { lists, type MeasuredList, queryOf } from './lists.ts';
import type { PostgreSql } from './postgresql.ts';

interface ListAnswer {
  /** In the order of the page. */
  ids: string[];
  total: number;
}

export interface ListResult {
  list: MeasuredList;
  size: number;
  matches: number;
  rows: RowPlan['by'];
  cost: Cost;
  /** Read units of the partition that is read most. */
  mostUnits: number;
  ours: Times;
  /** The same list once more, in the same function. */
  again: { cost: Cost; times: Times };
  filterDesign?: { cost: Cost; times: Times };
  postgresql?: Times;
}

/** Milliseconds: the time of the caller, and of the processor that finds the list. */
interface Times {
  wall: Spread;
  cpu?: Spread;
}

export interface Spread {
  median: number;
  /** The quartiles. */
  low: number;
  high: number;
  count: number;
}

export interface Contenders {
  engine: Engine;
  filterDesign?: FilterDesign;
  postgresql?: PostgreSql | undefined;
}

/** Asks each list some times, so that the first measured lists run on compiled code. */
export async function warmUp({ engine, postgresql }: Contenders, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    for (const list of lists) {
      const query = await queryOf(list, engine.list);
      await engine.again(query);
      await postgresql?.list(query);
    }
  }
}

/**
 * @param repetitions of each list on each contender; the filter design is asked at most `filterRepetitions`
 * times
 */
export async function measureLists(
  { engine, filterDesign, postgresql }: Contenders,
  size: number,
  { repetitions, filterRepetitions }: { repetitions: number; filterRepetitions: number },
  progress: (step: string) => void,
): Promise<ListResult[]> {
  const results: ListResult[] = [];
  for (const list of lists) {
    progress(list.name);
    const query = await queryOf(list, engine.list);
    const expected = await engine.list(query);
    const ours = new Stopwatch('the service', engine.list, ownCpuMs);
    const again = new Stopwatch('the same function', engine.again, ownCpuMs);
    const filter = filterDesign && new Stopwatch('the filter design', filterDesign.list);
    const sql = postgresql && new Stopwatch('PostgreSQL', postgresql.list, postgresql.cpuMs);
    expectSame(list, 'the same function', await engine.again(query), expected);
    const turns = [ours, again, sql, filter];
    for (let i = 0; i < repetitions; i += 1) {
      // The order rotates: a contender leaves garbage, for example, to the next one.
      for (const turn of [...turns.slice(i % turns.length), ...turns.slice(0, i % turns.length)]) {
        if (!turn || (turn === filter && i >= filterRepetitions)) continue;
        expectSame(list, turn.name, await turn.list(query), expected);
      }
    }
    await engine.again(query);
    const costAgain = engine.cost();
    await engine.list(query);
    results.push({
      list,
      size,
      matches: expected.total,
      rows: engine.rows(),
      cost: engine.cost(),
      mostUnits: engine.mostUnits(),
      ours: ours.times(),
      again: { cost: costAgain, times: again.times() },
      ...(filterDesign && filter && { filterDesign: { cost: filterDesign.cost(), times: filter.times() } }),
      ...(sql && { postgresql: sql.times() }),
    });
  }
  return results;
}

class Stopwatch {
  readonly name: string;
  readonly #wall: number[] = [];
  readonly #cpu: number[] = [];
  readonly #list: (query: ListQuery) => Promise<ListAnswer>;
  readonly #cpuMs: () => number | undefined;

  constructor(
    name: string,
    list: (query: ListQuery) => Promise<ListAnswer>,
    cpuMs: () => number | undefined = () => undefined,
  ) {
    this.name = name;
    this.#list = list;
    this.#cpuMs = cpuMs;
  }

  async list(query: ListQuery): Promise<ListAnswer> {
    const cpuBefore = this.#cpuMs();
    const begin = performance.now();
    const response = await this.#list(query);
    this.#wall.push(performance.now() - begin);
    const cpuAfter = this.#cpuMs();
    if (cpuBefore !== undefined && cpuAfter !== undefined) this.#cpu.push(cpuAfter - cpuBefore);
    return response;
  }

  times(): Times {
    return { wall: spreadOf(this.#wall), ...(this.#cpu.length > 0 && { cpu: spreadOf(this.#cpu) }) };
  }
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
  return { median: at(0.5), low: at(0.25), high: at(0.75), count: sorted.length };
}

/** The processor time of the calling thread. */
function ownCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function expectSame({ name }: MeasuredList, contender: string, response: ListAnswer, expected: ListAnswer) {
  if (isDeepStrictEqual(response, expected)) return;
  const text = ({ total, ids }: ListAnswer) => `total ${total}, ids ${ids.join(' ') || 'none'}`;
  throw new Error(`${name}: ${contender} answers ${text(response)}, the service answers ${text(expected)}`);
}
