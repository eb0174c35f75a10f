/** Undoing an import: what it stored and nobody has changed since is erased, so that the file can be imported again. */
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import { firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { eraseEach } from '../../../functions/operations/erase-testimonial.ts';
import { ownCopyOf } from '../files/own-copy.ts';
import { minuteOf } from '../terminal/formatting.ts';
import type { ImportJobStore, JobBeside, NamedImport, PlacedJob } from './import-job.ts';
import { placementOf } from './take-places.ts';

export interface UndoDependencies {
  testimonials: TestimonialStore;
  jobs: ImportJobStore;
  now: () => Date;
  /** Told how many of the lines were looked at, or erased. */
  progress?: (done: number, total: number, step: 'looked' | 'erased') => void;
  /** Testimonials that are in memory at once. */
  pageLength?: number;
}

type StoredImport = NamedImport<PlacedJob | JobBeside>;

/** An import that can be undone, and what that does. */
export interface Undo extends StoredImport {
  /** Testimonials that nobody has changed: they are erased. */
  unchanged: number;
  /** Those that were changed since: they stay. */
  changed: number;
  /** Those that are erased already. */
  gone: number;
  /**
   * What is later cannot be imported with its times afterwards, ISO 8601: the import was the first into an empty organization, and
   * its lines count as created there.
   */
  endOfPast?: string;
}

/** What an undo has done. */
export interface UndoReport extends Pick<Undo, 'changed' | 'gone'> {
  /** When the import began, ISO 8601. */
  imported: string;
  erased: number;
}

/** What there is to undo of a file. */
export type UndoStep =
  | { kind: 'undo'; of: StoredImport }
  /** All of its imports were undone; the last of them. */
  | { kind: 'end'; of: NamedImport }
  | { kind: 'refuse'; why: 'nothing stored' }
  | { kind: 'refuse'; why: 'not ended' | 'given up'; of: NamedImport };

/** Decides which of the imports of a file is undone: the last one, or first the one whose undo has not ended. */
export function undoStep(imports: readonly NamedImport[]): UndoStep {
  const last = (steps: readonly string[]) =>
    imports
      .filter(({ job }) => steps.includes(job.step))
      .reduce<NamedImport | undefined>((a, b) => (a && a.job.time > b.job.time ? a : b), undefined);
  const of = last(['undoing']) ?? last(['storing', 'stored', 'ended']);
  if (of && isStored(of)) {
    const hasEnded = of.job.step === 'undoing' || of.job.step === 'ended';
    return hasEnded ? { kind: 'undo', of } : { kind: 'refuse', why: 'not ended', of };
  }
  const lost = last(['givenUp']);
  if (lost) return { kind: 'refuse', why: 'given up', of: lost };
  const undone = last(['undone']);
  return undone ? { kind: 'end', of: undone } : { kind: 'refuse', why: 'nothing stored' };
}

function isStored(of: NamedImport): of is StoredImport {
  return 'isPlaced' in of.job;
}

/** What there is to undo of a file, by its bytes: neither its name matters nor how it was read. */
export async function findUndoStep(
  { jobs }: Pick<UndoDependencies, 'jobs'>,
  organization: string,
  file: string,
): Promise<UndoStep> {
  const copy = await ownCopyOf(file);
  copy.discard();
  return undoStep(await jobs.ofFile(organization, copy.hash));
}

/** @throws always: nothing of the file can be undone, and why */
export function refuseUndo(
  step: Extract<UndoStep, { kind: 'refuse' }>,
  { file, organization }: { file: string; organization: string },
): never {
  switch (step.why) {
    case 'nothing stored':
      throw new Error(
        `No import of ${file} into ${organization} is there to undo. It is found by the file, which has to be as it was then, byte for byte.`,
      );
    case 'not ended':
      throw new Error(
        `The import of ${file} of ${minuteOf(step.of.job.time)} has not ended: run it again to end it, then undo it.`,
      );
    case 'given up':
      throw new Error(
        `The import of ${file} of ${minuteOf(step.of.job.time)} was given up for another one, and cannot be undone: erase what it stored by testimonial erase.`,
      );
  }
}

/** Counts what an undo would do. */
export async function lookAtUndo(
  deps: UndoDependencies,
  organization: string,
  of: StoredImport,
): Promise<Undo> {
  const { progress = () => {} } = deps;
  const { count } = of.job;
  let [unchanged, changed] = [0, 0];
  const places = await placesOf(deps, organization, of);
  for await (const { page, done } of storedAt(deps, organization, places)) {
    const same = page.filter(isUnchanged).length;
    unchanged += same;
    changed += page.length - same;
    progress(Math.min(done, count), count, 'looked');
  }
  const isFirst = of.job.isPlaced && places.some((place) => place >= firstPlace);
  const { firstTime } = (isFirst && (await deps.testimonials.counted(organization))) || {};
  return {
    ...{ ...of, unchanged, changed, gone: count - unchanged - changed },
    ...(firstTime !== undefined && { endOfPast: firstTime }),
  };
}

/**
 * Undoes an import that has ended, or goes on with that. It may stop anywhere, and be repeated: what is erased stays erased, and
 * what somebody changes meanwhile stays. From its first step on the import is not gone on with; after its last one the file
 * can be imported again.
 * @throws when the import was changed otherwise meanwhile
 */
export async function undoImport(
  deps: UndoDependencies,
  organization: string,
  { name, job: found }: StoredImport,
): Promise<UndoReport> {
  const { jobs, progress = () => {} } = deps;
  const job = await advance(deps, organization, { name, job: found }, 'undoing');
  const { count, time } = job;
  const places = await placesOf(deps, organization, { name, job });
  const staying = new Set<number>();
  let erased = 0;
  for await (const { page, done } of storedAt(deps, organization, places)) {
    const [same, others] = [page.filter(isUnchanged), page.filter((each) => !isUnchanged(each))];
    const tally = await eraseEach(
      deps,
      organization,
      same.map(({ testimonial }) => testimonial),
    );
    const stay = [...others, ...same.filter(({ testimonial }) => tally.conflict.includes(testimonial.id))];
    for (const { ordinal } of stay) staying.add(ordinal);
    erased += tally.done.length;
    progress(Math.min(done, count), count, 'erased');
  }
  if (job.isPlaced) {
    const lines = Uint32Array.from(places.flatMap((place, line) => (staying.has(place) ? line : [])));
    await jobs.freePlacement(organization, job.number, lines);
  }
  await advance(deps, organization, { name, job }, 'undone');
  return { imported: time, erased, changed: staying.size, gone: count - erased - staying.size };
}

/** Writes the next step of an undo, unless another run has; its steps follow each other in one order only. */
async function advance(
  { jobs }: UndoDependencies,
  organization: string,
  { name, job: found }: StoredImport,
  step: 'undoing' | 'undone',
): Promise<PlacedJob | JobBeside> {
  const before = { undoing: 'ended', undone: 'undoing' }[step];
  let job: PlacedJob | JobBeside = found;
  while (job.step === before) {
    const next = await jobs.replace(organization, name, { ...job, step });
    if (next) return next;
    const there = await jobs.find(organization, name);
    if (!there || !('isPlaced' in there))
      throw new Error('The import was changed meanwhile: run this again.');
    job = there;
  }
  return job;
}

/** The places of an import by creation; of one that stored beside what was there, also those that were sealed. */
async function placesOf(
  deps: UndoDependencies,
  organization: string,
  { job }: StoredImport,
): Promise<number[]> {
  if (job.isPlaced) return Array.from((await placementOf(deps, organization, job)).places.createdAt);
  return job.blocks.flatMap(({ ordinal, count }) => Array.from({ length: count }, (_, i) => ordinal + i));
}

// A few dozen megabytes, were all texts as long as they can be.
const pageLengthAlways = 500;

/** What stands at some places, page after page; `done` places were read by then. */
async function* storedAt(
  { testimonials, pageLength = pageLengthAlways }: UndoDependencies,
  organization: string,
  places: readonly number[],
): AsyncGenerator<{ page: StoredTestimonial[]; done: number }, void, undefined> {
  for (let i = 0; i < places.length; i += pageLength) {
    const some = places.slice(i, i + pageLength);
    yield { page: await testimonials.findMany(organization, some), done: i + some.length };
  }
}

/** Whether nobody has changed it. Its version does not tell: a fold raises that, too, where a change was on its way. */
function isUnchanged({ previousUpdateOrdinal }: StoredTestimonial): boolean {
  return previousUpdateOrdinal === undefined;
}
