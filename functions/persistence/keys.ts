/**
 * The single table. No other module builds a key or names an attribute of one.
 *
 * | Item            | PK                        | SK                         | Notes                                   |
 * |-----------------|---------------------------|----------------------------|-----------------------------------------|
 * | Counter         | ORG#<org>                 | COUNTER                    | lastOrdinal, lastCreatedAt              |
 * | Testimonial     | ORG#<org>                 | TESTIMONIAL#<o>            | the truth; carries the index keys below |
 * | Change marker   | ORG#<org>                 | TESTIMONIAL_CHANGE#<t>#<o> | and #<kind>; written before a change    |
 * | Index head      | ORG#<org>                 | TESTIMONIAL_INDEX          | indexed, generation, lease, rebuild     |
 * | Posting, term   | ORG#<org>#TERM#<g>#<term> | <chunk>                    | b: bits of one term in 65,536 ordinals  |
 * | Posting, word   | ORG#<org>#WORD#<g>#<l>    | <word>#<chunk>             | b; l is the word's first letter         |
 * | Token pointer   | ORG#<org>                 | TOKEN#<id>                 | hash; lists an organization's tokens    |
 * | Token           | TOKEN#<sha-256>           | TOKEN                      | what a request's token is looked up by  |
 * | Idempotency key | ORG#<org>#KEY#<key>       | KEY                        | ttl: seconds since the epoch, 24 h      |
 *
 * <o> is a testimonial's ordinal, <t> a time, <g> the generation of the list index. A term is a facet, a tag or a
 * short prefix. Change markers and head sort right after the testimonials: one Query reads the newest
 * testimonials and both (docs/adr/0004).
 *
 * Six sparse indexes hold the testimonials: per organization (PK) and per organization and status
 * (statusPartition), each sorted by createdAtSort, updatedAtSort and ratingSort. All sort keys end with the
 * ordinal, zero-padded, which orders ties by creation.
 */

import type { Change } from '../domain/stores.ts';
import type { Status, Testimonial } from '../domain/testimonial.ts';
import { ordinalOf, type Sort } from '../domain/testimonial-order.ts';
import type { PostingTerm } from '../list-index/index-terms.ts';

/** The table's own key attributes. */
export const tableKey = { partition: 'PK', sort: 'SK' } as const;

/** The attribute from which DynamoDB's TTL deletes expired items. */
export const ttlAttribute = 'ttl';

const statusPartitionAttribute = 'statusPartition';

const sortAttributes = {
  createdAt: 'createdAtSort',
  updatedAt: 'updatedAtSort',
  rating: 'ratingSort',
} as const satisfies Record<Sort, string>;

/** A secondary index: its name and its key attributes. */
export interface IndexKey {
  name: string;
  partition: string;
  sort: string;
}

/** The six indexes, named by access pattern. */
export const indexes = {
  organization: {
    createdAt: indexKey('by-organization-created-at', tableKey.partition, 'createdAt'),
    updatedAt: indexKey('by-organization-updated-at', tableKey.partition, 'updatedAt'),
    rating: indexKey('by-organization-rating', tableKey.partition, 'rating'),
  },
  status: {
    createdAt: indexKey('by-status-created-at', statusPartitionAttribute, 'createdAt'),
    updatedAt: indexKey('by-status-updated-at', statusPartitionAttribute, 'updatedAt'),
    rating: indexKey('by-status-rating', statusPartitionAttribute, 'rating'),
  },
} as const satisfies Record<string, Record<Sort, IndexKey>>;

function indexKey(name: string, partition: string, sort: Sort): IndexKey {
  return { name, partition, sort: sortAttributes[sort] };
}

/** A type and not an interface: the SDK takes it as a record. */
export type Key = {
  PK: string;
  SK: string;
};

/** Sort-key prefixes of the item kinds that are read by range. */
export const prefixes = {
  testimonial: 'TESTIMONIAL#',
  change: 'TESTIMONIAL_CHANGE#',
  token: 'TOKEN#',
} as const;

export function organizationPartition(organization: string): string {
  return `ORG#${organization}`;
}

export function statusPartition(organization: string, status: Status): string {
  return `ORG#${organization}#STATUS#${status}`;
}

export function counterKey(organization: string): Key {
  return { PK: organizationPartition(organization), SK: 'COUNTER' };
}

export function testimonialKey(organization: string, ordinal: number): Key {
  return { PK: organizationPartition(organization), SK: `${prefixes.testimonial}${padded(ordinal)}` };
}

