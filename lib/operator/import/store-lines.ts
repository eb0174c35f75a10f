/** Storing the good lines of a file, each at a place that every run finds again. */
import { createHash } from 'node:crypto';
import { forEachAtOnce } from '../../../functions/concurrency.ts';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import { makeTestimonialId } from '../../../functions/domain/testimonial-id.ts';
import { goodLines, type NumberedLine, type Source } from './check-file.ts';
import type { Block, ImportJob, JobBeside, PlacedJob } from './import-job.ts';
import { type ImportedLine, ordinalOfLine } from './imported-line.ts';
import { linesInOrder } from './lines-in-order.ts';
import type { Placement } from './placement.ts';
import { byLine } from './places.ts';
import { keepsIds, type PlacedLines } from './take-places.ts';

export interface Load {
  deps: {
    testimonials: TestimonialStore;
    now: () => Date;
    progress: (done: number, total: number, step: 'stored') => void;
    linesABlock?: number;
  };
  organization: string;
  source: Source;
  /** Tells the load from every other. */
  name: string;
  asNew: boolean;
  lines: PlacedLines;
  /** Writes the job, or throws when another run is at it. */
  save: <Job extends ImportJob>(next: Job) => Promise<Job>;
}

/** Stores lines at the places that were taken for them, in any order. What was erased since stays so. */
export async function storePlaced(load: Load, job: PlacedJob, placement: Placement): Promise<void> {
  const { deps, organization } = load;
  const madeAt = placedTestimonials(load, job, placement);
  await forEachLine(load, goodLines(load.source, job.rules, new Date(job.time)), job.count, async (line) => {
    const made = madeAt(line, deps.now());
    const stored = await deps.testimonials.insert(organization, made);
    if (stored === 'sealed' || stored === 'taken') {
      throw new Error(
        `Something else has the place ${made.ordinal} of ${organization}, which was the import's: run index verify --organization ${organization}.`,
      );
    }
  });
}

/** Returns what makes the testimonial of a line at its place. */
export function placedTestimonials(
  { name, asNew, lines }: Pick<Load, 'name' | 'asNew' | 'lines'>,
  { time }: PlacedJob,
  placement: Placement,
): (line: NumberedLine, now: Date) => StoredTestimonial {
  const { orders } = lines;
  const ordinals = byLine(orders.createdAt, placement.places.createdAt);
  const updateOrdinals = byLine(orders.updatedAt, placement.places.updatedAt);
  const keeps = keepsIds(placement, lines);
  return ({ number, imported }, now) => {
    const at = { ordinal: ordinals[number] ?? 0, updateOrdinal: updateOrdinals[number] ?? 0, time };
    const id = keeps && ordinalOfLine(imported) > 0 ? imported.id : undefined;
    const line = asNew ? asNewLine(imported) : imported;
    return testimonialOf(line, at, now, id ?? idOf(name, number, at.ordinal));
  };
}

// Their places are taken when they are next: the index passes places that stay free, one after another.
const leastLinesABlock = 1000;
// The job has them all, in one item.
const mostBlocks = 1000;

/** A line that could not be stored, with the block that was tried last. */
interface SealedLine {
  number: number;
  block: Block | undefined;
}

/** More testimonials: the newest of all, in the order of the times that the file says, or else of the file. */
export async function storeBeside(load: Load, begun: JobBeside): Promise<JobBeside> {
  const { deps, organization } = load;
  let job = begun;
  const takeBlock = async ({ line, count }: Pick<Block, 'line' | 'count'>) => {
    const last = await deps.testimonials.takeOrdinals(organization, deps.now(), count);
    const ordinal = last.ordinal - count + 1;
    const updateOrdinal = last.updateOrdinal - count + 1;
    const block: Block = { line, count, ordinal, updateOrdinal, time: last.time };
    job = await load.save({ ...job, blocks: [...job.blocks, block] });
  };
  const lines = () => linesBeside(load, job);
  let sealed: SealedLine[] = [];
  /** Stores a line in the first of some blocks whose place is not sealed. What was erased since stays so. */
  const put = async ({ number, imported }: NumberedLine, blocks: Block[]) => {
    for (const block of blocks) {
      const made = testimonialIn(load, block, { number, imported }, deps.now());
      const stored = await deps.testimonials.insert(organization, made);
      if (stored !== 'sealed' && stored !== 'taken') return;
    }
    sealed.push({ number, block: blocks.at(-1) });
  };
  await forEachLine(
    load,
    lines(),
    job.count,
    (line) => put(line, blocksOf(job, line.number)),
    async (number) => {
      if (blocksOf(job, number).length === 0) await takeBlock(nextBlock(job, number, deps.linesABlock));
    },
  );
  while (sealed.length > 0) {
    // The index passed their places while nobody took them.
    const again = new Set(sealed.map(({ number }) => number));
    for (const lines of blocksAgain(sealed)) await takeBlock(lines);
    sealed = [];
    await forEachLine(load, lines(), job.count, async (line) => {
      if (again.has(line.number)) await put(line, blocksOf(job, line.number).slice(-1));
    });
  }
  return job;
}

