/** Stores the lines of an import: reserves their positions, writes them, and waits until lists show them. */
import { awaitIndex } from '../../../functions/testimonials/list-index/write/await-index.ts';
import {
  beginLoad,
  endLoad,
  generationAfter,
  type LoadDependencies,
  markLoad,
  noteEnd,
  untilItsEnd,
} from '../load/load-testimonials.ts';
import type { ImportJob, ImportJobStore, StoredJob } from './import-job.ts';
import {
  type ImportDependencies,
  type ImportResult,
  otherLoad,
  type Plan,
  type PreparedImport,
  resultOf,
  withoutLines,
} from './import-plan.ts';
import type { ImportRun } from './import-run.ts';
import { positionsAmong } from './positions.ts';
import { storeAppended, storePlaced } from './store-lines.ts';

/**
 * Stores the lines of an import that no earlier run has stored. Never stores a line twice, however often the
 * import is stopped and run again. The caller has asked about all doubts.
 * @throws when another run works on the import
 */
export async function storeImport(
  deps: ImportDependencies,
  { run, plan: prepared, result }: PreparedImport,
  which: 'all' | 'only new' = 'all',
): Promise<ImportResult> {
  if (result.wasImported) return result;
  const plan = which === 'all' ? prepared : withoutDuplicates(prepared);
  if (plan.orders.lines.length > 0) await storeAll(deps, run, plan);
  return resultOf(deps, run, plan, false);
}

function withoutDuplicates({ doubts, ...plan }: Plan): Plan {
  const newOnly = withoutLines(plan, plan.repeated);
  return doubts ? { ...newOnly, doubts: { ...doubts, repeated: 0, twice: 0 } } : newOnly;
}

type Indexing = LoadDependencies & Pick<ImportDependencies, 'jobs' | 'linesPerBlock'>;
type BegunJob = Exclude<ImportJob, StoredJob>;

async function storeAll(deps: ImportDependencies, run: ImportRun, plan: Plan): Promise<void> {
  const { organization, name } = run;
  const { length: count } = plan.orders.lines;
  const indexing: Indexing = {
    ...deps,
    progress: (done, step) => deps.progress(Math.min(done, count), count, step),
  };
  const job = await run.underClaim(async () => {
    if (!run.job) await deps.organizations.add(organization);
    const current = run.job ?? (await run.save(newJob(plan)));
    const reserved = 'isPlaced' in current ? current : await reserveAll(indexing, run, plan, current);
    return reserved.state === 'storing' ? storeLines(indexing, run, plan, reserved) : reserved;
  });
  if (job.isPlaced) await endLoad(indexing, organization, job.generation ?? 0);
  else await awaitIndex(indexing, organization, job.blocks);
  await run.save({ ...job, state: 'ended' });
  // A slow run may have marked the organization again.
  await noteEnd(deps, organization, name);
}

function newJob({ source: { hash }, orders, leftOut, time }: Plan): BegunJob {
  const { length: count } = orders.lines;
  const without = leftOut.length > 0 && { leftOut: [...leftOut] };
  return { state: 'begun', count, time, revision: 0, hash, ...without };
}

/**
 * Reserves positions in the history or, in an empty organization, the first ones. Other lines get theirs as
 * they are stored.
 */
async function reserveAll(deps: Indexing, run: ImportRun, plan: Plan, newest: BegunJob): Promise<StoredJob> {
  const { orders, standing, isHistory, rules } = plan;
  const job = { ...newest, count: orders.lines.length, state: 'storing' } as const;
  if ((standing.isEmpty || isHistory) && (await reservePositions(deps, run, plan)))
    return run.save({ ...job, isPlaced: true, rules, highWater: 0 });
  if (!isHistory) return run.save({ ...job, isPlaced: false, blocks: [] });
  throw new Error(
    `A testimonial was created in ${run.organization} just now, and some lines of the file are later. Nothing was stored. Run this command again.`,
  );
}

