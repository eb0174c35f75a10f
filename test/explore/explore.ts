/**
 * `npm run test:explore`: plays as many schedules as EXPLORE_SECONDS allow, on all cores, and prints their
 * number, or the first one with a wrong result. EXPLORE_SEED chooses the order of schedules with the same
 * cost, and the queries of functions with a memory; by default each run uses a new one.
 */
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Counterexample, costs } from './exploration.ts';
import { exploreMutants } from './mutants.ts';
import { Portfolio } from './portfolio.ts';
import { scenarios } from './scenarios.ts';

const reportEveryMs = 10_000;

// EXPLORE_ONLY names a single scenario.
const chosen = scenarios.filter(({ name }) => [undefined, name].includes(process.env.EXPLORE_ONLY));

interface Share {
  worker: number;
  workers: number;
  seed: number;
  until: number;
}

/** The state of a worker's scenarios, and the counterexample, if any. */
interface Report {
  rows: { name: string; schedules: number; states: number; left: number }[];
  found?: string;
}

async function explore(
  { worker, workers, seed, until }: Share,
  report: (state: Report) => void,
): Promise<void> {
  const portfolio = new Portfolio(
    chosen.filter((_, i) => i % workers === worker),
    seed,
  );
  const rows = () =>
    portfolio.explorations.map(({ scenario: { name }, schedules, states, left }) => {
      return { name, schedules, states, left };
    });
  let reported = Date.now();
  try {
    await portfolio.play({ cost: costs.twoAnywhere, until }, () => {
      if (Date.now() - reported < reportEveryMs) return;
      reported = Date.now();
      report({ rows: rows() });
    });
    report({ rows: rows() });
  } catch (error) {
    if (!(error instanceof Counterexample)) throw error;
    report({ rows: rows(), found: error.message });
  }
}

function sumOf(rows: Report['rows']): number {
  return rows.reduce((sum, { schedules }) => sum + schedules, 0);
}

async function main(): Promise<void> {
  const seconds = Number(process.env.EXPLORE_SECONDS ?? 600);
  const seed = Number(process.env.EXPLORE_SEED ?? Date.now() % 100_000);
  const workers = Number(process.env.EXPLORE_WORKERS ?? availableParallelism());
  const started = Date.now();
  console.log(`${chosen.length} scenarios, ${seconds} s, ${workers} workers, seed ${seed}`);
  const latest = new Map<number, Report>();
  const threads = Array.from({ length: workers }, (_, worker) => {
    const share: Share = { worker, workers, seed, until: started + seconds * 1000 };
    return new Worker(new URL(import.meta.url), { workerData: share });
  });
  const outcomes = threads.map(
    (thread, worker) =>
      new Promise<'found' | 'ended'>((resolve, reject) => {
        thread.on('message', (message: Report) => {
          latest.set(worker, message);
          if (message.found) return resolve('found');
          const schedules = sumOf([...latest.values()].flatMap(({ rows }) => rows));
          console.log(`${Math.round((Date.now() - started) / 1000)} s: ${schedules} schedules`);
        });
        thread.on('error', reject).on('exit', () => resolve('ended'));
      }),
  );
  // Until one finds a counterexample, or all have ended.
  await new Promise<void>((resolve, reject) => {
    for (const each of outcomes) each.then((outcome) => outcome === 'found' && resolve(), reject);
    void Promise.all(outcomes).then(() => resolve(), reject);
  });
  const rows = [...latest.values()].flatMap((report) => report.rows);
  console.log('schedules    states  all with     scenario');
  for (const { name, schedules, states, left } of rows) {
    const whole = Object.entries(costs).findLast(([, cost]) => cost < left)?.[0] ?? 'none';
    console.log(
      `${String(schedules).padStart(9)} ${String(states).padStart(9)}  ${whole.padEnd(11)}  ${name}`,
    );
  }
  for (const { found, rows: played } of latest.values()) {
    if (found) console.log(`\nfound after ${sumOf(played)} schedules:\n${found}`);
  }
  process.exit([...latest.values()].some(({ found }) => found) ? 1 : 0);
}

if (isMainThread && process.argv[2] === '--mutants') await exploreMutants(process.argv[3]);
else if (isMainThread) await main();
else await explore(workerData as Share, (report) => parentPort?.postMessage(report)); // main passes it
