/** What a batch of the table's stream asks to be folded. */
import type { DynamoDBRecord } from 'aws-lambda';
import {
  foldRequestSortKey,
  organizationOfPartition,
  prefixes,
  renewalRequestKey,
} from '../persistence/keys.ts';

/** The filters of the event source mapping: new testimonials, new change markers, and requests to fold. */
export const streamFilters = [
  {
    eventName: ['INSERT'],
    dynamodb: {
      Keys: { SK: { S: [{ prefix: prefixes.testimonial }, { prefix: prefixes.changeMarker }] } },
    },
  },
  { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { SK: { S: [foldRequestSortKey] } } } },
];

export interface OrganizationRecords {
  organization: string;
  /** Of the first record that is the organization's: where the stream goes on if folding fails. */
  firstSequenceNumber: string;
}

/** Where the stream goes on if a renewal of all list indexes fails; undefined when none of the records asks for one. */
export function renewalIn(records: readonly DynamoDBRecord[]): string | undefined {
  return records.find(({ dynamodb }) => dynamodb?.Keys?.PK?.S === renewalRequestKey.PK)?.dynamodb
    ?.SequenceNumber;
}

/** The organizations that records are of, each once; records of nobody are passed over. */
export function organizationsOf(records: readonly DynamoDBRecord[]): OrganizationRecords[] {
  const found = new Map<string, OrganizationRecords>();
  for (const { dynamodb } of records) {
    const organization = organizationOfPartition(dynamodb?.Keys?.PK?.S ?? '');
    if (organization === undefined || found.has(organization)) continue;
    found.set(organization, { organization, firstSequenceNumber: dynamodb?.SequenceNumber ?? '' });
  }
  return [...found.values()];
}
