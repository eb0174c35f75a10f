/**
 * The writes of the index function when Lambda delivers the records, and many erasures of the longest texts.
 */
import { afterEach, expect, test } from '@jest/globals';
import pMap from 'p-map';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { costMeter } from '../../functions/dynamodb/cost-meter.ts';
import { updateIndex } from '../../functions/testimonials/list-index/write/update-index.ts';
import { eraseTestimonial } from '../../functions/testimonials/operations/erase-testimonial.ts';
import { ListMemory, listTestimonials } from '../../functions/testimonials/operations/list-testimonials.ts';
import { settledMs } from '../../functions/timing.ts';
import { createApiClient, storesOf, testimonialBody } from '../api-client.ts';
import { inputsOf } from '../testimonials.ts';
import { Delivery, templateSource } from '../world/delivery.ts';
import { queries } from '../world/queries.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';

const definition = await templateSource();
let delivery: Delivery;
afterEach(() => delivery?.stop());

// `ERASURES=1000` plays a thousand.
const count = Number(process.env.ERASURES ?? 250);

test('a list reads at most one unit more for each fifty of them, before any is indexed', async () => {
  const { table, create } = await createApiClient();
  const stores = storesOf(table);
  const content = 'An amazing product '.repeat(526).slice(0, 10_000);
  const ids = await pMap(Array(count), async () => (await create(testimonialBody({ content }))).body.id, {
    concurrency: 20,
  });
  for (let i = 0; i < 100; i += 1) await create(testimonialBody());
  const now = () => new Date(Date.now() + settledMs + 1000);
  await updateIndex({ ...stores, now }, 'acme');
  const memory = new ListMemory();
  const meter = costMeter(table.client);
  const unitsOf = async (query: ListQuery) => {
    meter.reset();
    await listTestimonials({ ...stores, memory }, 'acme', query);
    return meter.cost().units;
  };
  // They show none of the erased: those come first.
  const lists = queries.map((query): ListQuery => ({ ...query, order: 'desc', limit: 10 }));
  for (const each of lists) await unitsOf(each);
  const before = await pMap(lists, unitsOf, { concurrency: 1 });
  await pMap(ids, (id: string) => eraseTestimonial({ ...stores, now: table.now }, 'acme', id), {
    concurrency: 20,
  });
  // It learns that they are gone, a unit each.
  await unitsOf(lists[0] as ListQuery);
  for (const each of lists) await unitsOf(each);
  const after = await pMap(lists, unitsOf, { concurrency: 1 });
  const more = after.map((units, i) => units - (before[i] ?? 0));
  expect(Math.max(...more)).toBeLessThanOrEqual(count / 50);
});

test('all of their words are gone at a hundred a minute', async () => {
  delivery = new Delivery(definition);
  const inputs = inputsOf(generateTestimonials(count, { words: [1500, 1700] }));
  const ids: string[] = [];
  for (const input of inputs)
    ids.push(await delivery.create('acme', { ...input, content: input.content.slice(0, 10_000) }));
  await delivery.index('acme');
  for (const id of ids) await delivery.erase('acme', id);
  delivery.start();
  let seconds = 0;
  for (; seconds < 1200 && (await delivery.erasuresLeft('acme')) > 0; seconds += 10) {
    await delivery.time.pass(10_000);
  }
  expect(delivery.errors).toEqual([]);
  expect(seconds).toBeLessThanOrEqual(0.6 * count);
});

// An index update writes every posting of its testimonials, and longer texts have more postings.
const creates = inputsOf(generateTestimonials(1400, { words: [10, 40] }));
const createsPerSecond = 20;

/**
 * Creates twenty testimonials a second in one organization, for 70 s.
 * @param shardOf the shard of a write, by its number
 * @returns posting writes a create
 */
async function postingWrites(shardOf: (number: number) => string): Promise<number> {
  let number = 0;
  delivery = new Delivery(definition, () => shardOf(number));
  delivery.start();
  for (const input of creates) {
    number += 1;
    await delivery.create('acme', input);
    await delivery.time.pass(1000 / createsPerSecond);
  }
  await delivery.time.pass(60_000);
  expect(delivery.errors).toEqual([]);
  return delivery.postings.tried / creates.length;
}

test('twenty creates a second need at most 15 posting writes each, none of them fenced off', async () => {
  expect(await postingWrites(() => 'only')).toBeLessThanOrEqual(15);
  expect(delivery.postings.tried).toBe(delivery.postings.kept);
});

test('in two shards, whose invocations fence each other off, they need at most 25', async () => {
  // A partition is split, and the second shard begins when the first is about to update the index.
  const splitAt = 11.5 * createsPerSecond;
  const writes = await postingWrites((number) => (number > splitAt && number % 2 === 0 ? 'upper' : 'lower'));
  expect(writes).toBeLessThanOrEqual(25);
  expect(delivery.postings.tried).toBeGreaterThan(delivery.postings.kept);
});
