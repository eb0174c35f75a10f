/** A stream that a test feeds. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { RecordFilter } from '../lib/local-runner/record-filter.ts';
import type { RecordSource, Shard, TakeRecords } from '../lib/local-runner/record-source.ts';

export class FedSource implements RecordSource {
  /** The sequence numbers of the records that were processed. */
  readonly done: string[] = [];
  stopped = false;
  readonly #early: [readonly DynamoDBRecord[], Shard][] = [];
  #take: TakeRecords = (...fed) => this.#early.push(fed);

  /** Also hands on what was fed before. */
  async start(accepts: RecordFilter, take: TakeRecords): Promise<void> {
    this.#take = (records, shard) => take(records.filter(accepts), shard);
    for (const fed of this.#early.splice(0)) this.#take(...fed);
  }
  feed(records: readonly DynamoDBRecord[], shard: Shard): void {
    this.#take(records, shard);
  }
  processed(records: readonly DynamoDBRecord[]): void {
    this.done.push(...numbersOf(records));
  }
  stop(): void {
    this.stopped = true;
  }
}

export function numbersOf(records: readonly DynamoDBRecord[]): string[] {
  return records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? '');
}
