/** The storage that the domain needs. The persistence layer implements it on DynamoDB. */

import type { Pass, Person } from './person.ts';
import type { Texts } from './public-texts.ts';
import type { ErasedTestimonial, StoredTestimonial } from './stored-testimonial.ts';
import type { Status } from './testimonial.ts';
import type { Order, Ordinal, Sort, UpdateOrdinal } from './testimonial-order.ts';
import type { TokenRecord } from './token.ts';

/** The next places in the two orders of an organization, and the time of whoever took them. */
export interface TakenOrdinals {
  /** In the order of creation. */
  ordinal: Ordinal;
  /** In the order of all creations and updates. */
  updateOrdinal: UpdateOrdinal;
  /** ISO 8601. Later places never have an earlier one. */
  time: string;
}

/** How far an organization has counted: the last places that were taken, and when. */
export interface CounterValue extends TakenOrdinals {
  /** When the first place was taken, but for an erasure, ISO 8601; absent before. What is later is not of the past. */
  firstTime?: string;
  /** The load that began to count, if one did. */
  load?: string;
}

/** A load that takes the first places of an organization. */
export interface LoadStart {
  /** The load that the places belong to. */
  load: string;
  /** All places up to it are taken then, in both orders. */
  last: number;
  /** ISO 8601: no place is taken with an earlier time from then on. */
  time: string;
  /** The time of the first of its testimonials that is not of the past; absent where all are. */
  firstTime?: string;
}

/** Says, ahead of a change, that a testimonial may be changed from the version it has. */
export interface ChangeMarker {
  /** The change's own place in the order of updates: it names the marker. */
  updateOrdinal: UpdateOrdinal;
  /** The testimonial's before the change. */
  previousUpdateOrdinal: UpdateOrdinal;
  /** The testimonial's. */
  ordinal: Ordinal;
  /** The testimonial's before the change, which is made on condition that it still is. */
  version: number;
  /** ISO 8601. */
  time: string;
  /** The names of the facets that came from the testimonial's texts before the change; absent when none did. */
  formerFacets?: string[];
}

/** The texts of a testimonial that is being erased: by them its words are found in the list index once it is gone. */
export interface ErasureTexts extends Pick<ChangeMarker, 'updateOrdinal' | 'ordinal' | 'version' | 'time'> {
  texts: Texts;
}

/**
 * Why a testimonial is not at its place: the list index has passed that, the testimonial was stored there and erased, or
 * another one is there, or was.
 */
export type Closed = 'sealed' | 'erased' | 'taken';

/** The readable parts of an unreadable testimonial: as much as its erasure needs. */
export interface Remains extends Pick<ErasureTexts, 'ordinal' | 'version' | 'texts'> {
  updateOrdinal?: UpdateOrdinal;
}

/** A row of a secondary index. */
export interface WalkedRow {
  ordinal: Ordinal;
  updateOrdinal: UpdateOrdinal;
  /** Absent where its content is long, which is in no secondary index. */
  stored?: StoredTestimonial;
}

export interface WalkOptions {
  status?: Status;
  sort: Sort;
  order: Order;
  /** Testimonials a page, at most; without it as many as one read takes. */
  limit?: number;
  /** Only those from one place of the sort to another, the lower first, both included. */
  between?: [number[], number[]];
}

/**
 * Reads are strongly consistent where nothing else is said. Reads of several testimonials leave out those that cannot be read, and
 * report each: a list, the list index and an export go on without them.
 */
export interface TestimonialStore {
  /**
   * Takes an organization's next places, and with them the time, which is `now` or, where the clock went back, the
   * one before.
   * @param count takes as many, of which the last is returned
   */
  takeOrdinals(organization: string, now: Date, count?: number): Promise<TakenOrdinals>;

  /**
   * Begins to count where no place was ever taken.
   * @returns whether the counting was begun by this load, now or before
   */
  beginCounting(organization: string, first: LoadStart): Promise<boolean>;

  /** Takes no place, but sees to it that none is taken with an earlier time from then on. */
  raiseTime(organization: string, time: string): Promise<CounterValue>;

  /**
   * Forgets when the first place was taken, where nothing was counted since: the past has no end then, before the next place
   * is taken.
   * @param counted then; of what was stored up to there nothing is left, and nothing can come any more
   */
  reopenHistory(organization: string, counted: CounterValue): Promise<void>;

  /** The count as it is; undefined where nothing was ever counted. */
  readCounter(organization: string): Promise<CounterValue | undefined>;

