/** The records of the table's stream: the filters of the functions that receive them, and the items that they name. */
import type { DynamoDBRecord } from 'aws-lambda';
import {
  indexRequestSortKey,
  isTestimonialKey,
  organizationOfPartition,
  prefixes,
} from '../../persistence/keys.ts';

const sortKeyFilter = (eventName: ('INSERT' | 'MODIFY')[], ...S: (string | { prefix: string })[]) => ({
  eventName,
  dynamodb: { Keys: { SK: { S } } },
});

const startingWith = (...kinds: (keyof typeof prefixes)[]) =>
  kinds.map((kind) => ({ prefix: prefixes[kind] }));

/**
 * Filters of the event source mapping of `index-testimonials`. It receives new testimonials, change markers and texts of erasures,
 * requests to update the index, and replaced testimonials, which may have been erased.
 */
export const indexFilters = [
  sortKeyFilter(['INSERT'], ...startingWith('testimonial', 'changeMarker', 'erasure')),
  sortKeyFilter(['INSERT', 'MODIFY'], indexRequestSortKey),
  sortKeyFilter(['MODIFY'], ...startingWith('testimonial')),
];

/**
 * Filters of the event source mapping of `publish-events`. It receives testimonials and imports, and all other records of the index
 * function, so that an alarm can tell if only one of the two functions is invoked.
 */
export const eventFilters = [...indexFilters, sortKeyFilter(['INSERT', 'MODIFY'], ...startingWith('import'))];

/** A write to an organization's item. */
export interface ItemRecord {
  organization: string;
  sortKey: string;
  /** True if the item did not exist before. */
  isNew: boolean;
  sequenceNumber: string;
}

/** Returns the writes to items of organizations, in the order of their records. Leaves out removals and other partitions. */
export function itemRecords(records: readonly DynamoDBRecord[]): ItemRecord[] {
  return records.flatMap(({ eventName, dynamodb: { Keys, SequenceNumber: sequenceNumber = '' } = {} }) => {
    const organization = organizationOfPartition(Keys?.PK?.S ?? '');
    if (organization === undefined || eventName === 'REMOVE') return [];
    return { organization, sortKey: Keys?.SK?.S ?? '', isNew: eventName === 'INSERT', sequenceNumber };
  });
}

/** Groups records by organization, in the order of their first record. */
export function byOrganization(records: readonly ItemRecord[]): Map<string, ItemRecord[]> {
  return Map.groupBy(records, ({ organization }) => organization);
}

/** Returns true if a testimonial was changed, sealed or erased. Its key does not say which. */
export function isReplacedTestimonial({ sortKey, isNew }: ItemRecord): boolean {
  return !isNew && isTestimonialKey(sortKey);
}
