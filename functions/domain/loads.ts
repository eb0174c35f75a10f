/**
 * Parameters, results and errors of loads, which store many testimonials (functions/testimonials/loads.ts).
 */
import * as v from 'valibot';
import { isRandomId } from './page.ts';
import { mediaUrl, type Status, statuses, type TestimonialInput, testimonialInput } from './testimonial.ts';

/** A testimonial to load. Times are in milliseconds since the epoch. */
export interface LoadLine extends TestimonialInput {
  id?: string;
  status?: Status;
  createdAt?: number;
  updatedAt?: number;
  consent?: { page: string; at: number };
  /** Media elsewhere. */
  media?: { url: string };
  /** Orders lines with the same `updatedAt`. */
  update?: number;
}

/**
 * Returns the members of a line, as a schema.
 * @param time the schema of its times
 */
export function lineEntries<Time extends v.GenericSchema<unknown, number>>(time: Time) {
  const pageId = v.pipe(
    v.string('must be a string'),
    v.check(isRandomId, 'must be the id of a form: 22 letters and digits'),
  );
  return {
    ...testimonialInput.entries,
    // The bytes stay with the organization that has them.
    media: v.exactOptional(v.object({ url: mediaUrl })),
    id: v.exactOptional(v.string('must be a string')),
    status: v.exactOptional(v.picklist(statuses, `must be one of ${statuses.join(', ')}`)),
    createdAt: v.exactOptional(time),
    updatedAt: v.exactOptional(time),
    consent: v.exactOptional(v.object({ page: pageId, at: time })),
  };
}

/** The rank of a line among updates of the same time. */
export const update = v.pipe(v.number('must be a number'), v.integer('must be an integer'));

/** True if a line was not updated before it was created. */
export function areTimesInOrder({
  createdAt = Number.POSITIVE_INFINITY,
  updatedAt,
}: Pick<LoadLine, 'createdAt' | 'updatedAt'>): boolean {
  return updatedAt === undefined || updatedAt >= createdAt;
}

/** Describes the file of a load, as `LoadStatus` does. */
export interface LoadDescription {
  title?: string | undefined;
  mapping?: string | undefined;
}

export interface LoadOptions {
  /** Create all lines now, in the order of their times. */
  asNew?: boolean | undefined;
  /**
   * Leave out lines that repeat a stored testimonial or an earlier line. As `store('only new')`, but decided
   * before the result is shown.
   */
  onlyNew?: boolean | undefined;
  /**
   * Indices in `lines` of those that are stored already, as `compare` found them. If absent, the check
   * compares.
   */
  alreadyStored?: readonly number[] | undefined;
}

/** The result of comparing lines with the stored testimonials, which may be incomplete. */
export interface ComparedLines {
  /**
   * Indices in `lines` of those whose text and author a stored testimonial has, ascending.
   * `LoadResult.repeated` also counts lines that only repeat an earlier line.
   */
  repeated: readonly number[];
  /** Where to continue the comparison; absent if it is complete. */
  next?: number;
}

/** True if two lists of indices are the same. */
export function areEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((index, i) => index === b[i]);
}

/** Callbacks of long work. */
export interface WorkCallbacks {
  /** @param total 0 if unknown */
  progress: (done: number, total: number, phase: LoadPhase) => void;
  sleep?: ((milliseconds: number) => Promise<unknown>) | undefined;
  /**
   * Runs work that stops between two writes once its signal is aborted: by a signal to the command, or when a
   * step of the desk has used its time. Then it rejects, even if the work returned.
   */
  letEnd?: <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;
  /** Called once if the rebuild of another process has to end first. */
  onOtherRebuild?: () => void;
}

export type LoadPhase = 'compared' | 'stored' | 'indexed' | 'previewed' | 'erased' | 'pacing';

/**
 * | State | Written by | Claim | If the process stops |
 * |---|---|---|---|
 * | `begun` | `storeAndEnd`: the duplicates to leave out are decided, no line is stored | yes | its rules follow the organization again |
 * | `storing` | `startStoring` | yes | any process continues it where it stopped, or undoes it |
 * | `stored` | `storeAtPositions`: lists may lack the lines | no | any process ends it |
 * | `ended` | `endLoad` | no | |
 * | `undoing` | `undoLoad` | yes | only the undo can continue |
 * | `undone` | `undoLoad` | no | the file begins a new attempt |
 */
type LoadState = 'begun' | 'storing' | 'stored' | 'ended' | 'undoing' | 'undone';

/** The maximum number of characters of a load's title and mapping. */
export const loadLimits = { title: 200, mapping: 20_000 } as const;

export interface LoadStatus {
  id: string;
  /** A title for people, such as the file name. */
  title?: string;
  /** The mapping of its file, as JSON, to read the file in the same way when the load is continued. */
  mapping?: string;
  state: LoadState;
  /** When it began, ISO 8601. */
  at: string;
  /** Minimum number of lines that are stored or, by an undo, erased or kept. */
  done: number;
  /** Number of lines to store. */
  count: number;
  /** Present while a process works on it: when its claim expires, ISO 8601. */
  claimedUntil?: string;
}

