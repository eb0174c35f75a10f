/** The writes in records of the table's stream. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { StreamChange } from '../domain/outcomes.ts';
import { isTestimonialKey, organizationOfPartition, renewalRequestKey } from '../dynamodb/keys.ts';

/**
 * Returns the writes to items of organizations, in the order of their records. Leaves out deletions and other
 * partitions. The stream's filters (dynamodb/stream-filters.ts) pass new and rewritten testimonials,
 * announced changes and erasures, and requests, but no item of the list index.
 */
export function changesIn(records: readonly DynamoDBRecord[]): StreamChange[] {
  return records.flatMap(({ eventName, dynamodb: { Keys, SequenceNumber: sequenceNumber = '' } = {} }) => {
    const organization = organizationOfPartition(Keys?.PK?.S ?? '');
    if (organization === undefined || eventName === 'REMOVE') return [];
    const sortKey = Keys?.SK?.S ?? '';
    const isNew = eventName === 'INSERT';
    const isRewrite = !isNew && isTestimonialKey(sortKey);
    return { organization, sortKey, isNew, isRewrite, sequenceNumber };
  });
}

/** Groups changes by organization, in the order of their first change. */
export function byOrganization(changes: readonly StreamChange[]): Map<string, StreamChange[]> {
  return Map.groupBy(changes, ({ organization }) => organization);
}

/** Returns the sequence number of the record that asks to renew all list indexes, if there is one. */
export function renewalIn(records: readonly DynamoDBRecord[]): string | undefined {
  const renewal = records.find(({ dynamodb }) => dynamodb?.Keys?.PK?.S === renewalRequestKey.PK);
  return renewal && (renewal.dynamodb?.SequenceNumber ?? '');
}
