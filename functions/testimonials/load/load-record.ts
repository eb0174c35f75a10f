/** The record of a load, stored so that any process can continue or undo the load. */
import * as v from 'valibot';
import type { OrganizationStore } from '../../accounts/organization-store.ts';
import type { LoadStatus } from '../../domain/loads.ts';
import type { IndexDependencies } from '../list-index/index-store.ts';
import type { Indexing } from '../list-index/write/indexing.ts';
import type { ReservedPositions } from './positions.ts';

/** Rules for the times of lines that join the history of an organization. */
const timeRules = v.object({
  /**
   * The end of the history: the time at which the first testimonial was created or changed here, ISO 8601.
   */
  latest: v.exactOptional(v.string()),
  /** True if every line needs a `createdAt`. */
  areDated: v.boolean(),
});
export type TimeRules = v.InferOutput<typeof timeRules>;

/** A range of positions at the end of both axes, for ascending lines. */
const block = v.object({
  /** The stored index of the first line (check-lines.ts). */
  line: v.number(),
  count: v.number(),
  /** The stored indices of the lines, unless they are consecutive. */
  lines: v.exactOptional(v.array(v.number())),
  /** The positions of the first line; the others follow. */
  ordinal: v.number(),
  updateOrdinal: v.number(),
  /** The time at which the positions were reserved, ISO 8601. */
  time: v.string(),
});

const commonEntries = {
  /** Number of accepted lines to store, without duplicates that are left out. */
  count: v.number(),
  /** When the load began, ISO 8601. Lines without a `createdAt` get this time. */
  time: v.string(),
  /** The number of writes of the record. */
  revision: v.number(),
  /** SHA-256 of the file, hexadecimal. */
  hash: v.string(),
  /** A title for people, such as the file name. */
  title: v.exactOptional(v.string()),
  /** The mapping of the file as JSON, with which a continued load reads the file. */
  mapping: v.exactOptional(v.string()),
  /** The indices in `accepted` of lines that are left out as duplicates, ascending. */
  leftOut: v.exactOptional(v.array(v.number())),
  /** When the claim of a process expires, ISO 8601; empty if no process has claimed the load or its undo. */
  claimedUntil: v.exactOptional(v.string()),
  /** Minimum number of lines that are stored or erased. */
  done: v.exactOptional(v.number()),
};

/** The states from `storing` on. A load in one of them can be undone, unless it already was. */
const startedStates = v.picklist(['storing', 'stored', 'ended', 'undoing', 'undone']);

/**
 * The two kinds of loads that store lines:
 *
 * | | placed | appended |
 * |---|---|---|
 * | Lines | keep their times, or are the first of the organization | are created now |
 * | Positions | follow from the times of the lines, reserved at once | after all others, block by block |
 * | Lists show | all lines at once, at the end | each line once it is stored |
 * | Stored by | `storePlaced` | `storeAppended` |
 */
const placed = v.object({
  ...commonEntries,
  state: startedStates,
  isPlaced: v.literal(true),
  rules: timeRules,
  /**
   * The high-water mark: only this many lines, the first in the order of creation, may have been sent (rule
   * 36).
   */
  highWater: v.number(),
  /** The first generation of the list index that contains all lines. */
  generation: v.exactOptional(v.number()),
});

const appended = v.object({
  ...commonEntries,
  state: startedStates,
  isPlaced: v.literal(false),
  /** Absent in records of earlier versions. */
  rules: v.exactOptional(timeRules),
  /**
   * A line in several blocks goes to the first position that is not sealed. Seals are permanent, so every
   * process finds the same position.
   */
  blocks: v.array(block),
});

const begun = v.object({
  ...commonEntries,
  state: v.literal('begun'),
  /**
   * The rules under which the lines were accepted. The indices in `leftOut` refer to those lines. Absent in
   * records of earlier versions.
   */
  rules: v.exactOptional(timeRules),
});

export const loadRecord = v.variant('state', [begun, v.variant('isPlaced', [placed, appended])]);

