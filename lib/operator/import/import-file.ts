/** Importing a file of testimonials. */
import type { OrganizationStore } from '../../../functions/domain/stores.ts';
import {
  awaitIndex,
  endLoad,
  generationAfter,
  type LoadDependencies,
  unmarkLoad,
  untilItsEnd,
} from '../load/load-testimonials.ts';
import { counted } from '../terminal/formatting.ts';
import { type ReadingDependencies, readAsAgreed } from './agree-reading.ts';
import { fingerprintOf, openSource, refusedText } from './check-file.ts';
import {
  type BegunJob,
  type ImportJob,
  type ImportJobStore,
  type JobBeside,
  lastRound,
  type StoredJob,
} from './import-job.ts';
import {
  type Doubts,
  type ImportOptions,
  linesOf,
  otherLoad,
  type Plan,
  type PlannedLines,
  planOf,
} from './import-plan.ts';
import type { ImportReport, KnownImport } from './import-report.ts';
import { ImportRun } from './import-run.ts';
import { ordinalOfLine } from './imported-line.ts';
import { decodeAscending, encodeAscending } from './placement.ts';
import type { Lacking } from './places.ts';
import { writeRejected } from './rejected-lines.ts';
import { storeBeside, storePlaced } from './store-lines.ts';
import { keepsIds, markAtWork, placementOf, placesAmong, takePlaces } from './take-places.ts';

export interface ImportDependencies extends Omit<LoadDependencies, 'progress'>, ReadingDependencies {
  jobs: ImportJobStore;
  organizations: Pick<OrganizationStore, 'add'>;
  /** @param total 0 where it is not known */
  progress: (done: number, total: number, step: 'checked' | 'compared' | 'stored' | 'indexed') => void;
  /**
   * Asked before lines are stored that may not be meant to be stored as they are.
   * @returns whether those that are there already are stored, too
   * @throws when none is to be stored
   */
  confirm: (doubts: Doubts, report: KnownImport) => Promise<'all' | 'only new'>;
  /** Told of an import that was stopped, before it goes on. */
  goesOn?: (job: ImportJob) => void;
  /** Lines whose places are taken at once, at least. */
  linesABlock?: number;
}

/**
 * Imports a file, or what of it an earlier run that was stopped did not. Nothing is stored twice, however often it is
 * stopped and started.
 * @throws where another run is at the same import
 */
export async function importFile(
  deps: ImportDependencies,
  organization: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const { dryRun, asNew, file } = options;
  const source = await readAsAgreed(deps, await openSource(options));
  const fingerprint = fingerprintOf(source, asNew ? 'as new' : 'as it was');
  const run = new ImportRun(deps, organization, await lastRound(deps.jobs, organization, fingerprint));
  const { job } = run;
  if (job?.step === 'undoing') {
    throw new Error(
      `${file} is being undone: let that end first; where it was stopped, undo it again (--undo).`,
    );
  }
  const isOver = job?.step === 'ended';
  const plan = await planOf(deps, organization, run, source);
  const { checked, doubts, repeated } = plan;
  let its = linesOf(
    plan,
    job?.leftOut ? (decodeAscending(job.leftOut)[0] ?? []) : options.onlyNew ? repeated : [],
  );
  await refuseUnfit(deps, run, its);
  const known = knownOf(plan, its, isOver);
  if (!dryRun && !isOver && its.lines.length > 0) {
    if (doubts && (await agree(deps, organization, doubts, known)) === 'only new')
      its = linesOf(plan, repeated);
    if (its.lines.length > 0) await storeAll(deps, run, its, source.hash);
  }
  const hasIds = checked.lines.some((line) => ordinalOfLine(line) > 0);
  return {
    ...{ ...known, good: its.lines.length, leftOut: its.leftOut.length },
    ...{ keepsHistory: its.isOfPast, wasImported: isOver },
    ...(asNew && { asNew: true }),
    ...(dryRun && doubts && { doubts }),
    ...(checked.columns && { columns: checked.columns }),
    ...(hasIds && { ids: (await keepsItsIds(deps, run, its)) ? 'kept' : 'replaced' }),
  };
}

/** @throws where the lines cannot be stored, before anything is written */
async function refuseUnfit(deps: ImportDependencies, run: ImportRun, its: PlannedLines): Promise<void> {
  const { job, organization, name } = run;
  // The lines have their places by their numbers.
  if (job && 'isPlaced' in job && job.count !== its.lines.length) {
    throw new Error(
      `Another version of this program began to import ${its.file}, which took ${job.count} of its lines: end it with that.`,
    );
  }
  if ((job && job.step !== 'begun') || !its.isOfPast) return;
  const placements = await deps.jobs.placements(organization);
  const found = placesAmong(
    placements.filter((each) => each.name !== name),
    its,
  );
  if ('lacking' in found) throw noPlaces(found, its);
}

function noPlaces({ lacking }: Lacking, { file }: PlannedLines): Error {
  return new Error(
    `${counted(lacking, 'line')} of ${file} find no place between those of earlier imports: nothing is stored. Leave some out that are of about the same time, or take --as-new to create all of them now.`,
  );
}

