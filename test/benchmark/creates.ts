/** Measures creates: what they write, and how many a single process makes. */
import { randomInt } from 'node:crypto';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import type { Testimonial, TestimonialInput } from '../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { createTestimonial } from '../../functions/operations/create-testimonial.ts';
import { costMeter } from '../../functions/persistence/cost-meter.ts';
import { idempotencyKeyStore } from '../../functions/persistence/dynamodb-idempotency-key-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { inputsOf } from '../testimonials.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import type { EmbeddedDynamoDb } from './engine.ts';
import { readCommands, writeCommands } from './index-updates.ts';
import { type Spread, spreadOf } from './statistics.ts';
import { writeUnitsOf } from './write-units.ts';

const manyOrganizations = 64;
const throughputRuns = 3;

export interface CreateCost {
  name: string;
  rounds: number;
  /** The units of the table, as the database reports them, and of the secondary indexes, which it does not report. */
  writeUnits: number;
  indexWriteUnits: number;
  readUnits: number;
}

/** Counts what single creates cost: the mean of `count` generated ones. */
export async function measureCreateCosts(database: EmbeddedDynamoDb, count: number): Promise<CreateCost[]> {
  const table = database.open();
  const all = costMeter(table.client);
  const written = costMeter(table.client, writeCommands);
  const read = costMeter(table.client, readCommands);
  const create = creator(table);
  const cost = async (name: string, options: (nth: number) => { idempotencyKey?: string }) => {
    const sum = { rounds: 0, writeUnits: 0, indexWriteUnits: 0, readUnits: 0 };
    for (const [nth, input] of inputs(count).entries()) {
      for (const meter of [all, written, read]) meter.reset();
      const { testimonial, replayed } = await create('costs', input, options(nth));
      if (!replayed) sum.indexWriteUnits += writeUnitsOf(undefined, newlyStored(testimonial)).indexes / count;
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

/** A testimonial as it is first stored. */
export function newlyStored(testimonial: Testimonial): StoredTestimonial {
  const ordinal = ordinalOf(testimonial.id);
  return { testimonial, ordinal, updateOrdinal: ordinal, version: 1, writtenAt: testimonial.createdAt };
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
  return inputsOf(generateTestimonials(count, { seed: 99 }));
}
