/** The storage that the domain needs. The persistence layer implements it on DynamoDB. */

import type { Pass, Person } from './person.ts';
import type { Texts } from './public-texts.ts';
import type { ErasedTestimonial, StoredTestimonial } from './stored-testimonial.ts';
import type { Status } from './testimonial.ts';
import type { Order, Ordinal, Sort, UpdateOrdinal } from './testimonial-order.ts';
import type { TokenRecord } from './token.ts';

/** The next positions in the two orders of an organization, and their time. */
export interface TakenOrdinals {
  ordinal: Ordinal;
  updateOrdinal: UpdateOrdinal;
  /** ISO 8601. Later positions never have an earlier time. */
  time: string;
}

/** The state of an organization's counter: the last positions and their time. */
export interface CounterValue extends TakenOrdinals {
  /** The end of the history: when a create or change first took a position, ISO 8601; absent before. */
  firstTime?: string;
  /** The load that took the first positions, if one did. */
  load?: string;
}

/** A load that takes the first positions of an organization. */
export interface LoadStart {
  /** Names the load. */
  load: string;
  /** The last position that the load takes, in both orders. */
  last: number;
  /** ISO 8601: later positions never have an earlier time. */
  time: string;
  /** The time of the load's first testimonial after the history; absent if all belong to the history. */
  firstTime?: string;
}

/** Announces a change: the testimonial may get a new version from now on. */
export interface ChangeMarker {
  /** The position of the change in the order of updates; names the marker. */
  updateOrdinal: UpdateOrdinal;
  /** The testimonial's update ordinal before the change. */
  previousUpdateOrdinal: UpdateOrdinal;
  /** The testimonial's ordinal. */
  ordinal: Ordinal;
  /** The version that the change replaces; it fails on any other. */
  version: number;
  /** ISO 8601. */
  time: string;
  /** The names of facets that the testimonial's texts had before the change; absent if there were none. */
  formerFacets?: string[];
}

/** The texts of a testimonial that is being erased: the list index is searched for their words afterwards. */
export interface ErasureTexts extends Pick<ChangeMarker, 'updateOrdinal' | 'ordinal' | 'version' | 'time'> {
  texts: Texts;
}

/**
 * Why a testimonial cannot be stored at its position: an index update sealed it, the testimonial was stored and erased, or
 * another testimonial has or had it.
 */
export type Closed = 'sealed' | 'erased' | 'taken';

/** The readable parts of an unreadable testimonial that its erasure needs. */
export interface Remains extends Pick<ErasureTexts, 'ordinal' | 'version' | 'texts'> {
  updateOrdinal?: UpdateOrdinal;
}

/** A row of a secondary index. */
export interface WalkedRow {
  ordinal: Ordinal;
  updateOrdinal: UpdateOrdinal;
  /** Absent if the content is long: no secondary index has it. */
  stored?: StoredTestimonial;
}

export interface WalkOptions {
  status?: Status;
  sort: Sort;
  order: Order;
  /** The most testimonials of a page; by default as many as one read returns. */
  limit?: number;
  /** The first and the last position of the sort, both included. */
  between?: [number[], number[]];
}

/**
 * The testimonials of all organizations. Reads are strongly consistent unless a method says otherwise. Reads of several testimonials
 * report unreadable ones and leave them out, so that a list, the list index and an export go on.
 */
export interface TestimonialStore {
  /**
   * Takes an organization's next positions. Their time is `now`, or the last time if the clock went back.
   * @param count how many to take; the last is returned
   */
  takeOrdinals(organization: string, now: Date, count?: number): Promise<TakenOrdinals>;

  /**
   * Starts the counter if no position was ever taken.
   * @returns true if this load started it, now or before
   */
  beginCounting(organization: string, first: LoadStart): Promise<boolean>;

  /** Takes no position; later positions have no earlier time than this. */
  raiseTime(organization: string, time: string): Promise<CounterValue>;

  /**
   * Removes the end of the history if the counter has not changed; the next position sets it again.
   * @param value the counter when everything up to it was erased and nothing earlier could still arrive
   */
  reopenHistory(organization: string, value: CounterValue): Promise<void>;

  /** Returns undefined if nothing was ever counted. */
  readCounter(organization: string): Promise<CounterValue | undefined>;

  /**
   * Takes the next position in the order of updates, at `now` or at the last time if that is later.
   * @param by an erasure does not end the history: it leaves nothing at its position
   * @param count how many to take; the last is returned
   */
  takeUpdateOrdinal(
    organization: string,
    now: Date,
    by?: 'change' | 'erasure',
    count?: number,
  ): Promise<Omit<TakenOrdinals, 'ordinal'>>;