async function storeLines(deps: Indexing, run: ImportRun, { orders }: Plan, reserved: StoredJob) {
  const { organization } = run;
  const job: StoredJob = run.hasClaim ? reserved : await run.save(reserved);
  // A manual rebuild may have shown the stored lines and removed the mark.
  if (job.isPlaced) await markImport(deps, run);
  const { letEnd = untilItsEnd } = deps;
  // Gives up the claim before a second signal can end the process.
  return letEnd((signal) =>
    run.underClaim(async () => {
      const storage = { ...deps, signal, progress: (done: number) => deps.progress(done, 'stored') };
      if (!job.isPlaced) {
        const stored = await storeAppended(storage, run, job, orders.lines);
        return run.save({ ...stored, state: 'stored' });
      }
      const placement = await placementOf(deps.jobs, organization, run.name);
      const stored = await storePlaced(storage, run, job, orders, placement);
      return run.save({ ...stored, state: 'stored', generation: await generationAfter(deps, organization) });
    }),
  );
}

/**
 * Reserves positions for lines; every run of an import gets the same. Later creates get later times than the
 * lines, and other imports get other positions.
 * @returns false if a testimonial was just created, and some of the lines are later
 * @throws when there are too few positions, or another load has marked the organization; nothing is stored
 * then
 */
async function reservePositions(deps: Indexing, run: ImportRun, { orders, standing, rules, time }: Plan) {
  const { testimonials, jobs } = deps;
  const { organization, name } = run;
  const isEmpty = standing.isEmpty && (await beginFirst(deps, run, { orders, time }));
  let { latest } = rules;
  if (!isEmpty) {
    if (standing.emptied) await testimonials.reopenHistory(organization, standing.emptied);
    const { firstTime } = await testimonials.raiseTime(organization, time);
    const last = orders.times.updatedAt.at(-1) ?? 0;
    if (firstTime !== undefined && last > Date.parse(firstTime)) return false;
    latest = firstTime ?? latest;
    await markImport(deps, run);
  }
  for (;;) {
    const placements = await jobs.placements(organization);
    if (placements.some((placement) => placement.name === name)) return true;
    const { positions } = positionsAmong(placements, orders, { isEmpty, latest });
    const number = (placements.at(-1)?.number ?? 0) + 1;
    const { times, linesByUpdate } = orders;
    const placement = { number, name, positions, times, linesByUpdate };
    if (await jobs.addPlacement(organization, placement)) return true;
  }
}

/** Begins the first load of an organization that looked empty. Returns false if it is not. */
async function beginFirst(
  deps: Indexing,
  { organization, name: load }: ImportRun,
  { orders, time }: Pick<Plan, 'orders' | 'time'>,
): Promise<boolean> {
  const placements = await deps.jobs.placements(organization);
  const { last, firstTime } = positionsAmong(placements, orders, { isEmpty: true });
  const first = firstTime !== undefined && { firstTime: new Date(firstTime).toISOString() };
  if (await beginLoad(deps, organization, { load, last, time, ...first })) return true;
  if ((await deps.index.readHead(organization))?.load !== undefined) throw otherLoad(organization);
  return false;
}

/** @throws when another load has marked the organization */
async function markImport(deps: Indexing, { organization, name }: ImportRun): Promise<void> {
  if (!(await markLoad(deps, organization, name))) throw otherLoad(organization);
  const job = await deps.jobs.find(organization, name);
  // If another run finished while this one slept, no one else would remove the mark.
  if (job?.state === 'ended' || job?.state === 'undone') await noteEnd(deps, organization, name);
}

/** Returns the positions that an import has reserved. */
export async function placementOf(jobs: ImportJobStore, organization: string, name: string) {
  const placement = (await jobs.placements(organization)).find((one) => one.name === name);
  if (!placement) throw new Error(`The table lacks the positions of import ${name} of ${organization}.`);
  return placement;
}
