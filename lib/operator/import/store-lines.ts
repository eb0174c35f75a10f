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

/** Where a line is put. */
interface At {
  ordinal: number;
  updateOrdinal: number;
  /** ISO 8601, where the line has no time. */
  time: string;
  /** The line's own, where that is kept. */
  id?: string | undefined;
}

// Each block costs a write of the job, and an undo closes what is left of the last one.
const leastLinesABlock = 1000;

/**
 * Stores lines at the places that were taken for them, block after block in the order of creation; before it sends a block, it
 * raises the high-water mark (rule 36). A testimonial that was erased since stays erased.
 */
export async function storePlaced(
  deps: LineStorage,
  run: ImportRun,
  begun: PlacedJob,
  orders: LineOrders,
  { places }: Placement,
): Promise<PlacedJob> {
  const { linesABlock = leastLinesABlock } = deps;
  const { lines, order } = orders;
  const ordinals = byLine(order.createdAt, places.createdAt);
  const updateOrdinals = byLine(order.updatedAt, places.updatedAt);
  const keeps = keepsIds(orders, places);
  const placeOf = (number: number) => {
    const id = keeps && lines[number] && ordinalOfLine(lines[number]) > 0 ? lines[number].id : undefined;
    const at = { ordinal: ordinals[number] ?? 0, updateOrdinal: updateOrdinals[number] ?? 0 };
    return [{ ...at, time: begun.time, id }];
  };
  let job = begun;
  for (let i = 0; i < lines.length; i += linesABlock) {
    const some = order.createdAt.slice(i, i + linesABlock);
    const highWater = i + some.length;
    if ((job.highWater ?? lines.length) < highWater) job = await run.save({ ...job, highWater });
    const [first] = await put(deps, run, lines, some, placeOf);
    if (first === undefined) continue;
    // Where it was undone meanwhile, this says so.
    await run.save(job);
    throw new Error(
      `Something else has the place ${ordinals[first]} of ${run.organization}, which was the import's: run index verify --organization ${run.organization}.`,
    );
  }
  return job;
}

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
  let job = begun;
  // Their places are taken when they are next: the index passes places that stay free, one after another.
  const takeBlock = async (numbers: readonly number[]): Promise<Block> => {
    const count = numbers.length;
    const [line = 0] = numbers;
    const last = await testimonials.takeOrdinals(run.organization, now(), count);
    const block = {
      line,
      count,
      time: last.time,
      ...((numbers.at(-1) ?? 0) - line >= count && { lines: [...numbers] }),
      ordinal: last.ordinal - count + 1,
      updateOrdinal: last.updateOrdinal - count + 1,
    };
    job = await run.save({ ...job, blocks: [...job.blocks, block] });
    return block;
  };
  const size = Math.max(linesABlock, Math.ceil(lines.length / mostBlocks));
  let left = await put(deps, run, lines, lines.keys(), (number) => placesIn(begun.blocks, number));
  while (left.length > 0) {
    const sealed: number[] = [];
    for (let i = 0; i < left.length; i += size) {
      const some = left.slice(i, i + size);
      const block = await takeBlock(some);
      sealed.push(...(await put(deps, run, lines, some, (number) => placesIn([block], number))));
    }
    // The index passed their places while nobody took them.
    left = sealed;
  }
  return job;
}

/** The places that a line has in some blocks. */
function placesIn(blocks: readonly Block[], number: number): At[] {
  return blocks.flatMap(({ line, count, lines, time, ...first }) => {
    const i = lines ? lines.indexOf(number) : number - line;
    if (i < 0 || i >= count) return [];
    return { ordinal: first.ordinal + i, updateOrdinal: first.updateOrdinal + i, time };
  });
}

/**
 * Stores lines, several at once, each at the first of its places that is not closed.
 * @returns the lines that have none, by their numbers, ascending
 */
async function put(
  { testimonials, now, progress, signal }: LineStorage,
  run: ImportRun,
  lines: readonly ImportedLine[],
  numbers: Iterable<number>,
  placesOf: (number: number) => At[],
): Promise<number[]> {
  const left: number[] = [];
  async function* inTurn() {
    for (const number of numbers) {
      signal.throwIfAborted();
      await run.showLife();
      yield number;
    }
  }
  await forEachAtOnce(inTurn(), async (number) => {
    const line = lines[number];
    if (!line) return;
    for (const at of placesOf(number)) {
      const made = testimonialOf(line, at, now(), at.id ?? idOf(run.name, number, at.ordinal));
      const stored = await testimonials.insert(run.organization, made);
      if (stored === 'sealed' || stored === 'taken') continue;
      run.done += 1;
      // A line that an earlier run has stored, or that was erased since, is as it was then.
      if (stored !== 'erased' && stored.writtenAt === made.writtenAt) run.stored += 1;
      return progress(run.done);
    }
    left.push(number);
  });
  return left.sort((a, b) => a - b);
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
