/** The index head, the postings, and the stores of both. */
import * as v from 'valibot';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import {
  type Axis,
  firstPosition,
  type Ordinal,
  type UpdateOrdinal,
} from '../../domain/testimonial-order.ts';
import type { ChangeMarker, TestimonialStore } from '../model/testimonial-store.ts';
import { chunkOf } from './bits/bitmap.ts';
import type { PostingName, PostingPartition } from './index-terms.ts';
import { termsVersion } from './terms-version.ts';

const ordinal: v.GenericSchema<unknown, Ordinal> = v.number();
const updateOrdinal: v.GenericSchema<unknown, UpdateOrdinal> = v.number();

/**
 * Schema of an object to which a newer version may add attributes. They are kept, and the type omits them.
 */
function extensible<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.looseObject(entries) as unknown as v.ObjectSchema<Entries, undefined>;
}

const rows = extensible({
  count: v.number(),
  /** The number of rows with long content, which a secondary index omits. */
  long: v.number(),
  /** The size of all rows in a secondary index. */
  bytes: v.number(),
});

export type RowSizes = v.InferOutput<typeof rows>;

const generation = {
  /** The generation of postings that lists read. */
  generation: v.number(),
  /**
   * The postings contain every testimonial below this ordinal. Lists ignore the bits from it on, which may be
   * incomplete.
   */
  indexed: ordinal,
  /** One more than the highest update ordinal in the postings. */
  updated: updateOrdinal,
  /**
   * Each step of an index update raises it after reading the markers and before writing. Postings refuse
   * writes with lower epochs, and so late writes of earlier steps.
   */
  epoch: v.number(),
  /** The `termsVersion` of the code that wrote the postings. */
  terms: v.string(),
  /** True once the postings contain hidden terms, which lists of whole testimonials also read (rule 38). */
  hasHidden: v.exactOptional(v.boolean()),
  /** The rows that were indexed, including erased ones. Lists use their size to choose how to read rows. */
  rows: v.exactOptional(rows),
};

/**
 * An unfinished rebuild: its generation so far, in the form that the head takes after the switch. Its `epoch`
 * is the epoch of the next step. Each step raises it with its progress, and so does a process that takes
 * over, so that generation and epoch name the holder.
 */
const rebuild = extensible({
  ...generation,
  /**
   * The end of the current process's lease, in milliseconds since 1970. Any process may continue
   * the rebuild afterwards.
   */
  until: v.number(),
  /** True if the process ended its lease itself, and writes nothing more. */
  isReleased: v.exactOptional(v.boolean()),
});

export type Rebuild = v.InferOutput<typeof rebuild>;

const writingStep = extensible({
  generation: v.number(),
  epoch: v.number(),
  /** When the step began to read, in milliseconds since 1970; 0 if unknown. */
  since: v.number(),
  /** The step writes nothing after this time. */
  until: v.number(),
});

export type WritingStep = v.InferOutput<typeof writingStep>;

// The time at which an index update first read a head with this entry, in milliseconds since 1970;
// absent until then.
const seenAt = v.exactOptional(v.number());

/** Schema of the state of an organization's list index, in one item. */
export const indexHead = extensible({
  ...generation,
  /**
   * Counts the writes of the head. A write fails if the head no longer has the revision that its writer read.
   */
  revision: v.number(),
  /** Assigned by the first write. An organization that is removed and created again gets a different one. */
  identity: v.exactOptional(v.string()),
  /** The position on each axis where the history begins, the first of a chunk; absent without a history. */
  history: v.exactOptional(extensible({ createdAt: v.number(), updatedAt: v.number() })),
  /**
   * The ordinal up to which a step has begun to write, even if it did not finish. If `reach` is at most
   * `indexed`, the tail has no bits, and no summary counts it. Absent before the first step.
   */
  reach: v.exactOptional(ordinal),
  /**
   * The steps that may still write postings: uncommitted steps and, for a while, committed ones (rule 46).
   */
  writing: v.exactOptional(v.array(writingStep)),
  /** The changes that the postings include, one entry per commit, until their markers are deleted. */
  covered: v.array(
    extensible({
      updateOrdinals: v.array(updateOrdinal),
      /** The epoch of the step; absent if an older version wrote it. */
      epoch: v.exactOptional(v.number()),
      seenAt,
    }),
  ),
  /**
   * True once an erasure was indexed, which deletes postings of words. A late index update can bring those
   * back, so a search also reads a posting that is never deleted (rule 30).
   */
  hasErased: v.exactOptional(v.boolean()),
  /** The load that is filling positions before `indexed`. A rebuild ends it. */
  load: v.exactOptional(v.string()),
  /** The number of imports and undos that have ended; absent before the first one. */
  imports: v.exactOptional(v.number()),
  /** The unfinished rebuild. While it exists, no change marker is deleted. */
  building: v.exactOptional(rebuild),
  /** Present while generations before the last rebuild still have postings. */
  replaced: v.exactOptional(extensible({ seenAt })),
  /** The oldest generation whose postings have not been removed; absent for the first generation. */
  oldest: v.exactOptional(v.number()),
});

