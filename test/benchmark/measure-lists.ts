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
  filterDesign?: { cost: Cost; wallMs: Spread };
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
      const query = await resolvePage(list, engine);
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
    const query = await resolvePage(list, engine);
    const expected = await engine.list(query);
    expectSame(list, 'the same function again', await engine.again(query), expected);
    const cpu = { first: [] as number[], again: [] as number[] };
    const wall = { engine: [] as number[], filter: [] as number[] };
    const usual = postgresql && new Stopwatch(postgresql);
    const best = postgresqlBest && new Stopwatch(postgresqlBest);
    const turns = [
      async () => {
        const begin = process.threadCpuUsage();
        wall.engine.push((await timed(engine, query)).ms);
        cpu.first.push(cpuMsSince(begin));
      },
      async () => {
        const begin = process.threadCpuUsage();
        await engine.again(query);
        cpu.again.push(cpuMsSince(begin));
      },
      async () => {
        for (const each of [usual, best]) {
          const answer = await each?.list(query);
          if (answer) expectSame(list, 'PostgreSQL', answer, expected);
        }
      },
      async (i: number) => {
        if (!filterDesign || i >= filterRepetitions) return;
        const { ms, answer } = await timed(filterDesign, query);
        wall.filter.push(ms);
        expectSame(list, 'the filter design', answer, expected);
      },
    ];
    for (let i = 0; i < repetitions; i += 1) {
      // Each goes first at times: what one leaves behind, garbage say, is not always the same one's to bear.
      for (const turn of [...turns.slice(i % turns.length), ...turns.slice(0, i % turns.length)])
        await turn(i);
    }
    await engine.again(query);
    const again = { cost: engine.cost(), cpuMs: spreadOf(cpu.again) };
    await engine.list(query);
    results.push({
      list,
      size,
      matches: expected.total,
      rows: engine.rows(),
      cost: engine.cost(),
      mostUnits: engine.mostUnits(),
      cpuMs: spreadOf(cpu.first),
      wallMs: spreadOf(wall.engine),
      again,
      ...(filterDesign && { filterDesign: { cost: filterDesign.cost(), wallMs: spreadOf(wall.filter) } }),
      ...(usual && { postgresql: usual.timed() }),
      ...(best && { postgresqlBest: best.timed() }),
    });
  }
  return results;
}

/** What some lists take of whoever waits for them, and of their server's processor. */
class Stopwatch {
  readonly #contender: MeteredContender;
  readonly #wall: number[] = [];
  readonly #cpu: number[] = [];

  constructor(contender: MeteredContender) {
    this.#contender = contender;
  }

  async list(query: ListQuery): Promise<ListAnswer> {
    const before = this.#contender.cpuMs();
    const { ms, answer } = await timed(this.#contender, query);
    const after = this.#contender.cpuMs();
    this.#wall.push(ms);
    if (before !== undefined && after !== undefined) this.#cpu.push(after - before);
    return answer;
  }

  timed(): Timed {
    return {
      wallMs: spreadOf(this.#wall),
      ...(this.#cpu.length > 0 && { cpuMs: spreadOf(this.#cpu) }),
    };
  }
}

function cpuMsSince(begin: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(begin);
  return (user + system) / 1000;
}

async function timed(contender: Contender, query: ListQuery): Promise<{ ms: number; answer: ListAnswer }> {
  const begin = performance.now();
  const answer = await contender.list(query);
  return { ms: performance.now() - begin, answer };
}

/** The query of a list on the engine. */
async function resolvePage(list: MeasuredList, engine: Engine): Promise<ListQuery> {
  return (await queryOf(list, engine.list)) as ListQuery; // every list is asked
}

function expectSame(
  { name }: MeasuredList,
  contender: string,
  answer: ListAnswer,
  expected: ListAnswer,
): void {
  if (isDeepStrictEqual(answer, expected)) return;
  const text = (each: ListAnswer) => `total ${each.total}, ids ${each.ids.join(' ') || 'none'}`;
  throw new Error(`${name}: ${contender} answers ${text(answer)}, the service answers ${text(expected)}`);
}
