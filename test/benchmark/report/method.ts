/** How all of it is measured. */

import { number } from './markdown.ts';
import { lambdaPrice, modelCpuFactor, modelRoundMs, price, unitsAPartition } from './model.ts';
import type { Results } from './results.ts';

export function methodSection({
  machine,
  node,
  repetitions,
  filterRepetitions,
  postgresqlVersion: version,
}: Results): string {
  return `## How it is measured

\`npm run bench\` measures all of this and writes this file and its plots: a quarter of an hour for up to 100,000
testimonials; \`-- --full\` takes half an hour and 16 GB for 1,000,000 too, \`-- --simulate\` adds 10,000,000 and
100,000,000. This is of a run on ${machine}, Node.js ${node}. Times are of one shared machine: compare them with each
other, not with others.

- **Data**: generated testimonials in five languages, 20 to 70 words each, drawn by Zipf's law from 21,000; 60 %
  approved, 70 % text, 45 % with five stars, up to three of 40 tags; most are moderated within a day. All in one
  organization, 25 rows a page.
- **Ours** is a warm function with everything indexed, on the embedded DynamoDB (a JavaScript program in a thread of
  its own, reached over HTTP). Read units are as it reports them, which is as AWS does, and at least the smallest read
  for a query that finds nothing.
- **The filter design** is the usual one on DynamoDB: a Query of the index of the sort with a filter expression, which
  reads all that it drops, and counts by reading to the end. It has the same table. Words are compared in the
  function, since DynamoDB compares exact letters only; it reads the same either way.
- **PostgreSQL** ${version ? `${version} has` : '(not installed: left out) would have'} btree indexes per organization and sort, per organization, status and sort,
  and per organization, type and sort, that include what else is filtered by, GIN on tags and on the words
  (\`to_tsvector('simple', …)\`, prefix search), \`count(*)\` for the total, OFFSET for the page, also of a last page;
  1 GB of shared buffers and the system's cache, over a socket.
- **PostgreSQL at its best** is the same database with all that an application can add: counts by status, type and rating that
  a trigger keeps, pages from the nearer end, rows joined once their keys are found, prepared statements. *Its CPU* is that of
  the process that serves the connection, as Linux tells it.
- ***Asked again*** is the next time in the same function, when nothing has changed: units, requests and rounds, and its CPU.
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