/** The lines of an import that stores them behind what is there, in the order in which it does. */
export function linesBeside(
  { source, asNew, lines }: Pick<Load, 'source' | 'asNew' | 'lines'>,
  { time }: JobBeside,
): AsyncGenerator<NumberedLine, void, undefined> {
  const good = goodLines(source, { areDated: false }, new Date(time));
  return linesInOrder(good, asNew ? lines.orders.createdAt : undefined);
}

/** The testimonial of a line in a block that has it. */
export function testimonialIn(
  { name }: Pick<Load, 'name'>,
  { line, time, ...first }: Block,
  { number, imported }: NumberedLine,
  now: Date,
): StoredTestimonial {
  const ordinal = first.ordinal + number - line;
  const at = { ordinal, updateOrdinal: first.updateOrdinal + number - line, time };
  return testimonialOf(asNewLine(imported), at, now, idOf(name, number, ordinal));
}

/** The blocks that a line has a place in. */
export function blocksOf({ blocks }: JobBeside, number: number): Block[] {
  return blocks.filter(({ line, count }) => number >= line && number < line + count);
}

/** The lines from one on that are given places together. */
function nextBlock({ count }: JobBeside, line: number, least = leastLinesABlock) {
  const most = Math.max(least, Math.ceil(count / mostBlocks));
  return { line, count: Math.min(most, Math.max(count - line, 1)) };
}

/** For lines whose places were sealed, those that are given others together: they were in one block. */
function blocksAgain(sealed: readonly SealedLine[]) {
  return [...Map.groupBy(sealed, ({ block }) => block).values()].map((some) => {
    const numbers = some.map(({ number }) => number);
    const line = Math.min(...numbers);
    return { line, count: Math.max(...numbers) - line + 1 };
  });
}

/** Does work for each of some lines, for several at once; `before` is done in their order. */
async function forEachLine(
  { deps }: Pick<Load, 'deps'>,
  lines: AsyncIterable<NumberedLine>,
  count: number,
  work: (line: NumberedLine) => Promise<void>,
  before: (number: number) => Promise<void> = async () => {},
): Promise<void> {
  async function* each() {
    for await (const line of lines) {
      await before(line.number);
      yield line;
    }
  }
  let done = 0;
  await forEachAtOnce(each(), async (line) => {
    await work(line);
    done += 1;
    deps.progress(Math.min(done, count), count, 'stored');
  });
}

/** The id of a line at a place: the same in every run, so that each knows what is there for its own. */
function idOf(name: string, number: number, ordinal: number): string {
  const digits = createHash('sha256').update(`${name} ${number}`).digest().readUIntBE(0, 6);
  return makeTestimonialId(ordinal, (min, max) => min + (digits % (max - min)));
}

/** What a line says, but for its times: it is created now. */
function asNewLine({ createdAt: _, updatedAt: __, ...line }: ImportedLine): ImportedLine {
  return line;
}

/** The testimonial of a line at its places; `time` is that of what the line has no time for. */
function testimonialOf(
  imported: ImportedLine,
  { ordinal, updateOrdinal, time }: { ordinal: number; updateOrdinal: number; time: string },
  now: Date,
  id: string,
): StoredTestimonial {
  const {
    id: _,
    status = 'pending',
    createdAt,
    updatedAt = createdAt,
    updateOrdinal: __,
    ...input
  } = imported;
  const written = (milliseconds: number | undefined) =>
    milliseconds === undefined ? time : new Date(milliseconds).toISOString();
  const testimonial = {
    ...input,
    id,
    status,
    createdAt: written(createdAt),
    updatedAt: written(updatedAt),
  };
  return { testimonial, ordinal, updateOrdinal, version: 1, isLoaded: true, writtenAt: now.toISOString() };
}
