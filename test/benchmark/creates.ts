/** Measures creates: what they write, how many a single process makes, and what folding them costs. */
import { randomInt } from 'node:crypto';
import { createTestimonial } from '../../functions/domain/create-testimonial.ts';
import type { TestimonialInput } from '../../functions/domain/testimonial.ts';
import { foldStep } from '../../functions/list-index/fold.ts';
import type { Table } from '../../functions/persistence/document-client.ts';
import { idempotencyKeyStore } from '../../functions/persistence/dynamodb-idempotency-key-store.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialItem, testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { indexes } from '../../functions/persistence/keys.ts';
import { type Cost, costMeter } from '../../lib/operator/cost-meter.ts';
import { generateTestimonials } from '../../lib/sample-data/generate-testimonials.ts';
import { type EmbeddedDynamoDb, organization } from './engine.ts';
import { type Spread, spreadOf } from './statistics.ts';

const writes = ['PutItemCommand', 'UpdateItemCommand'];
const reads = ['BatchGetItemCommand', 'GetItemCommand', 'QueryCommand'];
const manyOrganizations = 64;
const throughputRuns = 3;

const indexCount = Object.values(indexes).flatMap(Object.values).length;

export interface CreateCost {
  name: string;
  rounds: number;
  /** Those of the table, as the database reports them, and those of the secondary indexes, which it does not. */
  writeUnits: number;
  indexWriteUnits: number;
  readUnits: number;
}

/** Counts what single creates cost: the mean of `count` generated ones. */
export async function measureCreateCosts(database: EmbeddedDynamoDb, count: number): Promise<CreateCost[]> {
  const table = database.open();
  const all = costMeter(table.client);
  const written = costMeter(table.client, writes);
  const read = costMeter(table.client, reads);
  const create = creator(table);
  const cost = async (name: string, options: (nth: number) => { idempotencyKey?: string }) => {
    const sum = { rounds: 0, writeUnits: 0, indexWriteUnits: 0, readUnits: 0 };
    for (const [nth, input] of inputs(count).entries()) {
      for (const meter of [all, written, read]) meter.reset();
      const { testimonial, replayed } = await create('costs', input, options(nth));
      const kilobytes = Math.ceil(itemBytes(testimonialItem('costs', testimonial)) / 1024);
      if (!replayed) sum.indexWriteUnits += (indexCount * kilobytes) / count;
      sum.rounds = Math.max(sum.rounds, all.cost().rounds);
      sum.writeUnits += written.cost().units / count;
      sum.readUnits += read.cost().units / count;
    }
    return { name, ...sum };
  };
  return [
    await cost('a create', () => ({})),
    await cost('with an Idempotency-Key', (nth) => ({ idempotencyKey: `key-${nth}` })),
    await cost('its replay', (nth) => ({ idempotencyKey: `key-${nth}` })),
  ];
}

export interface Throughput {
  clients: number;
  organizations: number;
  /** Creates a second of one process and the embedded database. */
  perSecond: Spread;
}

/** Creates with several clients at once, in one organization and over many. */
export async function measureThroughput(database: EmbeddedDynamoDb, count: number): Promise<Throughput[]> {
  const create = creator(database.open());
  const cases = [1, manyOrganizations].flatMap((organizations) =>
    [1, 8, 64].map((clients) => ({ clients, organizations, rates: [] as number[] })),
  );
  for (let run = 0; run < throughputRuns; run += 1) {
    for (const { clients, organizations, rates } of cases) {
      const queue = inputs(count).map((input, nth) => ({ input, to: `busy-${nth % organizations}` }));
      const begin = performance.now();
      const client = async () => {
        for (let next = queue.pop(); next; next = queue.pop()) await create(next.to, next.input);
      };
      await Promise.all(Array.from({ length: clients }, client));
      rates.push(count / ((performance.now() - begin) / 1000));
    }
  }
  return cases.map(({ rates, ...each }) => ({ ...each, perSecond: spreadOf(rates) }));
}

export interface FoldCost {
  size: number;
  /** Testimonials folded together. */
  together: number;
  writeUnits: Cost['units'];
  readUnits: Cost['units'];
}

/** Folds testimonials on top of the loaded organization. */
export async function measureFolds(
  database: EmbeddedDynamoDb,
  size: number,
  counts: number[],
): Promise<FoldCost[]> {
  const table = database.open();
  const written = costMeter(table.client, writes);
  const read = costMeter(table.client, reads);
  const deps = { testimonials: testimonialStore(table), index: indexStore(table), now: () => new Date() };
  const results: FoldCost[] = [];
  for (const together of counts) {
    const created = new Date('2026-01-01T00:00:00.000Z');
    const { ordinal } = await deps.testimonials.takeOrdinal(organization, created, { count: together });
    const firstOrdinal = ordinal - together + 1;
    for (const { testimonial } of generateTestimonials(together, { firstOrdinal, seed: size + together })) {
      await deps.testimonials.insert(organization, testimonial);
    }
    for (const meter of [written, read]) meter.reset();
    await foldStep(deps, organization, together);
    results.push({ size, together, writeUnits: written.cost().units, readUnits: read.cost().units });
  }
  return results;
}

/** The size of an item as DynamoDB counts it: names and values in UTF-8, some bytes for nested ones. */
function itemBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 2;
  const overhead = 3;
  return Object.entries(value).reduce(
    (sum, [name, member]) =>
      sum + 1 + (Array.isArray(value) ? 0 : Buffer.byteLength(name)) + itemBytes(member),
    overhead,
  );
}

function creator(table: Table) {
  const deps = {
    testimonials: testimonialStore(table),
    idempotencyKeys: idempotencyKeyStore(table),
    now: () => new Date(),
    randomInt,
  };
  return (to: string, input: TestimonialInput, options: { idempotencyKey?: string } = {}) =>
    createTestimonial(deps, { organization: to, input, ...options });
}

function inputs(count: number): TestimonialInput[] {
  return Array.from(generateTestimonials(count, { seed: 99 }), ({ testimonial }) => {
    const { content, author, rating, type, tags = [] } = testimonial;
    return { content, author, ...(rating !== undefined && { rating }), type, tags };
  });
}