/** What is known before anything is stored; what an import that has ended refused was told then. */
function knownOf(
  { source, checked, rules, time }: Plan,
  { lines }: PlannedLines,
  isOver: boolean,
): KnownImport {
  const { proposal, file } = source;
  const { refused, firstRefused } = checked;
  return {
    ...{ good: lines.length, refused, firstRefused },
    ...(refused > 0 &&
      !isOver && { rejectedFile: writeRejected(file, () => refusedText(source, rules, new Date(time))) }),
    ...(proposal && { proposal }),
  };
}

/** Asks whether the lines are stored all the same; then imports that were stopped before are given up, as they were told. */
async function agree(
  { confirm, jobs }: ImportDependencies,
  organization: string,
  doubts: Doubts,
  known: KnownImport,
): Promise<'all' | 'only new'> {
  const which = await confirm(doubts, known);
  for (const { name, job } of doubts.unended) {
    // One that goes on by now is another by its revision.
    await jobs.replace(organization, name, { ...job, isGivenUp: true });
  }
  return which;
}

/** Stores the lines, from wherever an earlier run has left that, and sees to it that lists have them. */
async function storeAll(
  deps: ImportDependencies,
  run: ImportRun,
  its: PlannedLines,
  hash: string,
): Promise<void> {
  const { organization } = run;
  const count = its.lines.length;
  const indexing = {
    ...deps,
    progress: (done: number, step: 'stored' | 'indexed') => deps.progress(Math.min(done, count), count, step),
  };
  const job = await run.whileAtIt(async () => {
    const begun = run.job ?? (await begin(deps, run, its, hash));
    const taken = 'isPlaced' in begun ? begun : await takeAll(indexing, run, begun, its);
    return taken.step === 'storing' ? storeLines(indexing, run, taken, its) : taken;
  });
  if (job.isPlaced) await endLoad(indexing, organization, job.generation ?? 0);
  else await awaitIndex(indexing, organization, spanOf(job));
  await run.save({ ...job, step: 'ended' });
  // A run that was slow may have set it again.
  await unmarkLoad(deps, organization, run.name);
}

async function begin(
  deps: ImportDependencies,
  run: ImportRun,
  { lines, leftOut, time }: PlannedLines,
  hash: string,
): Promise<BegunJob> {
  await deps.organizations.add(run.organization);
  return run.save({
    ...{ step: 'begun', count: lines.length, time, revision: 0, hash },
    ...(leftOut.length > 0 && { leftOut: encodeAscending([leftOut]) }),
  });
}

type Indexing = LoadDependencies & Pick<ImportDependencies, 'jobs' | 'goesOn' | 'linesABlock'>;

/** Decides where the lines go: to places of the past, the first of an organization, or behind what is there. */
async function takeAll(deps: Indexing, run: ImportRun, job: BegunJob, its: PlannedLines): Promise<StoredJob> {
  const { organization } = run;
  const always = { ...job, count: its.lines.length, step: 'storing' } as const;
  if (its.isEmpty || its.isOfPast) {
    const placed = await takePlaces(deps, run, its);
    if (placed === 'other load') throw new Error(otherLoad(organization));
    if (placed !== 'created meanwhile') {
      if ('lacking' in placed) throw noPlaces(placed, its);
      return run.save({ ...always, isPlaced: true, number: placed.number, rules: its.rules });
    }
    if (its.isOfPast) {
      throw new Error(
        `A testimonial was created in ${organization} just now, and lines of the file are later: nothing is stored. Run it again.`,
      );
    }
  }
  // What has no times is created after what is there.
  return run.save({ ...always, isPlaced: false, blocks: [] });
}

/** Stores the lines; returns the job as it is then. */
async function storeLines(
  deps: Indexing,
  run: ImportRun,
  { isGivenUp: _, ...taken }: StoredJob,
  { lines, ...placed }: PlannedLines,
): Promise<StoredJob> {
  const { organization } = run;
  if (!run.isAtIt) deps.goesOn?.(taken);
  const job: StoredJob = run.isAtIt ? taken : await run.save(taken);
  // A rebuild by hand may have shown what was stored, and taken the mark.
  if (job.isPlaced && !(await markAtWork(deps, run))) throw new Error(otherLoad(organization));
  const { letEnd = untilItsEnd } = deps;
  return letEnd((signal) =>
    run.whileAtIt(async () => {
      const storage = { ...deps, signal, progress: (done: number) => deps.progress(done, 'stored') };
      if (!job.isPlaced) {
        const stored = await storeBeside(storage, run, job, lines);
        return run.save({ ...stored, step: 'stored' });
      }
      const placement = await placementOf(deps, organization, job);
      await storePlaced(storage, run, job, { lines, placed, placement });
      return run.save({ ...job, step: 'stored', generation: await generationAfter(deps, organization) });
    }),
  );
}

/** The places of an import that stored behind what was there. */
function spanOf({ blocks }: JobBeside): { from: number; to: number } {
  const from = blocks[0]?.ordinal ?? 1;
  return { from, to: blocks.reduce((last, { ordinal, count }) => Math.max(last, ordinal + count - 1), 0) };
}

/** Whether the lines have the ids of the file, or would have them. */
async function keepsItsIds(
  deps: ImportDependencies,
  { organization, job }: ImportRun,
  its: PlannedLines,
): Promise<boolean> {
  if (job && 'isPlaced' in job)
    return job.isPlaced && keepsIds(await placementOf(deps, organization, job), its);
  if (!its.isEmpty) return false;
  const found = placesAmong(await deps.jobs.placements(organization), its);
  return 'places' in found && keepsIds(found, its);
}
