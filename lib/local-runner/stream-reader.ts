/** Reads the real stream of an external DynamoDB, such as Amazon's DynamoDB Local. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { localClientConfig } from './connection.ts';
import type { RecordFilter } from './record-filter.ts';
import { keysOnlyRecord, type RecordSource, type TakeRecords } from './record-source.ts';

// Lambda polls a shard four times a second.
const pollMs = 250;
const retryMs = 1000;

interface ShardReading {
  id: string;
  parentId: string | undefined;
  iterator?: string | undefined;
  /** Of the last record read. */
  sequenceNumber?: string | undefined;
  closed: boolean;
}

/**
 * Follows a stream from its oldest record (TRIM_HORIZON), which is up to 24 h old: the runner keeps no place in
 * it, and LATEST would pass over what was written while the service was down. What is folded already is read
 * again at each start, which costs a read per 1,000 records and changes nothing.
 */
export class StreamReader implements RecordSource {
  readonly #client: DynamoDBStreamsClient;
  readonly #streamArn: string;
  readonly #onError: (message: string) => void;
  readonly #stopping = new AbortController();
  readonly #shards = new Map<string, ShardReading>();

  constructor(endpoint: string, streamArn: string, onError: (message: string) => void) {
    this.#client = new DynamoDBStreamsClient(localClientConfig(endpoint));
    this.#streamArn = streamArn;
    this.#onError = onError;
  }

  async start(accepts: RecordFilter, take: TakeRecords): Promise<void> {
    void this.#follow((records, shard) => {
      const accepted = records.filter(accepts);
      if (accepted.length > 0) take(accepted, shard);
    });
  }

  // The stream keeps its records by itself.
  processed(): void {}

  stop(): void {
    this.#stopping.abort();
    this.#client.destroy();
  }

  async #follow(take: TakeRecords): Promise<void> {
    const { signal } = this.#stopping;
    let failing = false;
    while (!signal.aborted) {
      try {
        const read = await this.#readOnce(take);
        failing = false;
        // Rejects only when the reader is stopped, here and below.
        if (read === 0) await wait(pollMs, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        if (!failing) this.#onError(`the stream cannot be read, trying again: ${error}`);
        failing = true;
        // An iterator is valid for 15 minutes, and a place in the stream for 24 h.
        const trimmed = error instanceof Error && error.name === 'TrimmedDataAccessException';
        for (const shard of this.#shards.values()) {
          shard.iterator = undefined;
          if (trimmed) shard.sequenceNumber = undefined;
        }
        await wait(retryMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Reads each shard that is its turn once; returns how many records came. */
  async #readOnce(take: TakeRecords): Promise<number> {
    const open = () => [...this.#shards.values()].filter(({ closed }) => !closed);
    if (open().length === 0) await this.#discover();
    let read = 0;
    for (const shard of open()) {
      // The records of a parent come before those of its children.
      if (shard.parentId !== undefined && this.#shards.get(shard.parentId)?.closed === false) continue;
      const records = await this.#read(shard);
      if (!this.#stopping.signal.aborted) take(records, shard);
      read += records.length;
      if (shard.closed) await this.#discover();
    }
    return read;
  }

  async #discover(): Promise<void> {
    const shards: Shard[] = [];
    let after: string | undefined;
    do {
      const { StreamDescription } = await this.#client.send(
        new DescribeStreamCommand({
          StreamArn: this.#streamArn,
          ...(after && { ExclusiveStartShardId: after }),
        }),
        { abortSignal: this.#stopping.signal },
      );
      shards.push(...(StreamDescription?.Shards ?? []));
      after = StreamDescription?.LastEvaluatedShardId;
    } while (after);
    for (const { ShardId: id = '', ParentShardId: parentId } of shards) {
      if (!this.#shards.has(id)) this.#shards.set(id, { id, parentId, closed: false });
    }
  }

  async #read(shard: ShardReading): Promise<DynamoDBRecord[]> {
    const abort = { abortSignal: this.#stopping.signal };
    shard.iterator ??= (
      await this.#client.send(
        new GetShardIteratorCommand({
          StreamArn: this.#streamArn,
          ShardId: shard.id,
          ...(shard.sequenceNumber === undefined
            ? { ShardIteratorType: 'TRIM_HORIZON' }
            : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: shard.sequenceNumber }),
        }),
        abort,
      )
    ).ShardIterator;
    const { Records = [], NextShardIterator } = await this.#client.send(
      new GetRecordsCommand({ ShardIterator: shard.iterator, Limit: 1000 }),
      abort,
    );
    shard.iterator = NextShardIterator;
    shard.closed = NextShardIterator === undefined;
    return Records.map(({ eventName = 'MODIFY', dynamodb }) => {
      shard.sequenceNumber = dynamodb?.SequenceNumber ?? shard.sequenceNumber;
      // The SDK has binary keys as bytes, Lambda as base64; this table's keys are strings.
      const keys = (dynamodb?.Keys ?? {}) as Record<string, AttributeValue>;
      return keysOnlyRecord(eventName, keys, dynamodb?.SequenceNumber ?? '');
    });
  }
}
