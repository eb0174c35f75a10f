/** The store of testimonials, with the items that it keeps for changes and erasures. */
import type { Texts } from '../../domain/fields.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { Status } from '../../domain/testimonial.ts';
import type { Direction, Ordinal, Ordinals, Sort, UpdateOrdinal } from '../../domain/testimonial-order.ts';

/** A reserved position in the order of updates, and its time. */
export interface ReservedUpdate {
  updateOrdinal: UpdateOrdinal;
  /** ISO 8601. Later positions never have an earlier time. */
  time: string;
}

/** Reserved positions in the two orders of an organization, and their time. */
export interface ReservedOrdinals extends Ordinals, ReservedUpdate {}

/** The state of an organization's counter: the last reserved positions and their time. */
export interface CounterValue extends ReservedOrdinals {
  /**
   * The end of the history: the time at which a create or change first reserved a position, ISO 8601. Absent
   * before.
   */
  historyEnd?: string;
  /** The load that reserved the first positions, if one did. */
  load?: string;
}

/** A load that reserves the first positions of an organization. */
export interface LoadStart {
  /** The name of the load. */
  load: string;
  /** The last position that the load reserves, in both orders. */
  last: number;
  /** The time of the reserved positions, ISO 8601. Later positions never have an earlier time. */
  time: string;
  /** The time of the load's first testimonial after the history; absent if all belong to the history. */
  historyEnd?: string;
}

/** Announces that a testimonial is about to change. */
export interface ChangeMarker {
  /** The position of the change in the order of updates; names the marker. */
  updateOrdinal: UpdateOrdinal;
  /** The testimonial's update ordinal before the change. */
  previousUpdateOrdinal: UpdateOrdinal;
  /** The testimonial's ordinal. */
  ordinal: Ordinal;
  /** The version that the change replaces. The change fails if the testimonial has another version. */
  version: number;
  /** ISO 8601. */
  time: string;
  /**
   * The names of facets that the testimonial's texts had before the change; absent if there were no such
   * facets.
   */
  formerFacets?: string[];
}

/**
 * The texts of a testimonial that is being erased. An index update removes their words from the list index.
 */
export interface ErasureTexts extends Pick<ChangeMarker, 'updateOrdinal' | 'ordinal' | 'version' | 'time'> {
  texts: Texts;
}

/**
 * The reason that a testimonial cannot be stored at its position: an index update sealed the position, the
 * testimonial has been erased, or another testimonial is or was stored there.
 */
export type InsertFailure = 'sealed' | 'erased' | 'occupied';

/** The readable parts of an unreadable testimonial that its erasure needs. */
export interface ReadableParts extends Pick<ErasureTexts, 'ordinal' | 'version' | 'texts'> {
  updateOrdinal?: UpdateOrdinal;
  /** The stored version, if it is a number. */
  storedVersion?: number;
}

/** A row of a secondary index. */
export interface WalkedRow extends Ordinals {
  /** Absent if the content is too long for secondary indexes. */
  stored?: StoredTestimonial;
}

export interface WalkOptions {
  status?: Status;
  sort: Sort;
  order: Direction;
  /** The page size; by default as many as one read returns. */
  limit?: number;
  /** The first and the last position of the sort, both included. */
  between?: [number[], number[]];
}

/**
 * The testimonials of all organizations. Reads are strongly consistent unless a method says otherwise. Reads
 * of several testimonials report and skip unreadable ones, so that lists, index updates and exports still
 * succeed.
 */
export interface TestimonialStore {
  /**
   * Reserves an organization's next positions. Their time is `earliest`, or the last reserved time if that is
   * later.
   * @param count the number of positions; the last is returned
   */
  reserveOrdinals(organization: string, earliest: Date, count?: number): Promise<ReservedOrdinals>;

  /**
   * Starts the counter unless a position was reserved before.
   * @returns true if this load started it, now or before
   */
  beginCounting(organization: string, first: LoadStart): Promise<boolean>;

  /** Raises the counter's time without reserving a position. Later positions have at least this time. */
  raiseTime(organization: string, time: string): Promise<CounterValue>;

  /**
   * Removes the end of the history if the counter is unchanged. The next position sets it again.
   * @param value the counter when all testimonials were erased and no earlier one could still arrive
   */
  reopenHistory(organization: string, value: CounterValue): Promise<void>;

  /** Returns undefined if no position was ever reserved. */
  readCounter(organization: string): Promise<CounterValue | undefined>;

