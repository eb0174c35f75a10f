/**
 * `npm run test:explore`: plays every schedule that EXPLORE_SECONDS allow, on all cores, and prints how many they were, or the
 * first after which something is wrong. EXPLORE_SEED chooses the order of those with the same number of preemptions.
 */
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Counterexample } from './exploration.ts';
import { Portfolio } from './portfolio.ts';
import { scenarios } from './scenarios.ts';

const reportEveryMs = 10_000;

interface Share {
  worker: number;
  workers: number;
  seed: number;
  until: number;
}

/** What a worker tells: its scenarios as far as they are explored, and what was found. */
interface Told {
  rows: { name: string; schedules: number; states: number; left: number }[];
  found?: string;
}

async function explore({ worker, workers, seed, until }: Share, tell: (told: Told) => void): Promise<void> {
  const portfolio = new Portfolio(
    scenarios.filter((_, i) => i % workers === worker),
    seed,
  );
  const rows = () =>
    portfolio.explorations.map(({ scenario, schedules, states, left }) => ({ name: scenario.name, schedules, states, left }));
  let reported = Date.now();
  try {
    await portfolio.play({ preemptions: 2, until }, () => {
      if (Date.now() - reported < reportEveryMs) return;
      reported = Date.now();
      tell({ rows: rows() });
    });
    tell({ rows: rows() });
  } catch (error) {
    if (!(error instanceof Counterexample)) throw error;
    tell({ rows: rows(), found: error.message });
  }
}

async function main(): Promise<void> {
  const seconds = Number(process.env.EXPLORE_SECONDS ?? 600);
  const seed = Number(process.env.EXPLORE_SEED ?? 1);
  const workers = availableParallelism();
  const begun = Date.now();
  console.log(`${scenarios.length} scenarios, ${seconds} s, ${workers} workers, seed ${seed}`);
  const latest = new Map<number, Told>();
  const threads = Array.from({ length: workers }, (_, worker) => {
    const share: Share = { worker, workers, seed, until: begun + seconds * 1000 };
    return new Worker(new URL(import.meta.url), { workerData: share });
  });
  const ends = threads.map(
    (thread, worker) =>
      new Promise<void>((resolve, reject) => {
        thread.on('message', (told: Told) => {
          latest.set(worker, told);
          const sum = [...latest.values()].flatMap(({ rows }) => rows).reduce((all, { schedules }) => all + schedules, 0);
          if (told.found) resolve();
          else console.log(`${Math.round((Date.now() - begun) / 1000)} s: ${sum} schedules`);
        });
        thread.on('error', reject).on('exit', () => resolve());
      }),
  );
  const isFound = () => [...latest.values()].some(({ found }) => found);
  await Promise.race([Promise.all(ends), ...ends.map(async (end) => { await end; if (!isFound()) await new Promise(() => {}); })]);
  const rows = [...latest.values()].flatMap((told) => told.rows);
  console.log('schedules    states  preemptions  scenario');
  for (const { name, schedules, states, left } of rows) {
    const whole = left === 0 ? '<0' : left > 2 ? '≤2' : `≤${left - 1}`;
    console.log(`${String(schedules).padStart(9)} ${String(states).padStart(9)}  ${whole.padStart(11)}  ${name}`);
  }
  for (const { found } of latest.values()) if (found) console.log(`\n${found}`);
  process.exit(isFound() ? 1 : 0);
}

if (isMainThread) await main();
else await explore(workerData as Share, (told) => parentPort?.postMessage(told)); // as main gives it
