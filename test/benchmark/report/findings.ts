/** What the figures come to, in words, from them alone. */

import { tableOf } from '../../operations-page.ts';
import { isHard } from '../lists.ts';
import type { ListResult } from '../measure-lists.ts';
import type { SimulatedList } from '../simulate.ts';
import { number, table, times } from './markdown.ts';
import { listDollars, unitsAPartition } from './model.ts';
import type { Results } from './results.ts';

// Where the issue is decided: the size of the comparisons, and from how many matches on a list grows with the data.
const comparedSize = 100_000;

const largeSize = 1_000_000;

const manyMatches = 100_000;

// 730 hours of half an Aurora capacity unit at $0.12 an hour.
const dollarsOfHalfAnAcu = 44;

/** What the figures come to, in words, from them alone. */
export function findings({ lists, simulated }: Results): string {
  return [
    '## What it comes to',
    ...againstPostgreSqlAtItsBest(lists),
    ...flatness(lists, simulated),
    ...againstFilterDesign(lists),
    ...againstPostgreSql(lists),
    wholeBill(),
  ].join('\n\n');
}

/** What a month of the whole service costs, as the operations page computes it by the prices and the template. */
function wholeBill(): string {
  const rows = new Map(tableOf('What a month costs').map(([what = '', amount = '']) => [what, amount]));
  const [requests, beside] = ['**What requests cost**', '**What comes beside**'].map((what) =>
    rows.get(what)?.replaceAll('**', ''),
  );
  return `**The whole bill of a month**, for a million creates and ten million lists: ${requests} for the requests, by how many creates are indexed together, and ${beside} for logs, metrics, alarms, the dashboard, fair use and traffic. [Operations](operations.md#what-a-month-costs) has each line.`;
}

/** First where this service is behind: a database that runs anyway, and whose application does all it can. */
function againstPostgreSqlAtItsBest(lists: ListResult[]): string[] {
  const compared = lists.flatMap(({ list: { query }, size, cpuMs, again, postgresqlBest }) => {
    if (size !== comparedSize || !postgresqlBest?.cpuMs) return [];
    const best = postgresqlBest.cpuMs.median;
    return [{ query, ours: cpuMs.median, again: again.cpuMs.median, best }];
  });
  const first = lists.find(({ size, list }) => size === comparedSize && list.query === 'status=approved');
  if (compared.length === 0 || !first) return [];
  const byWords = compared.filter(({ query }) => /search|tags/.test(query));
  const others = compared.filter((each) => !byWords.includes(each));
  const range = (values: number[]) => `${number(Math.min(...values))} to ${number(Math.max(...values))} ms`;
  const isLess = ({ best, ours }: { best: number; ours: number }) => best < ours;
  const millions = dollarsOfHalfAnAcu / listDollars(first);
  return [
    `**Behind PostgreSQL at its best**, by processor: of ${others.length} lists at ${number(comparedSize)} that ask for neither words nor tags its process takes less time than our function in ${others.filter(isLess).length}, ${range(others.map(({ best }) => best))} against ${range(others.map(({ ours }) => ours))}, or ${range(others.map(({ again }) => again))} where ours was asked before; with words or tags in ${byWords.filter(isLess).length} of ${byWords.length}. It runs whether anybody asks or not: half an ACU of Aurora Serverless v2, [$${dollarsOfHalfAnAcu} a month](https://aws.amazon.com/rds/aurora/pricing/), pays for ${number(millions)} million lists of the approved here, first page, each as if it were asked for the first time.`,
  ];
}

/** How the dearest list that summaries count grows. */
function flatness(lists: ListResult[], simulated: SimulatedList[]): string[] {
  const counted = new Set(simulated.map(({ list }) => list.name));
  const rows = [
    ...lists.map(({ list, size, cost, mostUnits }) => ({ name: list.name, size, ...cost, mostUnits })),
    ...simulated.map(({ list, ...rest }) => ({ name: list.name, ...rest })),
  ].filter(({ name }) => counted.has(name));
  if (rows.length === 0) return [];
  const measured = new Set(lists.map(({ size }) => size));
  const sizes = [...new Set(rows.map(({ size }) => size))].sort((a, b) => a - b);
  const most = (size: number, value: (row: (typeof rows)[number]) => number) =>
    Math.max(...rows.filter((row) => row.size === size).map(value));
  return [
    'Lists by status, type and rating, or by none, in any order, first, middle and last pages: the most that one of them costs.',
    table(
      ['Testimonials', 'Read units', 'Rounds', 'Lists a second, at least'],
      sizes.map((size) => [
        `${number(size)}${measured.has(size) ? '' : ' (simulated)'}`,
        number(most(size, ({ units }) => units)),
        most(size, ({ rounds }) => rounds),
        number(Math.floor(unitsAPartition / most(size, ({ mostUnits }) => mostUnits))),
      ]),
    ),
  ];
}

