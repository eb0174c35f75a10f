/** The storage that the list index needs. */

import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { ChangeMarker, TestimonialStore } from '../domain/stores.ts';
import { type Axis, firstPlace, type Ordinal, type UpdateOrdinal } from '../domain/testimonial-order.ts';
import type { PostingPartition, PostingTerm } from './index-terms.ts';
import { termsVersion } from './terms-version.ts';

/** Where the index of an organization stands. */
export interface IndexHead {
  /** Counts the writes of the head. Each write replaces the head that it was made from, or fails. */
  revision: number;
  /** Given with the first write: an organization that was removed and began again has another. */
  identity?: string;
  /** The generation of postings that lists read. */
  generation: number;
  /** Everything below this ordinal is in the postings; bits from it on may be unfinished, and are ignored. */
  indexed: Ordinal;
  /** One more than the highest update ordinal in the postings. */
  updated: UpdateOrdinal;
  /** The position on each axis where the history begins, the first of a chunk; absent without a history. */
  history?: Record<Axis, number>;
  /**
   * Up to which ordinal a step has begun to write, also one that did not end: unless it is above `indexed`, no testimonial
   * of the tail has a bit, and summaries count none. Absent before the first step.
   */
  reach?: Ordinal;
  /**
   * Raised by each step of an index update once it has read the markers, and before it writes: postings refuse the writes of
   * steps before, also those that were sent twice and arrive late.
   */
  epoch: number;
  /** The rules that the postings were made by; `termsVersion` when they were made. */
  terms: string;
  /** The changes that the postings have, one entry a commit, until their markers are deleted. */
  covered: CoveredChanges[];
  /**
   * True once an erasure was indexed into the generation, which deleted postings. An index update that wakes up late can bring them
   * back, so lists ask also for postings that are never deleted.
   */
  hasErased?: boolean;
  /** True once postings have what is masked for everyone: lists of all that a testimonial has read those, too. */
  hasHidden?: boolean;
  /** The rows that were indexed and their bytes, by which lists choose how to read them; also those erased since. */
  rows?: Rows;
  /** The load of many testimonials that fills places which the index has passed; a rebuild ends it. */
  load?: string;
  /** How many imports and undos have ended; absent before the first. */
  imports?: number;
  /** The generation that is being built beside. No change marker is deleted meanwhile. */
  building?: Rebuild;
  /** There are postings that no list reads any more, of generations before a rebuild. `seenAt` as with covered changes. */
  replaced?: { seenAt?: number };
  /** The oldest generation whose postings were not removed; the first if absent. */
  oldest?: number;
}

export interface Rows {
  count: number;
  /** How many have their content elsewhere, because it is long. */
  long: number;
  /** In a secondary index, together. */
  bytes: number;
}

export interface CoveredChanges {
  /** Their places in the order of updates. */
  updateOrdinals: UpdateOrdinal[];
  /** When an index update saw that they are covered, in milliseconds since the epoch; absent until one did. */
  seenAt?: number;
}

/** A rebuild that is under way, or was left: what the head is to have of its generation, as far as it is there. */
export interface Rebuild
  extends Pick<IndexHead, 'generation' | 'terms' | 'indexed' | 'updated' | 'epoch' | 'hasHidden' | 'rows'> {
  /** Whoever is at it puts this off, in milliseconds since the epoch. Once it has passed, anybody goes on with it. */
  until: number;
}

/** The head of an organization that was never indexed: all of its testimonials are tail. */
export const noIndex: IndexHead = {
  revision: 0,
  generation: 1,
  indexed: firstPlace,
  updated: firstPlace,
  epoch: 0,
  terms: termsVersion,
  covered: [],
};

/** Some rows and others. */
export function sumOfRows(some: Rows | undefined, others: Rows): Rows {
  const { count = 0, long = 0, bytes = 0 } = some ?? {};
  return { count: count + others.count, long: long + others.long, bytes: bytes + others.bytes };
}

/** Whether nothing was written between two heads that were read. */
export function isSameHead(one: IndexHead, other: IndexHead): boolean {
  return one.revision === other.revision && one.identity === other.identity;
}

/** Names the state that lists show: it changes when an import, an undo or a rebuild ends. Each rebuild may show an import. */
export function editionOf({ generation, imports = 0 }: IndexHead): string {
  return `${generation}.${imports}`;
}

/** Whether the postings have nothing: then all testimonials are tail. */
export function hasNothing({ indexed, history }: Pick<IndexHead, 'indexed' | 'history'>): boolean {
  return indexed <= firstPlace && !history;
}

/** Where an axis begins, the first place of a chunk: no posting has anything before. */
export function beginOf({ history }: Pick<IndexHead, 'history'>, axis: Axis): number {
  return history?.[axis] ?? firstPlace;
}

