/** `npm run list-cost`: what lists and folds cost, counted through the SDK on the embedded DynamoDB. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Command } from 'commander';
import * as v from 'valibot';
import { queryValues } from '../../functions/http/validate.ts';
import { foldStep } from '../../functions/list-index/fold.ts';
import type { IndexHead } from '../../functions/list-index/index-store.ts';
import { listTestimonials } from '../../functions/list-index/list-testimonials.ts';
import { listQuery } from '../../functions/list-testimonials/query.ts';
import { openTable, type Table } from '../../functions/persistence/document-client.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { localClientConfig } from '../../lib/local-runner/connection.ts';
import { ensureTable } from '../../lib/local-runner/dynamodb.ts';
import { synthesize } from '../../lib/local-runner/synthesize.ts';
import { costMeter } from '../../lib/operator/cost-meter.ts';
import { insertGenerated } from './fold-cost.ts';
import { loadIndexed } from './load.ts';
import { vocabulary } from './testimonials.ts';

const organization = 'bench';
const repetitions = 7;

/** The words of some ranks by frequency, as a search. */
const words = (...ranks: number[]) => ranks.map((rank) => vocabulary[rank]).join(' ');

/** The lists of the table; `last` stands for the last page. */
const lists: [string, string][] = [
  ['status=approved, createdAt desc, page 1', 'status=approved'],
  ['no filter, rating desc, page 1', 'sort=rating'],
  [
    'status, type, rating ≥ 4, two tags, two words',
    `status=approved&type=text&rating=4&tags=tag-0,tag-1&search=${words(40, 120)}`,
  ],
  [
    'the same with the two widest three-letter prefixes',
    'status=approved&type=text&rating=4&tags=tag-0,tag-1&search=sta pro',
  ],
  ['status=approved, last page, createdAt', 'status=approved&page=last'],
  ['status=approved, last page, rating', 'status=approved&sort=rating&page=last'],
  ['status=approved, middle page, createdAt', 'status=approved&page=middle'],
  ['status=approved, middle page, rating', 'status=approved&sort=rating&page=middle'],
  ['search by a three-letter prefix', 'search=mad'],
  ['search by the widest three-letter prefix', 'search=sta'],
  ['search by two letters', 'search=st'],
  ['search by one letter', 'search=s'],
  ['status=approved, updatedAt desc, page 1', 'status=approved&sort=updatedAt'],
  ['type=video, updatedAt desc, page 1', 'type=video&sort=updatedAt'],
  ['status=approved, updatedAt desc, page 40', 'status=approved&sort=updatedAt&page=40'],
  ['nothing matches', 'search=qqqqqq'],
];

const program = new Command('list-cost')
  .description('Print what lists and folds cost at several sizes')
  .option('--sizes <sizes>', 'numbers of testimonials, separated by commas', '1000,10000,100000')
  .option('--million', 'also 1,000,000: takes about ten minutes and 12 GB')
  .parse();
const options = program.opts<{ sizes: string; million?: true }>();
const sizes = options.sizes.split(',').map(Number);
if (options.million) sizes.push(1_000_000);
if (sizes.some((size) => !Number.isSafeInteger(size) || size < 1)) {
  console.error('--sizes must be whole numbers separated by commas, as in 1000,10000');
  process.exit(1);
}

const outdir = await mkdtemp(join(tmpdir(), 'testimonials-cost-'));
const template = await synthesize(outdir);
await rm(outdir, { recursive: true, force: true });
for (const size of sizes) await measure(size);
process.exit(0);

async function measure(size: number): Promise<void> {
  const worker = new Worker(new URL('./dynamodb-worker.ts', import.meta.url));
  const [endpoint] = await once(worker, 'message');
  for (const table of template.tables) await ensureTable(endpoint, { ...table, name: 'bench' });
  const table = openTable('bench', localClientConfig(endpoint));
  try {
    const say = (step: string) => console.error(`${size.toLocaleString('en')}: ${step}`);
    await loadIndexed(table, organization, size, say);
    console.log(`\n## ${size.toLocaleString('en')} testimonials\n`);
    console.log('| List | Rows | Matches | Rounds | Requests | Read units | CPU ms (median) |');
    console.log('|---|---|---|---|---|---|---|');
    for (const [name, query] of lists) console.log(`| ${name} | ${await costOf(table, query)} |`);
    console.log('\n| Fold | Write units | Write units a testimonial | Read units |\n|---|---|---|---|');
    for (const count of [1, 1000])
      console.log(`| ${count} together | ${await foldCost(table, size, count)} |`);
  } finally {
    table.client.destroy();
    await worker.terminate();
  }
}

async function costOf(table: Table, text: string): Promise<string> {
  const heads = new Map<string, IndexHead>();
  const deps = { testimonials: testimonialStore(table), index: indexStore(table), heads };
  const parse = (page: number) =>
    v.parse(listQuery, queryValues(text.replace(/page=(last|middle)/, `page=${page}`))).query;
  const { total } = await listTestimonials(deps, organization, parse(1));
  const last = Math.max(1, Math.ceil(total / 25));
  const query = parse(text.includes('middle') ? Math.ceil(last / 2) : last);
  // The meter stays attached: a client of its own counts each list once.
  const own = openTable(table.name, localClientConfig(await endpointOf(table)));
  const metered = { testimonials: testimonialStore(own), index: indexStore(own), heads };
  const meter = costMeter(own.client);
  const cpu: number[] = [];
  let rows = '';
  let cost = meter.cost();
  for (let i = 0; i < repetitions; i += 1) {
    meter.reset();
    const begin = process.threadCpuUsage();
    ({ rows } = await listTestimonials(metered, organization, query));
    const { user, system } = process.threadCpuUsage(begin);
    cpu.push((user + system) / 1000);
    cost = meter.cost();
  }
  own.client.destroy();
  const median = cpu.sort((a, b) => a - b)[Math.floor(repetitions / 2)] ?? 0;
  return [rows, total, cost.rounds, cost.requests, cost.units, median.toFixed(1)].join(' | ');
}

async function foldCost(table: Table, size: number, count: number): Promise<string> {
  await insertGenerated(table, organization, size, count);
  const own = openTable(table.name, localClientConfig(await endpointOf(table)));
  const meter = costMeter(own.client, ['PutItemCommand', 'UpdateItemCommand']);
  const reads = costMeter(own.client, ['BatchGetItemCommand', 'GetItemCommand', 'QueryCommand']);
  const deps = { testimonials: testimonialStore(own), index: indexStore(own), now: () => new Date() };
  await foldStep(deps, organization, count);
  own.client.destroy();
  const { units } = meter.cost();
  return [units, (units / count).toFixed(1), reads.cost().units].join(' | ');
}

async function endpointOf({ client }: Table): Promise<string> {
  const endpoint = await client.config.endpoint?.();
  return endpoint ? `${endpoint.protocol}//${endpoint.hostname}:${endpoint.port}` : '';
}
