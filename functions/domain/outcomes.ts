/** Parameters, results and errors of functions/testimonials, whose functions can also throw `Throttled`. */
import type { ChangeKind, Consent, Decision } from './stored-testimonial.ts';
import type { Status, StoredMedia, Testimonial, TestimonialType } from './testimonial.ts';
import type { TestimonialFilter } from './testimonial-filter.ts';

/** One request, or one command. */
export interface RequestContext {
  /** Aborts the calls of the request. */
  signal?: AbortSignal;
  /**
   * Called before each write with the number of postings that an index update will write because of it. If it
   * rejects, nothing is written and the operation rejects with the same error. `refund` makes the next write
   * pay for the same postings.
   */
  payFor?: (postings: UnpaidPostings) => Promise<void>;
}

/** The postings that a write adds and that no earlier write has paid for. */
export interface UnpaidPostings {
  count: number;
  /** Called when the write was refused, so that the next one pays for these postings. */
  refund: () => void;
}

/** A testimonial with the facts that lists leave out. */
export interface TestimonialRecord {
  testimonial: Testimonial;
  /** The last decision about its status. */
  decision?: Decision;
  /** The consent that its author gave with a form. */
  consent?: Consent;
  /** Its origin, if a person at the desk added it. */
  source?: string;
}

/** A testimonial with the ordinal of its last update. Later updates have higher ordinals. */
export interface UpdatedRecord extends TestimonialRecord {
  update: number;
}

/** A testimonial that the caller has read. Only changes alter its `updatedAt`. */
export type SeenVersion = Pick<Testimonial, 'id' | 'updatedAt'>;

export interface IfUnchanged {
  /** Change or erase only if `updatedAt` still has this value. */
  ifUpdatedAt?: string | undefined;
}

export interface ChangeOptions extends IfUnchanged {
  /** The person or token that makes the change. Stored if the status changes. */
  by?: { id: string; name?: string };
}

/**
 * The outcome of a change. `already`: the testimonial already had these values, because of `decision`.
 * `conflict`: it has changed since the caller read it. `testimonial` is the state after this change, or else
 * the current one; `before` is the state before this change.
 */
export type ChangeOutcome =
  | { kind: 'done'; before: Testimonial; testimonial: Testimonial }
  | { kind: 'already'; testimonial: Testimonial; decision?: Decision }
  | { kind: 'conflict'; testimonial: Testimonial }
  | { kind: 'absent' }
  | { kind: 'tooManyTags' };

/**
 * The outcome of an erasure. `already`: it was erased earlier. `conflict`: it has changed since the caller
 * read it; `testimonial` is the current state.
 */
export type EraseOutcome =
  | { kind: 'done'; before: Testimonial | 'unreadable' }
  | { kind: 'already' | 'absent' }
  | { kind: 'conflict'; testimonial: Testimonial };

/** The ids of testimonials by the outcome of each. */
export type Tally = Record<(ChangeOutcome | EraseOutcome)['kind'], string[]>;

/** A list as a person saw it, without later testimonials and changes. */
export interface ShownList {
  filter: TestimonialFilter;
  /** When the list was shown, ISO 8601. */
  until: string;
  edition: string;
}

/** The position at which the search for testimonials of a shown list continues. */
export interface SearchCursor {
  /**
   * The page, counted in pages of the search's `size`. With another size the search reads some pages again.
   */
  page: number;
  /**
   * The update ordinal of the last testimonial read. Absent once this pass has found something, because
   * another pass follows then.
   */
  lastReadUpdate?: number;
}

export const searchStart: SearchCursor = { page: 1, lastReadUpdate: 0 };

/** The number of testimonials of one status, type and rating; `rating` is null if they are unrated. */
export interface Count {
  status: Status;
  type: TestimonialType;
  rating: number | null;
  count: number;
}

/** The numbers of all testimonials, for each combination of the three. */
export type Counts = readonly Count[];

/** An idempotency key was used before, with another body or for a testimonial that has been erased. */
export class IdempotencyKeyReused extends Error {
  override name = 'IdempotencyKeyReused';
  readonly reason: 'another body' | 'erased';

  constructor(reason: 'another body' | 'erased') {
    super(
      reason === 'erased' ? 'The testimonial was erased' : 'The idempotency key was used with another body',
    );
    this.reason = reason;
  }
}

/** Every attempt at a list took too long or met an index update. */
export class ListTookTooLong extends Error {
  override name = 'ListTookTooLong';
}

/**
 * An import, an undo or a rebuild has ended since the list was shown, so older testimonials may match now.
 */
export class OtherEdition extends Error {
  override name = 'OtherEdition';

  constructor() {
    super('Other testimonials may match now: an import, an undo or a rebuild of the index has ended.');
  }
}

/**
 * A newer version built this index with term rules that this code does not know. An update by this code would
 * omit terms.
 */
export class NewerTerms extends Error {
  override name = 'NewerTerms';

  constructor(organization: string) {
    super(
      `A newer version of this service made the list index of ${organization}. Update it with that version, or rebuild it with this one.`,
    );
  }
}

/** A write to one of an organization's items, in a record of the table's stream. */
export interface StreamChange {
  readonly organization: string;
  /** The sort key of the item. */
  readonly sortKey: string;
  /** True if the item did not exist before. */
  readonly isNew: boolean;
  /** True if a testimonial was written again, by a change, an erasure or an index update. */
  readonly isRewrite: boolean;
  readonly sequenceNumber: string;
}

/**
 * The current state of an item. `update` is the ordinal of its last update in the organization; later updates
 * have higher ordinals.
 */
export type CurrentItem =
  | {
      kind: 'testimonial';
      testimonial: Testimonial;
      update: number;
      /** The kind of the last update. Absent before the first update. */
      change?: ChangeKind;
      /** True if an import stored it. */
      isLoaded: boolean;
    }
  /** `time`: of the erasure, ISO 8601 */
  | { kind: 'erased'; id: string; time: string; update: number }
  /** An import that has ended, and the number of its testimonials. */
  | { kind: 'imported'; identity: string; count: number };

/** Logged if a new position holds another testimonial. An alarm counts it. */
export const positionTakenMessage = 'The position of a new testimonial is taken';

/**
 * The photos and recordings that a create claims. Each call may be repeated, by this request or by another
 * request for the same create.
 */
export interface MediaClaim {
  /** The part of the request that names the media. */
  readonly named: object;
  /**
   * Verifies the uploads on the first call. Later calls return the same result.
   * @returns the facts to store, and the type of testimonial that the recording makes
   * @throws if an upload is missing or refused
   */
  verify(): Promise<{ media: StoredMedia; type?: TestimonialType }>;
  /** True for the error of an upload that does not exist, or no longer does. */
  isGone(error: unknown): boolean;
  /**
   * Copies the uploads for a testimonial. The bucket deletes the copies within two days unless `keep`
   * follows.
   * @returns false if there are copies of other bytes
   */
  copy(id: string): Promise<boolean>;
  /** True if an upload has been replaced: its bytes differ from its copy for the testimonial. */
  hasOthers(id: string): Promise<boolean>;
  /** Keeps the copies of a stored testimonial for good, and deletes the uploads. */
  keep(id: string, media: StoredMedia): Promise<void>;
  /** Deletes the copies for an id that no testimonial can get any more. Keeps the uploads. */
  discard(id: string): Promise<void>;
  /** Deletes the uploads and the copies of an erased testimonial. */
  remove(id: string): Promise<void>;
}
