/** What an import remembers of itself, so that it can be stopped anywhere and go on. */
import * as v from 'valibot';
import { lineRules } from './imported-line.ts';
import type { Placement } from './placement.ts';

/** Places at the end of both orders, for lines that follow each other. */
const block = v.object({
  /** The first of its lines, by their numbers from 0. */
  line: v.number(),
  /** How many lines. */
  count: v.number(),
  /** Its lines, where others stand between them. */
  lines: v.exactOptional(v.array(v.number())),
  /** The places of the first of them; those of the others follow. */
  ordinal: v.number(),
  updateOrdinal: v.number(),
  /** When it was taken, ISO 8601. */
  time: v.string(),
});

const always = {
  /** Lines that are stored: the good ones of the file, but for those that are left out. */
  count: v.number(),
  /** When the import began, ISO 8601: the createdAt of what has none of its own. */
  time: v.string(),
  /** Counts the writes of the job. */
  revision: v.number(),
  /** SHA-256 of the file, hexadecimal. */
  hash: v.string(),
  /** The good lines that stood there already and are not stored again, as `encodeAscending` has them. */
  leftOut: v.exactOptional(v.custom<Uint8Array>((value) => ArrayBuffer.isView(value))),
  /** A run is at it, or at its undo: no other is until then, ISO 8601, or later, where it shows life; empty where none is. */
  claimedUntil: v.exactOptional(v.string()),
  /** Lines that such a run has dealt with. */
  done: v.exactOptional(v.number()),
  /** It was stopped, and another import was stored all the same: that it has not ended is told no more. */
  isGivenUp: v.exactOptional(v.literal(true)),
};

/** From `storing` on it may be undone, for good. */
const storingStates = v.picklist(['storing', 'stored', 'ended', 'undoing', 'undone']);

/** Places that follow from the times of the lines, taken before any is stored; they are shown all at once. */
const placed = v.object({
  ...always,
  state: storingStates,
  isPlaced: v.literal(true),
  /** Which lines are good. */
  rules: lineRules,
  /**
   * The high-water mark: so many lines, the first in the order of creation, may have been sent, and no other (rule 36). Absent of
   * an import that another version has gone on with, which sends all of them.
   */
  highWater: v.exactOptional(v.number()),
  /** The generation of the list index that has all of them, once all are stored. */
  generation: v.exactOptional(v.number()),
});

/** Its lines are stored behind what is there, and are seen as they come. */
const beside = v.object({
  ...always,
  state: storingStates,
  isPlaced: v.literal(false),
  /**
   * Where lines are put. A line that several blocks have goes to the first of them whose place is not sealed; a sealed
   * place stays so, and every run finds the same.
   */
  blocks: v.array(block),
});

/** An import by its state. */
export const importJob = v.variant('state', [
  v.object({ ...always, state: v.literal('begun') }),
  v.variant('isPlaced', [placed, beside]),
]);

export type Block = v.InferOutput<typeof block>;
export type ImportJob = v.InferOutput<typeof importJob>;
export type PlacedJob = v.InferOutput<typeof placed>;
export type JobBeside = v.InferOutput<typeof beside>;
export type StoredJob = PlacedJob | JobBeside;

/** An import, by what tells it from every other. */
export interface NamedImport<Job extends ImportJob = ImportJob> {
  name: string;
  job: Job;
}

/** An import of which there may be none yet. */
export interface MaybeBegun {
  name: string;
  job?: ImportJob | undefined;
}

/** An import that has taken places. */
export type StoredImport = NamedImport<StoredJob>;

export function isStored(of: NamedImport): of is StoredImport {
  return 'isPlaced' in of.job;
}

/** Whether only a part of its lines is there, because it or its undo has not ended, and that is to be told. */
export function isUnended({ job }: NamedImport): boolean {
  return job.state === 'undoing' || (job.state === 'storing' && !job.isGivenUp);
}

/** The places that an undone import has used, as `Placement` has them; undefined where they are all of its places. */
export function usedBy(job: ImportJob | undefined): Pick<Placement, 'used'> {
  if (job?.state !== 'undone' || !job.isPlaced || job.highWater === undefined) return {};
  return { used: job.highWater };
}

/** Whether a run is at it. */
export function isClaimed({ claimedUntil = '' }: ImportJob, now: Date): boolean {
  return claimedUntil > now.toISOString();
}

/** What an operator calls an import by. */
export function idOfImport(name: string): string {
  const [fingerprint = '', round] = name.split('-');
  return [fingerprint.slice(0, 12), ...(round === undefined ? [] : [round])].join('-');
}

/**
 * The last round of an import: the one that is there, or the one that is to begin. What was undone can be imported again, whole:
 * each round is an import of its own, by its name, so that its lines get other places and ids than those that were erased.
 */
export async function lastRound(
  jobs: Pick<ImportJobStore, 'find'>,
  organization: string,
  fingerprint: string,
): Promise<MaybeBegun> {
  for (let round = 1; ; round += 1) {
    const name = round === 1 ? fingerprint : `${fingerprint}-${round}`;
    const job = await jobs.find(organization, name);
    if (job?.state !== 'undone') return { name, job };
  }
}

export interface ImportJobStore {
  /** The imports of an organization, but for those of another layout that have ended, which cannot be read. */
  all(organization: string): Promise<NamedImport[]>;

  /** @param name of the import */
  find(organization: string, name: string): Promise<ImportJob | undefined>;

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
  freePlacement(organization: string, number: number, staying: readonly number[]): Promise<void>;
}
