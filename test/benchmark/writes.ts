/** Measures creates, index updates, and lists beside changes that no index update has taken. */

import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import pMap from 'p-map';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { type Cost, type CostMeter, costMeter } from '../../functions/dynamodb/cost-meter.ts';
import { batchPut } from '../../functions/dynamodb/items.ts';
import { testimonialKey } from '../../functions/dynamodb/keys.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import { createHandler } from '../../functions/index-testimonials/handler.ts';
import { indexUpdatesOn } from '../../functions/testimonials/index-updates.ts';
import { changeTestimonial } from '../../functions/testimonials/operations/change-testimonial.ts';
import { createTestimonial } from '../../functions/testimonials/operations/create-testimonial.ts';
import { ListMemory, listTestimonials } from '../../functions/testimonials/operations/list-testimonials.ts';
import { idempotencyKeyStore } from '../../functions/testimonials/table/idempotency-key-store.ts';
import { indexStore } from '../../functions/testimonials/table/index-store.ts';
import { renewalStore } from '../../functions/testimonials/table/renewal-store.ts';
import { testimonialItem } from '../../functions/testimonials/table/stored-testimonials.ts';
import { testimonialStore } from '../../functions/testimonials/table/testimonial-store.ts';
import { batchingWindowMs } from '../../functions/timing.ts';
import { recordOf } from '../stream-record.ts';
import { inputsOf } from '../testimonials.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import { type BenchDynamoDb, organization } from './dynamodb.ts';
import { queryOf } from './lists.ts';
import { writeUnitsOf } from './write-units.ts';

export type CreateCost = Awaited<ReturnType<typeof measureCreates>>[number];

/** Measures single creates: the mean of `count` generated ones. */
export async function measureCreates(database: BenchDynamoDb, count: number) {
  const table = database.open();
  const meter = costMeter(table.client);
  const deps = {
    testimonials: testimonialStore(table),
    idempotencyKeys: idempotencyKeyStore(table),
    now: table.now,
    randomInt,
  };
  const inputs = inputsOf(generateTestimonials(count, { seed: 99 }));
  const cost = async (name: string, optionsOf: (nth: number) => { idempotencyKey?: string }) => {
    // The database reports the write units of the table, and not those of the secondary indexes.
    const sum = { rounds: 0, writeUnits: 0, indexWriteUnits: 0, readUnits: 0 };
    for (const [nth, input] of inputs.entries()) {
      meter.reset();
      const request = { organization: 'costs', input, ...optionsOf(nth) };
      const { testimonial, replayed } = await createTestimonial(deps, request);
      if (!replayed) sum.indexWriteUnits += writeUnitsOf(undefined, newlyStored(testimonial)).indexes / count;
      const { rounds, units, writeUnits } = meter.cost();
      sum.rounds = Math.max(sum.rounds, rounds);
      sum.writeUnits += writeUnits / count;
      sum.readUnits += (units - writeUnits) / count;
    }
    return { name, ...sum };
  };
  const withKey = (nth: number) => ({ idempotencyKey: `key-${nth}` });
  return [
    await cost('a create', () => ({})),
    await cost('with an Idempotency-Key', withKey),
    await cost('its replay', withKey),
  ];
}

/** Returns a testimonial as a create stores it. */
export function newlyStored(testimonial: Testimonial): StoredTestimonial {
  const ordinal = ordinalOf(testimonial.id);
  return { testimonial, ordinal, updateOrdinal: ordinal, version: 1, writtenAt: testimonial.createdAt };
}

/** The time that each call to the store takes at least, in milliseconds. */
export const storeMs = 5;

export type IndexUpdateCost = Awaited<ReturnType<typeof measureIndexUpdates>>[number];

/**
 * The index function, on a store that takes its time; invoked as the stream does until nothing is left to
 * index.
 */
class IndexFunction {
  readonly #table: Table;
  readonly #meter: CostMeter;
  readonly #logger = new Logger({ logLevel: 'SILENT' });
  #aheadMs = 0;
  #invocations = 0;
  #billedMs = 0;
  #errors = 0;

