/** Undoing an import: what it stored and nobody has changed since is erased, so that the file can be imported again. */
import { setTimeout as wait } from 'node:timers/promises';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import { firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { eraseEach } from '../../../functions/operations/erase-testimonial.ts';
import {
  endLoad,
  generationAfter,
  type LoadDependencies,
  noteEnd,
  untilItsEnd,
} from '../load/load-testimonials.ts';
import { paceOf } from '../load/pace.ts';
import {
  type Block,
  type ImportJobStore,
  idOfImport,
  isStored,
  type StoredImport,
  type StoredJob,
} from './import-job.ts';
import { ImportRun, refuseElsewhere } from './import-run.ts';
import { placementOf } from './take-places.ts';

export interface UndoDependencies extends Omit<LoadDependencies, 'progress'> {
  jobs: ImportJobStore;
  /** Told how many of the places were looked at, or are erased, then what is indexed; while it waits, how many changes are outstanding. */
  progress: (done: number, total: number, step: 'looked' | 'erased' | 'indexed' | 'pacing') => void;
  /** Testimonials that are in memory at once. */
  pageLength?: number;
}

/** What an undo would do, or did. */
export interface Undo {
  /** When the import began, ISO 8601. */
  imported: string;
  /** Testimonials that nobody has changed. */
  erased: number;
  /** Testimonials that were changed since: they stay. */
  changed: number;
  /** Testimonials that are erased already. */
  gone: number;
  /** It was the first import of an empty organization: its lines count as created there, while something else is there. */
  isFirst: boolean;
}

/** An import by its id, or the imports of a file, by the SHA-256 of its bytes: neither its name matters nor how it was read. */
export type Undoable = { id: string } | { hash: string };

/**
 * Finds the import to undo: the last one, or first the one whose undo has not ended. Where all are undone, it is the last of them;
 * undefined where none has stored anything.
 */
export async function findUndoable(
  { jobs }: Pick<UndoDependencies, 'jobs'>,
  organization: string,
  what: Undoable,
): Promise<StoredImport | undefined> {
  const imports = (await jobs.all(organization)).filter(isStored);
  return undoneFirst(
    imports.filter(({ name, job }) => ('id' in what ? idOfImport(name) === what.id : job.hash === what.hash)),
  );
}

/** The one of some imports that is undone first; the last that was undone where none is left. */
export function undoneFirst(imports: readonly StoredImport[]): StoredImport | undefined {
  const last = (...steps: string[]) =>
    imports
      .filter(({ job }) => steps.includes(job.state))
      .reduce<StoredImport | undefined>((a, b) => (a && a.job.time > b.job.time ? a : b), undefined);
  return last('undoing') ?? last('storing', 'stored', 'ended') ?? last('undone');
}

/**
 * Counts what an undo would do.
 * @throws where another run is at the import
 */
export async function lookAtUndo(
  deps: UndoDependencies,
  organization: string,
  { name, job }: StoredImport,
): Promise<Undo> {
  refuseElsewhere(organization, job, deps.now());
  const { places, isFirst } = await placesOf(deps, { organization, name }, job);
  const begun = { places, isFirst, imported: job.time };
  return throughPlaces(deps, organization, begun, 'looked', async ({ there }) => {
    const erased = there.filter(isUnchanged).length;
    return { erased, changed: there.length - erased };
  });
}

/**
 * Undoes an import, or goes on with that. It may stop anywhere, and be repeated: what is erased stays erased, and what somebody
 * changes meanwhile stays. From its first step on the import is not gone on with: what a run of it still sends finds its places
 * taken. After the last step the file can be imported again.
 * @throws where another run is at the import
 */
export async function undoImport(
  deps: UndoDependencies,
  organization: string,
  { name, job: found }: StoredImport,
): Promise<Undo> {
  const { index, jobs, testimonials, progress, letEnd = untilItsEnd } = deps;
  const run = new ImportRun(deps, organization, { name, job: found });
  const done = found.state === 'undoing' ? (found.done ?? 0) : 0;
  const job = await run.save<StoredJob>({ ...found, state: 'undoing', done });
  const { places, isFirst, number } = await placesOf(deps, run, job);
  const begun = { places, isFirst, imported: job.time };
  const staying = new Set<number>();
  const { sleep = wait } = deps;
  const pace = paceOf(
    {
      ...deps,
      async sleep(milliseconds) {
        await run.showLife();
        await sleep(milliseconds);
      },
    },
    organization,
  );
  const erase = (signal: AbortSignal) =>
    throughPlaces(deps, organization, begun, 'erased', async ({ there, free }) => {
      signal.throwIfAborted();
      await run.showLife();
      // What a run that was stopped has sent may arrive until then.
      const late = await Promise.all(free.map((place) => testimonials.sealPlace(organization, place)));
      const all = [...there, ...late.filter((each) => each !== undefined)];
      const seen = all.filter(isUnchanged).map(({ testimonial }) => testimonial);
      const { done, already } = await eraseEach(deps, organization, seen, { pace });
      const erased = new Set([...done, ...already]);
      const changed = all.filter(({ testimonial }) => !erased.has(testimonial.id));
      for (const { ordinal } of changed) staying.add(ordinal);
      run.done += all.length;
      return { erased: done.length, changed: changed.length };
    });
  return run.whileAtIt(async () => {
    // It is free for another run before a second signal could end the process.
    const undone = await letEnd((signal) => run.whileAtIt(() => erase(signal)));
    if (number !== undefined) {
      const lines = places.flatMap((place, line) => (staying.has(place) ? line : []));
      await jobs.freePlacement(organization, number, lines);
    }
    // One that had not ended is still marked as under way.
    if ((await index.readHead(organization))?.load === name) {
      const indexing = { ...deps, progress: (count: number) => progress(count, places.length, 'indexed') };
      await endLoad(indexing, organization, await generationAfter(deps, organization));
    }
    await run.save({ ...job, state: 'undone' });
    await noteEnd(deps, organization, name);
    return undone;
  });
}

/**
 * The places by creation that lines of an import may have been sent to, whether it was the first of all, and the number of its
 * placement. One that stored beside what was there has no placement; its places are also those that were sealed.
 */
async function placesOf(
  deps: UndoDependencies,
  of: Pick<ImportRun, 'organization' | 'name'>,
  job: StoredJob,
): Promise<{ places: readonly number[]; isFirst: boolean; number?: number }> {
  if (job.isPlaced) {
    const { places, number } = await placementOf(deps, of);
    const isFirst = places.createdAt.some((place) => place >= firstPlace);
    return { places: places.createdAt.slice(0, job.highWater), isFirst, number };
  }
  const placesIn = ({ ordinal, count }: Block) => Array.from({ length: count }, (_, i) => ordinal + i);
  return { places: job.blocks.flatMap(placesIn), isFirst: false };
}

// A few dozen megabytes, were all texts as long as they can be.
const pageLengthAlways = 500;

/**
 * Goes through the places of an import.
 * @param work is given what stands at some places, and those of them where nothing ever was; returns how many testimonials it has
 *   erased, or would, and how many were changed
 */
async function throughPlaces(
  { testimonials, progress, pageLength = pageLengthAlways }: UndoDependencies,
  organization: string,
  { places, ...always }: Pick<Undo, 'imported' | 'isFirst'> & { places: readonly number[] },
  step: 'looked' | 'erased',
  work: (page: { there: StoredTestimonial[]; free: number[] }) => Promise<Pick<Undo, 'erased' | 'changed'>>,
): Promise<Undo> {
  const found: Undo = { ...always, erased: 0, changed: 0, gone: 0 };
  for (let i = 0; i < places.length; i += pageLength) {
    const some = places.slice(i, i + pageLength);
    const there = await testimonials.findMany(organization, some);
    const taken = new Set(there.map(({ ordinal }) => ordinal));
    const others = some.filter((place) => !taken.has(place));
    const gone = (await testimonials.findErased(organization, others)).map(ordinalOf);
    const { erased, changed } = await work({ there, free: others.filter((place) => !gone.includes(place)) });
    found.erased += erased;
    found.changed += changed;
    found.gone += gone.length;
    progress(Math.min(i + pageLength, places.length), places.length, step);
  }
  return found;
}

/** Whether nobody has changed it. Its version does not tell: an index update raises that, too, where a change was on its way. */
function isUnchanged({ previousUpdateOrdinal }: StoredTestimonial): boolean {
  return previousUpdateOrdinal === undefined;
}
