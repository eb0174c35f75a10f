/** The tables of lists. */
import type { ListResult } from '../measure-lists.ts';
import type { SimulatedList } from '../simulate.ts';
import { dollars, number, spread, table, times } from './markdown.ts';
import { listDollars, modelMs, modelRoundMs, unitsAPartition } from './model.ts';
import type { Results } from './results.ts';

export function listTables(lists: ListResult[], size: number): string {
  const found = lists.filter((result) => result.size === size);
  const hasFilterDesign = found.some(({ filterDesign }) => filterDesign);
  const costs = found.map((result) => {
    const { list, matches, rows, cost, mostUnits, again, filterDesign } = result;
    return [
      ...[list.name, number(matches), rows, cost.rounds, cost.requests, number(cost.units)],
      `${number(again.cost.units)} · ${again.cost.requests} · ${again.cost.rounds}`,
      number(Math.floor(unitsAPartition / mostUnits)),
      dollars(listDollars(result)),
      `${number(modelMs(result))} ms`,
      ...(filterDesign
        ? [
            number(filterDesign.cost.units),
            times(filterDesign.cost.units / cost.units),
            `${number(filterDesign.cost.rounds * modelRoundMs)} ms`,
          ]
        : []),
    ];
  });
  const timings = found.map(({ list, cpuMs, again, wallMs, filterDesign, postgresql, postgresqlBest }) => [
    ...[list.name, spread(cpuMs), spread(again.cpuMs), spread(wallMs)],
    ...[postgresql, postgresqlBest].flatMap((each) => [
      each ? spread(each.wallMs) : '',
      each?.cpuMs ? spread(each.cpuMs) : '',
      each ? times(each.wallMs.median / wallMs.median) : '',
    ]),
    ...(filterDesign ? [spread(filterDesign.wallMs), times(filterDesign.wallMs.median / wallMs.median)] : []),
  ]);
  const columns = [
    ...['List', 'Matches', 'Rows by', 'Rounds', 'Requests', 'Read units'],
    ...['again: units · requests · rounds', 'Lists a second', 'Dollars'],
    'On AWS (model)',
    ...(hasFilterDesign ? ['Filter design: read units', 'times ours', 'on AWS (model)'] : []),
  ];
  const timeColumns = [
    ...['List', 'Our CPU', 'asked again', 'Ours', 'PostgreSQL', 'its CPU', 'factor'],
    ...['PostgreSQL at its best', 'its CPU', 'factor'],
    ...(hasFilterDesign ? ['Filter design', 'factor'] : []),
  ];
  return `${table(columns, costs)}

Milliseconds: median (quartiles). A factor above 1 means that ours is faster.

${table(timeColumns, timings)}`;
}

export function simulatedSection({ simulated, lists }: Results): string {
  const sizes = [...new Set(simulated.map(({ size }) => size))];
  const names = [...new Set(simulated.map(({ list }) => list.name))];
  const at = (name: string, size: number) =>
    simulated.find((each) => each.list.name === name && each.size === size);
  const cells = (found: Pick<SimulatedList, 'units' | 'rounds' | 'mostUnits'> | undefined) =>
    found
      ? [number(found.units), found.rounds, number(Math.floor(unitsAPartition / found.mostUnits))]
      : ['', '', ''];
  const checked = Math.max(...lists.map(({ size }) => size).filter((size) => sizes.includes(size)));
  const measured = (name: string) => {
    const found = lists.find((each) => each.list.name === name && each.size === checked);
    return cells(found && { ...found.cost, mostUnits: found.mostUnits });
  };
  const large = sizes.filter((size) => size !== checked);
  return `## ${large.map(number).join(' and ')} testimonials, simulated

Lists by status, type and rating, or by none, as the same code reads them from an index in memory, which counts read
units by the sizes of its items and rounds as DynamoDB would. At ${number(checked)} it stands beside what was measured.

${table(
  [
    'List',
    ...[`${number(checked)} measured: units`, 'rounds', 'lists a second'],
    ...sizes.flatMap((size) => [`${number(size)}: units`, 'rounds', 'lists a second']),
  ],
  names.map((name) => [name, ...measured(name), ...sizes.flatMap((size) => cells(at(name, size)))]),
)}`;
}
