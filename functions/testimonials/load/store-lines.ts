/** Stores lines, each at a position that every run of the import finds again. */
import { createHash } from 'node:crypto';
import { type ImportedLine, ordinalOfLine } from '../../../lib/operator/import/imported-line.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../../domain/stores.ts';
import { makeTestimonialId } from '../../domain/testimonial-id.ts';
import { forEachAtOnce } from '../../timing.ts';
import type { AppendedJob, Block, PlacedJob } from './import-job.ts';
import type { ImportRun } from './import-run.ts';
import { byLine, keepsIds, type LineOrders, type Placement } from './positions.ts';

export interface LineStorage {
  testimonials: TestimonialStore;
  now: () => Date;
  /** Called with the number of lines stored. */
  progress: (done: number) => void;
  linesPerBlock?: number | undefined;
  signal: AbortSignal;
}

interface LinePosition {
  ordinal: number;
  updateOrdinal: number;
  /** The `createdAt` of a line without one, ISO 8601. */
  time: string;
  /** The id of the line, if it is kept. */
  id?: string | undefined;
}

// Each block costs one write of the job, and an undo closes the rest of the last block.
const minLinesPerBlock = 1000;

/**
 * Stores lines at the positions reserved for them, block by block in the order of creation, and raises the
 * high-water mark before each block (rule 36). A testimonial that was erased since stays erased.
 */
export async function storePlaced(
  deps: LineStorage,
  run: ImportRun,
  initial: PlacedJob,
  orders: LineOrders,
  { positions }: Placement,
): Promise<PlacedJob> {
  const { linesPerBlock = minLinesPerBlock } = deps;
  const { lines, order } = orders;
  const ordinals = byLine(order.createdAt, positions.createdAt);
  const updateOrdinals = byLine(order.updatedAt, positions.updatedAt);
  const keeps = keepsIds(orders, positions);
  const positionOf = (number: number) => {
    const id = keeps && lines[number] && ordinalOfLine(lines[number]) > 0 ? lines[number].id : undefined;
    const position = { ordinal: ordinals[number] ?? 0, updateOrdinal: updateOrdinals[number] ?? 0 };
    return [{ ...position, time: initial.time, id }];
  };
  let job = initial;
  for (let i = 0; i < lines.length; i += linesPerBlock) {
    const numbers = order.createdAt.slice(i, i + linesPerBlock);
    const highWater = i + numbers.length;
    if (job.highWater < highWater) job = await run.save({ ...job, highWater });
    const [first] = await put(deps, run, lines, numbers, positionOf);
    if (first === undefined) continue;
    // Fails with another message if the import was undone meanwhile.
    await run.save(job);
    throw new Error(
      `Position ${ordinals[first]} of ${run.organization} is taken by another testimonial, although this import had reserved it. Run: npm run admin -- index verify --organization ${run.organization}`,
    );
  }
  return job;
}

// All blocks have to fit into the item of the job.
const maxBlocks = 1000;

/**
 * Stores lines after all other testimonials, in their order. A testimonial that was erased since stays
 * erased.
 */
export async function storeAppended(
  deps: LineStorage,
  run: ImportRun,
  initial: AppendedJob,
  lines: readonly ImportedLine[],
): Promise<AppendedJob> {
  const { testimonials, now, linesPerBlock = minLinesPerBlock } = deps;
  let job = initial;
  // Reserves positions just before it uses them, because index updates seal free positions one by one.
  const reserveBlock = async (numbers: readonly number[]): Promise<Block> => {
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
  const size = Math.max(linesPerBlock, Math.ceil(lines.length / maxBlocks));
  let unstored = await put(deps, run, lines, lines.keys(), (number) => positionsIn(initial.blocks, number));
  while (unstored.length > 0) {
    const sealed: number[] = [];
    for (let i = 0; i < unstored.length; i += size) {
      const numbers = unstored.slice(i, i + size);
      const block = await reserveBlock(numbers);
      sealed.push(...(await put(deps, run, lines, numbers, (number) => positionsIn([block], number))));
    }
    // An index update sealed these positions before the lines arrived.
    unstored = sealed;
  }
  return job;
}

function positionsIn(blocks: readonly Block[], number: number): LinePosition[] {
  return blocks.flatMap(({ line, count, lines, time, ...first }) => {
    const i = lines ? lines.indexOf(number) : number - line;
    if (i < 0 || i >= count) return [];
    return { ordinal: first.ordinal + i, updateOrdinal: first.updateOrdinal + i, time };
  });
}

/**
 * Stores several lines at once, each at the first of its positions that is neither sealed nor taken.
 * @returns the numbers of lines without such a position, ascending
 */
async function put(
  { testimonials, now, progress, signal }: LineStorage,
  run: ImportRun,
  lines: readonly ImportedLine[],
  numbers: Iterable<number>,
  positionsOf: (number: number) => LinePosition[],
): Promise<number[]> {
  const unstored: number[] = [];
  async function* inTurn() {
    for (const number of numbers) {
      signal.throwIfAborted();
      await run.renewClaim();
      yield number;
    }
  }
  await forEachAtOnce(inTurn(), async (number) => {
    const line = lines[number];
    if (!line) return;
    for (const position of positionsOf(number)) {
      const id = position.id ?? idOf(run.name, number, position.ordinal);
      const testimonial = testimonialOf(line, position, now(), id);
      const stored = await testimonials.insert(run.organization, testimonial);
      if (stored === 'sealed' || stored === 'taken') continue;
      run.done += 1;
      // Otherwise an earlier run has stored the line.
      if (stored !== 'erased' && stored.writtenAt === testimonial.writtenAt) run.stored += 1;
      return progress(run.done);
    }
    unstored.push(number);
  });
  return unstored.sort((a, b) => a - b);
}

/**
 * Returns the id of a line at a position: the same in every run, so that each run recognizes its own lines.
 */
function idOf(name: string, number: number, ordinal: number): string {
  const digits = createHash('sha256').update(`${name} ${number}`).digest().readUIntBE(0, 6);
  return makeTestimonialId(ordinal, (min, max) => min + (digits % (max - min)));
}

function testimonialOf(
  { consent, id: _, updateOrdinal: __, ...line }: ImportedLine,
  { ordinal, updateOrdinal, time }: LinePosition,
  now: Date,
  id: string,
): StoredTestimonial {
  const { status = 'pending', createdAt, updatedAt = createdAt, ...input } = line;
  const isoTime = (milliseconds: number | undefined) =>
    milliseconds === undefined ? time : new Date(milliseconds).toISOString();
  const testimonial = { ...input, id, status, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
  return {
    testimonial,
    ordinal,
    updateOrdinal,
    version: 1,
    isLoaded: true,
    writtenAt: now.toISOString(),
    ...(consent && { consent: { page: consent.page, at: isoTime(consent.at) } }),
  };
}
