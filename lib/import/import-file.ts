/** Importing a file of testimonials. */
import { randomInt } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { forEachAtOnce } from '../../functions/concurrency.ts';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { makeTestimonialId } from '../../functions/domain/testimonial-id.ts';
import {
  awaitIndex,
  beginLoad,
  counting,
  endLoad,
  isEmpty,
  type LoadDependencies,
} from '../load/load-testimonials.ts';
import { type CheckedFile, checkFile, type FileOptions, fingerprintOf, goodLines } from './check-file.ts';
import type { ImportJob, ImportJobStore } from './import-job.ts';
import { type ImportedLine, ordinalOfLine } from './imported-line.ts';
import { type Places, placesOf } from './places.ts';

export interface ImportDependencies extends Omit<LoadDependencies, 'progress'> {
  jobs: ImportJobStore;
  progress: (done: number, total: number, step: 'checked' | 'stored' | 'indexed') => void;
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
  keepsIds: boolean;
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
  const fingerprint = await fingerprintOf(fileOptions, asNew ? 'as new' : 'as it was');
  let job = await jobs.find(organization, fingerprint);
  // The same lines are good each time.
  const time = job?.time ?? now().toISOString();
  const { size } = await stat(options.file);
  const checked = await checkFile(fileOptions, {
    ...{ now: new Date(time), dryRun },
    onBytes: (bytes) => progress(bytes, size, 'checked'),
  });
  const good = checked.times.createdAt.length;
  const isFirst = job?.isFirst ?? (await isEmpty(deps, organization));
  if (!isFirst && checked.hasHistory && !asNew) {
    throw new HistoryRefused(
      `${organization} has testimonials: createdAt, updatedAt and status of the file cannot be kept there. Import it into an empty organization, or take --as-new to create all of them now, as pending.`,
    );
  }
  const places = isFirst && !asNew ? placesOf(checked.times) : undefined;
  const report: ImportReport = {
    ...{ good, refused: checked.refused, firstRefused: checked.firstRefused },
    ...(checked.columns && { columns: checked.columns }),
    ...{ keepsHistory: isFirst && !asNew && checked.hasHistory, keepsIds: places?.keepsIds ?? false },
    wasImported: job?.hasEnded ?? false,
  };
  if (dryRun || good === 0 || report.wasImported) return report;
  job ??= await beginJob(deps, organization, fingerprint, { time, isFirst, good });
  if (job.count !== good) throw new Error(`${options.file} has other good lines than when its import began.`);

  const load: Load = { deps, organization, fingerprint, fileOptions, asNew, places };
  if (job.isFirst) await loadFirst(load, job);
  else await loadMore(load, job);
  return report;
}

interface Load {
  deps: ImportDependencies;
  organization: string;
  fingerprint: string;
  fileOptions: FileOptions;
  asNew: boolean;
  /** Where the lines keep their times. */
  places: Places | undefined;
}

async function beginJob(
  { jobs, testimonials, now }: ImportDependencies,
  organization: string,
  fingerprint: string,
  { time, isFirst, good: count }: { time: string; isFirst: boolean; good: number },
): Promise<ImportJob> {
  const taken = isFirst ? undefined : await testimonials.takeOrdinals(organization, now(), count);
  const job: ImportJob = {
    ...{ count, time: taken?.time ?? time, isFirst, moved: {} },
    firstOrdinal: taken ? taken.ordinal - count + 1 : 1,
    firstUpdateOrdinal: taken ? taken.updateOrdinal - count + 1 : 1,
    ...{ hasBegun: taken !== undefined, hasEnded: false, revision: 0 },
  };
  return change(jobs, organization, fingerprint, job);
}

async function change(
  jobs: ImportJobStore,
  organization: string,
  fingerprint: string,
  next: ImportJob,
): Promise<ImportJob> {
  const job = await jobs.replace(organization, fingerprint, next);
  if (!job)
    throw new Error('The same file is being imported by somebody else: look again when that has ended.');
  return job;
}

