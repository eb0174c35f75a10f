/** What an import remembers of itself, so that it can be stopped anywhere and go on. */
import * as v from 'valibot';
import type { Placement } from './placement.ts';

/** Places at the end of both orders, for lines that follow each other. */
const block = v.object({
  /** The first of its lines, by their numbers among the good ones, from 0. */
  line: v.number(),
  /** How many lines. */
  count: v.number(),
  /** The places of the first of them; those of the others follow. */
  ordinal: v.number(),
  updateOrdinal: v.number(),
  /** When it was taken, ISO 8601. */
  time: v.string(),
});

/** What a line of the past has to keep, besides the rules of each line. */
const lineRules = v.object({
  /** When the first testimonial was created here, ISO 8601; absent where none was, and none was changed. */
  latest: v.exactOptional(v.string()),
  /** That was the first change of what was imported: nothing was created. */
  isChange: v.exactOptional(v.literal(true)),
  /** True where all lines need a createdAt. */
  areDated: v.boolean(),
});
export type LineRules = v.InferOutput<typeof lineRules>;

const always = {
  /** Good lines of the file. */
  count: v.number(),
  /** When the import began, ISO 8601: the createdAt of what has none of its own. */
  time: v.string(),
  /** Counts the writes of the job. */
  revision: v.number(),
  /** SHA-256 of the file, hexadecimal; absent where an older version began the import. */
  hash: v.exactOptional(v.string()),
};

/** After its end it may be undone, for good. */
const storingSteps = v.picklist(['storing', 'stored', 'ended', 'undoing', 'undone']);

/** Places that follow from the times of the lines, taken before any is stored; they are shown all at once. */
const placed = v.object({
  ...always,
  step: storingSteps,
  isPlaced: v.literal(true),
  /** Of its placement. */
  number: v.number(),
  /** Which lines are good. */
  rules: lineRules,
  /** The generation of the list index that has all of them, once all are stored. */
  generation: v.exactOptional(v.number()),
});

/** Its lines are stored behind what is there, and are seen as they come. */
const beside = v.object({
  ...always,
  step: storingSteps,
  isPlaced: v.literal(false),
  /**
   * Where lines are put. A line that a later block has as well goes to the first of them whose place is not sealed; a
   * sealed place stays so, and every run finds the same.
   */
  blocks: v.array(block),
});

/** By the step that an import is in. */
export const importJob = v.variant('step', [
  v.object({ ...always, step: v.literal('begun') }),
  v.variant('isPlaced', [placed, beside]),
  // It ended without its rest, for another import.
  v.object({ ...always, step: v.literal('givenUp') }),
]);

export type Block = v.InferOutput<typeof block>;
export type ImportJob = v.InferOutput<typeof importJob>;
export type PlacedJob = v.InferOutput<typeof placed>;
export type JobBeside = v.InferOutput<typeof beside>;

/** Whether an import stores beside what is there, and has not ended. */
export function isUnended(job: ImportJob): job is JobBeside {
  return (job.step === 'storing' || job.step === 'stored') && !job.isPlaced;
}

/** Whether an undo was begun, and has not ended. */
export function isBeingUndone(job: ImportJob): job is PlacedJob | JobBeside {
  return job.step === 'undoing';
}

/** A job that is not gone on with. */
export function givenUp({ count, time, revision, hash }: ImportJob): ImportJob {
  return { count, time, revision, ...(hash !== undefined && { hash }), step: 'givenUp' };
}

/** An import, by what tells it from every other. */
export interface NamedImport<Job extends ImportJob = ImportJob> {
  name: string;
  job: Job;
}

export interface ImportJobStore {
  /** Ends the other imports that store beside what is there and have not ended: none of them goes on. */
  giveUpOthers(organization: string, name: string): Promise<void>;

  /** The imports that store beside what is there and have not ended, and those whose undo has not. */
  unended(organization: string): Promise<NamedImport<PlacedJob | JobBeside>[]>;

  /** @param name of the import */
  find(organization: string, name: string): Promise<ImportJob | undefined>;

  /** The imports of a file, however it was read, by the hash of its bytes. */
  ofFile(organization: string, hash: string): Promise<NamedImport[]>;

  /**
   * Replaces the job that has the revision of `next` (0 for none), which is raised.
   * @returns the job as it is then, or undefined when it had another revision
   */
  replace<Job extends ImportJob>(organization: string, name: string, next: Job): Promise<Job | undefined>;

  /** The placements of imports, in the order of their numbers. */
  placements(organization: string): Promise<Placement[]>;

  /**
   * Writes a placement, if none has its number.
   * @returns whether it is there, now or by an earlier try
   */
  addPlacement(organization: string, placement: Placement): Promise<boolean>;

  /**
   * Says of the placement of an import that was undone which lines stay.
   * @param staying by their numbers in the order of creation, ascending
   */
  freePlacement(organization: string, number: number, staying: Uint32Array): Promise<void>;
}