  /**
   * Reserves the next positions in the order of updates. Their time is `earliest`, or the last reserved time
   * if that is later.
   * @param reason an erasure does not end the history, because it stores no testimonial at its position
   * @param count the number of positions; the last is returned
   */
  reserveUpdateOrdinal(
    organization: string,
    earliest: Date,
    reason?: 'change' | 'erasure',
    count?: number,
  ): Promise<ReservedUpdate>;

  /**
   * Stores a new testimonial if its position is free.
   * @returns the stored testimonial, even if an earlier attempt stored it, or the reason that the position is
   * closed
   */
  insert(organization: string, stored: StoredTestimonial): Promise<StoredTestimonial | InsertFailure>;

  /**
   * Seals a free position, so that no testimonial can be stored there.
   * @returns the testimonial at that position, or undefined if the position has none
   */
  sealPosition(organization: string, ordinal: Ordinal): Promise<StoredTestimonial | undefined>;

  /** @throws {Unreadable} if the testimonial cannot be read */
  find(organization: string, ordinal: Ordinal): Promise<StoredTestimonial | undefined>;

  /**
   * Returns the readable parts of a testimonial, or undefined if its position is free or holds another id.
   */
  findReadableParts(organization: string, id: string): Promise<ReadableParts | undefined>;

  /**
   * Returns the testimonials that exist at the given positions, in no particular order.
   * @param options `consistent: false` reads eventually consistent, at half the cost
   */
  findMany(
    organization: string,
    ordinals: readonly Ordinal[],
    options?: { consistent?: boolean },
  ): Promise<StoredTestimonial[]>;

  /**
   * Returns the testimonials from an ordinal on, ascending, page by page.
   * @param options `limit`: the page size; by default as many as one read returns
   */
  from(
    organization: string,
    ordinal: Ordinal,
    options?: { limit?: number },
  ): AsyncGenerator<StoredTestimonial[], void, undefined>;

  /**
   * Reads an organization's testimonials in order from a secondary index, eventually consistent, page by
   * page.
   */
  walk(organization: string, options: WalkOptions): AsyncGenerator<WalkedRow[], void, undefined>;

  /** Puts markers in few calls. After an error some of them may exist. */
  putChangeMarkers(organization: string, markers: readonly ChangeMarker[]): Promise<void>;

  /** Returns all change markers in the order of updates, page by page. */
  changeMarkers(organization: string): AsyncGenerator<ChangeMarker[], void, undefined>;

  deleteChangeMarkers(organization: string, updateOrdinals: readonly UpdateOrdinal[]): Promise<void>;

  /**
   * Stores the texts of testimonials that are about to be erased. No list reads them. After an error some may
   * be stored.
   */
  putErasureTexts(organization: string, texts: readonly ErasureTexts[]): Promise<void>;

  /** Returns the stored texts of erasures in the order of updates, page by page. */
  erasureTexts(organization: string): AsyncGenerator<ErasureTexts[], void, undefined>;

  deleteErasureTexts(organization: string, updateOrdinals: readonly UpdateOrdinal[]): Promise<void>;

  /**
   * Writes the difference between two states of a testimonial.
   * @returns false if the version has changed since the read, perhaps by an earlier try of this call, which
   * the caller must check
   */
  writeChange(organization: string, previous: StoredTestimonial, next: StoredTestimonial): Promise<boolean>;

  /**
   * Raises a testimonial's version, so that changes that have already read it must start again.
   * @returns false if the version has changed since the read, perhaps by an earlier try of this call
   */
  sealVersion(organization: string, stored: StoredTestimonial): Promise<boolean>;

  /**
   * Replaces a testimonial with its id and the time of its erasure.
   * @returns true if the testimonial is erased now, by this call or another; false if it has changed since
   * the read
   */
  erase(organization: string, previous: StoredTestimonial, erasure: ReservedUpdate): Promise<boolean>;

  /**
   * Erases an unreadable testimonial in the same way.
   * @returns false if its position has no testimonial, or one of another version that someone may have
   * repaired
   */
  eraseUnreadable(
    organization: string,
    id: string,
    readable: Pick<ReadableParts, 'storedVersion'>,
    erasure: ReservedUpdate,
  ): Promise<boolean>;

  wasErased(organization: string, id: string): Promise<boolean>;

  /** Returns the ids of the testimonials at the given positions that were erased, in no particular order. */
  findErased(organization: string, ordinals: readonly Ordinal[]): Promise<string[]>;
}