export type IndexHead = v.InferOutput<typeof indexHead>;

/** The head of an organization that was never indexed. All its testimonials are in the tail. */
export const noIndex: IndexHead = {
  revision: 0,
  generation: 1,
  indexed: firstPosition,
  updated: firstPosition,
  epoch: 0,
  terms: termsVersion,
  covered: [],
};

export function sumOfSizes(rows: RowSizes | undefined, added: RowSizes): RowSizes {
  const { count = 0, long = 0, bytes = 0 } = rows ?? {};
  return { count: count + added.count, long: long + added.long, bytes: bytes + added.bytes };
}

/** True if the head did not change between two reads. */
export function isSameHead(one: IndexHead, other: IndexHead): boolean {
  return one.revision === other.revision && one.identity === other.identity;
}

/**
 * Returns an identifier of the set of testimonials that lists show. It changes when an import, an undo or a
 * rebuild ends.
 */
export function editionOf({ generation, imports = 0 }: IndexHead): string {
  return `${generation}.${imports}`;
}

/** True if nothing is indexed, so that all testimonials are in the tail. */
export function isIndexEmpty({ indexed, history }: Pick<IndexHead, 'indexed' | 'history'>): boolean {
  return indexed <= firstPosition && !history;
}

/**
 * Returns the first position of an axis, which is the first of a chunk. No posting contains an earlier one.
 */
export function axisStart({ history }: Pick<IndexHead, 'history'>, axis: Axis): number {
  return history?.[axis] ?? firstPosition;
}

/** Returns the first and the last chunk of an axis that can have postings under this head. */
export function chunkRange(
  head: Pick<IndexHead, 'history' | 'indexed' | 'updated'>,
  axis: Axis,
): [first: number, last: number] {
  const end = axis === 'createdAt' ? head.indexed : head.updated;
  return [chunkOf(axisStart(head, axis)), chunkOf(end - 1)];
}

/**
 * Returns the ordinal from which on no step has written a bit; 1, the lowest of all, if no step has written
 * yet.
 */
export function reachOf({ reach = 1 }: IndexHead): Ordinal {
  return reach;
}

/** Returns the update ordinals of the changes that the postings include. */
export function coveredBy({ covered }: IndexHead): Set<number> {
  return new Set(covered.flatMap(({ updateOrdinals }) => updateOrdinals));
}

/** Returns the markers of changes that the postings under a head may lack. */
export function uncoveredMarkers(head: IndexHead, { markers }: Pick<RecentItems, 'markers'>): ChangeMarker[] {
  const covered = coveredBy(head);
  return markers.filter(({ updateOrdinal }) => !covered.has(updateOrdinal));
}

/** The encoded bits or counts of a chunk. */
export interface StoredBits {
  chunk: number;
  bytes: Uint8Array;
  /** The epoch of the step that wrote the bits; for a summary, the highest epoch that it counts. */
  epoch: number;
}

export interface PostingRef {
  posting: PostingName;
  chunk: number;
}

/** A chunk of a posting, or a summary. */
export interface Posting {
  bytes: Uint8Array;
  /**
   * Rises with each write: the epoch of the step that wrote a posting; for a summary, its number of writes.
   */
  fence: number;
  /** For a summary, the highest epoch of the postings that it counts. */
  epoch?: number;
}