  /**
   * Stores a new testimonial if its position is free.
   * @returns the stored testimonial, also if an earlier try stored it, or why the position is closed
   */
  insert(organization: string, stored: StoredTestimonial): Promise<StoredTestimonial | Closed>;

  /**
   * Seals a free position: no testimonial can be stored there any more.
   * @returns the testimonial at that position, or undefined if there is none
   */
  sealPosition(organization: string, ordinal: Ordinal): Promise<StoredTestimonial | undefined>;

  /** @throws {Unreadable} */
  find(organization: string, ordinal: Ordinal): Promise<StoredTestimonial | undefined>;

  /** Returns the readable parts of a testimonial, or undefined if the position in its id is free or has another id. */
  findRemains(organization: string, id: string): Promise<Remains | undefined>;

  /**
   * Returns the existing ones of some testimonials, in no order.
   * @param options `consistent: false` reads eventually consistent, at half the cost
   */
  findMany(
    organization: string,
    ordinals: readonly Ordinal[],
    options?: { consistent?: boolean },
  ): Promise<StoredTestimonial[]>;

  /**
   * Returns the testimonials from an ordinal on, ascending, page by page.
   * @param options `limit`: the most testimonials of a page; by default as many as one read returns
   */
  from(
    organization: string,
    ordinal: Ordinal,
    options?: { limit?: number },
  ): AsyncGenerator<StoredTestimonial[], void, undefined>;

  /** Reads a secondary index, eventually consistent: an organization's testimonials in order, page by page. */
  walk(organization: string, options: WalkOptions): AsyncGenerator<WalkedRow[], void, undefined>;

  putChangeMarker(organization: string, marker: ChangeMarker): Promise<void>;

  /** Puts several markers in few calls. After an error some of them may exist. */
  putChangeMarkers(organization: string, markers: readonly ChangeMarker[]): Promise<void>;

  /** Returns the change markers in the order of updates, page by page. */
  changeMarkers(organization: string): AsyncGenerator<ChangeMarker[], void, undefined>;

  deleteChangeMarkers(organization: string, updateOrdinals: readonly UpdateOrdinal[]): Promise<void>;

  /** Keeps the texts of testimonials that are about to be erased. No list reads them. After an error some may be kept. */
  putErasureTexts(organization: string, texts: readonly ErasureTexts[]): Promise<void>;

  /** Returns the kept texts of erasures in the order of updates, page by page. */
  erasureTexts(organization: string): AsyncGenerator<ErasureTexts[], void, undefined>;

  deleteErasureTexts(organization: string, updateOrdinals: readonly UpdateOrdinal[]): Promise<void>;

  /**
   * Replaces a testimonial's status, tags, updatedAt, kind of change and update ordinals, and raises its version.
   * @returns false if the version has changed since the read
   */
  replace(organization: string, previous: StoredTestimonial, next: StoredTestimonial): Promise<boolean>;

  /**
   * Raises a testimonial's version, so that changes that have read it start again.
   * @returns false if the version has changed since the read
   */
  sealVersion(organization: string, stored: StoredTestimonial): Promise<boolean>;

  /**
   * Replaces a testimonial by its id and the time of its erasure.
   * @returns false if the version has changed since the read
   */
  erase(
    organization: string,
    previous: StoredTestimonial,
    erasure: Omit<TakenOrdinals, 'ordinal'>,
  ): Promise<boolean>;

  /**
   * Erases the testimonial at the position of an id in the same way, even an unreadable one.
   * @returns false if there is none
   */
  eraseRemains(organization: string, id: string, erasure: Omit<TakenOrdinals, 'ordinal'>): Promise<boolean>;

  wasErased(organization: string, id: string): Promise<boolean>;

  /** Returns the ids of the erased ones of some testimonials, in no order. */
  findErased(organization: string, ordinals: readonly Ordinal[]): Promise<string[]>;
}

/** An import that has stored all of its lines. */
export interface EndedImport {
  fingerprint: string;
  /** The number of its lines. */
  count: number;
}

/** The items that events are about, read strongly consistent. Reports unreadable items and leaves them out. */
export interface EventItemStore {
  /** Returns the testimonials and erased testimonials at some positions, in no order. */
  atPositions(
    organization: string,
    ordinals: readonly Ordinal[],
  ): Promise<(StoredTestimonial | ErasedTestimonial)[]>;