  constructor(database: BenchDynamoDb) {
    this.#table = database.open();
    const { requestHandler } = this.#table.client.config;
    const handle = requestHandler.handle.bind(requestHandler);
    requestHandler.handle = async (...args) => {
      const [response] = await Promise.all([handle(...args), wait(storeMs)]);
      return response;
    };
    this.#meter = costMeter(this.#table.client);
    this.#logger.error = () => {
      this.#errors += 1;
    };
  }

  async update(): Promise<void> {
    const index = indexStore(this.#table);
    let isDue = true;
    const now = () => new Date(this.#table.now().getTime() + this.#aheadMs);
    const updates = indexUpdatesOn({
      testimonials: testimonialStore(this.#table),
      index: {
        ...index,
        requestIndexUpdate: async (...request) => {
          isDue = true;
          return index.requestIndexUpdate(...request);
        },
      },
      renewals: renewalStore(this.#table),
      now,
    });
    const handler = createHandler({ updates, now, logger: this.#logger });
    while (isDue) {
      isDue = false;
      this.#aheadMs += batchingWindowMs;
      const begin = performance.now();
      await handler({ Records: [recordOf(testimonialKey(organization, 1), 1)] });
      this.#billedMs += performance.now() - begin;
      this.#invocations += 1;
      if (this.#errors > 0) throw new Error('An index update failed');
    }
  }

  /** Returns the cost since the last call; `billedMs` is the time of all invocations. */
  cost() {
    const { units, writeUnits } = this.#meter.cost();
    const cost = { invocations: this.#invocations, billedMs: this.#billedMs, writeUnits };
    this.#meter.reset();
    [this.#invocations, this.#billedMs] = [0, 0];
    return { ...cost, readUnits: units - writeUnits };
  }
}

// Each of these creates has an invocation of its own. Most leave it in the tail, and one takes many.
const oneByOne = 100;

/** Indexes creates and changes, one by one and many together, on top of the loaded organization. */
export async function measureIndexUpdates(database: BenchDynamoDb, size: number, many: number) {
  const fn = new IndexFunction(database);
  const table = database.open();
  const alone = Math.min(oneByOne, many);
  const few: Testimonial[] = [];
  for (let i = 0; i < alone; i += 1) {
    few.push(...(await add(table, 1, size + i)));
    await fn.update();
  }
  const results = [{ size, name: 'creates, one by one', together: alone, ...fn.cost() }];
  const measure = async (name: string, count: number) => {
    await fn.update();
    results.push({ size, name, together: count, ...fn.cost() });
  };
  const together = await add(table, many, size + many);
  await measure('creates', many);
  await changeStatus(table, few.slice(0, 1));
  await measure('a change of status', 1);
  await changeStatus(table, together);
  await measure('changes of status', many);
  return results;
}

/** Stores generated testimonials on top of those there are. */
async function add(table: Table, count: number, seed: number): Promise<Testimonial[]> {
  const last = await testimonialStore(table).reserveOrdinals(organization, table.now(), count);
  const firstOrdinal = last.ordinal - count + 1;
  const firstUpdateOrdinal = last.updateOrdinal - count + 1;
  const added = [...generateTestimonials(count, { firstOrdinal, firstUpdateOrdinal, seed })];
  await batchPut(
    table,
    added.map((stored) => testimonialItem(organization, stored)),
  );
  return added.map(({ testimonial }) => testimonial);
}

/** Rejects testimonials, and approves those that are rejected. */
async function changeStatus(table: Table, testimonials: readonly Testimonial[]): Promise<void> {
  const deps = { testimonials: testimonialStore(table), now: table.now };
  const change = ({ id, status }: Testimonial) =>
    changeTestimonial(deps, organization, id, { status: status === 'rejected' ? 'approved' : 'rejected' });
  await pMap(testimonials, change, { concurrency: 20 });
}

export type ListBesideChanges = Awaited<ReturnType<typeof measureBesideChanges>>[number];

const listsBesideChanges = ['status=approved', 'status=approved&sort=rating&page=middle'];

/**
 * Measures lists with unindexed changes: `cold`
 * in a function that knows nothing of the organization, `warm` in one that has answered the list before the
 * changes, and `again` in that function once more.
 * @param most outstanding changes
 */
export async function measureBesideChanges(database: BenchDynamoDb, most: number) {
  const table = database.open();
  const meter = costMeter(table.client);
  const stores = { testimonials: testimonialStore(table), index: indexStore(table) };
  const list = async (query: string, memory: ListMemory): Promise<Cost> => {
    const ask = (parsed: Parameters<typeof listTestimonials>[2], known: ListMemory) =>
      listTestimonials({ ...stores, memory: known }, organization, parsed);
    const parsed = await queryOf({ query }, (first) => ask(first, new ListMemory()));
    meter.reset();
    await ask(parsed, memory);
    return meter.cost();
  };
  const pending: Testimonial[] = [];
  for await (const page of stores.testimonials.from(organization, 0)) {
    for (const { testimonial } of page) if (testimonial.status === 'pending') pending.push(testimonial);
    if (pending.length >= most) break;
  }
  const warm = new Map(listsBesideChanges.map((query) => [query, new ListMemory()]));
  for (const [query, memory] of warm) await list(query, memory);
  const results: { list: string; changes: number; cold: Cost; warm: Cost; again: Cost }[] = [];
  let changed = 0;
  for (const changes of [0, 20, 400, 2000].filter((count) => count <= most)) {
    await changeStatus(table, pending.slice(changed, changes));
    changed = changes;
    for (const [query, memory] of warm) {
      const cold = await list(query, new ListMemory());
      const costs = { cold, warm: await list(query, memory), again: await list(query, memory) };
      results.push({ list: query, changes, ...costs });
    }
  }
  return results;
}
