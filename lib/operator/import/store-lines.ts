/** Storing the good lines of a file, each at a place that every run finds again. */
import { createHash } from 'node:crypto';
import { forEachAtOnce } from '../../../functions/concurrency.ts';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import { makeTestimonialId } from '../../../functions/domain/testimonial-id.ts';
import { goodLines, type NumberedLine, type Source } from './check-file.ts';
import type { Block, ImportJob, JobBeside } from './import-job.ts';
import { type ImportedLine, ordinalOfLine } from './imported-line.ts';
import type { Places } from './places.ts';

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
  /** Where the lines keep their times. */
  places: Places | undefined;
  /** Writes the job, or throws when another run is at it. */
  save: <Job extends ImportJob>(next: Job) => Promise<Job>;
}

/** The first testimonials of an organization: in any order. What was erased since stays so. */
export async function storeFirst(load: Load, job: ImportJob): Promise<void> {
  const { deps, organization, places, asNew } = load;
  await forEachLine(load, job, async ({ number, imported }) => {
    const at = {
      ordinal: places?.ordinals[number] ?? number + 1,
      updateOrdinal: places?.updateOrdinals[number] ?? number + 1,
      time: job.time,
    };
    const id = places?.keepsIds && ordinalOfLine(imported) > 0 ? imported.id : undefined;
    const line = asNew ? asNewLine(imported) : imported;
    const made = testimonialOf(line, at, deps.now(), id ?? idOf(load, number, at.ordinal));
    const stored = await deps.testimonials.insert(organization, made);
    if (stored === 'sealed' || stored === 'taken') {
      throw new Error(
        `Something else has the place ${at.ordinal} of ${organization}, which was the import's: run index verify --organization ${organization}.`,
      );
    }
  });
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

/** More testimonials: the newest of all, in the order of the file. */
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
  let sealed: SealedLine[] = [];
  /** Stores a line in the first of some blocks whose place is not sealed. What was erased since stays so. */
  const put = async ({ number, imported }: NumberedLine, blocks: Block[]) => {
    for (const { line, time, ...first } of blocks) {
      const ordinal = first.ordinal + number - line;
      const at = { ordinal, updateOrdinal: first.updateOrdinal + number - line, time };
      const made = testimonialOf(asNewLine(imported), at, deps.now(), idOf(load, number, ordinal));
      const stored = await deps.testimonials.insert(organization, made);
      if (stored !== 'sealed' && stored !== 'taken') return;
    }
    sealed.push({ number, block: blocks.at(-1) });
  };
  await forEachLine(
    load,
    job,
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
    await forEachLine(load, job, async (line) => {
      if (again.has(line.number)) await put(line, blocksOf(job, line.number).slice(-1));
    });
  }
  return job;
}

/** The blocks that a line has a place in. */
function blocksOf({ blocks }: JobBeside, number: number): Block[] {
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

/** Does work for each good line, for several at once; `before` is done in the order of the file. */
async function forEachLine(
  { deps, source }: Load,
  { time, count }: ImportJob,
  work: (line: NumberedLine) => Promise<void>,
  before: (number: number) => Promise<void> = async () => {},
): Promise<void> {
  async function* lines() {
    for await (const line of goodLines(source, new Date(time))) {
      await before(line.number);
      yield line;
    }
  }
  let done = 0;
  await forEachAtOnce(lines(), async (line) => {
    await work(line);
    done += 1;
    deps.progress(Math.min(done, count), count, 'stored');
  });
}

/** The id of a line at a place: the same in every run, so that each knows what is there for its own. */
function idOf({ name }: Load, number: number, ordinal: number): string {
  const digits = createHash('sha256').update(`${name} ${number}`).digest().readUIntBE(0, 6);
  return makeTestimonialId(ordinal, (min, max) => min + (digits % (max - min)));
}

/** What a line says, but for its history. */
function asNewLine({ status: _, createdAt: __, updatedAt: ___, ...line }: ImportedLine): ImportedLine {
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
  return { testimonial, ordinal, updateOrdinal, version: 1, writtenAt: now.toISOString() };
}