/** The first testimonials of an organization: in any order, and shown all at once. */
async function loadFirst(load: Load, begun: ImportJob): Promise<void> {
  const { deps, organization, fingerprint, places } = load;
  let job = begun;
  if (!job.hasBegun) {
    if (!(await beginLoad(deps, organization, places?.last ?? job.count, job.time))) {
      throw new Error(
        `${organization} is not empty, or another import or seed of it was stopped: run that again, or show what it stored by index rebuild --organization ${organization}.`,
      );
    }
    job = await change(deps.jobs, organization, fingerprint, { ...job, hasBegun: true });
  }
  await store(load, job, () => true);
  await endLoad(loadOf(load, job), organization);
  await change(deps.jobs, organization, fingerprint, { ...job, hasEnded: true });
}

/** More testimonials: the newest of all, in the order of the file, shown as they are stored. */
async function loadMore(load: Load, begun: ImportJob): Promise<void> {
  const { deps, organization, fingerprint } = load;
  let job = begun;
  let sealed = await store(load, job, () => true);
  while (sealed.length > 0) {
    // The index passed their places while nobody took them. Nothing can stand there any more: they get others.
    const { ordinal, updateOrdinal, time } = await deps.testimonials.takeOrdinals(
      organization,
      deps.now(),
      sealed.length,
    );
    const moved = Object.fromEntries(
      sealed.map((number, i) => {
        const back = sealed.length - 1 - i;
        return [number, { ordinal: ordinal - back, updateOrdinal: updateOrdinal - back, time }];
      }),
    );
    job = await change(deps.jobs, organization, fingerprint, { ...job, moved: { ...job.moved, ...moved } });
    const again = new Set(sealed);
    sealed = await store(load, job, (number) => again.has(number));
  }
  const last = job.firstOrdinal + job.count - 1;
  const to = Math.max(last, ...Object.values(job.moved).map(({ ordinal }) => ordinal));
  await awaitIndex(loadOf(load, job), organization, { from: job.firstOrdinal, to });
  await change(deps.jobs, organization, fingerprint, { ...job, hasEnded: true });
}

function loadOf({ deps }: Load, { count }: ImportJob): LoadDependencies {
  return { ...deps, progress: (done, step) => deps.progress(Math.min(done, count), count, step) };
}

/** Stores good lines that are not there yet; returns the numbers of those whose places are sealed. */
async function store(load: Load, job: ImportJob, isWanted: (number: number) => boolean): Promise<number[]> {
  const { deps, organization, fileOptions } = load;
  const sealed: number[] = [];
  const stored = counting(loadOf(load, job).progress);
  const lines = goodLines(fileOptions, new Date(job.time));
  await forEachAtOnce(lines, async ({ number, imported }) => {
    if (!isWanted(number)) return;
    const made = testimonialOf(load, job, number, imported);
    // What was erased since stays so.
    if ((await deps.testimonials.insert(organization, made)) === 'sealed') sealed.push(number);
    stored();
  });
  return sealed.toSorted((a, b) => a - b);
}

function testimonialOf(
  { deps, places, asNew }: Load,
  job: ImportJob,
  number: number,
  imported: ImportedLine,
): StoredTestimonial {
  const { id, status, createdAt, updatedAt, updateOrdinal: _, ...input } = imported;
  const at = job.moved[number] ?? {
    ordinal: places?.ordinals[number] ?? job.firstOrdinal + number,
    updateOrdinal: places?.updateOrdinals[number] ?? job.firstUpdateOrdinal + number,
    time: job.time,
  };
  const keptId = places?.keepsIds && ordinalOfLine(imported) > 0 ? id : undefined;
  const timeOf = (time: number | undefined) =>
    time === undefined || asNew ? at.time : new Date(time).toISOString();
  return {
    testimonial: {
      ...input,
      id: keptId ?? makeTestimonialId(at.ordinal, randomInt),
      status: (asNew ? undefined : status) ?? 'pending',
      createdAt: timeOf(createdAt),
      updatedAt: timeOf(updatedAt ?? createdAt),
    },
    ...{ ordinal: at.ordinal, updateOrdinal: at.updateOrdinal, version: 1 },
    writtenAt: deps.now().toISOString(),
  };
}
