/** Writes what was measured as docs/benchmark.md. */

import type { ColdStart } from './cold-start.ts';
import type { CreateCost, Throughput } from './creates.ts';
import { type FoldCost, type FoldLoad, storeMs } from './folds.ts';
import type { ListResult } from './measure-lists.ts';
import type { Overhead } from './overhead.ts';
import type { Spread } from './statistics.ts';

export interface Results {
  sizes: number[];
  repetitions: number;
  /** Of the filter design, up to and above the size from which it is asked once. */
  filterRepetitions: { repetitions: number; upTo: number; largest: number };
  machine: string;
  lists: ListResult[];
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
// for a million times a millisecond of a function with the memory of the index function.
const lambdaPrice = { invocation: 0.2, millisecond: 0.0000133334 * (1769 / 1024) * 1000 };

// An assumption: AWS says "single-digit millisecond" of DynamoDB.
const modelRoundMs = 5;
// Lambda gives a function of 1,769 MB one processor (Lambda Developer Guide, "Configure memory"); ours has 1,024.
const modelCpuFactor = 1769 / 1024;

// Where the issue is decided: the size of the comparisons, and from how many matches on a list grows with the data.
const comparedSize = 100_000;
const largeSize = 1_000_000;
const manyMatches = 100_000;

export function report(results: Results): string {
  const { lists, sizes, machine, filterRepetitions, postgresqlVersion: version } = results;
  return [
    `# Benchmark

\`npm run bench\` measures all of this and writes this file and its plots: some five minutes for up to 100,000
testimonials, with \`-- --full\` a quarter of an hour and 16 GB for 1,000,000 too. This is of a run on ${machine},
Node.js ${results.node}. Times are of one shared machine: compare them with each other, not with others.

- **Data**: generated testimonials in five languages, 20 to 70 words each, drawn by Zipf's law from 21,000; 60 %
  approved, 70 % text, 45 % with five stars, up to three of 40 tags. All in one organization, 25 rows a page.
- **Ours** is a warm function with everything folded, on the embedded DynamoDB (a JavaScript program in a thread of
  its own, reached over HTTP). Read units are as it reports them, which is as AWS does, and at least the smallest read
  for a query that finds nothing.
- **The filter design** is the usual one on DynamoDB: a Query of the index of the sort with a filter expression, which
  reads all that it drops, and counts by reading to the end. It has the same table. Words are compared in the
  function, since DynamoDB compares exact letters only; it reads the same either way.
- **PostgreSQL** ${version ? `${version} has` : '(not installed: left out) would have'} btree indexes per organization, status and sort that
  include type and rating, GIN on tags and on the words (\`to_tsvector('simple', …)\`, prefix search), \`count(*)\` for
  the total, OFFSET for the page, also of a last page; 1 GB of shared buffers and the system's cache, over a socket.
- Each list was asked ${results.repetitions} times of ours and of PostgreSQL in turns; of the filter design ${filterRepetitions.repetitions} times up to
  ${number(filterRepetitions.upTo)} testimonials, once up to ${number(filterRepetitions.largest)} and not above. The answers of all were compared: the same total, the
  same rows in the same order.
- **Dollars** are for a million lists on demand: ${price.readUnit} a million read units, ${price.writeUnit} a million write units
  ([AWS, us-east-1](https://aws.amazon.com/dynamodb/pricing/on-demand/)).
- **On AWS** is a model, not a measurement: ${modelRoundMs} ms a round, whatever it reads, plus the CPU measured here times ${modelCpuFactor.toFixed(1)}
  (a function of 1,024 MB has 0.58 of a processor). API Gateway, TLS and the handler are not in it; a cold function
  also takes its initialization and two rounds, for the token and the index head.`,
    ...sizes.toSorted((a, b) => b - a).map((size) => listSection(results, size)),
    `## How cost grows

![Read units of a list against the number of testimonials, both logarithmic](benchmark/read-units.svg)

![Wall time of a list against the number of testimonials, both logarithmic](benchmark/wall-time.svg)`,
    findings(lists),
    createSection(results),
    foldSection(results),
    overheadSection(results),
  ].join('\n\n');
}

function listSection({ lists }: Results, size: number): string {
  const found = lists.filter((result) => result.size === size);
  const costs = found.map(({ list, matches, rows, cost, cpuMs, filterDesign }) => [
    list.name,
    number(matches),
    rows,
    cost.rounds,
    cost.requests,
    number(cost.units),
    dollars(cost.units * price.readUnit),
    filterDesign ? number(filterDesign.cost.units) : '',
    filterDesign ? times(filterDesign.cost.units / cost.units) : '',
    `${number(cost.rounds * modelRoundMs + cpuMs.median * modelCpuFactor)} ms`,
    filterDesign ? `${number(filterDesign.cost.rounds * modelRoundMs)} ms` : '',
  ]);
  const timings = found.map(({ list, cpuMs, wallMs, filterDesign, postgresql }) => [
    list.name,
    spread(cpuMs),
    spread(wallMs),
    postgresql ? spread(postgresql.wallMs) : '',
    postgresql ? times(postgresql.wallMs.median / wallMs.median) : '',
    filterDesign ? spread(filterDesign.wallMs) : '',
    filterDesign ? times(filterDesign.wallMs.median / wallMs.median) : '',
  ]);
  const costColumns = ['List', 'Matches', 'Rows by', 'Rounds', 'Requests', 'Read units', 'Dollars'];
  const filterColumns = [
    'Filter design: read units',
    'times ours',
    'On AWS (model)',
    'filter design (model)',
  ];
  return `## ${number(size)} testimonials

${table([...costColumns, ...filterColumns], costs)}

Milliseconds: median (quartiles). A factor above 1 means that ours is faster.

${table(['List', 'Our CPU', 'Ours', 'PostgreSQL', 'factor', 'Filter design', 'factor'], timings)}`;
}

/** What the comparison comes to, in words, from the figures alone. */
function findings(lists: ListResult[]): string {
  return ['## What it comes to', ...againstFilterDesign(lists), ...againstPostgreSql(lists)].join('\n\n');
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
          `At ${number(largeSize)}, ${many.filter(({ factor }) => factor >= 10).length} of ${many.length} lists that match more than ${number(manyMatches)} are at least ten times as fast as in PostgreSQL.${exceptions(many.filter(({ factor }) => factor < 10))} Of the other ${others.length}, ${others.filter(({ factor }) => factor >= 1).length} are at least as fast.${exceptions(others.filter(({ factor }) => factor < 1))}`,
        ]
      : []),
    ...(slower.length > 0
      ? [
          `**PostgreSQL is faster** for these lists, beyond the spread, by this factor. Its two calls go over a socket to a program in C, ours over HTTP to one in JavaScript, whose time for each call ours cannot fall below. What would change it: a faster embedded database; fewer requests for a list with every filter, which reads each of its terms on its own; and an index of updatedAt with keys alone, several times smaller to walk, for pages deep in it, at the price of a second round for its first page.`,
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
  const time = billedMs * lambdaPrice.millisecond + invocations * lambdaPrice.invocation;
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