export type Block = v.InferOutput<typeof block>;
export type BegunRecord = v.InferOutput<typeof begun>;
export type PlacedRecord = v.InferOutput<typeof placed>;
export type AppendedRecord = v.InferOutput<typeof appended>;
/** The record of a load that has started to store lines. */
export type StartedRecord = PlacedRecord | AppendedRecord;
export type LoadRecord = v.InferOutput<typeof loadRecord>;

export interface NamedLoad<OfLoad extends LoadRecord | undefined = LoadRecord> {
  /** The fingerprint of the file and, after an undo, the number of the attempt: 2 for the second. */
  name: string;
  record: OfLoad;
}

/** True if a load has started to store lines: from the state `storing` on. */
export function hasStarted(record: LoadRecord | undefined): record is StartedRecord {
  return record !== undefined && record.state !== 'begun';
}

/** True if a load can be undone, unless it already was. */
export function isStartedLoad(load: NamedLoad): load is NamedLoad<StartedRecord> {
  return hasStarted(load.record);
}

/** True while only some lines of a load are stored or erased. */
export function hasLinesLeft({ record: { state } }: NamedLoad): boolean {
  return state === 'undoing' || state === 'storing';
}

/** Returns the high-water mark of the positions of an undone load. */
export function highWaterIfUndone(record: LoadRecord | undefined): Pick<ReservedPositions, 'highWater'> {
  return record?.state === 'undone' && record.isPlaced ? { highWater: record.highWater } : {};
}

/** True while a process works on the load. */
export function isClaimed({ claimedUntil = '' }: LoadRecord, now: Date): boolean {
  return claimedUntil > now.toISOString();
}

/** Returns the id that operators use. */
export function idOfLoad(name: string): string {
  const [fingerprint = '', attempt] = name.split('-');
  return [fingerprint.slice(0, 12), ...(attempt === undefined ? [] : [attempt])].join('-');
}

export function statusOf({ name, record }: NamedLoad, now: Date): LoadStatus {
  const { state, time, count, done = 0, claimedUntil, title, mapping } = record;
  const claim = claimedUntil !== undefined && isClaimed(record, now) && { claimedUntil };
  return {
    id: idOfLoad(name),
    ...(title !== undefined && { title }),
    ...(mapping !== undefined && { mapping }),
    state,
    at: time,
    done,
    count,
    ...claim,
  };
}

/**
 * Returns the last attempt to load a file, which may not have begun. After an undo, the next attempt is a
 * separate load, because the ids and positions of erased lines are never reused.
 */
export async function lastAttempt(loads: LoadStore, organization: string, fingerprint: string) {
  for (let attempt = 1; ; attempt += 1) {
    const name = attempt === 1 ? fingerprint : `${fingerprint}-${attempt}`;
    const record = await loads.find(organization, name);
    if (record?.state !== 'undone') return { name, record };
  }
}

export interface LoadStore {
  /** Returns the loads of an organization, except ended loads of another layout. */
  all(organization: string): Promise<NamedLoad[]>;

  find(organization: string, name: string): Promise<LoadRecord | undefined>;

  /**
   * Replaces the record if the stored revision is the revision of `next`, or creates it if that is 0.
   * @returns the record with its new revision, or undefined if the stored revision differs
   */
  replace<OfLoad extends LoadRecord>(
    organization: string,
    name: string,
    next: OfLoad,
  ): Promise<OfLoad | undefined>;

  /** Returns the positions that loads have reserved, by their numbers. */
  positions(organization: string): Promise<ReservedPositions[]>;

  /**
   * Stores the positions of a load unless their number is in use. True if they are stored, now or by an
   * earlier attempt.
   */
  addPositions(organization: string, reserved: ReservedPositions): Promise<boolean>;

  /** Stores the ranks of the lines of an undone load that are kept, ascending. */
  storeKeptRanks(organization: string, loadNumber: number, keptRanks: readonly number[]): Promise<void>;
}

/** The stores of loads, and the clock. */
export interface LoadStores extends IndexDependencies {
  loads: LoadStore;
  organizations: Pick<OrganizationStore, 'add'>;
  /** Absent in a process that leaves the list index to the index function. */
  indexing?: Indexing | undefined;
}
