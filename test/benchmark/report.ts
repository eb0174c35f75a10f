/** Writes what was measured as docs/benchmark.md. */

import type { ColdStart } from './cold-start.ts';
import type { CreateCost, Throughput } from './creates.ts';
import { type FoldCost, type FoldLoad, storeMs } from './folds.ts';
import type { ListResult } from './measure-lists.ts';
import type { Overhead } from './overhead.ts';
import type { SimulatedList } from './simulate.ts';
import type { Spread } from './statistics.ts';

export interface Results {
  sizes: number[];
  repetitions: number;
  /** Of the filter design, up to and above the size from which it is asked once. */
  filterRepetitions: { repetitions: number; upTo: number; largest: number };
  machine: string;
  lists: ListResult[];
  simulated: SimulatedList[];
  creates: CreateCost[];
  throughput: Throughput[];
  folds: FoldCost[];
  foldLoads: FoldLoad[];
  overhead: Overhead[];
  coldStarts: ColdStart[];
  /** undefined when it is not installed. */
  postgresqlVersion: string | undefined;
  node: string;
}

// AWS, DynamoDB on-demand capacity in us-east-1 (https://aws.amazon.com/dynamodb/pricing/on-demand/): dollars for a
// million units. Units and millions cancel out: so many dollars a unit for a million lists.
const price = { readUnit: 0.125, writeUnit: 0.625 };

// AWS, Lambda on arm64 in us-east-1 (https://aws.amazon.com/lambda/pricing/): dollars for a million invocations, and
// for a million times a millisecond with a gigabyte.
const lambdaPrice = { invocation: 0.2, gigabyteMillisecond: 0.0000133334 * 1000 };
// Memory of the functions of the API and of the index function (lib/service-function.ts, lib/list-index.ts).
const gigabytes = { api: 1, index: 1769 / 1024 };

// DynamoDB Developer Guide, "Best practices for designing and using partition keys".
const unitsAPartition = 3000;

// An assumption: AWS says "single-digit millisecond" of DynamoDB.
const modelRoundMs = 5;
// Lambda gives a function of 1,769 MB one processor (Lambda Developer Guide, "Configure memory"); ours has 1,024.
const modelCpuFactor = 1769 / 1024;

// Where the issue is decided: the size of the comparisons, and from how many matches on a list grows with the data.
const comparedSize = 100_000;
const largeSize = 1_000_000;
const manyMatches = 100_000;

export function report(results: Results): string {
  const { lists, sizes, simulated } = results;
  const [largest = 0, ...smaller] = sizes.toSorted((a, b) => b - a);
  return [
    `# Benchmark

What lists, creates and folding cost, counted in DynamoDB's units and rounds of calls and timed beside two other ways to
do the same. How it is measured stands [at the end](#how-it-is-measured).`,
    findings(results),
    `## How cost grows

![Read units of a list against the number of testimonials, both logarithmic](benchmark/read-units.svg)

![Wall time of a list against the number of testimonials, both logarithmic](benchmark/wall-time.svg)`,
    `## ${number(largest)} testimonials\n\n${listTables(lists, largest)}`,
    ...(simulated.length > 0 ? [simulatedSection(results)] : []),
    '## Fewer testimonials',
    ...smaller.map(
      (size) =>
        `<details><summary>${number(size)} testimonials</summary>\n\n${listTables(lists, size)}\n\n</details>`,
    ),
    createSection(results),
    foldSection(results),
    overheadSection(results),
    methodSection(results),
  ].join('\n\n');
}

