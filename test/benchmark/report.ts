/** Writes docs/benchmark.md, a page of what matters from the figures of a run. */
import { gzipSync } from 'node:zlib';
import * as v from 'valibot';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import type { Cost } from '../../functions/dynamodb/cost-meter.ts';
import { costOf, dollarsOf, type ResourceUsage } from '../../functions/fair-use/prices.ts';
import { unpaidPostings } from '../../functions/testimonials/operations/unpaid-postings.ts';
import { contextValues } from '../../lib/infrastructure/context.ts';
import { tableOf } from '../operations-page.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import type { ListResult, Spread } from './measure-lists.ts';
import {
  createDollars,
  filterDollars,
  indexUpdateDollars,
  lambdaPrice,
  listDollars,
  modelCpuFactor,
  modelMs,
  modelRoundMs,
  price,
  unitsPerPartition,
} from './model.ts';
import { writeUnitsOf } from './write-units.ts';
import {
  type CreateCost,
  type IndexUpdateCost,
  type ListBesideChanges,
  newlyStored,
  storeMs,
} from './writes.ts';

export interface Results {
  sizes: number[];
  repetitions: number;
  machine: string;
  lists: ListResult[];
  creates: CreateCost[];
  indexUpdates: IndexUpdateCost[];
  besideChanges: ListBesideChanges[];
  /** Undefined if PostgreSQL is not installed. */
  postgresqlVersion: string | undefined;
}

export function report(results: Results): string {
  return [
    `# Benchmark

What lists, creates and index updates cost, compared with a filter in DynamoDB and with PostgreSQL.
[How it is measured](#how-it-is-measured) is at the end.`,
    overview(results),
    billText(),
    plotText,
    createSection(results),
    budgetSection(results),
    methodSection(results),
  ].join('\n\n');
}

export const plotText = `![Read units and processor time of a list and a search, over the number of testimonials](images/benchmark.svg)

The filter reads everything that it drops, so its cost grows with the testimonials. PostgreSQL needs little processor time for a list, and
reads the rows that a search counts. [benchmark.json](benchmark.json) has the figures of 33 lists, of index updates, and more.`;

/** The lists at a glance, by their names below. */
const shownLists = [
  { name: 'approved, first page', title: '**List**, the approved, first page' },
  { name: 'a common word (the)', title: '**Search**, for a common word' },
];

function overview({ lists, sizes, creates, indexUpdates }: Results): string {
  const row = (title: string, cellAt: (size: number) => string) => [title, ...sizes.map(cellAt)];
  const cell = (cost: number, ...rest: string[]) => `**${threeDigits(cost)}**<br>${rest.join(' · ')}`;
  const listCell = (cost: number, { units, requests }: Cost, wall: Spread) =>
    cell(cost, `${number(units)} read units`, calls(requests), ms(wall));
  const updateNames = [...new Set(indexUpdates.map(({ name }) => name))];
  return `${table(
    ['A million of', ...sizes.map((size) => `${number(size)} testimonials`)],
    [
      ...shownLists.flatMap(({ name, title }) => {
        const at = (size: number) => lists.find((each) => each.list.name === name && each.size === size);
        return [
          row(title, (size) => {
            const result = at(size);
            return result ? listCell(listDollars(result), result.cost, result.ours.wall) : '';
          }),
          row('… by a filter in DynamoDB', (size) => {
            const filter = at(size)?.filterDesign;
            return filter
              ? listCell(filterDollars(filter.cost), filter.cost, filter.times.wall)
              : 'not asked';
          }),
          row('… in PostgreSQL', (size) => {
            const times = at(size)?.postgresql;
            return times ? ms(times.wall) : 'not asked';
          }),
        ];
      }),
      ...creates
        .slice(0, 1)
        .map((create) =>
          row('**Create**, without its index update', () =>
            cell(
              createDollars(create),
              `${number(create.writeUnits + create.indexWriteUnits)} write units`,
              calls(create.rounds),
            ),
          ),
        ),
      ...updateNames.map((name) =>
        row(`**Index update**, ${name}`, (size) => {
          const update = indexUpdates.find((each) => each.size === size && each.name === name);
          if (!update) return '';
          const [written, read] = [update.writeUnits, update.readUnits].map((units) =>
            number(units / update.together),
          );
          return cell(indexUpdateDollars(update), `${written} write and ${read} read units`);
        }),
      ),
    ],
  )}

Dollars are AWS's on-demand prices for units and function time; creates include units only, and the filter no processor time.
Milliseconds come from one shared machine and are the only comparison with PostgreSQL. An index update later adds creates and
changes to the list index. The cost of a create does not depend on the number of testimonials.`;
}

