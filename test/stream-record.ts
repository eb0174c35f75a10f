/** Returns a record of the table's stream, as Lambda delivers it. */
import type { DynamoDBRecord } from 'aws-lambda';
import { keysOnlyRecord } from '../lib/local-runner/table-stream.ts';

export function recordOf(
  { PK, SK }: { PK: unknown; SK: unknown },
  sequenceNumber: number | string,
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE' = 'INSERT',
): DynamoDBRecord {
  return keysOnlyRecord(eventName, { PK: { S: String(PK) }, SK: { S: String(SK) } }, String(sequenceNumber));
}
