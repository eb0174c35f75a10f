/** What a batch of the table's stream tells: whose index is to be indexed, and which testimonials may be erased. */
import type { DynamoDBRecord } from 'aws-lambda';
import {
  indexRequestSortKey,
  isTestimonialKey,
  ordinalOfTestimonialKey,
  organizationOfPartition,
  prefixes,
  renewalRequestKey,
} from '../persistence/keys.ts';

/**
 * The filters of the event source mapping: new testimonials, new change markers, texts of erasures, and requests to update the index;
 * and testimonials that were written anew, among which are the erased ones.
 */
export const streamFilters = [
  {
    eventName: ['INSERT'],
    dynamodb: {
      Keys: {
        SK: {
          S: [
            { prefix: prefixes.testimonial },
            { prefix: prefixes.changeMarker },
            { prefix: prefixes.erasure },
          ],
        },
      },
    },
  },
  { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { SK: { S: [indexRequestSortKey] } } } },
  { eventName: ['MODIFY'], dynamodb: { Keys: { SK: { S: [{ prefix: prefixes.testimonial }] } } } },
];

export interface OrganizationRecords {
  organization: string;
  /** The sequence number of the organization's first record: where the stream goes on if indexing fails. */
  firstSequenceNumber: string;
}

/** Where the stream goes on if a renewal of all list indexes fails; undefined when none of the records asks for one. */
export function renewalIn(records: readonly DynamoDBRecord[]): string | undefined {
  return records.find(({ dynamodb }) => dynamodb?.Keys?.PK?.S === renewalRequestKey.PK)?.dynamodb
    ?.SequenceNumber;
}

/**
 * The organizations that records ask to update the index, each once; records of nobody are passed over. A testimonial that was written
 * anew asks for nothing: its change marker does.
 */
export function organizationsOf(records: readonly DynamoDBRecord[]): OrganizationRecords[] {
  const asking = byOrganization(records.filter((record) => !isRewritten(record)));
  return asking.map(({ its: _, ...organization }) => organization);
}

/** The testimonials that were written anew, by organization: changed, sealed off or erased, which their keys do not tell. */
export function rewrittenIn(
  records: readonly DynamoDBRecord[],
): (OrganizationRecords & { ordinals: number[] })[] {
  return byOrganization(records.filter(isRewritten)).map(({ its, ...organization }) => ({
    ...organization,
    ordinals: its.map((record) => ordinalOfTestimonialKey(sortKeyOf(record))),
  }));
}

function byOrganization(
  records: readonly DynamoDBRecord[],
): (OrganizationRecords & { its: DynamoDBRecord[] })[] {
  const groups = Map.groupBy(records, ({ dynamodb }) => organizationOfPartition(dynamodb?.Keys?.PK?.S ?? ''));
  return Array.from(groups).flatMap(([organization, its]) =>
    organization === undefined
      ? []
      : { organization, firstSequenceNumber: its[0]?.dynamodb?.SequenceNumber ?? '', its },
  );
}

function isRewritten(record: DynamoDBRecord): boolean {
  return record.eventName === 'MODIFY' && isTestimonialKey(sortKeyOf(record));
}

function sortKeyOf({ dynamodb }: DynamoDBRecord): string {
  return dynamodb?.Keys?.SK?.S ?? '';
}
