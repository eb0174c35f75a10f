/** Importing a file of testimonials. */
import {
  awaitIndex,
  endLoad,
  generationAfter,
  type LoadDependencies,
  unmarkLoad,
  untilItsEnd,
} from '../load/load-testimonials.ts';
import { fingerprintOf, refusedFile, writeRejected } from './check-file.ts';
import { type ImportJob, lastRound, type StoredJob } from './import-job.ts';
import { type ImportDependencies, type Plan, planOf, withLines } from './import-plan.ts';
import { ImportRun } from './import-run.ts';
import { ordinalOfLine } from './imported-line.ts';
import { encodeAscending } from './placement.ts';
import { keepsIds } from './places.ts';
import type { ImportReport } from './report.ts';
import { storeBeside, storePlaced } from './store-lines.ts';
import { markAtWork, placementOf, placesAmong, takePlaces } from './take-places.ts';

/** An import whose file was looked at, before anything of it is stored by this run. */
export interface PreparedImport {
  run: ImportRun;
  plan: Plan;
  /** What storing all lines would do. */
  report: ImportReport;
  /** Whether there is anything to store. */
  isDue: boolean;
}

/**
 * Looks what an import of a file would do; nothing is stored, but for refused lines in a file beside it.
 * @throws where another run is at the same import, or the lines cannot be stored
 */
export async function prepareImport(
  deps: ImportDependencies,
  organization: string,
  source: Plan['source'],
): Promise<PreparedImport> {
  const { asNew, file, name = file, proposal, table } = source;
  const fingerprint = fingerprintOf(source, asNew ? 'as new' : 'as it was');
  const run = new ImportRun(deps, organization, await lastRound(deps.jobs, organization, fingerprint));
  if (run.job?.step === 'undoing') {
    throw new Error(
      `${name} is being undone: let that end first; where it was stopped, undo it again (--undo).`,
    );
  }
  const plan = await planOf(deps, organization, run, source);
  await refuseUnfit(deps, run, plan);
  const { checked, doubts } = plan;
  const { lines: _, refusedLines, ...told } = checked;
  const wasImported = run.job?.step === 'ended';
  // What an import that has ended refused was told then.
  const isTold = told.refused > 0 && !wasImported;
  const report: ImportReport = {
    ...(await numbersOf(deps, run, plan)),
    ...told,
    wasImported,
    ...(asNew && { asNew }),
    ...(isTold && { rejectedFile: writeRejected(source, refusedFile(table, refusedLines)) }),
    ...(proposal && { proposal }),
    ...(table && { table: { notes: table.notes } }),
    ...(doubts && { doubts }),
  };
  return { run, plan, report, isDue: !wasImported && report.good > 0 };
}

/**
 * Stores the lines of an import, or what of them an earlier run that was stopped did not. Nothing is stored twice, however often
 * it is stopped and started. Whatever there is to doubt was agreed to.
 * @param which leaves out what is there already, or not
 * @throws where another run is at the same import
 */
export async function storeImport(
  deps: ImportDependencies,
  { run, plan: { doubts, ...prepared }, report }: PreparedImport,
  which: 'all' | 'only new' = 'all',
): Promise<ImportReport> {
  for (const { name, job } of doubts?.unended ?? []) {
    // One that goes on by now is another by its revision.
    await deps.jobs.replace(run.organization, name, { ...job, isGivenUp: true });
  }
  const plan = which === 'all' ? prepared : withLines(prepared, prepared.repeated);
  if (plan.orders.lines.length > 0) await storeAll(deps, run, plan);
  const { doubts: _, ...told } = report;
  return { ...told, ...(await numbersOf(deps, run, plan)) };
}

/** How many lines a plan stores and leaves out, and what they keep of the file. */
async function numbersOf(deps: ImportDependencies, run: ImportRun, plan: Plan) {
  const hasIds = plan.checked.lines.some((line) => ordinalOfLine(line) > 0);
  const ids: 'kept' | 'replaced' = hasIds && (await keepsItsIds(deps, run, plan)) ? 'kept' : 'replaced';
  return {
    good: plan.orders.lines.length,
    leftOut: plan.leftOut.length,
    keepsHistory: plan.isOfPast,
    ...(hasIds && { ids }),
  };
}

