/**
 * Undoes an import: erases the testimonials that it stored and no one has changed, so that the file can be
 * imported again.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';
import { paceOf } from '../../../functions/testimonials/list-index/write/await-index.ts';
import { eraseEach } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { endLoad, type LoadDependencies, noteEnd, untilItsEnd } from '../load/load-testimonials.ts';
import {
  type Block,
  type ImportJobStore,
  idOfImport,
  isStored,
  type StoredImport,
  type StoredJob,
} from './import-job.ts';
import { ImportRun, refuseIfClaimed } from './import-run.ts';
import { placementOf } from './store-import.ts';

export interface UndoDependencies extends Omit<LoadDependencies, 'progress'> {
  jobs: ImportJobStore;
  /**
   * Called with the number of positions read or erased, of testimonials indexed, and during a pause of
   * outstanding changes.
   */
  progress: (done: number, total: number, step: 'looked' | 'erased' | 'indexed' | 'pacing') => void;
  /** Testimonials in memory at once. */
  pageLength?: number;
}

/** The result of an undo or its preview. */
export interface Undo {
  /** When the import began, ISO 8601. */
  imported: string;
  erased: number;
  /** Testimonials that stay because someone changed them. */
  changed: number;
  /** Testimonials that were erased before. */
  gone: number;
  /** True for the first import of an organization. Its lines can end the history for later imports. */
  isFirst: boolean;
}

/** An import by its id, or all imports of a file by the SHA-256 of its bytes. */
export type Undoable = { id: string } | { hash: string };

/**
 * Returns the import to undo: one whose undo has not ended, else the last import, else the last undone
 * import.
 */
export async function findUndoable(
  { jobs }: { jobs: Pick<ImportJobStore, 'all'> },
  organization: string,
  target: Undoable,
): Promise<StoredImport | undefined> {
  const imports = (await jobs.all(organization))
    .filter(isStored)
    .filter(({ name, job }) => ('id' in target ? idOfImport(name) === target.id : job.hash === target.hash))
    .toSorted((a, b) => a.job.time.localeCompare(b.job.time));
  const last = (...states: string[]) => imports.findLast(({ job }) => states.includes(job.state));
  return last('undoing') ?? last('storing', 'stored', 'ended') ?? last('undone');
}

/**
 * Counts the testimonials that an undo would erase or keep.
 * @throws when another run works on the import
 */
export async function lookAtUndo(deps: UndoDependencies, organization: string, { name, job }: StoredImport) {
  refuseIfClaimed(organization, job, deps.now());
  const { undo } = await positionsOf(deps, organization, { name, job });
  return throughPositions(deps, organization, undo, 'looked', async ({ stored }) => {
    const erased = stored.filter(isUnchanged).length;
    return { erased, changed: stored.length - erased };
  });
}

/**
 * Undoes an import, or continues an undo that was stopped. Testimonials that someone changes meanwhile stay.
 * Once the undo has begun, the import cannot continue: lines that a run of it still sends find their
 * positions sealed.
 * @throws when another run works on the import
 */
export async function undoImport(
  deps: UndoDependencies,
  organization: string,
  { name, job: last }: StoredImport,
): Promise<Undo> {
  const { index, jobs, progress, letEnd = untilItsEnd } = deps;
  const run = new ImportRun(deps, organization, { name, job: last });
  const done = last.state === 'undoing' ? (last.done ?? 0) : 0;
  const job = await run.save<StoredJob>({ ...last, state: 'undoing', done });
  const { undo, number } = await positionsOf(deps, organization, { name, job });
  const { positions } = undo;
  const staying = new Set<number>();
  return run.underClaim(async () => {
    // Gives up the claim before a second signal can end the process.
    const undone = await letEnd((signal) =>
      run.underClaim(() => {
        const erase = eraser(deps, run, staying, signal);
        return throughPositions(deps, organization, undo, 'erased', erase);
      }),
    );
    if (number !== undefined) {
      const lines = positions.flatMap((position, line) => (staying.has(position) ? line : []));
      await jobs.freePlacement(organization, number, lines);
    }
    // An unfinished import still marks the organization.
    if ((await index.readHead(organization))?.load === name) {
      const indexing = { ...deps, progress: (count: number) => progress(count, positions.length, 'indexed') };
      await endLoad(indexing, organization);
    }
    await run.save({ ...job, state: 'undone' });
    await noteEnd(deps, organization, name);
    return undone;
  });
}