/** The bill of a month, as docs/costs.md computes it from the prices and the template. */
export function billText(): string {
  // The sums are the bold rows.
  const sums = tableOf('What a month costs').filter(([name]) => name?.startsWith('**'));
  const [requests, others] = sums.map(([, amount = '']) => amount.replaceAll('**', ''));
  return `**The bill of a month** with a million creates, all approved, and ten million lists: ${requests} for requests, depending on
how many creates and approvals are indexed together, and ${others} for logs, metrics, alarms, the dashboard, storage, fair use and traffic.
[Costs](costs.md#what-a-month-costs) has each line.`;
}

function createSection({ creates, indexUpdates }: Results): string {
  const update = indexUpdates.find(({ name }) => name === 'creates');
  const share = update ? indexUpdateDollars(update) : 0;
  return `## Creates

${table(
  [
    'Create',
    'Rounds',
    'Write units, table',
    'six indexes',
    'Read units',
    'Dollars a million',
    'with its index update',
  ],
  creates.map((create) => [
    create.name,
    create.rounds,
    number(create.writeUnits),
    number(create.indexWriteUnits),
    number(create.readUnits),
    dollars(createDollars(create)),
    create.indexWriteUnits > 0 ? dollars(createDollars(create) + share) : '',
  ]),
)}

The units of the six secondary indexes are computed from item sizes, because the embedded DynamoDB does not count them. The last
column adds the testimonial's share of an index update of ${number(update?.together ?? 0)}.`;
}

const budgetedLists = [
  'approved, first page',
  'a common word (the)',
  'every filter, two tags, two wide prefixes',
  'every filter, 20 tags, 20 beginnings of three letters',
];
const creates12s = 1000;

// The headers of a response, Link among them.
const headerBytes = 500;

function budgetSection({ lists, sizes, creates: [create, , replay] }: Results): string {
  const pageBody = Buffer.from(
    JSON.stringify(Array.from(generateTestimonials(25, { seed: 7 }), ({ testimonial }) => testimonial)),
  );
  const pageBytes = gzipSync(pageBody).length + headerBytes;
  const usageOf = (usage: Partial<ResourceUsage>): ResourceUsage => ({
    bytesIn: 0,
    bytesOut: 0,
    milliseconds: 0,
    readUnits: 0,
    writeUnits: 0,
    postings: 0,
    ...usage,
  });
  const largest = Math.max(...sizes);
  const listRows = budgetedLists.flatMap((name) => {
    const result = lists.find((each) => each.list.name === name && each.size === largest);
    if (!result) return [];
    const usage = { readUnits: result.cost.units, bytesOut: pageBytes, milliseconds: modelMs(result) };
    return [{ name, usage: usageOf(usage) }];
  });
  const createRow = (name: string, cost: CreateCost | undefined, others: Partial<ResourceUsage>) => {
    const { rounds = 0, readUnits = 0, writeUnits = 0, indexWriteUnits = 0 } = cost ?? {};
    const usage = {
      readUnits,
      writeUnits: writeUnits + indexWriteUnits,
      milliseconds: rounds * modelRoundMs,
    };
    return {
      name,
      usage: usageOf({ ...usage, bytesOut: pageBody.length / 25 + headerBytes, ...others }),
    };
  };
  const ordinary = Array.from(
    generateTestimonials(creates12s, { seed: 99 }),
    ({ testimonial }) => testimonial,
  );
  const alone = ordinary.reduce((sum, testimonial) => sum + postingsOf([testimonial]), 0) / creates12s;
  const letters = Array.from({ length: 10_000 }, (_, i) => String.fromCodePoint(0x4e00 + i));
  const chinese = ordinary.slice(0, 1).map((testimonial) => ({ ...testimonial, content: letters.join('') }));
  const chineseUnits = chinese.map((testimonial) => writeUnitsOf(undefined, newlyStored(testimonial)));
  const rows = [
    ...listRows,
    createRow('a create repeated with its key', replay, {}),
    createRow(`a create, ${number(creates12s)} in 12 s in one function`, create, {
      postings: postingsOf(ordinary) / creates12s,
    }),
    createRow('a create alone', create, { postings: alone }),
    createRow('a create of 10,000 different Chinese letters', create, {
      postings: postingsOf(chinese),
      writeUnits: chineseUnits.reduce((sum, units) => sum + units.table + units.indexes, 1),
    }),
  ];
  const budget = v.parse(contextValues.organizationBudget, undefined);
  return `## What a budget is worth

The requests of an organization may cost ${dollars(budget)} a minute ([fair use](costs.md#fair-use)). Each request here is charged its cost at
${number(largest)} testimonials: its units, the time of the [model](#how-it-is-measured), ${dollars(1)} a million for the gateway, and the bytes of the
response (${number(pageBytes)} for a page of 25, compressed from ${number(pageBody.length)}). A create is also charged a read and a write unit for each posting
that its words need, unless another create in the same function needed it within the last 12 seconds.

${table(
  ['Request', 'Postings charged', 'Dollars a million', 'A minute', 'A second'],
  rows.map(({ name, usage }) => {
    const cost = dollarsOf(costOf(usage));
    const minute = Math.floor(budget / cost);
    const postings = usage.postings > 0 ? number(usage.postings) : '';
    return [name, postings, dollars(cost * 1e6), number(minute), number(Math.floor(minute / 6) / 10)];
  }),
)}`;
}

