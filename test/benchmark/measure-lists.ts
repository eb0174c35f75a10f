/** Measures each list on each contender, in turns, and checks that all give the same answer. */
import { isDeepStrictEqual } from 'node:util';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import type { RowPlan } from '../../functions/list-index/read/plan.ts';
import type { Cost } from '../../functions/persistence/cost-meter.ts';
import type { Contender, ListAnswer, MeteredContender } from './contender.ts';
import type { Engine } from './engine.ts';
import type { FilterDesign } from './filter-design.ts';
import { lists, type MeasuredList, queryOf } from './lists.ts';
import { type Spread, spreadOf } from './statistics.ts';

export interface ListResult {
  list: MeasuredList;
  size: number;
  matches: number;
  rows: RowPlan['by'];
  cost: Cost;
  /** Read units of the partition that is read most. */
  mostUnits: number;
  /** The time of the calling thread, in milliseconds. */
  cpuMs: Spread;
  wallMs: Spread;
  /** What the same function takes that is asked the same once more. */
  again: { cost: Cost; cpuMs: Spread };
  filterDesign?: Timed & { cost: Cost };
  postgresql?: Timed;
  /** PostgreSQL with all that an application can do for it. */
  postgresqlBest?: Timed;
}

/** The time that a client waits for a list, and that of the processor of the server's process. */
interface Timed {
  wallMs: Spread;
  cpuMs?: Spread;
}

export interface Contenders {
  engine: Engine;
  filterDesign?: FilterDesign;
  postgresql?: MeteredContender;
  postgresqlBest?: MeteredContender;
}

/** Asks each list some times, so that the first ones measured do not run on code that never ran. */
export async function warmUp(
  { engine, postgresql, postgresqlBest }: Contenders,
  times: number,
): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    for (const list of lists) {
      const query = await queryOf(list, engine.list);
      await engine.again(query);
      await postgresql?.list(query);
      await postgresqlBest?.list(query);
    }
  }
}

/** @param repetitions of each list, on each contender; the filter design is asked at most `filterRepetitions` times */
export async function measureLists(
  { engine, filterDesign, postgresql, postgresqlBest }: Contenders,
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
    const again = new Stopwatch('the same function again', engine.again, ownCpuMs);
    const filter = filterDesign && new Stopwatch('the filter design', filterDesign.list);
    const usual = postgresql && new Stopwatch('PostgreSQL', postgresql.list, postgresql.cpuMs);
    const best = postgresqlBest && new Stopwatch('PostgreSQL', postgresqlBest.list, postgresqlBest.cpuMs);
    expectSame(list, again, await engine.again(query), expected);
    const turns = [ours, again, usual, best, filter];
    for (let i = 0; i < repetitions; i += 1) {
      // Each goes first at times: what one leaves behind, garbage say, is not always the same one's to bear.
      for (const each of [...turns.slice(i % turns.length), ...turns.slice(0, i % turns.length)]) {
        if (!each || (each === filter && i >= filterRepetitions)) continue;
        expectSame(list, each, await each.list(query), expected);
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
      cpuMs: spreadOf(ours.cpu),
      wallMs: spreadOf(ours.wall),
      again: { cost: costAgain, cpuMs: spreadOf(again.cpu) },
      ...(filterDesign && filter && { filterDesign: { cost: filterDesign.cost(), ...filter.timed() } }),
      ...(usual && { postgresql: usual.timed() }),
      ...(best && { postgresqlBest: best.timed() }),
    });
  }
  return results;
}

/** What some lists take of whoever waits for them, and of the processor that finds them. */
class Stopwatch {
  readonly name: string;
  readonly wall: number[] = [];
  readonly cpu: number[] = [];
  readonly #list: Contender['list'];
  readonly #cpuMs: MeteredContender['cpuMs'];

  constructor(name: string, list: Contender['list'], cpuMs: MeteredContender['cpuMs'] = () => undefined) {
    this.name = name;
    this.#list = list;
    this.#cpuMs = cpuMs;
  }

  async list(query: ListQuery): Promise<ListAnswer> {
    const before = this.#cpuMs();
    const begin = performance.now();
    const answer = await this.#list(query);
    this.wall.push(performance.now() - begin);
    const after = this.#cpuMs();
    if (before !== undefined && after !== undefined) this.cpu.push(after - before);
    return answer;
  }

  timed(): Timed {
    return { wallMs: spreadOf(this.wall), ...(this.cpu.length > 0 && { cpuMs: spreadOf(this.cpu) }) };
  }
}

/** The processor time of the calling thread. */
function ownCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function expectSame(
  { name }: MeasuredList,
  contender: Stopwatch,
  answer: ListAnswer,
  expected: ListAnswer,
): void {
  if (isDeepStrictEqual(answer, expected)) return;
  const text = (each: ListAnswer) => `total ${each.total}, ids ${each.ids.join(' ') || 'none'}`;
  throw new Error(
    `${name}: ${contender.name} answers ${text(answer)}, the service answers ${text(expected)}`,
  );
}
