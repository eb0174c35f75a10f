/** Where an event source mapping gets its records from: one interface for an embedded and a real stream. */
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { localRegion } from './connection.ts';
import type { RecordFilter } from './record-filter.ts';

/** A part of a stream, whose records are in the order of their writes. */
export interface Shard {
  id: string;
  /** Whose records were written before: where a shard was split. */
  parentId?: string | undefined;
}

/** Takes the next records of a shard. */
export type TakeRecords = (records: readonly DynamoDBRecord[], shard: Shard) => void;

export interface RecordSource {
  /** Begins to hand on the records that pass the filter, in their order; those of a parent before its children's. */
  start(accepts: RecordFilter, take: TakeRecords): Promise<void>;
  /** Told of the records that were processed: they need not come again after a restart. */
  processed(records: readonly DynamoDBRecord[]): void;
  /** Ends promptly; no record is handed on from then on. */
  stop(): void;
}

/** Makes a record of a KEYS_ONLY stream, as Lambda passes it on. */
export function keysOnlyRecord(
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE',
  keys: Record<string, AttributeValue>,
  sequenceNumber: string,
): DynamoDBRecord {
  return {
    eventID: sequenceNumber,
    eventName,
    eventSource: 'aws:dynamodb',
    eventVersion: '1.1',
    awsRegion: localRegion,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
      Keys: keys,
      SequenceNumber: sequenceNumber,
      StreamViewType: 'KEYS_ONLY',
    },
  };
}