  /** Returns the ended ones of some imports, in no order. */
  endedImports(organization: string, fingerprints: readonly string[]): Promise<EndedImport[]>;
}

/** The create that used an idempotency key. */
export interface IdempotencyRecord {
  /** SHA-256 of the validated request body. */
  fingerprint: string;
  testimonialId: string;
  createdAt: string;
  updateOrdinal: UpdateOrdinal;
}

export interface IdempotencyKeyStore {
  /** Returns the record of a key unless it has expired at `now`, strongly consistent. */
  find(organization: string, key: string, now: Date): Promise<IdempotencyRecord | undefined>;

  /**
   * Stores a record if the key has none at `now`, or has the record of the testimonial `replacing`.
   * @returns the record that the key has afterwards
   */
  claim(
    organization: string,
    key: string,
    record: IdempotencyRecord,
    now: Date,
    replacing?: string,
  ): Promise<IdempotencyRecord>;
}

/** Looks up a token by its SHA-256; returns undefined if it is unknown or revoked. */
export type FindToken = (hash: string) => Promise<TokenRecord | undefined>;

/** A token for operators: with its public id instead of its hash. */
export type TokenSummary = Omit<TokenRecord, 'hash'> & { id: string };

export interface TokenStore {
  /**
   * Stores an issued token and returns its id.
   * @throws {ValiError} naming the rule that its permissions break
   */
  add(token: TokenRecord): Promise<string>;
  /** Returns an organization's tokens, oldest first. */
  list(organization: string): Promise<TokenSummary[]>;
  /** Revokes a token by its id; returns false if there is none. */
  revoke(id: string): Promise<boolean>;
}

/** The people of all desks, and their invitations and sessions. Reads are strongly consistent. */
export interface DeskStore {
  addPerson(person: Person): Promise<void>;
  findPerson(organization: string, id: string): Promise<Person | undefined>;
  /** Returns the people of an organization, in no order. */
  listPeople(organization: string): Promise<Person[]>;
  /** Changes attributes of an existing person. */
  notePerson(
    person: Pick<Person, 'organization' | 'id'>,
    attributes: Pick<Person, 'seenAt' | 'series'>,
  ): Promise<void>;
  /** Returns false if there is no such person. */
  removePerson(organization: string, id: string): Promise<boolean>;
  addPass(pass: Pass): Promise<void>;
  findPass(hash: string): Promise<Pass | undefined>;
  /** Replaces a pass; returns false if it was removed or opened as another session. */
  replacePass(pass: Pass): Promise<boolean>;
  removePass(hash: string): Promise<void>;
}

/** The budgets of an organization: for its private tokens, for its tokens in web pages, and for its desk. */
export type BudgetName = 'general' | 'published' | 'desk';

/** The budget that pays for a request. */
export interface Payer {
  organization: string;
  budget: BudgetName;
  /** Its part of the organization's budget. */
  share: number;
}

/** The cost of some requests in nanodollars, and their number. */
export interface Spent {
  spent: number;
  requests: number;
}

/** The spending of a minute, with the budget at that time in nanodollars; 0 for no limit. */
export interface Spending extends Spent {
  budget: number;
}

/** The spending of all functions. Minutes are counted from the epoch; amounts are in nanodollars. */
export interface BudgetStore {
  /**
   * Adds to the spending of a payer in a minute.
   * @returns the sums
   * @throws {Throttled} if nothing was added; after any other error that is unknown
   */
  addSpending(payer: Payer, minute: number, spending: Spending): Promise<Spent>;

  /**
   * Adds to the spending unless it has reached the budget.
   * @returns undefined if it has, and nothing was added
   * @throws {Throttled} as above
   */
  reserveSpending(payer: Payer, minute: number, spending: Spending): Promise<Spent | undefined>;

  /** Returns the sums of a minute. */
  findSpending(payer: Payer, minute: number): Promise<Spent>;

  /** Returns an organization's own budget per minute, 0 for no limit; undefined if it has none. */
  findBudget(organization: string): Promise<number | undefined>;
}

/** The names of all organizations. */
export interface OrganizationStore {
  add(organization: string): Promise<void>;
  /** Removes the name only, none of the organization's items. */
  remove(organization: string): Promise<void>;
  /** Returns the names in alphabetical order. */
  list(): Promise<string[]>;
}

/** DynamoDB throttled every try of a call. Earlier writes of the request stay. */
export class Throttled extends Error {
  override name = 'Throttled';
}
