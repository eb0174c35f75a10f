/** `npm run bench`: measures the cost of lists, creates and index updates, and of alternatives. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { synthesize } from '../../lib/local-runner/synthesized-app.ts';
import type { TemplateTable } from '../../lib/local-runner/template.ts';
import { loadIndexed, startDynamoDb } from './dynamodb.ts';
import { engine } from './engine.ts';
import { figuresOf, toJson } from './figures.ts';
import { filterDesign } from './filter-design.ts';
import { measureLists, warmUp } from './measure-lists.ts';
import { plotOf } from './plot.ts';
import { type PostgreSql, startPostgreSql } from './postgresql.ts';
import { type Results, report } from './report.ts';
import { measureBesideChanges, measureCreates, measureIndexUpdates } from './writes.ts';

const fullSize = 1_000_000;
// Above it, the filter design reads for minutes a list.
const largestForFilterDesign = 100_000;
const largestForItsRepetitions = 10_000;

const options = new Command('bench')
  .description(
    'Measure the cost of lists, creates and index updates; write docs/benchmark.md, its plot and benchmark.json',
  )
  .option('--sizes <sizes>', 'numbers of testimonials', toSizes, [1000, 10_000, 100_000])
  .option('--full', 'also 1,000,000: an hour and 16 GB')
  .option('--quick', 'few repetitions, to see that it works')
  .option('--output <folder>', 'where they are written', 'docs')
  .parse()
  .opts<{ sizes: number[]; full?: true; quick?: true; output: string }>();
const sizes = [...new Set([...options.sizes, ...(options.full ? [fullSize] : [])])].sort((a, b) => a - b);
const effort = options.quick
  ? { repetitions: 1, filterRepetitions: 1, creates: 20 }
  : { repetitions: 11, filterRepetitions: 3, creates: 1000 };

const progress = (step: string) => console.error(step);
const begin = performance.now();
// Stops the processes and removes the files of the run.
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
// Processes of a stopped run may still run.
process.exit();

async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'testimonials-bench-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const postgresql = await startPostgreSql();
  if (postgresql) undo.push(postgresql.stop);
  else progress('PostgreSQL is not installed: it is left out');
  const { table: definition } = await synthesize(join(folder, 'cdk.out'));
  const [{ model = 'unknown processor' } = {}] = cpus();
  const results: Results = {
    sizes,
    repetitions: effort.repetitions,
    machine: `${availableParallelism()} processors (${model}), ${Math.round(totalmem() / 2 ** 30)} GB, Node.js ${process.version}`,
    postgresqlVersion: postgresql?.version,
    lists: [],
    creates: [],
    indexUpdates: [],
    besideChanges: [],
  };
  for (const size of sizes) await measure(size, results, definition, postgresql);
  const file = join(options.output, 'benchmark.md');
  const figures = figuresOf(results);
  await mkdir(join(options.output, 'images'), { recursive: true });
  await writeFile(join(options.output, 'benchmark.json'), toJson(figures));
  await writeFile(join(options.output, 'images/benchmark.svg'), plotOf(figures.lists));
  await writeFile(file, report(results));
  progress(`Written to ${file} after ${((performance.now() - begin) / 60_000).toFixed(1)} minutes`);
}

async function measure(
  size: number,
  results: Results,
  definition: TemplateTable,
  postgresql: PostgreSql | undefined,
): Promise<void> {
  const say = (step: string) => progress(`${size.toLocaleString('en')}: ${step}`);
  const database = await startDynamoDb(definition);
  undo.push(database.stop);
  await loadIndexed(database.open(), size, say);
  await postgresql?.load(size, say);
  const contenders = {
    engine: engine(database),
    ...(size <= largestForFilterDesign && { filterDesign: filterDesign(database) }),
    postgresql,
  };
  if (size === sizes[0]) await warmUp(contenders, 3);
  const filterRepetitions = size <= largestForItsRepetitions ? effort.filterRepetitions : 1;
  const repetitions = { repetitions: effort.repetitions, filterRepetitions };
  results.lists.push(...(await measureLists(contenders, size, repetitions, say)));
  say('index updates');
  results.indexUpdates.push(...(await measureIndexUpdates(database, size, effort.creates)));
  if (size === sizes[0]) {
    say('creates');
    results.creates = await measureCreates(database, Math.min(200, effort.creates));
  }
  if (size === sizes.at(-1)) {
    say('lists beside changes');
    results.besideChanges = await measureBesideChanges(database, Math.min(2000, Math.floor(size / 20)));
  }
  undo.pop();
  await database.stop();
}

function toSizes(text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (numbers.some((size) => !Number.isSafeInteger(size) || size < 10)) {
    throw new InvalidArgumentError('Use whole numbers of at least 10, separated by commas: 1000,10000');
  }
  return numbers;
}
