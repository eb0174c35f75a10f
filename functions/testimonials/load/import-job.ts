/** The state of an import, stored so that any run can continue it. */
import * as v from 'valibot';
import { lineRules } from '../../../lib/operator/import/imported-line.ts';
import type { Placement } from './positions.ts';

/** Positions at the end of both axes, for consecutive lines. */
const block = v.object({
  /** The number of the first line, from 0. */
  line: v.number(),
  count: v.number(),
  /** The numbers of the lines, unless they are consecutive. */
  lines: v.exactOptional(v.array(v.number())),
  /** The positions of the first line; the others follow. */
  ordinal: v.number(),
  updateOrdinal: v.number(),
  /** When the positions were reserved, ISO 8601. */
  time: v.string(),
});

const commonEntries = {
  /** Number of good lines to store, without duplicates that are left out. */
  count: v.number(),
  /** When the import began, ISO 8601: the `createdAt` of lines without one. */
  time: v.string(),
  /** The number of writes of the job. */
  revision: v.number(),
  /** SHA-256 of the file, hexadecimal. */
  hash: v.string(),
  /** The numbers of good lines that are left out as duplicates, ascending. */
  leftOut: v.exactOptional(v.array(v.number())),
  /** When the claim of a run expires, ISO 8601; empty if no run has claimed the import or its undo. */
  claimedUntil: v.exactOptional(v.string()),
  /** Minimum number of lines that runs have stored or erased. */
  done: v.exactOptional(v.number()),
};

/** From `storing` on, an import can be undone. */
const storingStates = v.picklist(['storing', 'stored', 'ended', 'undoing', 'undone']);

/** An import whose positions follow from the times of its lines. Lists show all of its lines at once. */
const placed = v.object({
  ...commonEntries,
  state: storingStates,
  isPlaced: v.literal(true),
  rules: lineRules,
  /**
   * High-water mark: only this many lines, the first in the order of creation, may have been sent (rule 36).
   */
  highWater: v.number(),
  /** The first generation of the list index that contains all lines. */
  generation: v.exactOptional(v.number()),
});

/** An import that stores its lines after all other testimonials. Lists show each line at once. */
const appended = v.object({
  ...commonEntries,
  state: storingStates,
  isPlaced: v.literal(false),
  /**
   * A line in several blocks goes to the first whose position is not sealed. Seals are permanent: every run
   * finds the same.
   */
  blocks: v.array(block),
});

export const importJob = v.variant('state', [
  v.object({ ...commonEntries, state: v.literal('begun') }),
  v.variant('isPlaced', [placed, appended]),
]);

export type Block = v.InferOutput<typeof block>;
export type ImportJob = v.InferOutput<typeof importJob>;
export type PlacedJob = v.InferOutput<typeof placed>;
export type AppendedJob = v.InferOutput<typeof appended>;
export type StoredJob = PlacedJob | AppendedJob;

export interface NamedImport<Job extends ImportJob | undefined = ImportJob> {
  /** The fingerprint of the file, and the round if it is not the first. */
  name: string;
  job: Job;
}

/** An import that has reserved positions. */
export type StoredImport = NamedImport<StoredJob>;

export function isStored(one: NamedImport): one is StoredImport {
  return 'isPlaced' in one.job;
}

/** True while only some lines of an import are stored or erased. */
export function isUnended({ job: { state } }: NamedImport): boolean {
  return state === 'undoing' || state === 'storing';
}

/** Returns the `used` of an undone import's placement. */
export function usedBy(job: ImportJob | undefined): Pick<Placement, 'used'> {
  return job?.state === 'undone' && job.isPlaced ? { used: job.highWater } : {};
}

/** True while a run works on the import. */
export function isClaimed({ claimedUntil = '' }: ImportJob, now: Date): boolean {
  return claimedUntil > now.toISOString();
}

/** Returns the id that operators use. */
export function idOfImport(name: string): string {
  const [fingerprint = '', round] = name.split('-');
  return [fingerprint.slice(0, 12), ...(round === undefined ? [] : [round])].join('-');
}

/**
 * Returns the last round of an import, which may not have begun. After an undo the next round is an import of
 * its own, because the ids and positions of erased lines are never reused.
 */
export async function lastRound(jobs: ImportJobStore, organization: string, fingerprint: string) {
  for (let round = 1; ; round += 1) {
    const name = round === 1 ? fingerprint : `${fingerprint}-${round}`;
    const job = await jobs.find(organization, name);
    if (job?.state !== 'undone') return { name, job };
  }
}

export interface ImportJobStore {
  /** Returns the imports of an organization, except ended imports of another layout. */
  all(organization: string): Promise<NamedImport[]>;

  find(organization: string, name: string): Promise<ImportJob | undefined>;

  /**
   * Replaces the job if its revision is that of `next`, or creates it if that is 0.
   * @returns the job with its new revision, or undefined if the stored revision differs
   */
  replace<Job extends ImportJob>(organization: string, name: string, next: Job): Promise<Job | undefined>;

  /** Returns the placements of imports by their numbers. */
  placements(organization: string): Promise<Placement[]>;

  /**
   * Stores a placement unless its number is taken. Returns true if it is stored, now or by an earlier
   * attempt.
   */
  addPlacement(organization: string, placement: Placement): Promise<boolean>;

  /** Stores which lines of an undone import stay, by their numbers in the order of creation, ascending. */
  freePlacement(organization: string, number: number, staying: readonly number[]): Promise<void>;
}
