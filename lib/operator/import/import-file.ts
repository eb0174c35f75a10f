/** Importing a file of testimonials. */
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
import type { ImportJob, ImportJobStore } from './import-job.ts';
import { likelyRepeated, type Repeated } from './likely-repeated.ts';
import { placesOf } from './places.ts';
import { type RejectedLines, rejectedLines } from './rejected-lines.ts';
import { type Load, storeFirst, storeMore } from './store-lines.ts';

export interface ImportDependencies extends Omit<LoadDependencies, 'progress'> {
  jobs: ImportJobStore;
  organizations: Pick<OrganizationStore, 'add'>;
  progress: (done: number, total: number, step: 'read' | 'checked' | 'stored' | 'indexed') => void;
  /**
   * Asked before lines are stored that look as if they were stored before.
   * @param doubts which lines are there already; whether another import has not ended, which is given up then
   * @throws when they are not to be stored
   */
  confirmAgain: (doubts: { repeated: Repeated | undefined; besideUnended: boolean }) => Promise<void>;
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

export interface ImportReport extends Pick<CheckedFile, 'refused' | 'firstRefused' | 'columns'> {
  /** Good lines. */
  good: number;
  /** True where times, status and order of the file are kept. */
  keepsHistory: boolean;
  /** What becomes of the ids of the file, if it has ids of this service. */
  ids?: 'kept' | 'replaced';
  /** True when this file was imported before. */
  wasImported: boolean;
  /** True when it was given up for another one, as a corrected file is. */
  wasGivenUp?: true;
  /** Present where the lines look as if they were stored before. */
  repeated?: Repeated;
  /** Where the refused lines are, with their texts and reasons. */
  rejectedFile?: string;
}

/** The file says more of its testimonials than can be kept. */
export class HistoryRefused extends Error {
  override name = 'HistoryRefused';
}

/**
 * Imports a file, or what of it an earlier run that was stopped did not. Nothing is stored twice, however often it is
 * stopped and started. What is stored comes from a copy of the file: that may change meanwhile.
 * @throws {HistoryRefused} nothing was stored
 */
export async function importFile(
  deps: ImportDependencies,
  organization: string,
  { dryRun, asNew, ...fileOptions }: ImportOptions,
): Promise<ImportReport> {
  const onBytes = (bytes: number, size: number) => deps.progress(bytes, size, 'read');
  const copy = await ownCopyOf(fileOptions.file, onBytes);
  const rejected = rejectedLines(fileOptions.file);
  try {
    const source = { ...fileOptions, copy };
    return await importCopy(deps, organization, source, { dryRun, asNew, rejected });
  } finally {
    copy.discard();
    rejected.discard();
  }
}

async function importCopy(
  deps: ImportDependencies,
  organization: string,
  source: Source,
  { dryRun, asNew, rejected }: Pick<ImportOptions, 'dryRun' | 'asNew'> & { rejected: RejectedLines },
): Promise<ImportReport> {
  const { jobs, now, progress } = deps;
  const { file, copy } = source;
  const fingerprint = fingerprintOf(source, asNew ? 'as new' : 'as it was');
  let job = await jobs.find(organization, fingerprint);
  const wasImported = job?.step === 'ended';
  // The same lines are good each time.
  const time = job?.time ?? now().toISOString();
  const checked = await checkFile(source, {
    now: new Date(time),
    rejected,
    onBytes: (bytes) => progress(bytes, copy.size, 'checked'),
  });
  const count = checked.times.createdAt.length;
  if (job && job.count !== count) {
    throw new Error(
      `Another version of this program began to import ${file}, which took ${job.count} of its lines: end it with that.`,
    );
  }
  const hasHistory = checked.hasHistory && !asNew;
  const refuseHistory = () =>
    new HistoryRefused(
      `${organization} has, or had, testimonials: createdAt, updatedAt and status of the file cannot be kept there. Import it into an empty organization, or take --as-new to create all of them now, as pending.`,
    );
  if (!job && (await deps.index.readHead(organization))?.isLoading) {
    throw (await jobs.find(organization, fingerprint)) ? sameFile() : otherLoad(organization);
  }
  const mayBeFirst = job && job.step !== 'begun' ? job.isFirst : await isEmpty(deps, organization);
  if (!mayBeFirst && hasHistory) throw refuseHistory();
  const isAnother = job === undefined && !mayBeFirst;
  const repeated = isAnother ? await likelyRepeated(deps, organization, checked.sample) : undefined;
  const unended = isAnother ? await jobs.unended(organization) : [];
  if (unended.includes(fingerprint)) throw sameFile();
  const besideUnended = unended.length > 0;
  if (!dryRun && (repeated || besideUnended)) {
    await deps.confirmAgain({ repeated, besideUnended });
    // Run again, what was not ended would store the rest of its lines beside these.
    await jobs.giveUpOthers(organization, fingerprint);
  }
  // What an import that has ended refused was told then.
  const rejectedFile = dryRun || wasImported ? undefined : rejected.keep();

  const places = mayBeFirst && !asNew ? placesOf(checked.times) : undefined;
  const { refused, firstRefused, columns, hasIds } = checked;
  const reportOf = (isFirst: boolean): ImportReport => ({
    ...{ good: count, refused, firstRefused, keepsHistory: hasHistory, wasImported },
    ...(job?.isGivenUp && { wasGivenUp: true }),
    ...(repeated && { repeated }),
    ...(rejectedFile !== undefined && { rejectedFile }),
    ...(columns && { columns }),
    ...(hasIds && { ids: isFirst && places?.keepsIds ? 'kept' : 'replaced' }),
  });
  if (dryRun || wasImported || count === 0) return reportOf(mayBeFirst);
  const load: Load = {
    ...{ deps, organization, source, asNew, places, name: fingerprint },
    save: (next) => save(jobs, organization, fingerprint, next),
  };
  await deps.organizations.add(organization);
  job ??= await load.save({ count, time, isFirst: false, step: 'begun', blocks: [], revision: 0 });
  if (job.step === 'begun') {
    const isFirst = mayBeFirst && (await beginFirst(deps, load, job));
    if (!isFirst && hasHistory) throw refuseHistory();
    job = await load.save({ ...job, isFirst, step: 'storing' });
  }
  if (job.step === 'storing') {
    // A rebuild by hand may have shown what was stored, and taken the mark.
    if (job.isFirst) await markLoading(deps, organization);
    job = await (job.isFirst ? storeFirst : storeMore)(load, job);
    job = await load.save({ ...job, step: 'stored' });
  }
  if (job.step === 'stored') {
    const indexing: LoadDependencies = {
      ...deps,
      progress: (done, step) => progress(Math.min(done, count), count, step),
    };
    await (job.isFirst ? endLoad(indexing, organization) : awaitBlocks(indexing, organization, job));
    await load.save({ ...job, step: 'ended' });
  }
  return reportOf(job.isFirst);
}

async function save(
  jobs: ImportJobStore,
  organization: string,
  fingerprint: string,
  next: ImportJob,
): Promise<ImportJob> {
  const job = await jobs.replace(organization, fingerprint, next);
  if (job) return job;
  // Another run has done all there was to do.
  const there = await jobs.find(organization, fingerprint);
  if (there?.isGivenUp) throw new Error('This import was given up meanwhile, for another one.');
  if (there?.step === 'ended') return there;
  throw sameFile();
}

function sameFile(): Error {
  return new Error('The same file is being imported by somebody else: run this again when that has ended.');
}

/** @returns false when the organization is not empty any more */
async function beginFirst(
  deps: ImportDependencies,
  { organization, places, name }: Load,
  { count, time }: ImportJob,
): Promise<boolean> {
  if (await beginLoad(deps, organization, { last: places?.last ?? count, time, name })) return true;
  if (!(await deps.index.readHead(organization))?.isLoading) return false;
  throw otherLoad(organization);
}

function otherLoad(organization: string): Error {
  return new Error(
    `Another import or a seed of ${organization} has not ended: wait for it, or run it again where it was stopped, or show what it stored by index rebuild --organization ${organization}.`,
  );
}

async function awaitBlocks(
  deps: LoadDependencies,
  organization: string,
  { blocks }: ImportJob,
): Promise<void> {
  const from = blocks[0]?.ordinal ?? 1;
  const to = blocks.reduce((last, { ordinal, count }) => Math.max(last, ordinal + count - 1), 0);
  await awaitIndex(deps, organization, { from, to });
}
