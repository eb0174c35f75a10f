/** Lambda's poller of a stream, on this machine: each shard in lanes, each with one invocation at a time. */
import { crc32 } from 'node:zlib';
import type { DynamoDBRecord } from 'aws-lambda';
import { type LaneOptions, StreamLane } from './stream-lane.ts';

/** Invokes a function with the records that it takes, and again with what the function reports as failed. */
export class EventSourceMapping {
  readonly #options: LaneOptions;
  /** By the id of their shard. */
  readonly #lanes = new Map<string, StreamLane[]>();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Takes the next record of a shard, if the filter lets it pass. */
  take(record: DynamoDBRecord, shardId: string): void {
    if (!this.#options.definition.accepts(record)) return;
    const lanes = this.#lanesOf(shardId);
    // Lambda keeps the order of each item, in a lane of its own: the records of a partition key are in several.
    lanes[crc32(JSON.stringify(record.dynamodb?.Keys) ?? '') % lanes.length]?.add(record);
  }

  /** Ends at once; an invocation that is running is left to whoever stops the function. */
  stop(): void {
    for (const lane of [...this.#lanes.values()].flat()) lane.stop();
  }

  #lanesOf(shardId: string): StreamLane[] {
    const known = this.#lanes.get(shardId);
    if (known) return known;
    const { lanes } = this.#options.definition;
    const started = Array.from({ length: lanes }, () => new StreamLane(shardId, this.#options));
    for (const lane of started) void lane.run();
    this.#lanes.set(shardId, started);
    return started;
  }
}
