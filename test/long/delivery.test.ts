/** The writes of the index function when Lambda delivers the records. */
import { afterEach, expect, test } from '@jest/globals';
import { inputsOf } from '../testimonials.ts';
import { Delivery, templateSource } from '../world/delivery.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';

const definition = await templateSource();
let delivery: Delivery;
afterEach(() => delivery.stop());

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
