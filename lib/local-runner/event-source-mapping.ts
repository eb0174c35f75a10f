/** Lambda's poller of a stream, on this machine: each shard in lanes, each with one invocation at a time. */
import { crc32 } from 'node:zlib';
import type { RecordSource, Shard } from './record-source.ts';
import { type LaneOptions, StreamLane } from './stream-lane.ts';

export interface EventSourceMappingOptions extends LaneOptions {
  source: RecordSource;
}

/** Invokes a function with what a source brings, and again with what the function reports as failed. */
export class EventSourceMapping {
  readonly #options: EventSourceMappingOptions;
  /** By the id of their shard. */
  readonly #lanes = new Map<string, StreamLane[]>();

  constructor(options: EventSourceMappingOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { source, definition } = this.#options;
    await source.start(definition.accepts, (records, shard) => {
      const lanes = this.#lanesOf(shard);
      // Lambda keeps the order of each item, in a lane of its own: the records of a partition key are in several.
      for (const record of records) {
        lanes[crc32(JSON.stringify(record.dynamodb?.Keys) ?? '') % lanes.length]?.add(record);
      }
    });
  }

  /** Ends at once; an invocation that is running is left to whoever stops the function. */
  stop(): void {
    this.#options.source.stop();
    for (const lane of [...this.#lanes.values()].flat()) lane.stop();
  }

  #lanesOf({ id, parentId = '' }: Shard): StreamLane[] {
    const known = this.#lanes.get(id);
    if (known) return known;
    const parents = this.#lanes.get(parentId) ?? [];
    const lanes = Array.from({ length: this.#options.definition.lanes }, () => {
      const lane = new StreamLane(id, this.#options);
      void lane.run(parents);
      return lane;
    });
    this.#lanes.set(id, lanes);
    return lanes;
  }
}
