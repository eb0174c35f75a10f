/**
 * The single table. No other module builds a key or names an attribute of one.
 *
 * | Item            | PK                        | SK                      | Notes                                   |
 * |-----------------|---------------------------|-------------------------|-----------------------------------------|
 * | Counter         | ORG#<org>                 | COUNTER                 | lastOrdinal, lastCreatedAt              |
 * | Testimonial     | ORG#<org>                 | TESTIMONIAL#<ordinal>   | the truth; carries the index keys below |
 * | Change marker   | ORG#<org>                 | CHANGE#<time>#<ordinal> | written before a testimonial is changed |
 * | Token pointer   | ORG#<org>                 | TOKEN#<id>              | hash; lists an organization's tokens    |
 * | Token           | TOKEN#<sha-256>           | TOKEN                   | what a request's token is looked up by  |
 * | Idempotency key | ORG#<org>#KEY#<key>       | KEY                     | ttl: seconds since the epoch, 24 h      |
 *
 * Six sparse indexes hold the testimonials: per organization (PK) and per organization and status
 * (statusPartition), each sorted by createdAtSort, updatedAtSort and ratingSort. All sort keys end with the
 * ordinal, zero-padded, which orders ties by creation.
 */
import type { Status, Testimonial } from '../domain/testimonial.ts';
import { ordinalOf, type Sort } from '../domain/testimonial-order.ts';

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

export interface Key {
  PK: string;
  SK: string;
}

/** Sort-key prefixes of the item kinds that are read by range. */
export const prefixes = { testimonial: 'TESTIMONIAL#', change: 'CHANGE#', token: 'TOKEN#' } as const;

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

export function changeMarkerKey(organization: string, time: Date, ordinal: number): Key {
  return {
    PK: organizationPartition(organization),
    SK: `${prefixes.change}${time.toISOString()}#${padded(ordinal)}`,
  };
}

/** The lowest sort key of a change marker of `time` or later. */
export function changeMarkersFrom(time: Date): string {
  return `${prefixes.change}${time.toISOString()}`;
}

/** The ordinal in a change marker's sort key. */
export function ordinalOfChangeMarker(sortKey: string): number {
  return Number(sortKey.slice(sortKey.lastIndexOf('#') + 1));
}

export function tokenKey(hash: string): Key {
  return { PK: `TOKEN#${hash}`, SK: 'TOKEN' };
}

export function tokenPointerKey(organization: string, tokenId: string): Key {
  return { PK: organizationPartition(organization), SK: `${prefixes.token}${tokenId}` };
}

export function idempotencyKeyKey(organization: string, key: string): Key {
  return { PK: `${organizationPartition(organization)}#KEY#${key}`, SK: 'KEY' };
}

// 12 digits: the ordinals of a trillion testimonials sort as text.
function padded(ordinal: number): string {
  return String(ordinal).padStart(12, '0');
}
