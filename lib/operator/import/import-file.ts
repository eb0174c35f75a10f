/** Importing a file of testimonials: what `nextStep` says, one step after the other. */
import type { OrganizationStore } from '../../../functions/domain/stores.ts';
import { ownCopyOf } from '../files/own-copy.ts';
import {
  awaitIndex,
  beginLoad,
  endLoad,
  isEmpty,
  type LoadDependencies,
  markLoading,
} from '../load/load-testimonials.ts';
import { type CheckedFile, checkFile, type FileOptions, fingerprintOf, type Source } from './check-file.ts';
import type { ImportJob, ImportJobStore, JobBeside } from './import-job.ts';
import type { ImportReport } from './import-report.ts';
import { likelyRepeated } from './likely-repeated.ts';
import {
  type Doubts,
  type NextStep,
  nextStep,
  type Refusal,
  type Situation,
  type Surroundings,
} from './next-step.ts';
import { placesOf } from './places.ts';
import { type RejectedLines, rejectedLines } from './rejected-lines.ts';
import { type Load, storeBeside, storeFirst } from './store-lines.ts';

export interface ImportDependencies extends Omit<LoadDependencies, 'progress'> {
  jobs: ImportJobStore;
  organizations: Pick<OrganizationStore, 'add'>;
  progress: (done: number, total: number, step: 'read' | 'checked' | 'stored' | 'indexed') => void;
  /**
   * Asked before lines are stored that look as if they were stored before.
   * @throws when they are not to be stored
   */
  confirmAgain: (doubts: Doubts) => Promise<void>;
  clock?: () => number;
  /** Lines whose places are taken at once, at least. */
  linesABlock?: number;
}

export interface ImportOptions extends FileOptions {
  /** Tells what would happen, and does nothing. */
  dryRun: boolean;
  /** All lines are created now and are pending, whatever they say. */
  asNew: boolean;
}

/** The file says more of its testimonials than can be kept. */
export class HistoryRefused extends Error {
  override name = 'HistoryRefused';
}

/** Another run of the same import has done all there was to do. */
class EndedElsewhere extends Error {
  readonly job: ImportJob;

  constructor(job: ImportJob) {
    super();
    this.job = job;
  }
}

/**
 * Imports a file, or what of it an earlier run that was stopped did not. Nothing is stored twice, however often it is
 * stopped and started. What is stored comes from a copy of the file: that may change meanwhile.
 * @throws {HistoryRefused} nothing was stored
 */
export async function importFile(
  deps: ImportDependencies,
  organization: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const onBytes = (bytes: number, size: number) => deps.progress(bytes, size, 'read');
  const copy = await ownCopyOf(options.file, onBytes);
  const rejected = rejectedLines(options.file);
  try {
    return await importCopy(deps, organization, { ...options, copy }, rejected);
  } finally {
    copy.discard();
    rejected.discard();
  }
}

async function importCopy(
  deps: ImportDependencies,
  organization: string,
  source: Source & ImportOptions,
  rejected: RejectedLines,
): Promise<ImportReport> {
  const { copy, dryRun, asNew } = source;
  const name = fingerprintOf(source, asNew ? 'as new' : 'as it was');
  const job = await deps.jobs.find(organization, name);
  const wasImported = job?.step === 'ended' || job?.step === 'givenUp';
  // The same lines are good each time.
  const time = job?.time ?? deps.now().toISOString();
  const checked = await checkFile(source, {
    now: new Date(time),
    rejected,
    onBytes: (bytes) => deps.progress(bytes, copy.size, 'checked'),
  });
  const surroundings = await look(deps, organization, { name, job, checked });
  let at: Situation = {
    ...{ job, surroundings, dryRun, isAgreed: false },
    file: { count: checked.times.createdAt.length, hasHistory: checked.hasHistory && !asNew },
  };
  const mayBeFirst = isFirst(at);
  const places = mayBeFirst && !asNew ? placesOf(checked.times) : undefined;
  const load: Load = {
    ...{ deps, organization, source, asNew, places, name },
    save: (next) => save(deps, load, next),
  };
  const advance = async (step: NextStep) => {
    at = { ...at, ...(await carryOut(deps, load, { step, at, time })) };
  };
  const first = nextStep(at);
  // Before anything is written.
  if (first.kind === 'refuse' || first.kind === 'ask') await advance(first);
  // What an import that has ended refused was told then.
  const rejectedFile = dryRun || wasImported ? undefined : rejected.keep();
  for (let next = nextStep(at); next.kind !== 'end'; next = nextStep(at)) await advance(next);

  const { refused, firstRefused, columns, hasIds } = checked;
  const repeated = surroundings.doubts?.repeated;
  return {
    ...{ good: at.file.count, refused, firstRefused, keepsHistory: at.file.hasHistory, wasImported },
    ...(job?.step === 'givenUp' && { wasGivenUp: true }),
    ...(repeated && { repeated }),
    ...(rejectedFile !== undefined && { rejectedFile }),
    ...(columns && { columns }),
    ...(hasIds && { ids: isFirst(at) && places?.keepsIds ? 'kept' : 'replaced' }),
  };
}

/** Whether its lines are the first of the organization, or look as if they would be. */
function isFirst({ job, surroundings }: Situation): boolean {
  return job && 'isFirst' in job ? job.isFirst : surroundings.isEmpty;
}

