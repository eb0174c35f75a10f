/** What a batch of the table's stream tells the bus about: which items were written, of which organization. */
import type { DynamoDBRecord } from 'aws-lambda';
import {
  fingerprintOfImportKey,
  isImportKey,
  isTestimonialKey,
  ordinalOfTestimonialKey,
  organizationOfPartition,
  prefixes,
} from '../persistence/keys.ts';

/** The filters of the event source mapping: places of testimonials, and imports. */
export const eventFilters = [
  {
    eventName: ['INSERT', 'MODIFY'],
    dynamodb: { Keys: { SK: { S: [{ prefix: prefixes.testimonial }, { prefix: prefixes.import }] } } },
  },
];

/** An item that was written. */
export type Written = {
  organization: string;
  sequenceNumber: string;
} & ({ ordinal: number; isNew: boolean } | { fingerprint: string });

/** The items that records are about, in their order; records of anything else are passed over. */
export function writtenIn(records: readonly DynamoDBRecord[]): Written[] {
  return records.flatMap(({ eventName, dynamodb }): Written[] => {
    const sortKey = dynamodb?.Keys?.SK?.S ?? '';
    const organization = organizationOfPartition(dynamodb?.Keys?.PK?.S ?? '');
    if (organization === undefined || eventName === 'REMOVE') return [];
    const of = { organization, sequenceNumber: dynamodb?.SequenceNumber ?? '' };
    if (isTestimonialKey(sortKey)) {
      return [{ ...of, ordinal: ordinalOfTestimonialKey(sortKey), isNew: eventName === 'INSERT' }];
    }
    return isImportKey(sortKey) ? [{ ...of, fingerprint: fingerprintOfImportKey(sortKey) }] : [];
  });
}
