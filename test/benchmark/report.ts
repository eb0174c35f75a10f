/** Writes what was measured as docs/benchmark.md. */

import type { ColdStart } from './cold-start.ts';
import type { CreateCost, FoldCost, Throughput } from './creates.ts';
import type { ListResult } from './measure-lists.ts';
import type { Overhead } from './overhead.ts';
import type { Spread } from './statistics.ts';

export interface Results {
  sizes: number[];
  repetitions: number;
  lists: ListResult[];
  creates: CreateCost[];
  throughput: Throughput[];
  folds: FoldCost[];
  overhead: Overhead[];
  coldStarts: ColdStart[];
  /** undefined when it is not installed. */
  postgresqlVersion: string | undefined;
  node: string;
}

// AWS, DynamoDB on-demand capacity in us-east-1 (https://aws.amazon.com/dynamodb/pricing/on-demand/): dollars for a
// million units. Units and millions cancel out: so many dollars a unit for a million lists.
const price = { readUnit: 0.125, writeUnit: 0.625 };

// "Single-digit millisecond" is what AWS says of DynamoDB; a round in the same region typically takes about this long.
const modelRoundMs = 5;

// Lists that match more than this are the ones that grow with the data.
const manyMatches = 100_000;
const comparedSize = 100_000;

export function report(results: Results): string {
  const { lists, sizes, postgresqlVersion: version } = results;
  return [
    `# Benchmark

\`npm run bench\` measures all of this and writes this file and its plots: about ten minutes for up to 100,000
testimonials, ${'`-- --full`'} for 1,000,000 too. It was written by a run with ${sizes.map(number).join(', ')} testimonials on Node.js
${results.node}, ${results.repetitions} repetitions of each list. Times are of one shared machine: compare them with each other, not with others.

- **Data**: generated testimonials in five languages, 20 to 70 words each, drawn by Zipf's law from 21,000; 60 %
  approved, 70 % text, 45 % with five stars, up to three of 40 tags. All in one organization, 25 rows a page.
- **Ours** is a warm function with everything folded, on the embedded DynamoDB (a JavaScript program in a thread of
  its own, reached over HTTP). Read units are as it reports them, which is as AWS does; for a query that finds nothing
  AWS may count one unit where it counts none.
- **The filter design** is the usual one on DynamoDB: a Query of the index of the sort with a filter expression, which
  reads all that it drops, and counts by reading to the end. It has the same table, and is asked ${'once'} per list at
  ${number(comparedSize)}, not at all above.
- **PostgreSQL** ${version ? `${version} has` : '(not installed: skipped) would have'} btree indexes per organization, status and sort, GIN on tags and on
  the words (\`to_tsvector('simple', …)\`, prefix search), \`count(*)\` for the total, OFFSET for the page, everything
  in memory, over a socket.
- Every answer of every contender was compared with ours: the same total, the same rows in the same order.
- **Dollars** are for a million lists on demand: ${price.readUnit} a million read units, ${price.writeUnit} a million write units
  ([AWS, us-east-1](https://aws.amazon.com/dynamodb/pricing/on-demand/)).
- **On AWS** is a model, not a measurement: ${modelRoundMs} ms a round, plus the CPU measured here. A cold function takes two
  rounds more: the token and the index head.`,
    ...sizes.toSorted((a, b) => b - a).map((size) => listSection(results, size)),
    `## How cost grows

![Read units of a list against the number of testimonials, both logarithmic](benchmark/read-units.svg)

![Wall time of a list against the number of testimonials, both logarithmic](benchmark/wall-time.svg)`,
    findings(lists),
    createSection(results),
    overheadSection(results),
  ].join('\n\n');
}

function listSection({ lists }: Results, size: number): string {
  const found = lists.filter((result) => result.size === size);
  const costs = found.map(({ list, matches, rows, cost, cpuMs, filterDesign }) => [
    ...[list.name, number(matches), rows, cost.rounds, cost.requests, number(cost.units)],
    dollars(cost.units * price.readUnit),
    ...(filterDesign
      ? [number(filterDesign.cost.units), times(filterDesign.cost.units / cost.units)]
      : ['', '']),
    `${number(cost.rounds * modelRoundMs + cpuMs.median)} ms`,
  ]);
  const timings = found.map(({ list, cpuMs, wallMs, filterDesign, postgresql }) => [
    list.name,
    ...[spread(cpuMs), spread(wallMs)],
    ...(postgresql ? [spread(postgresql.wallMs), times(postgresql.wallMs.median / wallMs.median)] : ['', '']),
    ...(filterDesign
      ? [spread(filterDesign.wallMs), times(filterDesign.wallMs.median / wallMs.median)]
      : ['', '']),
  ]);
  return `## ${number(size)} testimonials

${table(
  [
    ...['List', 'Matches', 'Rows by', 'Rounds', 'Requests', 'Read units', 'Dollars'],
    ...['Filter design: read units', 'times ours', 'On AWS (model)'],
  ],
  costs,
)}

Milliseconds, median (quartiles), measured in turns; a factor above 1 means that we are faster:

${table(['List', 'Our CPU', 'Ours', 'PostgreSQL', 'factor', 'Filter design', 'factor'], timings)}`;
}

