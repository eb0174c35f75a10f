/** Parameters, results and errors of functions/testimonials, whose functions may also throw `Throttled`. */
import type { ChangeKind, Consent, Decision } from './stored-testimonial.ts';
import type { Status, StoredMedia, Testimonial, TestimonialType } from './testimonial.ts';
import type { TestimonialFilter } from './testimonial-filter.ts';

/** One request, or one command. */
export interface RequestContext {
  /** Aborts the calls of the request. */
  signal?: AbortSignal;
  /**
   * Called before each write with the number of postings that an index update will write because of it. If it
   * rejects, nothing is written and the verb rejects with its error. `refund` makes the next write pay for
   * the same postings.
   */
  payFor?: (postings: UnpaidPostings) => Promise<void>;
}

/** Postings that a write adds, and that no earlier write has paid for. */
export interface UnpaidPostings {
  count: number;
  /** Called when the write was refused, so that the next one pays for these postings. */
  refund: () => void;
}

/** A testimonial with facts that lists leave out. */
export interface TestimonialRecord {
  testimonial: Testimonial;
  /** The last decision about its status. */
  decision?: Decision;
  /** The consent that its author gave with a form. */
  consent?: Consent;
  /** Where it came from, if a person at the desk added it. */
  source?: string;
}

/** A testimonial with the number of its last update: later updates have higher numbers. */
export interface UpdatedRecord extends TestimonialRecord {
  update: number;
}

/** A testimonial that the caller has read. Only changes alter its `updatedAt`. */
export type Seen = Pick<Testimonial, 'id' | 'updatedAt'>;

export interface IfUnchanged {
  /** Write only if `updatedAt` still has this value. */
  ifUpdatedAt?: string | undefined;
}

export interface ChangeOptions extends IfUnchanged {
  /** The person or token that makes the change. Stored if the status changes. */
  by?: { id: string; name?: string };
}

/**
 * The outcome of a change. `already`: the testimonial already had these values, by that decision. `conflict`:
 * it has changed since the caller read it. `testimonial` is the state after this change, or else the current
 * one; `before` is the state before this change.
 */
export type Changed =
  | { kind: 'done'; before: Testimonial; testimonial: Testimonial }
  | { kind: 'already'; testimonial: Testimonial; decision?: Decision }
  | { kind: 'conflict'; testimonial: Testimonial }
  | { kind: 'absent' }
  | { kind: 'tooManyTags' };

/**
 * The outcome of an erasure. `already`: it was erased earlier. `conflict`: it has changed since the caller
 * read it; `testimonial` is the current state.
 */
export type Erased =
  | { kind: 'done'; before: Testimonial | 'unreadable' }
  | { kind: 'already' | 'absent' }
  | { kind: 'conflict'; testimonial: Testimonial };

/** The ids of testimonials by the outcome of each. */
export type Tally = Record<(Changed | Erased)['kind'], string[]>;

/** A list as a person saw it, without later testimonials and changes. */
export interface ShownList {
  filter: TestimonialFilter;
  /** When the list was shown, ISO 8601. */
  until: string;
  edition: string;
}

/** Where the search for testimonials of a shown list goes on. */
export interface SearchPlace {
  /** In pages of the `size` of the search. With another size it reads some pages again. */
  page: number;
  /**
   * As long as this round through the list has found nothing: the update ordinal of the last testimonial that
   * it has read. Absent afterwards, because another round follows then.
   */
  foundNoneUpTo?: number;
}

export const searchStart: SearchPlace = { page: 1, foundNoneUpTo: 0 };

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
    super('An import or an undo may have changed the matching testimonials since they were shown.');
  }
}

/**
 * A newer version built this index with term rules that this code does not know. Updating it here would omit
 * terms.
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
  /** Names the item. */
  readonly sortKey: string;
  /** True if the item did not exist before. */
  readonly isNew: boolean;
  /** True if a testimonial was written again, by a change, an erasure or an index update. */
  readonly isRewrite: boolean;
  readonly sequenceNumber: string;
}

/**
 * An item as it is now. `update` is the number of its last update in the organization; later updates have
 * higher numbers.
 */
export type CurrentItem =
  | {
      kind: 'testimonial';
      testimonial: Testimonial;
      update: number;
      /** The kind of its last update; absent before the first. */
      change?: ChangeKind;
      /** True if an import stored it. */
      isLoaded: boolean;
    }
  /** `time`: of the erasure, ISO 8601. */
  | { kind: 'erased'; id: string; time: string; update: number }
  /** An import that has ended, and the number of its testimonials. */
  | { kind: 'imported'; identity: string; count: number };

/** Logged if a new position holds another testimonial. An alarm counts it. */
export const positionTakenMessage = 'The position of a new testimonial is taken';

/**
 * Photos and recordings that a create claims. Each call may be repeated, by this request or by another one of
 * the same create.
 */
export interface MediaClaim {
  /** Names what the client sent: a part of the request. */
  readonly named: object;
  /**
   * Verifies the uploads at the first call. Later calls return the same result.
   * @returns the facts to store, and the type of a testimonial with this recording
   * @throws if an upload is missing or refused
   */
  verify(): Promise<{ media: StoredMedia; type?: TestimonialType }>;
  /** Returns true for the error of an upload that is not there, or no longer. */
  isGone(error: unknown): boolean;
  /**
   * Copies the uploads for a testimonial. The copies disappear within two days unless `keep` follows.
   * @returns false if there are copies of other bytes
   */
  copy(id: string): Promise<boolean>;
  /** Returns true if an upload has other bytes than its copy for a testimonial: somebody has replaced it. */
  hasOthers(id: string): Promise<boolean>;
  /** Makes the copies of a stored testimonial last, and deletes the uploads. */
  keep(id: string, media: StoredMedia): Promise<void>;
  /** Deletes the copies for an id that no testimonial can have any more, and leaves the uploads. */
  discard(id: string): Promise<void>;
  /** Deletes the uploads and the copies of an erased testimonial. */
  remove(id: string): Promise<void>;
}