/** A load that has not stored all lines, an undo that has not erased all, or a hidden load. */
export interface UnfinishedLoad {
  /** True if no list shows its testimonials yet. */
  isHidden: boolean;
  /** Absent for testimonials that `fill` stores. */
  status?: LoadStatus;
}

/**
 * Why a line cannot be stored. `later`: a time of it is after the end of the history. `undated`: it has no
 * time, but other lines have.
 */
export interface Rejection {
  /** The index of the line in `lines`. */
  index: number;
  field: 'createdAt' | 'updatedAt';
  why: 'later' | 'undated';
}

/** What a load stores or has stored. */
export interface LoadResult {
  rejected: readonly Rejection[];
  /** When the first testimonial was created or changed here, ISO 8601. */
  historyEnd?: string;
  /** Number of lines to store, without those left out. */
  good: number;
  /** Number of lines to store that repeat a stored testimonial or an earlier line. */
  repeated: number;
  /** The part of `repeated` that repeats an earlier line. */
  twice: number;
  /** Number of lines that are left out because they repeat others. */
  leftOut: number;
  /** True if the testimonials get the times of the lines. */
  keepsTimes: boolean;
  /** Whether lines keep their ids of this service; absent if they have none. */
  ids?: 'kept' | 'replaced';
  /** True if other lines could not keep their times afterwards. */
  endsHistory: boolean;
  /** True if it had ended before. */
  wasLoaded: boolean;
  /** Number of testimonials that this process has stored. */
  stored: number;
}

/** A load that this process may begin or continue. Nothing is written yet. */
export interface Load {
  readonly id: string;
  /** When it first began, ISO 8601: lines without a time get it. */
  readonly at: string;
  /** Present if an earlier process began it, also in the state `begun`. */
  readonly earlier?: LoadStatus;
  /**
   * Checks lines against the organization. Writes nothing.
   * @throws {LoadRefused} if they cannot be stored
   */
  check(lines: readonly LoadLine[], options: LoadOptions, work: WorkCallbacks): Promise<CheckedLoad>;
}

/** A load whose lines can be compared apart from the check, in several steps. */
export interface ComparableLoad extends Load {
  /**
   * Compares lines with the stored testimonials, or continues to. Writes nothing.
   * @param options.until when to stop, in milliseconds since the epoch
   */
  compare(
    lines: readonly LoadLine[],
    work: Pick<WorkCallbacks, 'progress'>,
    options?: { comparedSoFar?: ComparedLines; until?: number },
  ): Promise<ComparedLines>;
}

export interface CheckedLoad {
  /** The result that `store('all')` would have. */
  readonly result: LoadResult;
  /**
   * Stores the lines that no earlier process has stored, and returns once lists show all of them. To continue
   * after an error, open and check the load again.
   * @param which `only new`: without lines that repeat others
   * @throws {LoadRefused} if another process has taken over
   */
  store(which: 'all' | 'only new', work: WorkCallbacks): Promise<LoadResult>;
}

/** What an undo erases or has erased. */
export interface UndoResult {
  /** When the load began, ISO 8601. */
  at: string;
  erased: number;
  /** Testimonials that stay because someone changed them. */
  changed: number;
  /** Testimonials that were erased before. */
  gone: number;
  /** True for a first load with positions from the counter's first on: its lines end the history. */
  isFirst: boolean;
}

/** Numbers of positions for testimonials that are older than the organization's first create. */
export interface HistoryRoom {
  free: number;
  /** Those of testimonials. */
  occupied: number;
  /** Those that undone loads have used, which are never free again. */
  spent: number;
}

/** What `fill` asks for: times from `from` to `to`. */
export interface FillStart {
  from: Date;
  to: Date;
  /** The number of the first testimonial in the organization, from 1. */
  first: number;
}

/** A line for `fill`, without media. `update` is its rank in the order of updates, from 0. */
export type FillLine = Omit<LoadLine, 'media'> &
  Required<Pick<LoadLine, 'createdAt' | 'updatedAt' | 'update'>>;

/**
 * Why a load or an undo was refused. This run stored and erased no testimonial, except for `taken over` and
 * `position taken`.
 */
export type Refusal =
  | { why: 'busy'; organization: string; status: LoadStatus }
  | { why: 'being undone' }
  | { why: 'other load'; organization: string }
  /** Another process has continued it. */
  | { why: 'taken over' }
  /** Some lines are later than a testimonial that was just created. */
  | { why: 'created meanwhile'; organization: string }
  /** Another version accepted another number of lines: `count`. */
  | { why: 'other version'; count: number }
  | { why: 'unreadable load'; keys: { PK: string; SK: string } }
  | { why: 'unreadable positions'; organization: string }
  /** Between the lines of earlier loads, `missing` lines find no position. */
  | { why: 'no room'; missing: number; room: HistoryRoom }
  /** Another testimonial is at a position that the load had reserved. */
  | { why: 'position taken'; organization: string; position: number };

/** A load or an undo was refused. The command line has a text for each reason. */
export class LoadRefused extends Error {
  override name = 'LoadRefused';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`The load is refused: ${refusal.why}`);
    this.refusal = refusal;
  }
}
