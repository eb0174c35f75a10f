/** Importing a file of testimonials. */
import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { OrganizationStore } from '../../functions/domain/stores.ts';
import { awaitIndex, beginLoad, endLoad, isEmpty, type LoadDependencies } from '../load/load-testimonials.ts';
import { type CheckedFile, checkFile, type FileOptions, fingerprintOf } from './check-file.ts';
import type { ImportJob, ImportJobStore } from './import-job.ts';
import { placesOf } from './places.ts';
import { type Load, storeFirst, storeMore } from './store-lines.ts';

export interface ImportDependencies extends Omit<LoadDependencies, 'progress'> {
  jobs: ImportJobStore;
  organizations: Pick<OrganizationStore, 'add'>;
  progress: (done: number, total: number, step: 'checked' | 'stored' | 'indexed') => void;
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
}

/** The file says more of its testimonials than can be kept. */
export class HistoryRefused extends Error {
  override name = 'HistoryRefused';
}

/**
 * Imports a file, or what of it an earlier run that was stopped did not. Nothing is stored twice, however often it is
 * stopped and started.
 * @throws {HistoryRefused} nothing was stored
 */
export async function importFile(
  deps: ImportDependencies,
  organization: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const { jobs, now, progress } = deps;
  const { dryRun, asNew, ...fileOptions } = options;
  const { size, assertUnchanged } = await lookAt(options.file);
  const fingerprint = await fingerprintOf(fileOptions, asNew ? 'as new' : 'as it was');
  let job = await jobs.find(organization, fingerprint);
  const wasImported = job?.step === 'ended';
  // The same lines are good each time.
  const time = job?.time ?? now().toISOString();
  const checked = await checkFile(fileOptions, {
    now: new Date(time),
    // What an import that has ended refused may be mended by now.
    writesRejected: !dryRun && !wasImported,
    onBytes: (bytes) => progress(bytes, size, 'checked'),
  });
  const count = checked.times.createdAt.length;
  const hasHistory = checked.hasHistory && !asNew;
  const refuseHistory = () =>
    new HistoryRefused(
      `${organization} has, or had, testimonials: createdAt, updatedAt and status of the file cannot be kept there. Import it into an empty organization, or take --as-new to create all of them now, as pending.`,
    );
  const mayBeFirst = job && job.step !== 'begun' ? job.isFirst : await isEmpty(deps, organization);
  if (!mayBeFirst && hasHistory) throw refuseHistory();

  const places = mayBeFirst && !asNew ? placesOf(checked.times) : undefined;
  const { refused, firstRefused, columns, hasIds } = checked;
  const reportOf = (isFirst: boolean): ImportReport => ({
    ...{ good: count, refused, firstRefused, keepsHistory: hasHistory, wasImported },
    ...(columns && { columns }),
    ...(hasIds && { ids: isFirst && places?.keepsIds ? 'kept' : 'replaced' }),
  });
  if (dryRun || wasImported || count === 0) return reportOf(mayBeFirst);
  const load: Load = {
    ...{ deps, organization, fileOptions, asNew, places },
    save: (next) => save(jobs, organization, fingerprint, next),
  };
  await assertUnchanged();
  await deps.organizations.add(organization);
  job ??= await load.save({ count, time, isFirst: false, step: 'begun', blocks: [], revision: 0 });
  if (job.step === 'begun') {
    const isFirst = mayBeFirst && (await beginFirst(deps, load, job, fingerprint));
    if (!isFirst && hasHistory) throw refuseHistory();
    job = await load.save({ ...job, isFirst, step: 'storing' });
  }
  if (job.step === 'storing') {
    job = await (job.isFirst ? storeFirst : storeMore)(load, job);
    await assertUnchanged();
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

/** A file that is read several times. */
async function lookAt(file: string): Promise<{ size: number; assertUnchanged: () => Promise<void> }> {
  const look = () =>
    stat(file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new Error(`There is no file ${file}.`) : error;
    });
  const before = await look();
  if (!before.isFile()) throw new Error(`${file} is not a regular file, and import reads it more than once.`);
  return {
    size: before.size,
    async assertUnchanged() {
      const { size, mtimeMs } = await look();
      if (size === before.size && mtimeMs === before.mtimeMs) return;
      throw new Error(`${file} was changed while it was read: put it back as it was, and run this again.`);
    },
  };
}

async function save(
  jobs: ImportJobStore,
  organization: string,
  fingerprint: string,
  next: ImportJob,
): Promise<ImportJob> {
  const job = await jobs.replace(organization, fingerprint, next);
  if (job) return job;
  const there = await jobs.find(organization, fingerprint);
  // The SDK repeated the write, which had arrived; or another run has done the same, or all there was to do.
  const isSame = isDeepStrictEqual(there, { ...next, revision: next.revision + 1 });
  if (there && (isSame || there.step === 'ended')) return there;
  throw new Error('The same file is being imported by somebody else: run this again when that has ended.');
}

/** @returns false when the organization is not empty any more */
async function beginFirst(
  deps: ImportDependencies,
  { organization, places }: Load,
  { count, time }: ImportJob,
  name: string,
): Promise<boolean> {
  if (await beginLoad(deps, organization, { last: places?.last ?? count, time, name })) return true;
  if (!(await deps.index.readHead(organization))?.isLoading) return false;
  throw new Error(
    `Another import or a seed of ${organization} was stopped before its end: run that again, or show what it stored by index rebuild --organization ${organization}.`,
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
