/** Storing lines, each at a place that every run finds again. */
import { createHash } from 'node:crypto';
import { forEachAtOnce } from '../../../functions/concurrency.ts';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import { makeTestimonialId } from '../../../functions/domain/testimonial-id.ts';
import type { Block, JobBeside, PlacedJob } from './import-job.ts';
import type { ImportRun } from './import-run.ts';
import { type ImportedLine, ordinalOfLine } from './imported-line.ts';
import type { Placement } from './placement.ts';
import { byLine, keepsIds, type LineOrders } from './places.ts';

export interface LineStorage {
  testimonials: TestimonialStore;
  now: () => Date;
  /** Told how many lines are stored. */
  progress: (done: number) => void;
  linesABlock?: number | undefined;
  signal: AbortSignal;
}

/** A testimonial but for what tells it from every other. */
interface At {
  ordinal: number;
  updateOrdinal: number;
  /** ISO 8601, where the line has no time. */
  time: string;
}

/** Stores lines at the places that were taken for them, in any order. What was erased since stays so. */
export async function storePlaced(
  deps: LineStorage,
  run: ImportRun,
  job: PlacedJob,
  orders: LineOrders,
  { places }: Placement,
): Promise<void> {
  const { lines, order } = orders;
  const ordinals = byLine(order.createdAt, places.createdAt);
  const updateOrdinals = byLine(order.updatedAt, places.updatedAt);
  const keeps = keepsIds(orders, places);
  await forEachLine(deps, run, { lines, numbers: lines.keys() }, async (line, number) => {
    const { time } = job;
    const at = { ordinal: ordinals[number] ?? 0, updateOrdinal: updateOrdinals[number] ?? 0, time };
    const id = keeps && ordinalOfLine(line) > 0 ? line.id : undefined;
    const made = testimonialOf(line, at, deps.now(), id ?? idOf(run.name, number, at.ordinal));
    const stored = await deps.testimonials.insert(run.organization, made);
    if (stored !== 'sealed' && stored !== 'taken') return true;
    // Where it was undone meanwhile, this says so.
    await run.save(job);
    throw new Error(
      `Something else has the place ${at.ordinal} of ${run.organization}, which was the import's: run index verify --organization ${run.organization}.`,
    );
  });
}

// Their places are taken when they are next: the index passes places that stay free, one after another.
const leastLinesABlock = 1000;
// The job has them all, in one item.
const mostBlocks = 1000;

/** Stores more testimonials: the newest of all, in the order of the lines. What was erased since stays so. */
export async function storeBeside(
  deps: LineStorage,
  run: ImportRun,
  begun: JobBeside,
  lines: readonly ImportedLine[],
): Promise<JobBeside> {
  const { testimonials, now, linesABlock = leastLinesABlock } = deps;
  const { name, organization } = run;
  let job = begun;
  const takeBlock = async (numbers: readonly number[]): Promise<Block> => {
    const count = numbers.length;
    const [line = 0] = numbers;
    const last = await testimonials.takeOrdinals(organization, now(), count);
    const block = {
      ...{ line, count, time: last.time },
      ...((numbers.at(-1) ?? 0) - line >= count && { lines: [...numbers] }),
      ordinal: last.ordinal - count + 1,
      updateOrdinal: last.updateOrdinal - count + 1,
    };
    job = await run.save({ ...job, blocks: [...job.blocks, block] });
    return block;
  };
  /** Stores each line in the first of some blocks whose place is not sealed; returns those that no block has a place for. */
  const put = async (numbers: Iterable<number>, blocks: readonly Block[]): Promise<number[]> => {
    const left: number[] = [];
    await forEachLine(deps, run, { lines, numbers }, async (line, number) => {
      for (const block of blocks) {
        const at = placeIn(block, number);
        if (!at) continue;
        const made = testimonialOf(line, at, now(), idOf(name, number, at.ordinal));
        const stored = await testimonials.insert(organization, made);
        if (stored !== 'sealed' && stored !== 'taken') return true;
      }
      left.push(number);
      return false;
    });
    return left.sort((a, b) => a - b);
  };
  const size = Math.max(linesABlock, Math.ceil(lines.length / mostBlocks));
  let left = await put(lines.keys(), job.blocks);
  while (left.length > 0) {
    const sealed: number[] = [];
    for (let i = 0; i < left.length; i += size) {
      const some = left.slice(i, i + size);
      sealed.push(...(await put(some, [await takeBlock(some)])));
    }
    // The index passed their places while nobody took them.
    left = sealed;
  }
  return job;
}

/** The place that a line has in a block. */
function placeIn({ line, count, lines, time, ...first }: Block, number: number): At | undefined {
  const i = lines ? lines.indexOf(number) : number - line;
  if (i < 0 || i >= count) return undefined;
  return { ordinal: first.ordinal + i, updateOrdinal: first.updateOrdinal + i, time };
}

/**
 * Does work for some lines, for several at once, until the signal.
 * @param work returns whether the line is stored
 */
async function forEachLine(
  { progress, signal }: LineStorage,
  run: ImportRun,
  { lines, numbers }: { lines: readonly ImportedLine[]; numbers: Iterable<number> },
  work: (line: ImportedLine, number: number) => Promise<boolean>,
): Promise<void> {
  async function* inTurn() {
    for (const number of numbers) {
      signal.throwIfAborted();
      await run.showLife();
      const line = lines[number];
      if (line) yield { line, number };
    }
  }
  await forEachAtOnce(inTurn(), async ({ line, number }) => {
    if (!(await work(line, number))) return;
    run.done += 1;
    progress(run.done);
  });
}

/** The id of a line at a place: the same in every run, so that each knows what is there for its own. */
function idOf(name: string, number: number, ordinal: number): string {
  const digits = createHash('sha256').update(`${name} ${number}`).digest().readUIntBE(0, 6);
  return makeTestimonialId(ordinal, (min, max) => min + (digits % (max - min)));
}

/** The testimonial of a line at its places. */
function testimonialOf(
  { id: _, status = 'pending', createdAt, updatedAt = createdAt, updateOrdinal: __, ...input }: ImportedLine,
  { ordinal, updateOrdinal, time }: At,
  now: Date,
  id: string,
): StoredTestimonial {
  const written = (milliseconds: number | undefined) =>
    milliseconds === undefined ? time : new Date(milliseconds).toISOString();
  const testimonial = { ...input, id, status, createdAt: written(createdAt), updatedAt: written(updatedAt) };
  return { testimonial, ordinal, updateOrdinal, version: 1, isLoaded: true, writtenAt: now.toISOString() };
}
