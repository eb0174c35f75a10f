/**
 * The index function as Lambda invokes it: the local runner's event source mapping with the template's
 * settings, the real handler, stores in memory, and a simulated clock.
 */

import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import pLimit from 'p-limit';
import type { TestimonialInput } from '../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import {
  changeMarkerKey,
  erasureTextsKey,
  indexRequestKey,
  type Key,
  testimonialKey,
} from '../../functions/dynamodb/keys.ts';
import { createHandler } from '../../functions/index-testimonials/handler.ts';
import { indexUpdatesOn } from '../../functions/testimonials/index-updates.ts';
import { updateIndex, wholeTail } from '../../functions/testimonials/list-index/write/update-index.ts';
import { createTestimonial } from '../../functions/testimonials/operations/create-testimonial.ts';
import { eraseTestimonial } from '../../functions/testimonials/operations/erase-testimonial.ts';
import { callsAtOnce, settledMs } from '../../functions/timing.ts';
import { eventSourceMapping } from '../../lib/local-runner/event-source-mapping.ts';
import { synthesizedApp } from '../../lib/local-runner/synthesized-app.ts';
import type { TemplateEventSource } from '../../lib/local-runner/template.ts';
import { SimulatedTime } from '../simulated-time.ts';
import { recordOf } from '../stream-record.ts';
import { WatchedLogger } from '../watched-logs.ts';
import { type Backend, interceptCalls } from './backend.ts';
import { type InMemoryBackend, inMemoryBackend } from './in-memory-backend.ts';

/** Returns the template's event source of the index function. */
export async function templateSource(): Promise<TemplateEventSource> {
  const [source] = (await synthesizedApp()).eventSources;
  if (!source) throw new Error('The template has no event source');
  return source;
}

// A page of a query has a megabyte: some two thousand testimonials.
const rowsPerPage = 2000;

/**
 * The milliseconds of a call to DynamoDB: of the network, and of the function's one core (docs/benchmark.md,
 * times 1.7).
 */
const latency = { least: 5, most: 10 };
const coreMs = 0.6;

export interface Invocation {
  records: number;
  /** Milliseconds of the simulated clock. */
  ms: number;
  testimonials: number;
  failures: number;
}

export class Delivery {
  readonly time = new SimulatedTime();
  readonly #backend: Backend & Pick<InMemoryBackend, 'renewals'>;
  readonly invocations: Invocation[] = [];
  readonly errors: string[] = [];
  /** Postings that steps tried to write, and postings of steps that were not fenced off. */
  postings = { tried: 0, kept: 0 };
  /** Records of writes before the start. */
  #early: [DynamoDBRecord, string][] | undefined = [];
  readonly #mapping: ReturnType<typeof eventSourceMapping>;
  readonly #shardOf: (key: Key) => string;
  #written = 0;
  #random = 1;

  /** @param shardOf the shard of an item's records */
  constructor(definition: TemplateEventSource, shardOf: (key: Key) => string = () => 'only') {
    this.#shardOf = shardOf;
    const stores = inMemoryBackend(undefined, rowsPerPage);
    const index = {
      ...stores.index,
      requestIndexUpdate: async (organization: string) => {
        this.#write('MODIFY', indexRequestKey(organization));
      },
    };
    this.#backend = { ...stores, index };
    this.#mapping = eventSourceMapping({
      definition,
      clock: this.time,
      onError: (message) => this.errors.push(message),
      invoke: (event) => this.#invoke(event),
    });
  }

  /** Begins to deliver all records, including earlier ones. */
  start(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const each of early) this.#mapping.add(...each);
  }

  stop(): void {
    this.#mapping.stop();
  }

  async create(organization: string, input: TestimonialInput): Promise<string> {
    const deps = { ...this.#backend, now: this.#now, randomInt: () => 100_000_000_000 + this.#written };
    const { testimonial } = await createTestimonial(deps, { organization, input });
    this.#write('INSERT', testimonialKey(organization, ordinalOf(testimonial.id)));
    return testimonial.id;
  }

  async erase(organization: string, id: string): Promise<void> {
    await eraseTestimonial({ ...this.#backend, now: this.#now }, organization, id);
    // An erasure writes the texts, a marker, and the testimonial.
    for (const key of [erasureTextsKey, changeMarkerKey])
      this.#write('INSERT', key(organization, this.#written));
    this.#write('MODIFY', testimonialKey(organization, ordinalOf(id)));
  }

  /** Indexes everything without any delay. */
  async index(organization: string): Promise<void> {
    const deps = { ...this.#backend, now: () => new Date(this.time.now() + settledMs + 1000) };
    await updateIndex(deps, organization, wholeTail);
  }

  /** Returns the number of erasures whose texts are in the table. */
  async erasuresLeft(organization: string): Promise<number> {
    return (await Array.fromAsync(this.#backend.testimonials.erasureTexts(organization))).flat().length;
  }

  #now = () => new Date(this.time.now());

  #write(eventName: 'INSERT' | 'MODIFY', key: Key): void {
    this.#written += 1;
    const record = recordOf(key, this.#written, eventName);
    if (this.#early) this.#early.push([record, this.#shardOf(key)]);
    else this.#mapping.add(record, this.#shardOf(key));
  }

  async #invoke(event: DynamoDBStreamEvent): Promise<unknown> {
    const began = this.time.now();
    const logger = new WatchedLogger();
    const stores = { ...this.#overNetwork(), renewals: this.#backend.renewals, now: this.#now };
    const handler = createHandler({ updates: indexUpdatesOn(stores), now: this.#now, logger });
    const response = await handler(event);
    const sumOf = (field: string) => logger.lines.reduce((sum, line) => sum + Number(line[field] ?? 0), 0);
    this.postings.kept += sumOf('postingsWritten');
    this.invocations.push({
      records: event.Records.length,
      ms: this.time.now() - began,
      testimonials: sumOf('testimonials'),
      failures:
        logger.lines.filter(({ level }) => level === 'ERROR').length + response.batchItemFailures.length,
    });
    return response;
  }

  /** Returns the stores behind the network and the core of one function. */
  #overNetwork(): Backend {
    const inFlight = pLimit(callsAtOnce);
    let coreIsFree = 0;
    return interceptCalls(this.#backend, (name, call) =>
      inFlight(async () => {
        if (name === 'writePosting') this.postings.tried += 1;
        const now = this.time.now();
        coreIsFree = Math.max(coreIsFree, now) + coreMs;
        await this.time.wait(
          coreIsFree - now + latency.least + (latency.most - latency.least) * this.#dice(),
        );
        return call();
      }),
    );
  }

  /**
   * Returns the same numbers in each run, from 0 to 1 (Park and Miller, “Random number generators”, 1988).
   */
  #dice(): number {
    this.#random = (this.#random * 48_271) % 2_147_483_647;
    return this.#random / 2_147_483_647;
  }
}
