/** Measures each list on each contender, in turns, and checks that all give the same answer. */
import { isDeepStrictEqual } from 'node:util';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import type { RowPlan } from '../../functions/list-index/read/plan.ts';
import type { Cost } from '../../functions/persistence/cost-meter.ts';
import type { Contender, ListAnswer } from './contender.ts';
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
  /** Of the calling thread, in milliseconds. */
  cpuMs: Spread;
  wallMs: Spread;
  filterDesign?: { cost: Cost; wallMs: Spread };
  postgresql?: { wallMs: Spread };
}

export interface Contenders {
  engine: Engine;
  filterDesign?: FilterDesign;
  postgresql?: Contender;
}

/** Asks each list some times, so that the first ones measured do not run on code that never ran. */
export async function warmUp({ engine, postgresql }: Contenders, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    for (const list of lists) {
      const query = await resolvePage(list, engine);
      await postgresql?.list(query);
    }
  }
}

/** @param repetitions of each list, on each contender; the filter design is asked at most `filterRepetitions` times */
export async function measureLists(
  { engine, filterDesign, postgresql }: Contenders,
  size: number,
  { repetitions, filterRepetitions }: { repetitions: number; filterRepetitions: number },
  progress: (step: string) => void,
): Promise<ListResult[]> {
  const results: ListResult[] = [];
  for (const list of lists) {
    progress(list.name);
    const query = await resolvePage(list, engine);
    const expected = await engine.list(query);
    if (postgresql) expectSame(list, 'PostgreSQL', await postgresql.list(query), expected);
    const cpu: number[] = [];
    const wall = { engine: [] as number[], filter: [] as number[], postgresql: [] as number[] };
    const turns = [
      async () => {
        const begin = process.threadCpuUsage();
        wall.engine.push((await timed(engine, query)).ms);
        const { user, system } = process.threadCpuUsage(begin);
        cpu.push((user + system) / 1000);
      },
      async () => {
        if (postgresql) wall.postgresql.push((await timed(postgresql, query)).ms);
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
      for (const turn of [...turns.slice(i % 3), ...turns.slice(0, i % 3)]) await turn(i);
    }
    results.push({
      ...{
        list,
        size,
        matches: expected.total,
        rows: engine.rows(),
        cost: engine.cost(),
        mostUnits: engine.mostUnits(),
      },
      ...{ cpuMs: spreadOf(cpu), wallMs: spreadOf(wall.engine) },
      ...(filterDesign && { filterDesign: { cost: filterDesign.cost(), wallMs: spreadOf(wall.filter) } }),
      ...(postgresql && { postgresql: { wallMs: spreadOf(wall.postgresql) } }),
    });
  }
  return results;
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