/** The attributes by which the indexes find a testimonial. */
export function indexAttributes(organization: string, testimonial: Testimonial): Record<string, string> {
  const ordinal = padded(ordinalOf(testimonial));
  return {
    [statusPartitionAttribute]: statusPartition(organization, testimonial.status),
    [sortAttributes.createdAt]: ordinal,
    [sortAttributes.updatedAt]: `${testimonial.updatedAt}#${ordinal}`,
    [sortAttributes.rating]: `${testimonial.rating ?? 0}#${ordinal}`,
  };
}

export function changeMarkerKey(organization: string, { time, ordinal, kind }: Change): Key {
  return {
    PK: organizationPartition(organization),
    SK: `${prefixes.change}${time.toISOString()}#${padded(ordinal)}#${kind}`,
  };
}

/** The change that a change marker's sort key announces. */
export function parseChangeMarker(sortKey: string): Change {
  const [, time = '', ordinal, kind] = sortKey.split('#');
  return { time: new Date(time), ordinal: Number(ordinal), kind: kind === 'create' ? 'create' : 'status' };
}

/** The ordinal in a testimonial's sort key. */
export function ordinalOfTestimonialKey(sortKey: string): number {
  return Number(sortKey.slice(prefixes.testimonial.length));
}

/** The organization whose partition this is, or undefined for any other partition. */
export function organizationOfPartition(partition: string): string | undefined {
  return /^ORG#([^#]+)$/.exec(partition)?.[1];
}

export function indexHeadKey(organization: string): Key {
  return { PK: organizationPartition(organization), SK: 'TESTIMONIAL_INDEX' };
}

/** Whether a sort key is that of a testimonial. */
export function isTestimonialKey(sortKey: string): boolean {
  return sortKey.startsWith(prefixes.testimonial);
}

/** Whether a sort key is that of a change marker. */
export function isChangeMarkerKey(sortKey: string): boolean {
  return sortKey.startsWith(prefixes.change);
}

/** The attribute of a posting that holds its bits. Short: a query for a prefix reads thousands of these items. */
export const postingBitsAttribute = 'b';

/** The partition with all chunks of a term. */
export function termPartition(organization: string, generation: number, term: string): string {
  return `${organizationPartition(organization)}#TERM#${generation}#${term}`;
}

/** The partition with all words that begin with the same letter as `word`. */
export function wordPartition(organization: string, generation: number, word: string): string {
  const [letter = ''] = word;
  return `${organizationPartition(organization)}#WORD#${generation}#${letter}`;
}

export function postingKey(
  organization: string,
  generation: number,
  posting: PostingTerm,
  chunk: number,
): Key {
  const paddedChunk = String(chunk).padStart(7, '0');
  return 'word' in posting
    ? { PK: wordPartition(organization, generation, posting.word), SK: `${posting.word}#${paddedChunk}` }
    : { PK: termPartition(organization, generation, posting.term), SK: paddedChunk };
}

/** The chunk in a posting's sort key. */
export function chunkOfPosting(sortKey: string): number {
  return Number(sortKey.slice(sortKey.lastIndexOf('#') + 1));
}

/** What a posting's key says; undefined for any other item. */
export function parsePostingKey({
  PK,
  SK,
}: Key): { organization: string; generation: number; posting: PostingTerm; chunk: number } | undefined {
  const match = /^ORG#([^#]+)#(TERM|WORD)#(\d+)#(.*)$/s.exec(PK);
  if (!match) return undefined;
  const [, organization = '', kind, generation, term = ''] = match;
  const posting = kind === 'TERM' ? { term } : { word: SK.slice(0, SK.lastIndexOf('#')) };
  return { organization, generation: Number(generation), posting, chunk: chunkOfPosting(SK) };
}

export function tokenKey(hash: string): Key {
  return { PK: `TOKEN#${hash}`, SK: 'TOKEN' };
}

export function tokenPointerKey(organization: string, tokenId: string): Key {
  return { PK: organizationPartition(organization), SK: `${prefixes.token}${tokenId}` };
}

/** Names no item: reading it opens a connection. */
export const absentKey: Key = { PK: 'ABSENT', SK: 'ABSENT' };

export function idempotencyKeyKey(organization: string, key: string): Key {
  return { PK: `${organizationPartition(organization)}#KEY#${key}`, SK: 'KEY' };
}

// 12 digits: the ordinals of a trillion testimonials sort as text.
function padded(ordinal: number): string {
  return String(ordinal).padStart(12, '0');
}
