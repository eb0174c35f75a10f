/** The records of the table's stream, and the items that they name. */
import type { DynamoDBRecord } from 'aws-lambda';
import { isTestimonialKey, organizationOfPartition } from '../../persistence/keys.ts';

/** A write to an organization's item. */
export interface ItemRecord {
  organization: string;
  sortKey: string;
  /** True if the item did not exist before. */
  isNew: boolean;
  sequenceNumber: string;
}

/**
 * Returns the writes to items of organizations, in the order of their records. Leaves out removals and other
 * partitions.
 */
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
