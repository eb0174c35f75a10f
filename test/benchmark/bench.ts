/** `npm run bench`: what lists, creates and the functions themselves cost, and what alternatives would. */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { synthesize } from '../../lib/local-runner/synthesized-app.ts';
import { measureColdStarts } from './cold-start.ts';
import { measureCreateCosts, measureThroughput } from './creates.ts';
import { engine, organization, startDynamoDb } from './engine.ts';
import { filterDesign } from './filter-design.ts';
import {
  measureIndexUpdateLoads,
  measureIndexUpdates,
  measureIndexUpdatesOfChinese,
} from './index-updates.ts';
import { loadIndexed } from './load.ts';
import { measureLists, warmUp } from './measure-lists.ts';
import { measureOverhead } from './overhead.ts';
import { startPostgreSql } from './postgresql.ts';
import type { Results } from './report/results.ts';
import { writeReport } from './report/write-report.ts';
import { simulateLists } from './simulate.ts';
import {
  findDearest,
  measureAfterAnother,
  measureBesideChanges,
  measureLongTexts,
  measureManyWords,
} from './situations.ts';

const fullSize = 1_000_000;
const simulatedSizes = [10_000_000, 100_000_000];
// Above it, the filter design reads for minutes a list.
const largestForFilterDesign = 100_000;
const largestForItsRepetitions = 10_000;

const options = new Command('bench')
  .description('Measure what lists, creates and the functions cost; write docs/benchmark.md and its plots')
  .option('--sizes <sizes>', 'numbers of testimonials', toSizes, [1000, 10_000, 100_000])
  .option('--full', 'also 1,000,000: half an hour and 16 GB')
  .option('--simulate', 'also 10,000,000 and 100,000,000, as far as summaries count')
  .option('--quick', 'few repetitions, to see that it works')
  .option('--output <folder>', 'where the results are written', 'docs')
  .parse()
  .opts<{ sizes: number[]; full?: true; simulate?: true; quick?: true; output: string }>();
const sizes = [...new Set([...options.sizes, ...(options.full ? [fullSize] : [])])].sort((a, b) => a - b);
const effort = options.quick
  ? {
      ...{ repetitions: 1, filterRepetitions: 1, creates: 20, batchMs: 1, processes: 1, tries: 10 },
      indexUpdateLoads: { organizations: 5, hostile: 1, backlog: 50, changes: 20 },
    }
  : {
      ...{ repetitions: 11, filterRepetitions: 3, creates: 1000, batchMs: 100, processes: 21, tries: 1000 },
      indexUpdateLoads: { organizations: 500, hostile: 25, backlog: 100_000, changes: 30_000 },
    };
// The largest that it is quick to load, and has as many testimonials as are changed.
const sizeOfIndexUpdateLoads = sizes.filter((size) => size <= 100_000).at(-1);
const warmUps = 3;

const progress = (step: string) => console.error(step);
const begin = performance.now();
// What was started and made so far, to be undone in the end.
const undo: (() => Promise<unknown>)[] = [];
const stopped = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => reject(new Error(`Stopped by ${signal}; nothing is written`)));
  }
});
try {
  await Promise.race([run(), stopped]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  for (const each of undo.toReversed()) await each();
}
// A stopped run may still be at work.
process.exit();

async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'testimonials-bench-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const postgresql = await startPostgreSql();
  if (postgresql) undo.push(postgresql.stop);
  else progress('PostgreSQL is not installed: it is left out');
  const template = await synthesize(join(folder, 'cdk.out'));
  const { table: definition } = template;

  progress('Loading the functions');
  const coldStarts = await measureColdStarts(template, folder, effort.processes);
  const results: Results = {
    sizes,
    repetitions: effort.repetitions,
    filterRepetitions: {
      repetitions: effort.filterRepetitions,
      upTo: largestForItsRepetitions,
      largest: largestForFilterDesign,
    },
    machine: `${availableParallelism()} processors (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`,
    lists: [],
    simulated: [],
    situations: [],
    longWrites: [],
    dearest: [],
    indexUpdates: [],
    indexUpdateLoads: [],
    creates: [],
    throughput: [],
    overhead: [],
    coldStarts,
    postgresqlVersion: postgresql?.version,
    node: process.version,
  };
  for (const size of sizes) {
    const say = (step: string) => progress(`${size.toLocaleString('en')}: ${step}`);
    const database = await startDynamoDb(definition);
    undo.push(database.stop);
    await loadIndexed(database.open(), organization, size, say);
    await postgresql?.load(size, say);
    const contenders = {
      engine: engine(database),
      ...(size <= largestForFilterDesign && { filterDesign: filterDesign(database) }),
      ...(postgresql && { postgresql, postgresqlBest: postgresql.best }),
    };
    if (size === sizes[0]) await warmUp(contenders, warmUps);
    const repetitions = {
      repetitions: effort.repetitions,
      filterRepetitions: size <= largestForItsRepetitions ? effort.filterRepetitions : 1,
    };
    results.lists.push(...(await measureLists(contenders, size, repetitions, say)));
    say('index updates');
    results.indexUpdates.push(...(await measureIndexUpdates(database, size, Math.min(1000, effort.creates))));
    if (size === sizes[0]) {
      say('creates');
      results.creates = await measureCreateCosts(database, Math.min(200, effort.creates));
      results.throughput = await measureThroughput(database, effort.creates);
      say('indexing Chinese');
      results.indexUpdates.push(
        ...(await measureIndexUpdatesOfChinese(database, Math.min(1000, effort.creates))),
      );
      say('overhead');
      results.overhead = await measureOverhead(database, effort.batchMs);
    }
    if (size === sizeOfIndexUpdateLoads) {
      say('the dearest lists');
      results.dearest = await findDearest(database, size, effort.tries);
      say('lists after others, and beside changes');
      results.situations.push(...(await measureAfterAnother(database, size)));
      results.situations.push(
        ...(await measureBesideChanges(database, size, Math.min(2000, Math.floor(size / 20)))),
      );
      say('indexing under load');
      results.indexUpdateLoads = await measureIndexUpdateLoads(database, effort.indexUpdateLoads);
    }
    undo.pop();
    await database.stop();
  }
  progress('Long texts, and many words');
  const [ofLongTexts, ofManyWords] = await Promise.all([
    startDynamoDb(definition),
    startDynamoDb(definition),
  ]);
  undo.push(ofLongTexts.stop, ofManyWords.stop);
  const { lists, writes } = await measureLongTexts(ofLongTexts);
  results.situations.push(...lists, await measureManyWords(ofManyWords));
  results.longWrites = writes;
  if (options.simulate) {
    // The first is checked by what was measured.
    const checked = sizes.filter((size) => size <= 100_000).slice(-1);
    for (const size of [...checked, ...simulatedSizes]) {
      progress(`${size.toLocaleString('en')}: simulating`);
      results.simulated.push(...(await simulateLists(size)));
    }
  }
  await writeReport(results, options.output);
  const minutes = (performance.now() - begin) / 60_000;
  progress(`Written to ${join(options.output, 'benchmark.md')} after ${minutes.toFixed(1)} minutes`);
}

function toSizes(text: string): number[] {
  const found = text.split(',').map(Number);
  if (found.some((size) => !Number.isSafeInteger(size) || size < 10)) {
    throw new InvalidArgumentError(
      'They must be whole numbers of at least 10, separated by commas: 1000,10000',
    );
  }
  return found;
}
