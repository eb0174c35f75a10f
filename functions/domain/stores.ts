/** The storage that the domain needs. The persistence layer implements it on DynamoDB. */
import * as v from 'valibot';
import type { Brand } from './brand.ts';
import type { Texts } from './fields.ts';
import type { Page } from './page.ts';
import type { Challenge, Pass, Passkey, Person } from './person.ts';
import type { ErasedTestimonial, StoredTestimonial } from './stored-testimonial.ts';
import type { Status } from './testimonial.ts';
import type { Order, Ordinal, Ordinals, Sort, UpdateOrdinal } from './testimonial-order.ts';
import type { TokenRecord } from './token.ts';

/** A reserved position in the order of updates, and its time. */
export interface TakenUpdate {
  updateOrdinal: UpdateOrdinal;
  /** ISO 8601. Later positions never have an earlier time. */
  time: string;
}

/** Reserved positions in the two orders of an organization, and their time. */
export interface TakenOrdinals extends Ordinals, TakenUpdate {}

/** The state of an organization's counter: the last reserved positions and their time. */
export interface CounterValue extends TakenOrdinals {
  /** The end of the history: when a create or change first reserved a position, ISO 8601; absent before. */
  firstTime?: string;
  /** The load that reserved the first positions, if one did. */
  load?: string;
}

/** A load that reserves the first positions of an organization. */
export interface LoadStart {
  /** Names the load. */
  load: string;
  /** The last position that the load reserves, in both orders. */
  last: number;
  /** ISO 8601. Later positions never have an earlier time. */
  time: string;
  /** The time of the load's first testimonial after the history; absent if all belong to the history. */
  firstTime?: string;
}

/** Announces that a testimonial is about to change. */
export interface ChangeMarker {
  /** The position of the change in the order of updates; names the marker. */
  updateOrdinal: UpdateOrdinal;
  /** The testimonial's update ordinal before the change. */
  previousUpdateOrdinal: UpdateOrdinal;
  /** The testimonial's ordinal. */
  ordinal: Ordinal;
  /** The version that the change replaces. The change fails if the testimonial has another. */
  version: number;
  /** ISO 8601. */
  time: string;
  /** The names of facets that the testimonial's texts had before the change; absent if there were none. */
  formerFacets?: string[];
}

/**
 * The texts of a testimonial that is being erased. An index update removes their words from the list index.
 */
export interface ErasureTexts extends Pick<ChangeMarker, 'updateOrdinal' | 'ordinal' | 'version' | 'time'> {
  texts: Texts;
}

/**
 * Why a testimonial cannot be stored at its position: an index update sealed the position, the testimonial
 * was erased since, or another testimonial is or was stored there.
 */
export type Closed = 'sealed' | 'erased' | 'taken';

/** The readable parts of an unreadable testimonial that its erasure needs. */
export interface Remains extends Pick<ErasureTexts, 'ordinal' | 'version' | 'texts'> {
  updateOrdinal?: UpdateOrdinal;
  /** The version as it is stored, if it is a number. */
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
  order: Order;
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
   * Reserves an organization's next positions. Their time is `now`, or the last time if that is later.
   * @param count the number of positions; the last is returned
   */
  takeOrdinals(organization: string, now: Date, count?: number): Promise<TakenOrdinals>;

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
   * Reserves the next positions in the order of updates. Their time is `now`, or the last time if that is
   * later.
   * @param by an erasure does not end the history, because it stores no testimonial at its position
   * @param count the number of positions; the last is returned
   */
  takeUpdateOrdinal(
    organization: string,
    now: Date,
    by?: 'change' | 'erasure',
    count?: number,
  ): Promise<TakenUpdate>;

  /**
   * Stores a new testimonial if its position is free.
   * @returns the stored testimonial, even if an earlier attempt stored it, or why the position is closed
   */
  insert(organization: string, stored: StoredTestimonial): Promise<StoredTestimonial | Closed>;

  /**
   * Seals a free position, so that no testimonial can be stored there.
   * @returns the testimonial at that position, or undefined if there is none
   */
  sealPosition(organization: string, ordinal: Ordinal): Promise<StoredTestimonial | undefined>;

  /** @throws {Unreadable} */
  find(organization: string, ordinal: Ordinal): Promise<StoredTestimonial | undefined>;

  /**
   * Returns the readable parts of a testimonial, or undefined if its position is free or holds another id.
   */
  findRemains(organization: string, id: string): Promise<Remains | undefined>;

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

  putChangeMarker(organization: string, marker: ChangeMarker): Promise<void>;