  /**
   * Takes the next place in the order of updates, at `now` or, if the one before is later, at its time.
   * @param by an erasure, which leaves nothing there, does not end the past
   * @param count takes as many; returns the last
   */
  takeUpdateOrdinal(
    organization: string,
    now: Date,
    by?: 'change' | 'erasure',
    count?: number,
  ): Promise<Omit<TakenOrdinals, 'ordinal'>>;

  /**
   * Stores a new testimonial, if its place is free.
   * @returns the testimonial as it is there, also by an earlier try, or why it is not
   */
  insert(organization: string, stored: StoredTestimonial): Promise<StoredTestimonial | Closed>;

  /**
   * Seals a place, if it is free: no testimonial can be stored there from then on.
   * @returns the testimonial at that place, or undefined when there is none
   */
  sealPlace(organization: string, ordinal: Ordinal): Promise<StoredTestimonial | undefined>;

  /** @throws {Unreadable} */
  find(organization: string, ordinal: Ordinal): Promise<StoredTestimonial | undefined>;

  /**
   * Reads as much as can be read of the testimonial at the place of an id.
   * @returns undefined when there is none, or one that has another id
   */
  findRemains(organization: string, id: string): Promise<Remains | undefined>;

  /**
   * Reads those that exist of some testimonials, in no order.
   * @param consistent false reads eventually consistent, at half the cost
   */
  findMany(
    organization: string,
    ordinals: readonly Ordinal[],
    options?: { consistent?: boolean },
  ): Promise<StoredTestimonial[]>;

  /**
   * The testimonials with this ordinal and higher ones, ascending, page after page.
   * @param limit testimonials a page, at most; without it as many as one read takes
   */
  from(
    organization: string,
    ordinal: Ordinal,
    options?: { limit?: number },
  ): AsyncGenerator<StoredTestimonial[], void, undefined>;

  /** Walks a secondary index, eventually consistent: an organization's testimonials in order, page after page. */
  walk(organization: string, options: WalkOptions): AsyncGenerator<WalkedRow[], void, undefined>;

  putChangeMarker(organization: string, marker: ChangeMarker): Promise<void>;

  /** Puts several markers in few calls. After an error some of them may be there. */
  putChangeMarkers(organization: string, markers: readonly ChangeMarker[]): Promise<void>;

  /** The change markers, in the order of updates, page after page. */
  changeMarkers(organization: string): AsyncGenerator<ChangeMarker[], void, undefined>;

  /** Deletes the markers of changes with these places in the order of updates. */
  deleteChangeMarkers(organization: string, updateOrdinals: readonly UpdateOrdinal[]): Promise<void>;

  /** Keeps the texts of some testimonials before they are erased. Lists do not read them. After an error some may be kept. */
  putErasureTexts(organization: string, texts: readonly ErasureTexts[]): Promise<void>;

  /** The texts of erasures whose words may still be in the list index, in the order of updates, page after page. */
  erasureTexts(organization: string): AsyncGenerator<ErasureTexts[], void, undefined>;

  /** Deletes the texts of erasures with these places in the order of updates. */
  deleteErasureTexts(organization: string, updateOrdinals: readonly UpdateOrdinal[]): Promise<void>;

  /**
   * Replaces a testimonial's status, tags, updatedAt, kind of change and places in the order of updates, and raises its version.
   * @returns false when it is no longer of the version it was read with
   */
  replace(organization: string, previous: StoredTestimonial, next: StoredTestimonial): Promise<boolean>;

  /**
   * Raises a testimonial's version, so that changes which are on their way begin again.
   * @returns false when it is no longer of the version it was read with
   */
  sealVersion(organization: string, stored: StoredTestimonial): Promise<boolean>;

  /**
   * Leaves nothing of a testimonial but its id, at its place, and when it was erased.
   * @returns false when it is no longer of the version it was read with
   */
  erase(
    organization: string,
    previous: StoredTestimonial,
    erasure: Omit<TakenOrdinals, 'ordinal'>,
  ): Promise<boolean>;

  /**
   * Erases, in the same way, any testimonial at the place of an id.
   * @returns false when there is none
   */
  eraseRemains(organization: string, id: string, erasure: Omit<TakenOrdinals, 'ordinal'>): Promise<boolean>;

  /** Whether the testimonial with an id was erased. */
  wasErased(organization: string, id: string): Promise<boolean>;

  /** The ids of those that were erased of some testimonials, in no order. */
  findErased(organization: string, ordinals: readonly Ordinal[]): Promise<string[]>;
}

/** An import that has stored all of its lines. */
export interface EndedImport {
  fingerprint: string;
  /** The number of its lines. */
  count: number;
}

