/** Lambda's poller of a stream, on this machine: the records of each shard in batches, one invocation at a time. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import * as v from 'valibot';
import { jsonBytes, maxRequestBytes } from './local-function.ts';
import type { TemplateEventSource } from './template.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds at most, or as soon as the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The clock of this machine. */
const systemClock: Clock = {
  now: () => Date.now(),
  // Rejects only when it is aborted; no timer is longer.
  wait: (milliseconds, signal) =>
    pause(Math.min(milliseconds, 2 ** 31 - 1), undefined, { signal, ref: false }).catch(() => {}),
};

const batchResponse = v.nullish(
  v.object({ batchItemFailures: v.nullish(v.array(v.object({ itemIdentifier: v.string() }))) }),
);

// The pause before a retry doubles with each further one.
const firstPauseMs = 1000;
const longestPauseMs = 30_000;

// {"Records":[]}
const emptyEventBytes = jsonBytes({ Records: [] });

export interface EventSourceMappingOptions {
  definition: Pick<TemplateEventSource, 'batchSize' | 'windowMs' | 'accepts'>;
  invoke: (event: { Records: DynamoDBRecord[] }) => Promise<unknown>;
  /** Told what went wrong, in one line. */
  onError: (message: string) => void;
  clock?: Clock;
}

/** Invokes a function with the records that it takes, and again with what the function reports as failed, until it is done. */
export class EventSourceMapping {
  readonly #options: EventSourceMappingOptions;
  readonly #stopping = new AbortController();
  /** By their ids. */
  readonly #shards = new Map<string, ShardPoller>();

  constructor(options: EventSourceMappingOptions) {
    this.#options = options;
  }

  /** Takes the next record of a shard, if the filter lets it pass. */
  take(record: DynamoDBRecord, shardId: string): void {
    if (!this.#options.definition.accepts(record)) return;
    const shard = this.#shards.get(shardId) ?? new ShardPoller(this.#options, this.#stopping.signal);
    this.#shards.set(shardId, shard);
    shard.add(record);
  }

  /** Ends at once; an invocation that is running is left to whoever stops the function. */
  stop(): void {
    this.#stopping.abort();
  }
}

class ShardPoller {
  readonly #options: EventSourceMappingOptions;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  /** Records, each with when it came and its bytes in an event. */
  readonly #queue: { record: DynamoDBRecord; since: number; bytes: number }[] = [];
  /** Ends the waiting for a batch. */
  #came = new AbortController();

  constructor(options: EventSourceMappingOptions, stopping: AbortSignal) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#stopping = stopping;
    void this.#run();
  }

  add(record: DynamoDBRecord): void {
    const bytes = jsonBytes(record) + 1; // and a comma
    this.#queue.push({ record, since: this.#clock.now(), bytes });
    this.#came.abort();
  }

  /** Delivers what is added, until it is stopped. */
  async #run(): Promise<void> {
    // A batching window begins when the invocation before has ended.
    let windowBegan = this.#clock.now();
    while (!this.#stopping.aborted) {
      const count = this.#countOfBatch();
      const isFull = count === this.#options.definition.batchSize || count < this.#queue.length;
      const left = isFull ? 0 : this.#windowEnd(windowBegan) - this.#clock.now();
      if (left > 0) {
        this.#came = new AbortController();
        await this.#clock.wait(left, AbortSignal.any([this.#came.signal, this.#stopping]));
        continue;
      }
      await this.#deliver(this.#queue.splice(0, count).map(({ record }) => record));
      windowBegan = this.#clock.now();
    }
  }

  /** How many records the next event has by now. */
  #countOfBatch(): number {
    let left = maxRequestBytes - emptyEventBytes;
    const next = this.#queue.slice(0, this.#options.definition.batchSize);
    const tooMany = next.findIndex(({ bytes }, i) => {
      left -= bytes;
      return left < 0 && i > 0;
    });
    return tooMany < 0 ? next.length : tooMany;
  }

  /** The end of the window in which the first record came; windows without any follow each other. */
  #windowEnd(windowBegan: number): number {
    const [first] = this.#queue;
    const { windowMs } = this.#options.definition;
    if (!first) return Number.POSITIVE_INFINITY;
    if (windowMs === 0) return first.since;
    const before = Math.floor((first.since - windowBegan) / windowMs);
    return windowBegan + (Math.max(before, 0) + 1) * windowMs;
  }

  async #deliver(batch: DynamoDBRecord[]): Promise<void> {
    let rest = batch;
    // Failures in a row, with the same first record.
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
   * Invokes the function once.
   * @returns how many records it is done with: all before the first that failed; undefined where the invocation failed
   */
  async #invoke(records: DynamoDBRecord[]): Promise<number | undefined> {
    try {
      const result = await this.#options.invoke({ Records: records });
      const reported = v.parse(batchResponse, result)?.batchItemFailures ?? [];
      const failed = reported.map(({ itemIdentifier }) =>
        records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === itemIdentifier),
      );
      // As Lambda does: a number that is not of this batch fails the whole batch.
      return failed.includes(-1) ? undefined : Math.min(records.length, ...failed);
    } catch (error) {
      if (!this.#stopping.aborted)
        this.#options.onError(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }
}