/** Returns the number of postings that creates within one window need. */
function postingsOf(testimonials: readonly Testimonial[]): number {
  const now = new Date();
  const count = unpaidPostings(() => now);
  return testimonials.reduce((sum, testimonial) => sum + count('bench', testimonial).count, 0);
}

function methodSection({ machine, repetitions, postgresqlVersion: version }: Results): string {
  return `## How it is measured

Run \`npm run bench\` to measure all of this and write this page: some twenty minutes for up to 100,000 testimonials. Add
\`-- --full\` for 1,000,000 (an hour and 16 GB). This run was on ${machine}.
Compare times with each other only: the machine is shared.

- **Data**: generated testimonials in five languages, 20 to 70 words each, drawn by Zipf's law from 21,000; 60 % approved, 70 % text,
  45 % with five stars, up to three of 40 tags; most are moderated within a day. One organization, 25 rows a page.
- **Our lists** run in a function that knows the index head, with everything indexed, on the embedded DynamoDB (JavaScript in a
  separate thread, reached over HTTP). Read units are those it reports, and at least the smallest read for a query that finds nothing.
- *again* in benchmark.json is the same list, repeated in the same function with nothing changed.
- **The filter design** is a Query of the sort's index with a filter expression on the same table. It reads everything that the filter
  drops, and reads to the end to count. The function compares words, because DynamoDB compares exact letters only.
- **PostgreSQL** ${version ?? '(not installed: left out)'} has B-tree indexes by organization, status or type, and sort, with the other filters included; GIN indexes on
  tags and words; and counts by status, type and rating, kept by a trigger. Prepared statements page from the nearer end and join
  rows last. *Its CPU* is that of the process that serves the connection.
- Each list was requested ${repetitions} times, in turn with the others; the filter design less often at 100,000 testimonials, and not at all above. All results were
  compared: the same total, and the same rows in the same order.
- **Unindexed changes** (\`besideChanges\`): lists read while that many changes are unindexed. A *cold* function knows nothing of the
  organization, a *warm* one has returned the list before the changes.
- **Lists a second** (benchmark.json) is the number that the ${number(unitsPerPartition)} read units a second of one partition allow.
- **Index updates** take changes when they are invoked, and testimonials once 16 KB of them are in the tail; *one by one* means one
  invocation for each create. Each call to the store takes at least ${storeMs} ms, and the function has one processor of 1,769 MB. The
  invocations include those that delete the markers of changes.
- **On AWS** is a model: ${modelRoundMs} ms a round, plus the measured processor time times ${modelCpuFactor.toFixed(1)} (a function of 1,024 MB has 0.58 of a
  processor). API Gateway, TLS and the handler come on top; a cold function also takes its initialization and two rounds.
- **Dollars** are for a million, on demand in us-east-1: ${price.readUnit} a million read units, ${price.writeUnit} a million write units
  ([DynamoDB](https://aws.amazon.com/dynamodb/pricing/on-demand/)), ${lambdaPrice.invocation} a million invocations, and the time of the model with
  1,024 MB on arm64 ([Lambda](https://aws.amazon.com/lambda/pricing/)).
`;
}

function table(head: (string | number)[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 1 : 0 });
}

function dollars(value: number): string {
  return `$${value.toFixed(2)}`;
}

function threeDigits(value: number): string {
  return `$${value.toLocaleString('en', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 })}`;
}

function ms({ median }: Spread): string {
  return `${number(median)} ms`;
}

function calls(count: number): string {
  return `${count} ${count === 1 ? 'call' : 'calls'}`;
}
