/** What a reader wants to know who has ten seconds: one table, and the points of one plot. */
import type { IndexUpdateCost } from '../index-updates.ts';
import type { ListResult } from '../measure-lists.ts';
import { number, table } from './markdown.ts';
import { createDollars, filterDollars, indexUpdateDollars, listDollars } from './model.ts';
import type { Results } from './results.ts';

const shownSizes = [1000, 100_000, 1_000_000];

/** The lists that stand for all, and what they are called here. */
const shownLists = [
  { name: 'approved, first page', title: 'List', is: 'the approved, first page' },
  { name: 'a common word (the)', title: 'Search', is: 'for a common word' },
];

/** A line's end, with its cost in dollars for a million lists. */
export interface OverviewPoint {
  line: string;
  contender: 'ours' | 'filter design';
  size: number;
  dollars: number;
}

export function overview(results: Results): string {
  const measured = results.sizes.filter((size) => shownSizes.includes(size));
  const sizes = measured.length > 0 ? measured : results.sizes;
  const row = (title: string, cellAt: (size: number) => string) => [title, ...sizes.map(cellAt)];
  const [create] = results.creates;
  return [
    table(
      ['A million of', ...sizes.map((size, i) => `${number(size)}${i === 0 ? ' testimonials' : ''}`)],
      [
        ...shownLists.flatMap(({ name, title, is }) => {
          const at = (size: number) =>
            results.lists.find((each) => each.list.name === name && each.size === size);
          return [
            row(`**${title}**, ${is}`, (size) => ourCell(at(size))),
            row('… by a filter in DynamoDB', (size) => filterCell(at(size))),
            row('… in PostgreSQL', (size) => postgreSqlCell(at(size))),
          ];
        }),
        ...(create
          ? [
              row('**Create**, without its index update', () =>
                cell(createDollars(create), [
                  `${number(create.writeUnits + create.indexWriteUnits)} write units`,
                  calls(create.rounds),
                ]),
              ),
            ]
          : []),
        ...updateRows(results.indexUpdates).map(({ title, at }) => row(title, at)),
      ],
    ),
    '![Dollars for a million lists against the number of testimonials, both logarithmic](benchmark/overview.svg)',
    `Dollars are AWS's prices on demand for units and function time, of creates for units alone, of the filter without its
CPU. Milliseconds are of one shared machine; they are all that PostgreSQL can be compared by. An *index update* takes what
was created into the list index afterwards. What a create itself costs does not depend on how many there are.`,
  ].join('\n\n');
}

export function overviewPoints(lists: ListResult[]): OverviewPoint[] {
  return shownLists.flatMap(({ name, title }) => {
    const pointOf = (contender: OverviewPoint['contender'], size: number, dollars: number) => {
      const is = contender === 'ours' ? 'this service' : contender;
      return { line: `${title.toLowerCase()}, ${is}`, contender, size, dollars };
    };
    return lists
      .filter(({ list }) => list.name === name)
      .flatMap((result) => {
        const { size, filterDesign } = result;
        const ours = pointOf('ours', size, listDollars(result));
        if (!filterDesign) return [ours];
        return [ours, pointOf('filter design', size, filterDollars(filterDesign.cost))];
      });
  });
}

function ourCell(result: ListResult | undefined): string {
  return result ? listCell(listDollars(result), result) : '';
}

function filterCell(result: ListResult | undefined): string {
  const asked = result?.filterDesign;
  return asked ? listCell(filterDollars(asked.cost), asked) : 'not asked';
}

function listCell(dollars: number, { cost, wallMs }: Pick<ListResult, 'cost' | 'wallMs'>): string {
  return cell(dollars, [
    `${number(cost.units)} read units`,
    calls(cost.requests),
    milliseconds(wallMs.median),
  ]);
}

function postgreSqlCell(result: ListResult | undefined): string {
  return result?.postgresql ? milliseconds(result.postgresql.wallMs.median) : 'not asked';
}

/** The rows of a create: indexed with as many others as were measured, and as they come one by one. */
function updateRows(indexUpdates: IndexUpdateCost[]): { title: string; at: (size: number) => string }[] {
  const ofCreates = indexUpdates.filter(({ what }) => what.includes('create'));
  const kinds = [...new Set(ofCreates.map(({ what }) => what))].sort();
  return kinds.map((what) => ({
    title: `**Index update**, ${what === 'creates' ? `${number(ofCreates.find((each) => each.what === what)?.together ?? 0)} together` : 'as they come one by one'}`,
    at: (size) => {
      const indexUpdate = ofCreates.find((each) => each.size === size && each.what === what);
      if (!indexUpdate) return '';
      const { together } = indexUpdate;
      return cell(indexUpdateDollars(indexUpdate), [
        `${number(indexUpdate.writeUnits / together)} write and ${number(indexUpdate.readUnits / together)} read units`,
        `${number(indexUpdate.writes / together)} writes`,
      ]);
    },
  }));
}

function cell(dollars: number, rest: string[]): string {
  return `**${threeDigits(dollars)}**<br>${rest.join(' · ')}`;
}

function threeDigits(dollars: number): string {
  const digits = dollars.toLocaleString('en', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
  return `$${digits}`;
}

function calls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`;
}

function milliseconds(value: number): string {
  return `${number(value)} ms`;
}