/** The changes that the postings have, by their places in the order of updates. */
export function coveredBy({ covered }: IndexHead): Set<number> {
  return new Set(covered.flatMap(({ updateOrdinals }) => updateOrdinals));
}

/** Encoded bits or counts of a chunk. */
export interface StoredBits {
  chunk: number;
  bytes: Uint8Array;
  /** The highest epoch of the writes that these bytes reflect. */
  step: number;
}

/** Names one chunk of one posting. */
export interface PostingRef {
  posting: PostingTerm;
  chunk: number;
}

/** A chunk of a posting. */
export interface Posting {
  bytes: Uint8Array;
  /** The epoch of the step that wrote a posting; how often a summary was written. */
  epoch: number;
  /** The highest epoch of what a summary counts. */
  step?: number;
}

/** The testimonials and markers that postings below an ordinal do not have; only some of both if the head has moved on. */
export interface Recent {
  /** The testimonials with this ordinal and higher ones. */
  tail: StoredTestimonial[];
  markers: ChangeMarker[];
  /** The head as it is now. */
  head: IndexHead | undefined;
}

/** A request to make all list indexes anew that were made by other rules. */
export interface RenewalRequest {
  /** Tells it from others. */
  id: string;
  /** The organization that it goes on with; empty at its beginning. */
  from: string;
}

/** The storage that a renewal of all list indexes needs. */
export interface RenewalStore {
  /** The names of the organizations from one on, in order. */
  organizations(from: string): AsyncIterable<string>;

  read(): Promise<RenewalRequest | undefined>;

  /** Asks for a renewal from the beginning, in place of any other. */
  begin(now: Date): Promise<void>;

  /** Asks for the rest of one, unless another has taken its place. */
  goOn(request: RenewalRequest, from: string, now: Date): Promise<void>;

  /** Forgets one that is done, unless another has taken its place. */
  end(request: RenewalRequest): Promise<void>;
}

/** Reads are strongly consistent. */
export interface IndexStore {
  readHead(organization: string): Promise<IndexHead | undefined>;

  /**
   * Replaces the head that has the revision of `next` (0 for none), which is raised; the first gets an identity.
   * @returns the head as it is then, or undefined when it had another revision
   */
  replaceHead(organization: string, next: IndexHead): Promise<IndexHead | undefined>;

  /**
   * Reads the testimonials and markers that postings below `ordinal` do not have. Gives up after a page if the newest head ends later: a caller
   * with an older one begins again.
   */
  readRecent(organization: string, ordinal: Ordinal): Promise<Recent>;

  /** The chunks of a term, ascending: those from one to another, both included. */
  readTerm(
    organization: string,
    generation: number,
    term: PostingTerm,
    chunks: { from: number; to: number },
  ): Promise<StoredBits[]>;

  /** All chunks of all words that begin with a prefix; a chunk comes once for each word. Hidden words are read apart. */
  readWords(
    organization: string,
    generation: number,
    prefix: string,
    options?: { isHidden?: true },
  ): Promise<StoredBits[]>;

  /** Reads some chunks of some postings, in their order; undefined where there is none. */
  readPostings(
    organization: string,
    generation: number,
    refs: readonly PostingRef[],
  ): Promise<(Posting | undefined)[]>;

  /**
   * Writes a chunk of a posting.
   * @param isThere writes it only if it is
   * @returns false when that was deleted, or an index update of a higher epoch has written it
   */
  writePosting(
    organization: string,
    generation: number,
    ref: PostingRef,
    posting: Posting,
    options?: { isThere: boolean },
  ): Promise<boolean>;

  /** Deletes a chunk of a posting, unless an index update of a higher epoch has written it; false when one has. */
  deletePosting(organization: string, generation: number, ref: PostingRef, epoch: number): Promise<boolean>;

  /** Compare and swap: writes number n if number n - 1 is there, or if n is 1 and nothing is. */
  replacePosting(
    organization: string,
    generation: number,
    ref: PostingRef,
    posting: Posting,
  ): Promise<boolean>;

  /** Whether there is any posting in a partition. */
  hasPostings(organization: string, generation: number, partition: PostingPartition): Promise<boolean>;

  /** The postings in a partition, page after page. */
  readPartition(
    organization: string,
    generation: number,
    partition: PostingPartition,
  ): AsyncGenerator<{ ref: PostingRef; bytes: Uint8Array; step: number }[], void, undefined>;

  /** Deletes the postings in a partition; returns how many they were. */
  deletePartition(organization: string, generation: number, partition: PostingPartition): Promise<number>;

  /** Asks for an index update: the index function comes to it when it has its next batch. */
  requestIndexUpdate(organization: string, now: Date): Promise<void>;
}

/** The stores and the clock of everything that writes the list index. */
export interface IndexDependencies {
  testimonials: TestimonialStore;
  index: IndexStore;
  now: () => Date;
}