function methodSection({
  machine,
  node,
  repetitions,
  filterRepetitions,
  postgresqlVersion: version,
}: Results): string {
  return `## How it is measured

\`npm run bench\` measures all of this and writes this file and its plots: some ten minutes for up to 100,000
testimonials; \`-- --full\` takes half an hour and 16 GB for 1,000,000 too, \`-- --simulate\` adds 10,000,000 and
100,000,000. This is of a run on ${machine}, Node.js ${node}. Times are of one shared machine: compare them with each
other, not with others.

- **Data**: generated testimonials in five languages, 20 to 70 words each, drawn by Zipf's law from 21,000; 60 %
  approved, 70 % text, 45 % with five stars, up to three of 40 tags; most are moderated within a day. All in one
  organization, 25 rows a page.
- **Ours** is a warm function with everything folded, on the embedded DynamoDB (a JavaScript program in a thread of
  its own, reached over HTTP). Read units are as it reports them, which is as AWS does, and at least the smallest read
  for a query that finds nothing.
- **The filter design** is the usual one on DynamoDB: a Query of the index of the sort with a filter expression, which
  reads all that it drops, and counts by reading to the end. It has the same table. Words are compared in the
  function, since DynamoDB compares exact letters only; it reads the same either way.
- **PostgreSQL** ${version ? `${version} has` : '(not installed: left out) would have'} btree indexes per organization and sort, per organization, status and sort,
  and per organization, type and sort, that include what else is filtered by, GIN on tags and on the words
  (\`to_tsvector('simple', …)\`, prefix search), \`count(*)\` for the total, OFFSET for the page, also of a last page;
  1 GB of shared buffers and the system's cache, over a socket.
- Each list was asked ${repetitions} times of ours and of PostgreSQL in turns; of the filter design ${filterRepetitions.repetitions} times up to
  ${number(filterRepetitions.upTo)} testimonials, once up to ${number(filterRepetitions.largest)} and not above, where it reads for minutes a list. The answers
  of all were compared: the same total, the same rows in the same order.
- **Lists a second** are what a partition's ${number(unitsAPartition)} read units a second allow, by the partition that the list reads
  most. The functions' processors and the account's limits are not in it.
- **On AWS** is a model, not a measurement: ${modelRoundMs} ms a round, whatever it reads, plus the CPU measured here times ${modelCpuFactor.toFixed(1)}
  (a function of 1,024 MB has 0.58 of a processor). API Gateway, TLS and the handler are not in it; a cold function
  also takes its initialization and two rounds, for the token and the index head.
- **Dollars** are for a million lists on demand, in us-east-1: ${price.readUnit} a million read units, ${price.writeUnit} a million write
  units ([DynamoDB](https://aws.amazon.com/dynamodb/pricing/on-demand/)), ${lambdaPrice.invocation} a million invocations and the time of the
  model above with 1,024 MB on arm64 ([Lambda](https://aws.amazon.com/lambda/pricing/)).
`;
}

function modelMs({ cost, cpuMs }: ListResult): number {
  return cost.rounds * modelRoundMs + cpuMs.median * modelCpuFactor;
}

/** Of a million lists. */
function listDollars(result: ListResult): number {
  const time = modelMs(result) * lambdaPrice.gigabyteMillisecond * gigabytes.api;
  return result.cost.units * price.readUnit + lambdaPrice.invocation + time;
}

