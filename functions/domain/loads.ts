/**
 * Parameters, results and errors of loads, which store many testimonials (functions/testimonials/loads.ts).
 */
import * as v from 'valibot';
import { isRandomId } from './page.ts';
import { mediaUrl, type Status, statuses, type TestimonialInput, testimonialInput } from './testimonial.ts';

/** A testimonial to load. Times are in milliseconds since 1970. */
export interface LoadLine extends TestimonialInput {
  id?: string;
  status?: Status;
  createdAt?: number;
  updatedAt?: number;
  consent?: { page: string; at: number };
  /** Media at another service. */
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
    // The bytes belong to the organization that uploaded them.
    media: v.exactOptional(v.object({ url: mediaUrl })),
    id: v.exactOptional(v.string('must be a string')),
    status: v.exactOptional(v.picklist(statuses, `must be one of ${statuses.join(', ')}`)),
    createdAt: v.exactOptional(time),
    updatedAt: v.exactOptional(time),
    consent: v.exactOptional(v.object({ page: pageId, at: time })),
  };
}

/** The rank of a line among updates with the same time. */
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
   * Leave out lines that repeat a stored testimonial or an earlier line. Like `store('only new')`, but
   * decided before the result is shown.
   */
  onlyNew?: boolean | undefined;
  /**
   * Indices in `lines` of the lines that are already stored, as `compare` found them. If absent, the check
   * compares.
   */
  alreadyStored?: readonly number[] | undefined;
}

/** The result of comparing lines with the stored testimonials, which may be incomplete. */
export interface ComparedLines {
  /**
   * Indices in `lines` of the lines that repeat the text and the author of a stored testimonial, ascending.
   * `LoadResult.repeated` also counts lines that only repeat an earlier line.
   */
  repeated: readonly number[];
  /** The position from which to continue the comparison; absent if it is complete. */
  next?: number;
}

export function areEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((index, i) => index === b[i]);
}

/** Callbacks of long work. */
export interface WorkCallbacks {
  /** @param total 0 if unknown */
  progress: (done: number, total: number, phase: LoadPhase) => void;
  sleep?: ((milliseconds: number) => Promise<unknown>) | undefined;
  /**
   * Runs work that stops between two writes once its signal is aborted, by a signal to the command or because
   * a step of the desk has used its time. It then rejects, even if the work returned.
   */
  runStoppable?: <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;
  /** Called once if the rebuild of another process has to end first. */
  onOtherRebuild?: () => void;
}

export type LoadPhase = 'compared' | 'stored' | 'indexed' | 'previewed' | 'erased' | 'pacing';

/**
 * | State | Written by | Claim | If the process stops |
 * |---|---|---|---|
 * | `begun` | `storeAndEnd`: duplicates are left out, no line is stored | yes | another decides again |
 * | `storing` | `startStoring` | yes | any process continues it where it stopped, or undoes it |
 * | `stored` | `storeAtPositions`: lists may lack the lines | no | any process can end it |
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
  /** The mapping of the file as JSON, which a continued load reads the file with. */
  mapping?: string;
  state: LoadState;
  /** When it began, ISO 8601. */
  at: string;
  /** Minimum number of lines that are stored or, by an undo, erased or kept. */
  done: number;
  /** Number of lines to store. */
  count: number;
  /**
   * The time at which the claim of the process working on it expires, ISO 8601. Absent if no process works on
   * it.
   */
  claimedUntil?: string;
}

/** A load that has not stored all lines, an undo that has not erased all testimonials, or a hidden load. */
export interface UnfinishedLoad {
  /** True if no list shows its testimonials yet. */
  isHidden: boolean;
  /** Absent for testimonials that `fill` stores. */
  status?: LoadStatus;
}

/**
 * The reason that a line cannot be stored. `later`: one of its times is after the end of the history.
 * `undated`: it has no time, but other lines have.
 */
export interface Rejection {
  /** The index of the line in `lines`. */
  index: number;
  field: 'createdAt' | 'updatedAt';
  why: 'later' | 'undated';
}

/** The numbers and decisions of a load that is checked or stored. */
export interface LoadResult {
  rejected: readonly Rejection[];
  /** When the first testimonial was created or changed here, ISO 8601. */
  historyEnd?: string;
  /** Number of lines to store, not counting those left out. */
  good: number;
  /** Number of lines to store that repeat a stored testimonial or an earlier line. */
  repeated: number;
  /** The part of `repeated` that repeats an earlier line. */
  repeatedInFile: number;
  /** Number of lines that are left out because they repeat others. */
  leftOut: number;
  /** True if the testimonials keep the times of the lines. */
  keepsTimes: boolean;
  /**
   * `kept` if the testimonials keep the ids that this service exported, `replaced` if they get new ones.
   * Absent if the lines have no such ids.
   */
  ids?: 'kept' | 'replaced';
  /** True if the load sets the end of the history: later loads cannot keep times after it. */
  endsHistory: boolean;
  /** True if the load had ended before this process opened it. */
  wasLoaded: boolean;
  /** Number of testimonials that this process has stored. */
  stored: number;
}

/** A load that this process may begin or continue. It writes nothing until `store`. */
export interface Load {
  readonly id: string;
  /** The time at which it first began, ISO 8601. Lines without a time get this time. */
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
   * Starts or continues to compare lines with the stored testimonials. Writes nothing.
   * @param options.until when to stop, in milliseconds since 1970
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
   * @param which `only new`: leaves out lines that repeat others
   * @throws {LoadRefused} if another process has taken over
   */
  store(which: 'all' | 'only new', work: WorkCallbacks): Promise<LoadResult>;
}

/** The numbers of an undo. */
export interface UndoResult {
  /** When the load began, ISO 8601. */
  at: string;
  erased: number;
  /** Testimonials that stay because someone changed them. */
  changed: number;
  /** Testimonials that were erased before. */
  gone: number;
  /**
   * True if this is the organization's first load and some of its lines are stored after the history. Their
   * times stay its end.
   */
  isFirst: boolean;
}

/** The number of positions for testimonials that are older than the organization's first create. */
export interface HistoryRoom {
  free: number;
  /** Positions of testimonials. */
  occupied: number;
  /** Positions that undone loads have used. They are never free again. */
  spent: number;
}

/** Parameters of `fill`, which stores testimonials with times from `from` to `to`. */
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
 * The reason that a load or an undo was refused. This process has then stored and erased nothing, except for
 * `taken over` and `position taken`.
 */
export type LoadRefusal =
  | { why: 'busy'; organization: string; status: LoadStatus }
  | { why: 'being undone' }
  | { why: 'other load'; organization: string }
  /** Another process has continued the load. */
  | { why: 'taken over' }
  /** Some lines are later than a testimonial that was created in the meantime. */
  | { why: 'created meanwhile'; organization: string }
  /** Another version accepted a different number of lines: `count`. */
  | { why: 'other version'; count: number }
  | { why: 'unreadable load'; keys: { PK: string; SK: string } }
  | { why: 'unreadable positions'; organization: string }
  /** `missing` lines find no free position between the lines of earlier loads. */
  | { why: 'no room'; missing: number; room: HistoryRoom }
  /** Another testimonial is at a position that the load had reserved. */
  | { why: 'position taken'; organization: string; position: number };

/** A load or an undo was refused. The command line has a text for each reason. */
export class LoadRefused extends Error {
  override name = 'LoadRefused';
  readonly refusal: LoadRefusal;

  constructor(refusal: LoadRefusal) {
    super(`The load is refused: ${refusal.why}`);
    this.refusal = refusal;
  }
}