type PageWork = (page: {
  stored: StoredTestimonial[];
  free: number[];
}) => Promise<Pick<Undo, 'erased' | 'changed'>>;

/**
 * Returns a function that erases the unchanged testimonials of a page, and adds the ordinals of the others to
 * `staying`.
 */
function eraser(deps: UndoDependencies, run: ImportRun, staying: Set<number>, signal: AbortSignal): PageWork {
  const { testimonials, sleep = wait } = deps;
  const { organization } = run;
  const pacing = {
    ...deps,
    async sleep(milliseconds: number) {
      await run.renewClaim();
      await sleep(milliseconds);
    },
  };
  const pace = paceOf(pacing, organization);
  return async ({ stored, free }) => {
    signal.throwIfAborted();
    await run.renewClaim();
    // Lines of a stopped run can arrive until their positions are sealed.
    const late = await Promise.all(free.map((position) => testimonials.sealPosition(organization, position)));
    const all = [...stored, ...late.filter((arrived) => arrived !== undefined)];
    const unchanged = all.filter(isUnchanged).map(({ testimonial }) => testimonial);
    const { done, already } = await eraseEach(deps, organization, unchanged, { pace });
    const erased = new Set([...done, ...already]);
    const changed = all.filter(({ testimonial }) => !erased.has(testimonial.id));
    for (const { ordinal } of changed) staying.add(ordinal);
    run.done += all.length;
    return { erased: done.length, changed: changed.length };
  };
}

/**
 * Returns the positions that may store lines, in the order of creation, and the number of the placement, if
 * there is one.
 */
async function positionsOf({ jobs }: UndoDependencies, organization: string, { name, job }: StoredImport) {
  const imported = job.time;
  if (job.isPlaced) {
    const { positions, number } = await placementOf(jobs, organization, name);
    const isFirst = positions.createdAt.some((position) => position >= firstPosition);
    return { number, undo: { isFirst, imported, positions: positions.createdAt.slice(0, job.highWater) } };
  }
  const positionsIn = ({ ordinal, count }: Block) => Array.from({ length: count }, (_, i) => ordinal + i);
  return { undo: { isFirst: false, imported, positions: job.blocks.flatMap(positionsIn) } };
}

// A few dozen megabytes if all texts are as long as they can be.
const defaultPageLength = 500;

/**
 * Reads the positions of an import page by page, and sums the results of `work` on the stored testimonials
 * and free positions.
 */
async function throughPositions(
  { testimonials, progress, pageLength = defaultPageLength }: UndoDependencies,
  organization: string,
  { positions, ...undo }: Awaited<ReturnType<typeof positionsOf>>['undo'],
  step: 'looked' | 'erased',
  work: PageWork,
): Promise<Undo> {
  const sum: Undo = { ...undo, erased: 0, changed: 0, gone: 0 };
  for (let i = 0; i < positions.length; i += pageLength) {
    const page = positions.slice(i, i + pageLength);
    const stored = await testimonials.findMany(organization, page);
    const taken = new Set(stored.map(({ ordinal }) => ordinal));
    const others = page.filter((position) => !taken.has(position));
    const gone = new Set((await testimonials.findErased(organization, others)).map(ordinalOf));
    const free = others.filter((position) => !gone.has(position));
    const { erased, changed } = await work({ stored, free });
    sum.erased += erased;
    sum.changed += changed;
    sum.gone += gone.size;
    progress(Math.min(i + pageLength, positions.length), positions.length, step);
  }
  return sum;
}

/**
 * True if no one has changed the testimonial. Its version also rises when an index update stops a pending
 * change.
 */
function isUnchanged({ previousUpdateOrdinal }: StoredTestimonial): boolean {
  return previousUpdateOrdinal === undefined;
}