  /** Puts several markers in few calls. After an error some of them may exist. */
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
   * Replaces a testimonial's status, tags, updatedAt, kind of change and update ordinals, and raises its
   * version.
   * @returns false if the version has changed since the read
   */
  replace(organization: string, previous: StoredTestimonial, next: StoredTestimonial): Promise<boolean>;

  /**
   * Raises a testimonial's version, so that changes that have already read it must start again.
   * @returns false if the version has changed since the read
   */
  sealVersion(organization: string, stored: StoredTestimonial): Promise<boolean>;

  /**
   * Replaces a testimonial with its id and the time of its erasure.
   * @returns false if the version has changed since the read
   */
  erase(organization: string, previous: StoredTestimonial, erasure: TakenUpdate): Promise<boolean>;

  /**
   * Does the same for a testimonial that is unreadable.
   * @returns false if its position holds no testimonial, or one of another version: somebody may have mended
   * it
   */
  eraseRemains(
    organization: string,
    id: string,
    remains: Pick<Remains, 'storedVersion'>,
    erasure: TakenUpdate,
  ): Promise<boolean>;

  wasErased(organization: string, id: string): Promise<boolean>;

  /** Returns the ids of the testimonials at the given positions that were erased, in no particular order. */
  findErased(organization: string, ordinals: readonly Ordinal[]): Promise<string[]>;
}

/** An import that has stored all of its lines. */
export interface EndedImport {
  fingerprint: string;
  /** The number of its lines. */
  count: number;
}

/** The items that events are about, read strongly consistent. Reports and skips unreadable items. */
export interface EventItemStore {
  /** Returns the testimonials and erased testimonials at the given positions, in no particular order. */
  atPositions(
    organization: string,
    ordinals: readonly Ordinal[],
  ): Promise<(StoredTestimonial | ErasedTestimonial)[]>;

  /** Returns the given imports that have ended, in no particular order. */
  endedImports(organization: string, fingerprints: readonly string[]): Promise<EndedImport[]>;
}

/** Schema of the create that used an idempotency key. */
export const idempotencyRecord = v.object({
  /** HMAC-SHA-256 of the validated request body, with the key. */
  fingerprint: v.string(),
  testimonialId: v.string(),
  createdAt: v.string(),
  updateOrdinal: v.number(),
});

export type IdempotencyRecord = v.InferOutput<typeof idempotencyRecord>;

export interface IdempotencyKeyStore {
  /** Returns the record of a key unless it has expired at `now`, strongly consistent. */
  find(organization: string, key: string, now: Date): Promise<IdempotencyRecord | undefined>;

