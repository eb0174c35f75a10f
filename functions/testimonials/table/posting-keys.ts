/** The keys and items of postings, summaries and blocks of ordinals. */
import { type Key, organizationPartition } from '../../dynamodb/keys.ts';
import type { Posting, PostingRef } from '../list-index/index-store.ts';
import { type PostingName, type PostingPartition, partitionOf } from '../list-index/index-terms.ts';

/**
 * The attributes of a posting. The names are short, because a query for a prefix reads thousands of these
 * items.
 */
export const postingAttributes = { bits: 'b', fence: 'e', epoch: 's' } as const;

export function postingPartition(
  organization: string,
  generation: number,
  partition: PostingPartition,
): string {
  return `${organizationPartition(organization)}#${generation}#${nameOfPartition(partition)}`;
}

function nameOfPartition(partition: PostingPartition): string {
  switch (partition.kind) {
    case 'facet':
      return `FACET#${partition.axis}#${partition.term}`;
    case 'facets of texts':
      return `TEXTS#${partition.axis}#${partition.number}`;
    case 'words':
      return `WORDS#${partition.number}`;
    case 'summary':
      return `SUMMARY#${partition.axis}#${partition.of}`;
    case 'ordinals':
      return 'ORDINALS';
  }
}

export function postingKey(
  organization: string,
  generation: number,
  posting: PostingName,
  chunk: number,
): Key {
  return {
    PK: postingPartition(organization, generation, partitionOf(posting)),
    SK: postingSortKey(posting, chunk),
  };
}

/** Returns the sort key of a chunk of a posting. The chunk Infinity sorts after all others. */
export function postingSortKey(posting: PostingName, chunk: number): string {
  return `${sortKeyPrefix(posting)}${chunkSortKey(chunk)}`;
}

// No word and no digest begins with these signs. Hidden postings sort before all others of their partition.
const beginningSign = '=';
const hiddenSign = '!';

function sortKeyPrefix(posting: PostingName): string {
  switch (posting.kind) {
    case 'facet of texts':
      return `${signOf(posting)}${posting.digest}#`;
    case 'word':
      return `${wordSortKey(posting.word, posting)}#`;
    case 'beginning':
      return `${signOf(posting)}${beginningSign}${posting.letters}#`;
    default:
      return '';
  }
}

/** Returns the sort-key prefix of all words that begin with `prefix`. */
export function wordSortKey(prefix: string, options: { isHidden?: true } = {}): string {
  return `${signOf(options)}${prefix}`;
}

function signOf({ isHidden }: { isHidden?: true }): string {
  return isHidden ? hiddenSign : '';
}

export function postingItem(
  organization: string,
  generation: number,
  { posting, chunk }: PostingRef,
  { bytes, fence, epoch }: Posting,
) {
  return {
    ...postingKey(organization, generation, posting, chunk),
    [postingAttributes.bits]: bytes,
    [postingAttributes.fence]: fence,
    ...(epoch !== undefined && { [postingAttributes.epoch]: epoch }),
  };
}

// Nine digits: a trillion update ordinals are in half a billion blocks.
const chunkDigits = 9;
const afterChunks = ':';

function chunkSortKey(chunk: number): string {
  return Number.isFinite(chunk) ? String(chunk).padStart(chunkDigits, '0') : afterChunks;
}

/** Returns the posting and the chunk of a sort key in a partition of postings. */
export function parsePostingSortKey(partition: PostingPartition, sortKey: string): PostingRef {
  const name = sortKey.slice(0, -chunkDigits - 1);
  return { posting: postingNamed(partition, name), chunk: Number(sortKey.slice(-chunkDigits)) };
}

function postingNamed(partition: PostingPartition, signed: string): PostingName {
  const isHidden = signed.startsWith(hiddenSign);
  const name = isHidden ? signed.slice(hiddenSign.length) : signed;
  const options = isHidden ? ({ isHidden } as const) : {};
  switch (partition.kind) {
    case 'facets of texts':
      return { kind: 'facet of texts', axis: partition.axis, digest: name, ...options };
    case 'words':
      return name.startsWith(beginningSign)
        ? { kind: 'beginning', letters: name.slice(beginningSign.length), ...options }
        : { kind: 'word', word: name, ...options };
    default:
      return partition;
  }
}
