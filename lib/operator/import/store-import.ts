/** Importing a file of testimonials. */
import {
  awaitIndex,
  endLoad,
  generationAfter,
  type LoadDependencies,
  noteEnd,
  untilItsEnd,
} from '../load/load-testimonials.ts';
import { fingerprintOf } from './check-file.ts';
import { type ImportJob, idOfImport, lastRound, type StoredJob } from './import-job.ts';
import { type ImportDependencies, type Plan, planOf, withLines } from './import-plan.ts';
import { ImportRun } from './import-run.ts';
import { ordinalOfLine } from './imported-line.ts';
import type { ProposedSource } from './interpretation.ts';
import { encodeAscending } from './placement.ts';
import { type AxisPlaces, keepsIds } from './places.ts';
import type { ImportReport } from './report.ts';
import { storeBeside, storePlaced } from './store-lines.ts';
import { markAtWork, placementOf, placesAmong, takePlaces } from './take-places.ts';

/** An import whose file was looked at, before anything of it is stored by this run. */
export interface PreparedImport {
  run: ImportRun;
  plan: Plan;
  /** What storing all lines would do. */
  report: ImportReport;
}

/**
 * Looks what an import of a file would do; nothing is stored.
 * @throws where another run is at the same import, or the lines cannot be stored
 */
export async function prepareImport(
  deps: ImportDependencies,
  organization: string,
  source: ProposedSource,
): Promise<PreparedImport> {
  const run = new ImportRun(
    deps,
    organization,
    await lastRound(deps.jobs, organization, fingerprintOf(source)),
  );
  if (run.job?.state === 'undoing') {
    throw new Error(
      `${source.file} is being undone: let that end first; where it was stopped, undo it again (--undo).`,
    );
  }
  const plan = await planOf(deps, run, source);
  refuseOtherCount(run, plan);
  return { run, plan, report: await reportOf(deps, run, plan, run.job?.state === 'ended') };
}

/**
 * Stores the lines of an import, or what of them an earlier run that was stopped did not. Nothing is stored twice, however often
 * it is stopped and started. Whatever there is to doubt was agreed to.
 * @param which leaves out what is there already, or not
 * @throws where another run is at the same import
 */
export async function storeImport(
  deps: ImportDependencies,
  { run, plan: prepared, report }: PreparedImport,
  which: 'all' | 'only new' = 'all',
): Promise<ImportReport> {
  if (report.wasImported) return report;
  for (const { name, job } of prepared.doubts?.unended ?? []) {
    // One that goes on by now is another by its revision.
    await deps.jobs.replace(run.organization, name, { ...job, isGivenUp: true });
  }
  const plan = which === 'all' ? prepared : withoutRepeated(prepared);
  if (plan.orders.lines.length > 0) await storeAll(deps, run, plan);
  return reportOf(deps, run, plan, false);
}

/** The plan without the lines that are there already: nothing is left to doubt of them. */
function withoutRepeated({ doubts, ...plan }: Plan): Plan {
  const left = withLines(plan, plan.repeated);
  return doubts ? { ...left, doubts: { ...doubts, repeated: 0, twice: 0 } } : left;
}

/** @throws where the lines find no place: before anything is written */
async function reportOf(
  deps: ImportDependencies,
  run: ImportRun,
  plan: Plan,
  wasImported: boolean,
): Promise<ImportReport> {
  const { source, checked, orders, leftOut, doubts, isOfPast } = plan;
  const { asNew, table, proposal } = source;
  const { lines, ...told } = checked;
  const hasIds = lines.some((line) => ordinalOfLine(line) > 0);
  const places = await placesOf(deps, run, plan, hasIds);
  return {
    ...told,
    id: idOfImport(run.name),
    stored: run.stored,
    good: orders.lines.length,
    leftOut: leftOut.length,
    keepsHistory: isOfPast,
    wasImported,
    ...(hasIds && { ids: places && keepsIds(orders, places) ? 'kept' : 'replaced' }),
    ...(asNew && { asNew }),
    ...(proposal && { proposal }),
    ...(table && { table: { notes: table.notes } }),
    ...(doubts && { doubts }),
  };
}

/** The places that lines have, or would get, where that says whether they can be stored, or keep their ids. */
async function placesOf(
  { jobs }: ImportDependencies,
  { organization, name, job }: ImportRun,
  { orders, standing: { isEmpty }, isOfPast, rules: { latest } }: Plan,
  hasIds: boolean,
): Promise<AxisPlaces | undefined> {
  const isOpen = !job || job.state === 'begun';
  const arePlaced = isOpen ? isEmpty || isOfPast : job.isPlaced;
  if (!arePlaced || !(hasIds || (isOpen && isOfPast))) return undefined;
  const placements = await jobs.placements(organization);
  const own = placements.find((each) => each.name === name);
  return (own ?? placesAmong(placements, orders, { isEmpty, latest })).places;
}

/** @throws where another version has read the file otherwise: its lines have their places by their numbers */
function refuseOtherCount({ job }: ImportRun, { source, orders }: Plan): void {
  if (!job || job.state === 'begun' || job.count === orders.lines.length) return;
  throw new Error(
    `Another version of this program began to import ${source.file}, which took ${job.count} of its lines: end it with that.`,
  );
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
    return taken.state === 'storing' ? storeLines(indexing, run, plan, taken) : taken;
  });
  if (job.isPlaced) await endLoad(indexing, organization, job.generation ?? 0);
  else await awaitIndex(indexing, organization, job.blocks);
  await run.save({ ...job, state: 'ended' });
  // A run that was slow may have set it again.
  await noteEnd(deps, organization, name);
}

type Indexing = LoadDependencies & Pick<ImportDependencies, 'jobs' | 'linesABlock'>;
type BegunJob = Exclude<ImportJob, StoredJob>;

function beginning({ source: { hash }, orders, leftOut, time }: Plan): BegunJob {
  return {
    state: 'begun',
    count: orders.lines.length,
    time,
    revision: 0,
    hash,
    ...(leftOut.length > 0 && { leftOut: encodeAscending([leftOut]) }),
  };
}

/** Decides where the lines go: to places of the past, the first of an organization, or behind what is there. */
async function takeAll(deps: Indexing, run: ImportRun, plan: Plan, begun: BegunJob): Promise<StoredJob> {
  const { orders, standing, isOfPast, rules } = plan;
  const job = { ...begun, count: orders.lines.length, state: 'storing' } as const;
  if ((standing.isEmpty || isOfPast) && (await takePlaces(deps, run, plan)))
    return run.save({ ...job, isPlaced: true, rules, highWater: 0 });
  // What has no times is created after what is there.
  if (!isOfPast) return run.save({ ...job, isPlaced: false, blocks: [] });
  throw new Error(
    `A testimonial was created in ${run.organization} just now, and lines of the file are later: nothing is stored. Run it again.`,
  );
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
  // It is free for another run before a second signal could end the process.
  return letEnd((signal) =>
    run.whileAtIt(async () => {
      const storage = { ...deps, signal, progress: (done: number) => deps.progress(done, 'stored') };
      if (!job.isPlaced) {
        const stored = await storeBeside(storage, run, job, orders.lines);
        return run.save({ ...stored, state: 'stored' });
      }
      const stored = await storePlaced(storage, run, job, orders, await placementOf(deps, run));
      return run.save({ ...stored, state: 'stored', generation: await generationAfter(deps, organization) });
    }),
  );
}
