/** Emulates Lambda's poller of a stream: batches of each shard's records, one invocation at a time. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import * as v from 'valibot';
import { jsonBytes, maxRequestBytes } from './local-function.ts';
import type { TemplateEventSource } from './template.ts';

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after the time, or as soon as the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const systemClock: Clock = {
  now: () => Date.now(),
  // Long waits are cut to the maximum delay of a timer. Rejects only if it is aborted.
  wait: (milliseconds, signal) =>
    pause(Math.min(milliseconds, 2 ** 31 - 1), undefined, { signal, ref: false }).catch(() => {}),
};

const batchResponse = v.nullish(
  v.object({ batchItemFailures: v.nullish(v.array(v.object({ itemIdentifier: v.string() }))) }),
);

// The pause doubles with each retry.
const firstPauseMs = 1000;
const longestPauseMs = 30_000;

// {"Records":[]}
const emptyEventBytes = jsonBytes({ Records: [] });

interface EventSourceMappingOptions {
  definition: Pick<TemplateEventSource, 'batchSize' | 'windowMs' | 'accepts'>;
  invoke: (event: { Records: DynamoDBRecord[] }) => Promise<unknown>;
  /** Receives errors, one line each. */
  onError: (message: string) => void;
  clock?: Clock;
}

/** Invokes a function with the records that match its filter, and retries failed ones until they succeed. */
export function eventSourceMapping(options: EventSourceMappingOptions) {
  const stopping = new AbortController();
  /** By id. */
  const shards = new Map<string, ShardPoller>();
  return {
    /** Adds the next record of a shard, if it matches the filter. */
    add(record: DynamoDBRecord, shardId: string): void {
      if (!options.definition.accepts(record)) return;
      const shard = shards.get(shardId) ?? new ShardPoller(options, stopping.signal);
      shards.set(shardId, shard);
      shard.add(record);
    },
    /** Stops at once, without waiting for a running invocation. */
    stop: () => stopping.abort(),
  };
}

class ShardPoller {
  readonly #options: EventSourceMappingOptions;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  /** Records with their arrival (milliseconds since 1970) and their bytes in an event. */
  readonly #queue: { record: DynamoDBRecord; arrivedAt: number; bytes: number }[] = [];
  /** Aborted when a record arrives. */
  #arrival = new AbortController();

  constructor(options: EventSourceMappingOptions, stopping: AbortSignal) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#stopping = stopping;
    void this.#run();
  }

  add(record: DynamoDBRecord): void {
    const bytes = jsonBytes(record) + 1; // plus a comma
    this.#queue.push({ record, arrivedAt: this.#clock.now(), bytes });
    this.#arrival.abort();
  }

  async #run(): Promise<void> {
    // A batching window begins at the end of the previous invocation.
    let windowBegan = this.#clock.now();
    while (!this.#stopping.aborted) {
      const count = this.#countOfBatch();
      const isFull = count === this.#options.definition.batchSize || count < this.#queue.length;
      const remainingMs = isFull ? 0 : this.#windowEnd(windowBegan) - this.#clock.now();
      if (remainingMs > 0) {
        this.#arrival = new AbortController();
        await this.#clock.wait(remainingMs, AbortSignal.any([this.#arrival.signal, this.#stopping]));
        continue;
      }
      await this.#deliver(this.#queue.splice(0, count).map(({ record }) => record));
      windowBegan = this.#clock.now();
    }
  }

  /** Returns the number of queued records that fit into the next event. */
  #countOfBatch(): number {
    let remainingBytes = maxRequestBytes - emptyEventBytes;
    const next = this.#queue.slice(0, this.#options.definition.batchSize);
    const tooMany = next.findIndex(({ bytes }, i) => {
      remainingBytes -= bytes;
      return remainingBytes < 0 && i > 0;
    });
    return tooMany < 0 ? next.length : tooMany;
  }

  /** Returns the end of the window of the first record. Windows without records are consecutive. */
  #windowEnd(windowBegan: number): number {
    const [first] = this.#queue;
    const { windowMs } = this.#options.definition;
    if (!first) return Number.POSITIVE_INFINITY;
    if (windowMs === 0) return first.arrivedAt;
    const before = Math.floor((first.arrivedAt - windowBegan) / windowMs);
    return windowBegan + (Math.max(before, 0) + 1) * windowMs;
  }

  async #deliver(batch: DynamoDBRecord[]): Promise<void> {
    let rest = batch;
    // The number of consecutive failures with the same first record.
    let failures = 0;
    while (!this.#stopping.aborted) {
      const done = await this.#invoke(rest);
      if (done === rest.length || this.#stopping.aborted) return;
      if (done) failures = 0;
      await this.#clock.wait(Math.min(firstPauseMs * 2 ** failures, longestPauseMs), this.#stopping);
      failures += 1;
      if (done === undefined && rest.length > 1) {
        const middle = Math.ceil(rest.length / 2);
        await this.#deliver(rest.slice(0, middle));
        rest = rest.slice(middle);
        failures = 0;
      } else rest = rest.slice(done);
    }
  }

  /**
   * Invokes the function once. Returns the number of records before the first failed one; undefined if the
   * invocation failed.
   */
  async #invoke(records: DynamoDBRecord[]): Promise<number | undefined> {
    try {
      const result = await this.#options.invoke({ Records: records });
      const reported = v.parse(batchResponse, result)?.batchItemFailures ?? [];
      const failed = reported.map(({ itemIdentifier }) =>
        records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === itemIdentifier),
      );
      // As on Lambda, a sequence number from outside the batch fails the whole batch.
      return failed.includes(-1) ? undefined : Math.min(records.length, ...failed);
    } catch (error) {
      if (!this.#stopping.aborted)
        this.#options.onError(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }
}
