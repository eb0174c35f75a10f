/** What the domain needs of storage. The persistence layer implements it on DynamoDB. */
import type { Status, Testimonial } from './testimonial.ts';
import type { Order, Sort } from './testimonial-order.ts';
import type { TokenRecord } from './token.ts';

/** The timeout of every function of the API: a create that began longer ago can no longer write. */
export const functionTimeoutMs = 10_000;

export interface TestimonialStore {
  /**
   * Takes an organization's next ordinal, and with it the time of creation, which is `now` or, where the
   * clock went back, the one before.
   * @param count takes as many ordinals, of which the last is returned
   */
  takeOrdinal(
    organization: string,
    now: Date,
    options?: { count?: number },
    signal?: AbortSignal,
  ): Promise<{ ordinal: number; createdAt: string }>;

  /** Stores a new testimonial; when its ordinal is already stored, changes nothing and returns that one. */
  insert(
    organization: string,
    testimonial: Testimonial,
    signal?: AbortSignal,
  ): Promise<Testimonial | undefined>;

  /** Reads one testimonial, strongly consistent. */
  find(organization: string, ordinal: number, signal?: AbortSignal): Promise<Testimonial | undefined>;

  /**
   * Reads those that exist of some testimonials, in no order.
   * @param eventually takes what the database has had for some seconds, at half the cost of its newest
   */
  findMany(
    organization: string,
    ordinals: readonly number[],
    options?: { eventually?: boolean },
    signal?: AbortSignal,
  ): Promise<Testimonial[]>;

  /** Announces that the testimonial with this ordinal is about to be written other than by its create. */
  markChange(organization: string, change: Change, signal?: AbortSignal): Promise<void>;

  /** The changes announced and not yet in the list index, strongly consistent, oldest first. */
  announcedChanges(organization: string): Promise<Change[]>;

  /** Withdraws announcements: the list index has the changes. */
  forgetChanges(organization: string, changes: readonly Change[]): Promise<void>;

  /**
   * Replaces status and updatedAt, if the testimonial still has the `updatedAt` it was read with.
   * @returns false when somebody else changed it meanwhile
   */
  replaceStatus(organization: string, previous: Testimonial, next: Testimonial): Promise<boolean>;

  /**
   * The testimonials with this ordinal and higher ones, strongly consistent, ascending, page after page.
   * @param limit testimonials a page, at most; without it as many as one read takes
   */
  from(
    organization: string,
    ordinal: number,
    options?: { limit?: number },
  ): AsyncGenerator<Testimonial[], void, undefined>;

  /**
   * Walks a secondary index, eventually consistent: an organization's testimonials in order, page after page.
   * @param limit testimonials a page, at most
   */
  walk(
    organization: string,
    options: { status?: Status; sort: Sort; order: Order; limit: number },
    signal?: AbortSignal,
  ): AsyncGenerator<Testimonial[], void, undefined>;
}

/** The announcement of a change to a testimonial. */
export interface Change {
  ordinal: number;
  time: Date;
  /** A create that fills an old ordinal, or a change of nothing but status and updatedAt. */
  kind: 'create' | 'status';
}

/** What an idempotency key stands for. */
export interface IdempotencyRecord {
  /** SHA-256 of the validated request body. */
  fingerprint: string;
  testimonialId: string;
  createdAt: string;
}

export interface IdempotencyKeyStore {
  /** Reads the record of a key that has not expired at `now`, strongly consistent. */
  find(
    organization: string,
    key: string,
    now: Date,
    signal?: AbortSignal,
  ): Promise<IdempotencyRecord | undefined>;

  /** Stores a record for a key that has none at `now`; otherwise changes nothing and returns the one there. */
  claim(
    organization: string,
    key: string,
    record: IdempotencyRecord,
    now: Date,
    signal?: AbortSignal,
  ): Promise<IdempotencyRecord | undefined>;
}

/** Looks up a token by its SHA-256; undefined when it is unknown or revoked. */
export type FindToken = (hash: string) => Promise<TokenRecord | undefined>;

/** A token as the operator sees it: its public id instead of its hash. */
export type TokenSummary = Omit<TokenRecord, 'hash'> & { id: string };

export interface TokenStore {
  /** Stores an issued token and returns its id. */
  add(token: TokenRecord): Promise<string>;
  /** An organization's tokens, oldest first; without an organization all, which reads the whole table. */
  list(organization?: string): Promise<TokenSummary[]>;
  /** Revokes a token by its id; false when there is none. */
  revoke(id: string): Promise<boolean>;
}
