/** What creates and indexing cost. */
import { storeMs } from '../index-updates.ts';
import { dollars, number, spread, table, times } from './markdown.ts';
import { createDollars, indexUpdateDollars } from './model.ts';
import type { Results } from './results.ts';

export function createSection({ creates, throughput, indexUpdates }: Results): string {
  const one = throughput.find(({ clients, organizations }) => clients === 1 && organizations === 1);
  const indexUpdate = indexUpdates
    .filter(({ what }) => what.includes('create'))
    .toSorted((a, b) => b.together - a.together)[0];
  const share = indexUpdate ? indexUpdateDollars(indexUpdate) : 0;
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
  creates.map((create) => {
    const { name, rounds, writeUnits, indexWriteUnits, readUnits } = create;
    return [
      ...[name, rounds, number(writeUnits), number(indexWriteUnits), number(readUnits)],
      dollars(createDollars(create)),
      indexWriteUnits > 0 ? dollars(createDollars(create) + share) : '',
    ];
  }),
)}

The embedded DynamoDB does not count what AWS counts for the secondary indexes: a unit for each kilobyte of the
testimonial in each of the six. It is computed from the sizes of the items. The last column adds the testimonial's
share of an index update of ${number(indexUpdate?.together ?? 0)}.

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

export function indexUpdateSection({ indexUpdates, indexUpdateLoads }: Results): string {
  return `## Indexing

The index function takes changes into the postings when it is invoked, and testimonials once 16 KB of them wait; *one by one*
is an invocation for each create.
Here on a store whose calls take at least ${storeMs} ms, with one processor for the function. Dollars are for a million
testimonials or changes, each indexed together with so many others: capacity units, function time (1,769 MB on arm64)
and invocations. Invocations are all that follow until nothing is left, also to delete the markers of changes.

${table(
  [
    'On top of',
    'Indexed',
    'Together',
    'Invocations',
    'Function time, ms',
    'Writes each',
    'Write units each',
    'Read units each',
    'Dollars a million',
  ],
  indexUpdates.map((indexUpdate) => {
    const { size, what, together, invocations, billedMs, writes, writeUnits, readUnits } = indexUpdate;
    return [
      ...[number(size), what, number(together), invocations, number(billedMs)],
      ...[writes, writeUnits, readUnits].map((value) => number(value / together)),
      dollars(indexUpdateDollars(indexUpdate)),
    ];
  }),
)}

Under load:

${table(
  ['What', 'Result'],
  indexUpdateLoads.map(({ what, result }) => [what, result]),
)}`;
}