/** @throws where the lines cannot be stored, before anything is written */
async function refuseUnfit({ jobs }: ImportDependencies, run: ImportRun, plan: Plan): Promise<void> {
  const { job, organization, name } = run;
  // The lines have their places by their numbers.
  if (job && 'isPlaced' in job && job.count !== plan.orders.lines.length) {
    throw new Error(
      `Another version of this program began to import ${plan.source.name ?? plan.source.file}, which took ${job.count} of its lines: end it with that.`,
    );
  }
  if ((job && job.step !== 'begun') || !plan.isOfPast) return;
  const others = (await jobs.placements(organization)).filter((each) => each.name !== name);
  placesAmong(others, plan);
}

/** Stores the lines, from wherever an earlier run has left that, and sees to it that lists have them. */
async function storeAll(deps: ImportDependencies, run: ImportRun, plan: Plan): Promise<void> {
  const { organization, name } = run;
  const { length: count } = plan.orders.lines;
  const indexing: Indexing = {
    ...deps,
    progress: (done, step) => deps.progress(Math.min(done, count), count, step),
  };
  const job = await run.whileAtIt(async () => {
    if (!run.job) await deps.organizations.add(organization);
    const begun = run.job ?? (await run.save(beginning(plan)));
    const taken = 'isPlaced' in begun ? begun : await takeAll(indexing, run, plan, begun);
    return taken.step === 'storing' ? storeLines(indexing, run, plan, taken) : taken;
  });
  if (job.isPlaced) await endLoad(indexing, organization, job.generation ?? 0);
  else await awaitIndex(indexing, organization, job.blocks);
  await run.save({ ...job, step: 'ended' });
  // A run that was slow may have set it again.
  await unmarkLoad(deps, organization, name);
}

type Indexing = LoadDependencies & Pick<ImportDependencies, 'jobs' | 'linesABlock'>;
type BegunJob = Exclude<ImportJob, StoredJob>;

function beginning({ source: { hash }, orders, leftOut, time }: Plan): BegunJob {
  return {
    step: 'begun',
    count: orders.lines.length,
    time,
    revision: 0,
    hash,
    ...(leftOut.length > 0 && { leftOut: encodeAscending([leftOut]) }),
  };
}

/** Decides where the lines go: to places of the past, the first of an organization, or behind what is there. */
async function takeAll(deps: Indexing, run: ImportRun, plan: Plan, begun: BegunJob): Promise<StoredJob> {
  const { organization } = run;
  const { orders, standing, isOfPast, rules } = plan;
  const job = { ...begun, count: orders.lines.length, step: 'storing' } as const;
  const placed = standing.isEmpty || isOfPast ? await takePlaces(deps, run, plan) : 'created meanwhile';
  // What has no times is created after what is there.
  if (placed === 'created meanwhile' && !isOfPast) return run.save({ ...job, isPlaced: false, blocks: [] });
  if (placed === 'created meanwhile') {
    throw new Error(
      `A testimonial was created in ${organization} just now, and lines of the file are later: nothing is stored. Run it again.`,
    );
  }
  return run.save({ ...job, isPlaced: true, number: placed.number, rules });
}

/** Stores the lines; returns the job as it is then. */
async function storeLines(
  deps: Indexing,
  run: ImportRun,
  { orders }: Plan,
  { isGivenUp: _, ...taken }: StoredJob,
): Promise<StoredJob> {
  const { organization } = run;
  const job: StoredJob = run.isAtIt ? taken : await run.save(taken);
  // A rebuild by hand may have shown what was stored, and taken the mark.
  if (job.isPlaced) await markAtWork(deps, run);
  const { letEnd = untilItsEnd } = deps;
  return letEnd((signal) =>
    run.whileAtIt(async () => {
      const storage = { ...deps, signal, progress: (done: number) => deps.progress(done, 'stored') };
      if (!job.isPlaced) {
        const stored = await storeBeside(storage, run, job, orders.lines);
        return run.save({ ...stored, step: 'stored' });
      }
      await storePlaced(storage, run, job, orders, await placementOf(deps, organization, job));
      return run.save({ ...job, step: 'stored', generation: await generationAfter(deps, organization) });
    }),
  );
}

/** Whether the lines have the ids of the file, or would have them. */
async function keepsItsIds(
  deps: ImportDependencies,
  { organization, job }: ImportRun,
  plan: Plan,
): Promise<boolean> {
  const { orders, standing } = plan;
  if (job && 'isPlaced' in job)
    return job.isPlaced && keepsIds(orders, (await placementOf(deps, organization, job)).places);
  return (
    standing.isEmpty && keepsIds(orders, placesAmong(await deps.jobs.placements(organization), plan).places)
  );
}