function listTables(lists: ListResult[], size: number): string {
  const found = lists.filter((result) => result.size === size);
  const hasFilterDesign = found.some(({ filterDesign }) => filterDesign);
  const costs = found.map((result) => {
    const { list, matches, rows, cost, mostUnits, filterDesign } = result;
    return [
      ...[list.name, number(matches), rows, cost.rounds, cost.requests, number(cost.units)],
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
  const timings = found.map(({ list, cpuMs, wallMs, filterDesign, postgresql }) => [
    ...[list.name, spread(cpuMs), spread(wallMs)],
    postgresql ? spread(postgresql.wallMs) : '',
    postgresql ? times(postgresql.wallMs.median / wallMs.median) : '',
    ...(filterDesign ? [spread(filterDesign.wallMs), times(filterDesign.wallMs.median / wallMs.median)] : []),
  ]);
  const columns = [
    ...['List', 'Matches', 'Rows by', 'Rounds', 'Requests', 'Read units', 'Lists a second', 'Dollars'],
    'On AWS (model)',
    ...(hasFilterDesign ? ['Filter design: read units', 'times ours', 'on AWS (model)'] : []),
  ];
  const timeColumns = [
    ...['List', 'Our CPU', 'Ours', 'PostgreSQL', 'factor'],
    ...(hasFilterDesign ? ['Filter design', 'factor'] : []),
  ];
  return `${table(columns, costs)}

Milliseconds: median (quartiles). A factor above 1 means that ours is faster.

${table(timeColumns, timings)}`;
}

function simulatedSection({ simulated, lists }: Results): string {
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

/** What the figures come to, in words, from them alone. */
function findings({ lists, simulated }: Results): string {
  return [
    '## What it comes to',
    ...flatness(lists, simulated),
    ...againstFilterDesign(lists),
    ...againstPostgreSql(lists),
  ].join('\n\n');
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
    list.kind !== 'plain' && size === comparedSize && filterDesign
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
  const compared = lists.flatMap(({ list, size, matches, wallMs, postgresql }) =>
    postgresql
      ? [
          {
            name: list.name,
            kind: list.kind,
            size,
            matches,
            factor: postgresql.wallMs.median / wallMs.median,
            // Beyond the spread of either.
            isSlower: wallMs.low > postgresql.wallMs.high,
          },
        ]
      : [],
  );
  const hard = compared.filter(({ kind, size }) => kind !== 'plain' && size === comparedSize);
  const large = compared.filter(({ size }) => size === largeSize);
  const many = large.filter(({ matches }) => matches > manyMatches);
  const others = large.filter(({ matches }) => matches <= manyMatches);
  const slower = compared.filter(({ isSlower }) => isSlower);
  const sizes = [...new Set(slower.map(({ size }) => size))].sort((a, b) => b - a);
  return [
    ...(hard.length > 0
      ? [
          `**Against PostgreSQL** at ${number(comparedSize)}, ${hard.filter(({ factor }) => factor >= 1).length} of ${hard.length} filtered, searched and deep lists are at least as fast.${exceptions(hard.filter(({ factor }) => factor < 1))}`,
        ]
      : []),
    ...(large.length > 0
      ? [
          `At ${number(largeSize)}, ${many.filter(({ factor }) => factor >= 10).length} of ${many.length} lists that match more than ${number(manyMatches)} are at least ten times as fast as in PostgreSQL.${exceptions(many.filter(({ factor }) => factor < 10))} Of these, a first page without a search is one walk of an index for PostgreSQL too, which then counts, and three or four calls over HTTP for ours; three letters read the postings of hundreds of words; the middle of a search by updatedAt looks half a million places up. Of the other ${others.length}, ${others.filter(({ factor }) => factor >= 1).length} are at least as fast.${exceptions(others.filter(({ factor }) => factor < 1))}`,
        ]
      : []),
    ...(slower.length > 0
      ? [
          `**PostgreSQL is faster** for these lists, beyond the spread, by this factor. Its two calls go over a socket to a program in C, ours over HTTP to one in JavaScript, whose time for each call ours cannot fall below: where few testimonials match or there are few, that is all there is to win. What would change it: a faster embedded database, and fewer requests for a list with every filter, which reads each of its terms on its own.`,
          table(
            ['List', ...sizes.map(number)],
            [...new Set(slower.map(({ name }) => name))].map((name) => [
              name,
              ...sizes.map((size) => {
                const lost = slower.find((each) => each.name === name && each.size === size);
                return lost ? times(1 / lost.factor) : '';
              }),
            ]),
          ),
        ]
      : []),
  ];
}

function exceptions(lists: { name: string; factor: number }[]): string {
  if (lists.length === 0) return '';
  const named = lists
    .toSorted((a, b) => a.factor - b.factor)
    .map(({ name, factor }) => `${name} (${times(factor)})`);
  return ` The others: ${named.join('; ')}.`;
}

function createSection({ creates, throughput, folds }: Results): string {
  const one = throughput.find(({ clients, organizations }) => clients === 1 && organizations === 1);
  const fold = folds
    .filter(({ what }) => what.includes('create'))
    .toSorted((a, b) => b.together - a.together)[0];
  const share = fold ? foldDollars(fold) : 0;
  return `## Creates

${table(
  [
    'Create',
    'Rounds',
    'Write units, table',
    'six indexes',
    'Read units',
    'Dollars a million',
    'with its fold',
  ],
  creates.map(({ name, rounds, writeUnits, indexWriteUnits, readUnits }) => [
    ...[name, rounds, number(writeUnits), number(indexWriteUnits), number(readUnits)],
    dollars((writeUnits + indexWriteUnits) * price.writeUnit + readUnits * price.readUnit),
    indexWriteUnits > 0
      ? dollars((writeUnits + indexWriteUnits) * price.writeUnit + readUnits * price.readUnit + share)
      : '',
  ]),
)}

The embedded DynamoDB does not count what AWS counts for the secondary indexes: a unit for each kilobyte of the
testimonial in each of the six. It is computed from the sizes of the items. The last column adds the testimonial's
share of a fold of ${number(fold?.together ?? 0)}.

${table(
  ['Clients at once', 'Organizations', 'Creates a second', 'against one client'],
  throughput.map(({ clients, organizations, perSecond }) => [
    clients,
    organizations,
    spread(perSecond, 0),
    one ? times(perSecond.median / one.perSecond.median) : '',
  ]),
)}

One process on one thread, and the embedded database on another: this is the machine's limit, not the design's. On
AWS, an organization's counter and testimonials share a partition key, and a partition takes 1,000 write units a
second: some 500 creates a second in one organization. Organizations do not wait for each other.`;
}

/** Of a million testimonials, each folded with as many others. */
function foldDollars({ together, invocations, billedMs, writeUnits, readUnits }: FoldCost): number {
  const units = writeUnits * price.writeUnit + readUnits * price.readUnit;
  const time =
    billedMs * lambdaPrice.gigabyteMillisecond * gigabytes.index + invocations * lambdaPrice.invocation;
  return (units + time) / together;
}

function foldSection({ folds, foldLoads }: Results): string {
  return `## Folding

The index function takes testimonials and changes into the postings, as many together as are there when it is invoked.
Here on a store whose calls take at least ${storeMs} ms, with one processor for the function. Dollars are for a million
testimonials or changes, each folded together with so many others: capacity units, function time (1,769 MB on arm64)
and invocations. Invocations are all that follow until nothing is left, also to delete the markers of changes.

${table(
  [
    'On top of',
    'Folded',
    'Together',
    'Invocations',
    'Function time, ms',
    'Writes each',
    'Write units each',
    'Read units each',
    'Dollars a million',
  ],
  folds.map((fold) => {
    const { size, what, together, invocations, billedMs, writes, writeUnits, readUnits } = fold;
    return [
      ...[number(size), what, number(together), invocations, number(billedMs)],
      ...[writes, writeUnits, readUnits].map((value) => number(value / together)),
      dollars(foldDollars(fold)),
    ];
  }),
)}

Under load:

${table(
  ['What', 'Result'],
  foldLoads.map(({ what, result }) => [what, result]),
)}`;
}

function overheadSection({ overhead, coldStarts, sizes }: Results): string {
  return `## What a function costs itself

CPU of a warm request, with storage answered in memory, in milliseconds, at ${number(Math.min(...sizes))} testimonials. The parts are
measured each on its own and need not add up to the whole.

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
the SDK, which otherwise the first request waits for. [ADR 5](adr/0005-lean-functions.md) says what each step towards
this gave. What AWS itself takes to start a function is not in it and cannot be measured here.
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
  // Rounded down, so that no 99.6 passes for 100.
  return `${factor >= 10 ? number(Math.floor(factor)) : (Math.floor(factor * 10) / 10).toFixed(1)}×`;
}

function spread({ median, low, high, count }: Spread, digits = 1): string {
  if (count === 1) return median.toFixed(digits);
  return `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}