/** Looks at the organization, as far as that still decides something. */
async function look(
  deps: ImportDependencies,
  organization: string,
  { name, job, checked }: { name: string; job: ImportJob | undefined; checked: CheckedFile },
): Promise<Surroundings> {
  const { jobs, index } = deps;
  const nothing = { isEmpty: false, isLoading: false, isBegunElsewhere: false };
  if (job && job.step !== 'begun') return nothing;
  if (!job && (await index.readHead(organization))?.isLoading) {
    return { ...nothing, isLoading: true, isBegunElsewhere: !!(await jobs.find(organization, name)) };
  }
  if (await isEmpty(deps, organization)) return { ...nothing, isEmpty: true };
  if (job) return nothing;
  const repeated = await likelyRepeated(deps, organization, checked.sample);
  const unended = await jobs.unended(organization);
  const besideUnended = unended.length > 0;
  return {
    ...{ ...nothing, isBegunElsewhere: unended.includes(name) },
    ...((repeated || besideUnended) && { doubts: { repeated, besideUnended } }),
  };
}

/**
 * Does a step.
 * @param time when the import began
 * @returns how the situation is another one then
 */
async function carryOut(
  deps: ImportDependencies,
  load: Load,
  { step, at, time }: { step: NextStep; at: Situation; time: string },
): Promise<Partial<Situation>> {
  const { organization, name, save: saved } = load;
  const { count } = at.file;
  const indexing: LoadDependencies = {
    ...deps,
    progress: (done, step) => deps.progress(Math.min(done, count), count, step),
  };
  try {
    switch (step.kind) {
      case 'refuse':
        throw refusal(step.why, load, at.job?.count);
      case 'ask':
        await deps.confirmAgain(step.doubts);
        // Run again, what was not ended would store the rest of its lines beside these.
        await deps.jobs.giveUpOthers(organization, name);
        return { isAgreed: true };
      case 'begin':
        await deps.organizations.add(organization);
        return { job: await saved({ count, time, revision: 0, step: 'begun' }) };
      case 'claim':
        return (await claim(deps, load, step.job))
          ? { job: await saved({ ...step.job, step: 'storing', isFirst: true }) }
          : { surroundings: { ...at.surroundings, isEmpty: false } };
      case 'append':
        return { job: await saved({ ...step.job, step: 'storing', isFirst: false, blocks: [] }) };
      case 'store':
        if (!step.job.isFirst) {
          return { job: await saved({ ...(await storeBeside(load, step.job)), step: 'stored' }) };
        }
        // A rebuild by hand may have shown what was stored, and taken the mark.
        await markLoading(deps, organization);
        await storeFirst(load, step.job);
        return { job: await saved({ ...step.job, step: 'stored' }) };
      case 'index': {
        const { revision, isFirst: wasFirst } = step.job;
        if (step.job.isFirst) await endLoad(indexing, organization);
        else await awaitBlocks(indexing, organization, step.job);
        return { job: await saved({ count, time, revision, step: 'ended', isFirst: wasFirst }) };
      }
      case 'end':
        return {};
    }
  } catch (error) {
    if (error instanceof EndedElsewhere) return { job: error.job };
    throw error;
  }
}

/** Writes the job, where no other run is at it. */
async function save<Job extends ImportJob>(
  { jobs }: ImportDependencies,
  load: Load,
  next: Job,
): Promise<Job> {
  const { organization, name } = load;
  const job = await jobs.replace(organization, name, next);
  if (job) return job;
  const there = await jobs.find(organization, name);
  if (there?.step === 'givenUp') throw new Error('This import was given up meanwhile, for another one.');
  throw there?.step === 'ended' ? new EndedElsewhere(there) : refusal('same file', load);
}

/** @returns false when the organization is not empty any more */
async function claim(deps: ImportDependencies, load: Load, { count, time }: ImportJob): Promise<boolean> {
  const { organization, places, name } = load;
  if (await beginLoad(deps, organization, { last: places?.last ?? count, time, name })) return true;
  if (!(await deps.index.readHead(organization))?.isLoading) return false;
  throw refusal('other load', load);
}

function refusal(why: Refusal, { organization, source }: Load, count = 0): Error {
  switch (why) {
    case 'other version':
      return new Error(
        `Another version of this program began to import ${source.file}, which took ${count} of its lines: end it with that.`,
      );
    case 'same file':
      return new Error(
        'The same file is being imported by somebody else: run this again when that has ended.',
      );
    case 'other load':
      return new Error(
        `Another import or a seed of ${organization} has not ended: wait for it, or run it again where it was stopped, or show what it stored by index rebuild --organization ${organization}.`,
      );
    case 'history':
      return new HistoryRefused(
        `${organization} has, or had, testimonials: createdAt, updatedAt and status of the file cannot be kept there. Import it into an empty organization, or take --as-new to create all of them now, as pending.`,
      );
  }
}

async function awaitBlocks(
  deps: LoadDependencies,
  organization: string,
  { blocks }: JobBeside,
): Promise<void> {
  const from = blocks[0]?.ordinal ?? 1;
  const to = blocks.reduce((last, { ordinal, count }) => Math.max(last, ordinal + count - 1), 0);
  await awaitIndex(deps, organization, { from, to });
}
