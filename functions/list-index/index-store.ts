/** What the list index needs of storage. */
import type { Change } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import type { PostingTerm } from './index-terms.ts';

/** Where the index of an organization stands. */
export interface IndexHead {
  /** The generation of postings that lists read. */
  generation: number;
  /** Testimonials with a lower ordinal are in the postings; higher bits are ignored. */
  indexed: number;
  /** The highest generation that a rebuild ever began, also one that was given up; absent before the first. */
  lastGeneration?: number;
  /** The generation that is being built beside, while a rebuild runs. */
  building?: Rebuild;
}

export interface Rebuild {
  generation: number;
  /** When it counts as given up, in milliseconds since the epoch; each step puts it off. */
  until: number;
}

/** The head of an organization that was never indexed: everything is tail. */
export const noIndex: IndexHead = { generation: 1, indexed: 0 };

/** Encoded bits of a chunk. */
export interface StoredPosting {
  chunk: number;
  bytes: Uint8Array;
}

/** What postings up to some ordinal do not tell. */
export interface Recent {
  /** The testimonials with this ordinal and higher ones. */
  tail: Testimonial[];
  /** The changes announced and not yet in the postings. */
  changes: Change[];
  /** The head as it is now. */
  head: IndexHead | undefined;
  /** True when reading stopped, since more than one read was to come and the head has moved beyond `ordinal`. */
  overtaken: boolean;
}

/** Names one chunk of one posting. */
export interface PostingRef {
  posting: PostingTerm;
  chunk: number;
}

/** Reads are strongly consistent. */
export interface IndexStore {
  readHead(organization: string, signal?: AbortSignal): Promise<IndexHead | undefined>;

  /** Reads what postings that end before `ordinal` do not tell. */
  readRecent(organization: string, ordinal: number, signal?: AbortSignal): Promise<Recent>;

  /** All chunks of a term. */
  readTerm(
    organization: string,
    generation: number,
    term: string,
    signal?: AbortSignal,
  ): Promise<StoredPosting[]>;

  /** All chunks of all words that begin with a prefix; a chunk comes once for each word. */
  readWords(
    organization: string,
    generation: number,
    prefix: string,
    signal?: AbortSignal,
  ): Promise<StoredPosting[]>;

  /** Reads some chunks of some postings, in their order; undefined where there is none. */
  readPostings(
    organization: string,
    generation: number,
    refs: readonly PostingRef[],
  ): Promise<(Uint8Array | undefined)[]>;

  /** Writes a posting if its bytes are still `previous`; false when they are not. */
  replacePosting(
    organization: string,
    generation: number,
    ref: PostingRef,
    previous: Uint8Array | undefined,
    next: Uint8Array,
  ): Promise<boolean>;

  /** Every posting of an organization, of all generations, by reading the whole table. */
  scanPostings(
    organization: string,
  ): AsyncGenerator<{ generation: number; ref: PostingRef; bytes: Uint8Array }[], void, undefined>;

  deletePostings(organization: string, generation: number, refs: readonly PostingRef[]): Promise<void>;

  /** Replaces the head if it is still `previous`; false when it is not. */
  replaceHead(organization: string, previous: IndexHead | undefined, next: IndexHead): Promise<boolean>;

  /**
   * Takes the lease on folding, or renews it. It only keeps two folds from doing the same work.
   * @returns false while another owner has it
   */
  takeLease(organization: string, owner: string, now: number, until: number): Promise<boolean>;

  /** Gives the lease back, if it is still the owner's. */
  releaseLease(organization: string, owner: string): Promise<void>;
}
