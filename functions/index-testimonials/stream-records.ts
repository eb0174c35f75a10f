/** What a batch of the table's stream asks to be folded. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { FoldGoal } from '../list-index/fold-organization.ts';
import { ordinalOfTestimonialKey, organizationOfPartition, prefixes } from '../persistence/keys.ts';

export interface OrganizationRecords {
  organization: string;
  goal: FoldGoal;
  /** Of the first record that is the organization's: where the stream goes on if folding fails. */
  firstSequenceNumber: string;
}

/** The filter of the event source mapping: new testimonials and new change markers. */
export const streamFilter = {
  eventName: ['INSERT'],
  dynamodb: {
    Keys: { SK: { S: [{ prefix: prefixes.testimonial }, { prefix: prefixes.change }] } },
  },
};

/** Sums up the records by organization; others are passed over. */
export function organizationsOf(records: readonly DynamoDBRecord[]): OrganizationRecords[] {
  const found = new Map<string, OrganizationRecords>();
  for (const { dynamodb } of records) {
    const organization = organizationOfPartition(dynamodb?.Keys?.PK?.S ?? '');
    const sortKey = dynamodb?.Keys?.SK?.S ?? '';
    if (organization === undefined) continue;
    const entry = found.get(organization) ?? {
      organization,
      goal: { ordinal: 0, changes: false },
      firstSequenceNumber: dynamodb?.SequenceNumber ?? '',
    };
    if (sortKey.startsWith(prefixes.testimonial)) {
      entry.goal.ordinal = Math.max(entry.goal.ordinal, ordinalOfTestimonialKey(sortKey));
    } else if (sortKey.startsWith(prefixes.change)) {
      entry.goal.changes = true;
    } else continue;
    found.set(organization, entry);
  }
  return [...found.values()];
}
