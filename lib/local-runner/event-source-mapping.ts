/** Lambda's poller of a stream, on this machine: records in batches to one function, one at a time. */
import { setTimeout as wait } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import * as v from 'valibot';
import type { RecordSource } from './record-source.ts';
import type { TemplateEventSource } from './template.ts';

const batchResponse = v.nullish(
  v.object({ batchItemFailures: v.nullish(v.array(v.object({ itemIdentifier: v.string() }))) }),
);

const maxRetryDelayMs = 30_000;

export interface EventSourceMappingOptions {
  definition: Omit<TemplateEventSource, 'functionId' | 'tableId'>;
  source: RecordSource;
  invoke: (event: { Records: DynamoDBRecord[] }) => Promise<unknown>;
  /** Told what went wrong, in one line. */
  onError: (message: string) => void;
  /** Before the first retry; doubles with each further one. */
  retryDelayMs?: number;
}

/** Invokes a function with what a source brings, and again with what the function reports as failed. */
export class EventSourceMapping {
  readonly #options: EventSourceMappingOptions;
  readonly #queue: { record: DynamoDBRecord; since: number }[] = [];
  readonly #stopping = new AbortController();
  #wake = () => {};

  constructor(options: EventSourceMappingOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { source, definition } = this.#options;
    await source.start(definition.accepts, (records) => {
      const since = Date.now();
      for (const record of records) this.#queue.push({ record, since });
      this.#wake();
    });
    void this.#run();
  }

  /** Ends at once; an invocation that is running is left to whoever stops the function. */
  stop(): void {
    this.#stopping.abort();
    this.#options.source.stop();
    this.#wake();
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    const { batchSize } = this.#options.definition;
    while (!this.#stopped) {
      await this.#batchIsDue();
      await this.#deliver(this.#queue.splice(0, batchSize).map(({ record }) => record));
    }
  }

  /** Waits until a batch is full or its first record has waited long enough. */
  async #batchIsDue(): Promise<void> {
    const { batchSize, windowMs } = this.#options.definition;
    while (!this.#stopped && this.#queue.length < batchSize) {
      const [first] = this.#queue;
      const left = first && first.since + windowMs - Date.now();
      if (left !== undefined && left <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = left === undefined ? undefined : setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async #deliver(batch: DynamoDBRecord[]): Promise<void> {
    const { definition, source, onError, retryDelayMs = 1000 } = this.#options;
    let rest = batch;
    // In a row, with the same first record.
    let failures = 0;
    while (rest.length > 0 && !this.#stopped) {
      const done = await this.#invoke(rest);
      if (this.#stopped) return;
      source.processed(rest.slice(0, done));
      rest = rest.slice(done);
      if (rest.length === 0) return;
      failures = done > 0 ? 1 : failures + 1;
      if (failures > definition.maximumRetryAttempts) {
        onError(
          `dropped ${rest.length} records after ${failures} failures, the first is ${describe(rest[0])}`,
        );
        return;
      }
      const delay = Math.min(retryDelayMs * 2 ** (failures - 1), maxRetryDelayMs);
      // Rejects only when the mapping is stopped.
      await wait(delay, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
  }

  /** Invokes the function once; returns how many records it is done with: all before the first that failed. */
  async #invoke(records: DynamoDBRecord[]): Promise<number> {
    try {
      const result = await this.#options.invoke({ Records: records });
      if (!this.#options.definition.reportsBatchItemFailures) return records.length;
      const failures = v.parse(batchResponse, result)?.batchItemFailures ?? [];
      const failed = failures.map(({ itemIdentifier }) =>
        records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === itemIdentifier),
      );
      // As Lambda does: a number that is not of this batch fails the whole batch.
      return Math.max(0, Math.min(records.length, ...failed));
    } catch (error) {
      if (!this.#stopped) this.#options.onError(error instanceof Error ? error.message : String(error));
      return 0;
    }
  }
}

function describe(record: DynamoDBRecord | undefined): string {
  return JSON.stringify(record?.dynamodb?.Keys);
}