  /**
   * Stores a record if the key has no valid record at `now`, or has the record of the testimonial
   * `replacing`.
   * @returns the key's record afterwards
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

/** A token as operators see it, with its public id instead of its hash. */
export type TokenSummary = Omit<TokenRecord, 'hash'> & { id: string };

export interface TokenStore {
  /**
   * Stores an issued token and returns its id.
   * @throws {ValiError} if its permissions break a rule
   */
  add(token: TokenRecord): Promise<string>;
  /** Returns an organization's tokens, oldest first. */
  list(organization: string): Promise<TokenSummary[]>;
  /** Revokes a token by its id; returns false if there is none. */
  revoke(id: string): Promise<boolean>;
}

/** The people of all desks, and their invitations, sessions and passkeys. Reads are strongly consistent. */
export interface DeskStore {
  addPerson(person: Person): Promise<void>;
  findPerson(organization: string, id: string): Promise<Person | undefined>;
  /** Returns the people with these ids who exist, in no particular order. */
  findPeople(organization: string, ids: readonly string[]): Promise<Person[]>;
  /** Returns the people of an organization, in no particular order. */
  listPeople(organization: string): Promise<Person[]>;
  /** Changes attributes of an existing person. */
  notePerson(
    person: Pick<Person, 'organization' | 'id'>,
    attributes: Pick<Person, 'seenAt' | 'endedAt' | 'endedBy' | 'series'>,
  ): Promise<void>;
  /** Returns false if there is no such person. */
  removePerson(organization: string, id: string): Promise<boolean>;
  addPass(pass: Pass): Promise<void>;
  findPass(hash: string): Promise<Pass | undefined>;
  /** Returns the passes of a person, or of all people of an organization, in no particular order. */
  listPasses(organization: string, person?: string): Promise<Pass[]>;
  /**
   * Changes the end, the makers or the session of a pass; returns false if it was removed or opened as
   * another session.
   */
  changePass(pass: Pass): Promise<boolean>;
  removePass(pass: Pick<Pass, 'organization' | 'person' | 'hash'>): Promise<void>;
  /** Returns false if the credential already is a passkey. */
  addPasskey(passkey: Passkey): Promise<boolean>;
  findPasskey(hash: string): Promise<Passkey | undefined>;
  /** Returns the passkeys of a person, or of all people of an organization, in no particular order. */
  listPasskeys(organization: string, person?: string): Promise<Passkey[]>;
  /**
   * Records a use; returns false if the passkey was removed, or if its counter has not grown, unless the
   * authenticator does not count.
   */
  usePasskey(
    passkey: Passkey,
    use: Required<Pick<Passkey, 'signCount' | 'usedAt' | 'usedWith'>>,
  ): Promise<boolean>;
  removePasskey(passkey: Pick<Passkey, 'organization' | 'person' | 'hash'>): Promise<void>;
  /** Removes all passkeys of a person. */
  removePasskeys(organization: string, person: string): Promise<void>;
  addChallenge(challenge: Challenge): Promise<void>;
  findChallenge(hash: string): Promise<Challenge | undefined>;
  /** Removes a challenge; returns false if another request has removed it. */
  takeChallenge(hash: string): Promise<boolean>;
}

/** The pages of all organizations: forms and walls. Reads are strongly consistent. */
export interface PageStore {
  /** Stores a new page. */
  add(page: Page): Promise<void>;
  find(id: string): Promise<Page | undefined>;
  /** Returns the pages of an organization, oldest first. */
  list(organization: string): Promise<Page[]>;
  /**
   * Replaces the title and settings of a page. Returns false if it does not exist, or if the testimonials
   * that it pins are not those of `before`.
   */
  replace(page: Page, before: Pick<Page, 'settings'>): Promise<boolean>;
  /** Returns false if there is no such page. */
  remove(page: Pick<Page, 'organization' | 'id'>): Promise<boolean>;
  /** Returns the brand that the pages of an organization show; an empty one if it has none. */
  findBrand(organization: string): Promise<Brand>;
  saveBrand(organization: string, brand: Brand): Promise<void>;
}

/**
 * The budgets of an organization: for its private tokens, its tokens in web pages and walls, its desk, and
 * its forms.
 */
export type BudgetName = 'general' | 'published' | 'desk' | 'forms';

/** The budget that pays for a request. */
export interface Payer {
  organization: string;
  budget: BudgetName;
  /** Its share of the organization's limits, from 0 to 1. */
  share: number;
}

/** The cost of a minute's requests in nanodollars, their number, and the cost of the day (UTC) so far. */
export interface Spent {
  spent: number;
  requests: number;
  day: number;
}

/** The spending of a minute, and the budget of that minute in nanodollars; 0 for no limit. */
export interface Spending extends Omit<Spent, 'day'> {
  budget: number;
}

/** An organization's own budgets in nanodollars, 0 for no limit. */
export interface OwnBudgets {
  budget?: number | undefined;
  dailyBudget?: number | undefined;
}

/** The spending of all functions. Minutes are counted from the epoch; amounts are in nanodollars. */
export interface BudgetStore {
  /**
   * Adds to the spending of a payer in a minute.
   * @returns the sums; that of the day is 0 until `addUpDay` was called in that minute
   * @throws {Throttled} if nothing was added; after any other error the spending may have been added
   */
  addSpending(payer: Payer, minute: number, spending: Spending): Promise<Spent>;

  /**
   * Adds to the spending unless it has reached the budget.
   * @returns undefined if it has reached the budget
   * @throws {Throttled} as `addSpending`
   */
  reserveSpending(payer: Payer, minute: number, spending: Spending): Promise<Spent | undefined>;

  /** Returns the sums of a minute. */
  findSpending(payer: Payer, minute: number): Promise<Spent>;

  /** Adds up the earlier minutes of the day, and keeps the result with the sums of this minute. */
  addUpDay(payer: Payer, minute: number): Promise<number>;

  findBudgets(organization: string): Promise<OwnBudgets>;
}

/** The names of all organizations. */
export interface OrganizationStore {
  add(organization: string): Promise<void>;
  /** Removes the name only, none of the organization's items. */
  remove(organization: string): Promise<void>;
  /** Returns the names in alphabetical order. */
  list(): Promise<string[]>;
}

/** DynamoDB throttled a call and all of its retries. Earlier writes of the request stay. */
export class Throttled extends Error {
  override name = 'Throttled';
}