/** What the comparison comes to, in words, from the figures alone. */
function findings(lists: ListResult[]): string {
  const hard = lists.filter(({ list, size }) => list.kind !== 'plain' && size === comparedSize);
  const cheaper = hard.flatMap(({ list, cost, filterDesign }) =>
    filterDesign ? [{ name: list.name, factor: filterDesign.cost.units / cost.units }] : [],
  );
  const slower = lists.flatMap(({ list, size, matches, wallMs, postgresql }) =>
    postgresql ? [{ name: list.name, size, matches, factor: postgresql.wallMs.median / wallMs.median }] : [],
  );
  const many = slower.filter(({ matches }) => matches > manyMatches);
  const below = cheaper.filter(({ factor }) => factor < 100);
  const won = slower.filter(({ factor }) => factor < 1);
  const sizesLost = [...new Set(won.map(({ size }) => size))].sort((a, b) => b - a);
  return [
    '## What it comes to',
    ...(cheaper.length > 0
      ? [
          `**Against the filter design** at ${number(comparedSize)}, ${cheaper.length - below.length} of ${cheaper.length} filtered, searched and deep lists take at least 100 times fewer read units.${
            below.length > 0
              ? ` The others: ${below.map(({ name, factor }) => `${name} (${times(factor)})`).join('; ')}.`
              : ''
          }`,
        ]
      : []),
    ...(many.length > 0
      ? [
          `**Against PostgreSQL**, lists that match more than ${number(manyMatches)} testimonials are ${many
            .toSorted((a, b) => a.factor - b.factor)
            .map(({ name, factor }) => `${times(factor)} (${name})`)
            .join(', ')} as fast.`,
        ]
      : []),
    ...(won.length > 0
      ? [
          '**PostgreSQL is faster** where it reads little, since one call over a socket to a program in C costs less than two rounds over HTTP to one in JavaScript, whatever they ask; by this factor:',
          table(
            ['List', ...sizesLost.map(number)],
            [...new Set(won.map(({ name }) => name))].map((name) => [
              name,
              ...sizesLost.map((size) => {
                const lost = won.find((each) => each.name === name && each.size === size);
                return lost ? times(1 / lost.factor) : '';
              }),
            ]),
          ),
        ]
      : []),
  ].join('\n\n');
}

function createSection({ creates, throughput, folds }: Results): string {
  const one = (clients: number) =>
    throughput.find((each) => each.clients === clients && each.organizations === 1)?.perSecond ?? 0;
  return `## Creates

${table(
  ['Create', 'Rounds', 'Write units, table', 'six indexes', 'Read units', 'Dollars a million'],
  creates.map(({ name, rounds, writeUnits, indexWriteUnits, readUnits }) => [
    ...[name, rounds, number(writeUnits), number(indexWriteUnits), number(readUnits)],
    dollars((writeUnits + indexWriteUnits) * price.writeUnit + readUnits * price.readUnit),
  ]),
)}

The embedded DynamoDB does not count what AWS counts for the secondary indexes: a unit for each kilobyte of the
testimonial in each of the six. It is computed from the sizes of the items.

${table(
  ['Clients at once', 'Organizations', 'Creates a second', 'against one client'],
  throughput.map(({ clients, organizations, perSecond }) => [
    ...[clients, organizations, number(perSecond), times(perSecond / one(1))],
  ]),
)}

One process on one thread, and the embedded database on another: this is the machine's limit, not the design's. On
AWS, an organization's counter and testimonials share a partition key, and a partition takes 1,000 write units a
second: some 500 creates a second in one organization. Organizations do not wait for each other.

Folding puts testimonials into the index, as many together as are there:

${table(
  ['Testimonials in the index', 'Folded together', 'Write units', 'a testimonial', 'Read units'],
  folds.map(({ size, together, writeUnits, readUnits }) => [
    ...[number(size), number(together), number(writeUnits), number(writeUnits / together), number(readUnits)],
  ]),
)}`;
}

function overheadSection({ overhead, coldStarts }: Results): string {
  return `## What a function costs itself

CPU of a warm request, with storage answered in memory, in milliseconds. The parts are measured each on its own; what
they leave of the whole is waiting for each other.

${overhead
  .map(({ operation, parts }) =>
    table(
      [`Part of ${operation}`, 'CPU ms', 'of the whole'],
      parts.map(({ name, cpuMs }) => [
        name,
        spread(cpuMs, 3),
        `${Math.round((100 * cpuMs.median) / (parts[0]?.cpuMs.median ?? 1))} %`,
      ]),
    ),
  )
  .join('\n\n')}

Before its first request, above a bare Node.js process on this machine:

${table(
  ['Function', 'Bundle', 'Import, ms', 'Import and connections, ms'],
  coldStarts.map(({ name, bundleBytes, importMs, readyMs }) => [
    ...[name, `${Math.round(bundleBytes / 1000)} KB`, spread(importMs), spread(readyMs)],
  ]),
)}

The second figure opens the connections, over plain HTTP, to a database that answers at once: it is the first run of
the SDK, which otherwise the first request waits for. docs/adr/0005 says what each step towards this gave.
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

function times(factor: number): string {
  return `${factor >= 10 ? number(Math.round(factor)) : factor.toFixed(1)}×`;
}

function spread({ median, low, high }: Spread, digits = 1): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}