/** The items that events tell of, read strongly consistent. Those that cannot be read are left out and reported. */
export interface EventItemStore {
  /** The items at some places, in no order: testimonials, and what is left of erased ones. */
  atPlaces(
    organization: string,
    ordinals: readonly Ordinal[],
  ): Promise<(StoredTestimonial | ErasedTestimonial)[]>;

  /** The imports among some that have ended, in no order. */
  endedImports(organization: string, fingerprints: readonly string[]): Promise<EndedImport[]>;
}

/** The create that an idempotency key stands for. */
export interface IdempotencyRecord {
  /** SHA-256 of the validated request body. */
  fingerprint: string;
  testimonialId: string;
  createdAt: string;
  updateOrdinal: UpdateOrdinal;
}

export interface IdempotencyKeyStore {
  /** Reads the record of a key that has not expired at `now`, strongly consistent. */
  find(organization: string, key: string, now: Date): Promise<IdempotencyRecord | undefined>;

  /**
   * Stores a record for a key that has none at `now`, or that has the one of the testimonial `replacing`.
   * @returns the record that the key has then: this one or another
   */
  claim(
    organization: string,
    key: string,
    record: IdempotencyRecord,
    now: Date,
    replacing?: string,
  ): Promise<IdempotencyRecord>;
}

/** Looks up a token by its SHA-256; undefined when it is unknown or revoked. */
export type FindToken = (hash: string) => Promise<TokenRecord | undefined>;

/** A token as the operator sees it: its public id instead of its hash. */
export type TokenSummary = Omit<TokenRecord, 'hash'> & { id: string };

export interface TokenStore {
  /**
   * Stores an issued token and returns its id.
   * @throws {ValiError} naming the rule that its permissions break
   */
  add(token: TokenRecord): Promise<string>;
  /** An organization's tokens, oldest first. */
  list(organization: string): Promise<TokenSummary[]>;
  /** Revokes a token by its id; false when there is none. */
  revoke(id: string): Promise<boolean>;
}

/** The people of all desks, and what lets their browsers in. Reads are strongly consistent. */
export interface DeskStore {
  addPerson(person: Person): Promise<void>;
  findPerson(organization: string, id: string): Promise<Person | undefined>;
  /** The people of an organization, in no order. */
  listPeople(organization: string): Promise<Person[]>;
  /** Changes what is known of a person who is there. */
  notePerson(
    person: Pick<Person, 'organization' | 'id'>,
    known: Pick<Person, 'seenAt' | 'series'>,
  ): Promise<void>;
  /** Removes a person; false where there is none. */
  removePerson(organization: string, id: string): Promise<boolean>;
  addPass(pass: Pass): Promise<void>;
  findPass(hash: string): Promise<Pass | undefined>;
  /** Replaces a pass; false where it is no longer there, or was opened as another session. */
  replacePass(pass: Pass): Promise<boolean>;
  removePass(hash: string): Promise<void>;
}

/** The budgets of an organization: for tokens that it keeps to itself, and apart from it for those in web pages and for its desk. */
export type BudgetName = 'general' | 'published' | 'desk';

/** Who pays for a request. */
export interface Payer {
  organization: string;
  budget: BudgetName;
  /** The part of the organization's budget that this one is. */
  share: number;
}

/** The cost of requests, in nanodollars, and how many they are. */
export interface Spent {
  spent: number;
  requests: number;
}

/** The same of a minute, with the budget then, in nanodollars; 0 for no limit. */
export interface Spending extends Spent {
  budget: number;
}

/** Minutes are counted from the epoch; amounts are in nanodollars. */
export interface BudgetStore {
  /**
   * Adds to what all functions spent for a payer in a minute.
   * @returns the sums
   * @throws {Throttled} when nothing was added; of any other error that is not known
   */
  addSpending(payer: Payer, minute: number, spending: Spending): Promise<Spent>;

  /**
   * Does the same unless the sum has reached the budget.
   * @returns undefined when it has, and nothing was added
   * @throws {Throttled} as above
   */
  reserveSpending(payer: Payer, minute: number, spending: Spending): Promise<Spent | undefined>;

  /** The sums of all functions in a minute. */
  findSpending(payer: Payer, minute: number): Promise<Spent>;

  /** An organization's own budget a minute, 0 for no limit; undefined when it has none of its own. */
  findBudget(organization: string): Promise<number | undefined>;
}

/** The names of all organizations. */
export interface OrganizationStore {
  add(organization: string): Promise<void>;
  /** Forgets the name; what the organization has is not touched. */
  remove(organization: string): Promise<void>;
  /** In alphabetical order. */
  list(): Promise<string[]>;
}