/** The tail from an ordinal on, and the change markers. Both may be incomplete if the head has moved. */
export interface RecentItems {
  tail: StoredTestimonial[];
  markers: ChangeMarker[];
  head: IndexHead | undefined;
}

/** A request to rebuild every list index that other rules built. */
export interface RenewalRequest {
  id: string;
  /** The organization to continue with; empty at the beginning. */
  from: string;
}

/** The progress of a renewal of all list indexes. */
export interface RenewalStore {
  /** Yields the names of the organizations in order, beginning with `from`. */
  organizations(from: string): AsyncIterable<string>;

  read(): Promise<RenewalRequest | undefined>;

  /** Requests a renewal from the beginning, and replaces any other request. */
  begin(now: Date): Promise<void>;

  /** Requests the rest of a renewal, unless another request has replaced it. */
  continueFrom(request: RenewalRequest, organization: string, now: Date): Promise<void>;

  /** Removes a completed request, unless another request has replaced it. */
  end(request: RenewalRequest): Promise<void>;
}

/** Reads are strongly consistent. */
export interface IndexStore {
  readHead(organization: string): Promise<IndexHead | undefined>;

  /**
   * Replaces the head if it has the revision of `next` (0 for none), and raises the revision. The first head
   * gets an identity.
   * @returns the new head, or undefined if the head had another revision
   */
  replaceHead(organization: string, next: IndexHead): Promise<IndexHead | undefined>;

  /**
   * Reads the tail from an ordinal on, the markers and the head. Stops after one page if the current head has
   * indexed more: the caller's head is out of date, and it has to restart.
   */
  readRecent(organization: string, ordinal: Ordinal): Promise<RecentItems>;

  /** Reads the chunks of a term in a range, both ends included, ascending. */
  readTerm(
    organization: string,
    generation: number,
    term: PostingName,
    chunks: { from: number; to: number },
  ): Promise<StoredBits[]>;

  /**
   * Reads all chunks of the words that begin with a prefix, each chunk once per word. Reads either only
   * hidden or only published words.
   */
  readWords(
    organization: string,
    generation: number,
    prefix: string,
    options?: { isHidden?: true },
  ): Promise<StoredBits[]>;

  /** Reads chunks of postings, in the order of `refs`; undefined for a missing chunk. */
  readPostings(
    organization: string,
    generation: number,
    refs: readonly PostingRef[],
  ): Promise<(Posting | undefined)[]>;

  /**
   * Writes a chunk of a posting.
   * @param mustExist true to write it only if it exists
   * @returns false if it was deleted, or if a step with a higher epoch has written it
   */
  writePosting(
    organization: string,
    generation: number,
    ref: PostingRef,
    posting: Posting,
    options?: { mustExist: boolean },
  ): Promise<boolean>;

  /** Deletes a chunk of a posting. Returns false if a step with a higher epoch has written it. */
  deletePosting(organization: string, generation: number, ref: PostingRef, epoch: number): Promise<boolean>;

  /**
   * Compares and swaps: makes write n of a summary if the last write was n - 1, or if n is 1 and the summary
   * does not exist.
   */
  replaceSummary(
    organization: string,
    generation: number,
    ref: PostingRef,
    posting: Posting,
  ): Promise<boolean>;

  hasPostings(organization: string, generation: number, partition: PostingPartition): Promise<boolean>;

  /** Yields the postings in a partition, page after page. */
  readPartition(
    organization: string,
    generation: number,
    partition: PostingPartition,
  ): AsyncGenerator<{ ref: PostingRef; bytes: Uint8Array; epoch: number }[], void, undefined>;

  /** Deletes the postings in a partition, and returns their number. */
  deletePartition(organization: string, generation: number, partition: PostingPartition): Promise<number>;

  /** Requests an index update in the next batch of the index function. */
  requestIndexUpdate(organization: string, now: Date): Promise<void>;
}

/** The stores of a process that reads the list index. */
export interface ListStores {
  testimonials: TestimonialStore;
  index: IndexStore;
}

/** The stores and the clock of a process that writes the list index. */
export interface IndexDependencies extends ListStores {
  now: () => Date;
}