function againstFilterDesign(lists: ListResult[]): string[] {
  const compared = lists.flatMap(({ list, size, cost, filterDesign }) =>
    isHard(list) && size === comparedSize && filterDesign
      ? [{ name: list.name, factor: filterDesign.cost.units / cost.units }]
      : [],
  );
  if (compared.length === 0) return [];
  const below = compared.filter(({ factor }) => factor < 100);
  return [
    `**Against the filter design** at ${number(comparedSize)}, ${compared.length - below.length} of ${compared.length} filtered, searched and deep lists take at least 100 times fewer read units.${exceptions(below)}`,
  ];
}

function againstPostgreSql(lists: ListResult[]): string[] {
  const compared = lists.flatMap(({ list, size, matches, wallMs, postgresql }) => {
    if (!postgresql) return [];
    const factor = postgresql.wallMs.median / wallMs.median;
    // Beyond the spread of either.
    const isSlower = wallMs.low > postgresql.wallMs.high;
    return [{ list, name: list.name, size, matches, factor, isSlower }];
  });
  const hard = compared.filter(({ list, size }) => isHard(list) && size === comparedSize);
  const large = compared.filter(({ size }) => size === largeSize);
  const many = large.filter(({ matches }) => matches > manyMatches);
  const few = large.filter(({ matches }) => matches <= manyMatches);
  const slower = compared.filter(({ isSlower }) => isSlower);
  const sizes = [...new Set(slower.map(({ size }) => size))].sort((a, b) => b - a);
  const faster = (some: typeof compared, factor = 1) =>
    `${some.filter((each) => each.factor >= factor).length} of ${some.length}`;
  const others = (some: typeof compared, factor = 1) =>
    exceptions(some.filter((each) => each.factor < factor));
  const found: string[] = [];
  if (hard.length > 0) {
    found.push(
      `**Against PostgreSQL** at ${number(comparedSize)}, ${faster(hard)} filtered, searched and deep lists are at least as fast.${others(hard)}`,
    );
  }
  if (large.length > 0) {
    found.push(
      `At ${number(largeSize)}, ${faster(many, 10)} lists that match more than ${number(manyMatches)} are at least ten times as fast as in PostgreSQL.${others(many, 10)} Of these, a first page without a search is one walk of an index for PostgreSQL too, which then counts, and three or four calls over HTTP for ours; three letters read the postings of hundreds of words; the middle of a search by updatedAt looks half a million places up. Of the other ${few.length}, ${few.filter(({ factor }) => factor >= 1).length} are at least as fast.${others(few)}`,
    );
  }
  if (slower.length > 0) {
    found.push(
      `**PostgreSQL is faster** for these lists, beyond the spread, by this factor. Its two calls go over a socket to a program in C, ours over HTTP to one in JavaScript, whose time for each call ours cannot fall below: where few testimonials match or there are few, that is all there is to win. What would change it: a faster embedded database, and fewer requests for a list with every filter, which above 65,536 testimonials reads each of its terms on its own.`,
      table(
        ['List', ...sizes.map(number)],
        [...Map.groupBy(slower, ({ name }) => name)].map(([name, lost]) => [
          name,
          ...sizes.map((size) => {
            const at = lost.find((each) => each.size === size);
            return at ? times(1 / at.factor) : '';
          }),
        ]),
      ),
    );
  }
  return found;
}

function exceptions(lists: { name: string; factor: number }[]): string {
  if (lists.length === 0) return '';
  const named = lists
    .toSorted((a, b) => a.factor - b.factor)
    .map(({ name, factor }) => `${name} (${times(factor)})`);
  return ` The others: ${named.join('; ')}.`;
}
