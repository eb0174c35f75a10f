/** What an import remembers of itself, so that it can be stopped anywhere and go on. */
import * as v from 'valibot';

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

const always = {
  /** Good lines of the file. */
  count: v.number(),
  /** When the import began, ISO 8601: the createdAt of what has none of its own, where the organization was empty. */
  time: v.string(),
  /** Counts the writes of the job. */
  revision: v.number(),
};

/**
 * First: the organization was empty. The lines keep their times, status and ids, have places that follow from these,
 * and are shown all at once.
 */
const first = v.object({
  ...always,
  step: v.picklist(['storing', 'stored']),
  isFirst: v.literal(true),
});

/** Its lines are stored beside what is there, and are seen as they come. */
const beside = v.object({
  ...always,
  step: v.picklist(['storing', 'stored']),
  isFirst: v.literal(false),
  /**
   * Where lines are put. A line that a later block has as well goes to the first of them whose place is not sealed; a
   * sealed place stays so, and every run finds the same.
   */
  blocks: v.array(block),
});

/** By the step that an import is in. */
export const importJob = v.variant('step', [
  v.object({ ...always, step: v.literal('begun') }),
  v.variant('isFirst', [first, beside]),
  v.object({ ...always, step: v.literal('ended'), isFirst: v.boolean() }),
  // It ended without its rest, for another import.
  v.object({ ...always, step: v.literal('givenUp') }),
]);

export type Block = v.InferOutput<typeof block>;
export type ImportJob = v.InferOutput<typeof importJob>;
export type JobBeside = v.InferOutput<typeof beside>;

/** Whether an import stores beside what is there, and has not ended. */
export function isUnended(job: ImportJob): job is JobBeside {
  return (job.step === 'storing' || job.step === 'stored') && !job.isFirst;
}

/** A job that is not gone on with. */
export function givenUp({ count, time, revision }: ImportJob): ImportJob {
  return { count, time, revision, step: 'givenUp' };
}

export interface ImportJobStore {
  /** Ends the imports of other files that store beside what is there and have not ended: none of them goes on. */
  giveUpOthers(organization: string, fingerprint: string): Promise<void>;

  /** The fingerprints of imports that store beside what is there, and have not ended. */
  unended(organization: string): Promise<string[]>;

  /** @param fingerprint of the file and of how it is read */
  find(organization: string, fingerprint: string): Promise<ImportJob | undefined>;

  /**
   * Replaces the job that has the revision of `next` (0 for none), which is raised.
   * @returns the job as it is then, or undefined when it had another revision
   */
  replace<Job extends ImportJob>(
    organization: string,
    fingerprint: string,
    next: Job,
  ): Promise<Job | undefined>;
}
