/** What the index function writes, and how long it takes, when records come as Lambda delivers them. */
import { afterEach, expect, test } from '@jest/globals';
import type { TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { Delivery, inputsOf, templateSource } from '../../world/delivery.ts';
import { generateTestimonials } from '../../zipf/generate-testimonials.ts';

const definition = await templateSource();
let delivery: Delivery;
afterEach(() => delivery.stop());

// Each fold writes each posting that one of them is in: the longer texts are, the more of these there are.
const creates = inputsOf(generateTestimonials(1400, { words: [10, 40] }));
const createsASecond = 20;

/**
 * One organization creates twenty a second for 70 s.
 * @param shardOf by the number of the write
 * @returns posting writes a create
 */
async function postingWrites(shardOf: (number: number) => string): Promise<number> {
  let number = 0;
  delivery = new Delivery({ definition, shardOf: () => shardOf(number) });
  await delivery.start();
  for (const input of creates) {
    number += 1;
    await delivery.create('acme', input);
    await delivery.time.pass(1000 / createsASecond);
  }
  await delivery.time.pass(60_000);
  expect(delivery.errors).toEqual([]);
  return delivery.postings.tried / creates.length;
}

test('twenty creates a second take at most 15 posting writes each, none of them in vain', async () => {
  expect(await postingWrites(() => 'only')).toBeLessThanOrEqual(15);
  expect(delivery.postings.tried).toBe(delivery.postings.kept);
});

test('and at most 25 when they are in two shards, whose invocations fence each other off', async () => {
  // As after a split of a partition. The second begins when the first is about to fold.
  const splitAt = 11.5 * createsASecond;
  const writes = await postingWrites((number) => (number > splitAt && number % 2 === 0 ? 'upper' : 'lower'));
  expect(writes).toBeLessThanOrEqual(25);
  expect(delivery.postings.tried).toBeGreaterThan(delivery.postings.kept);
});

test('a batch of a thousand organizations, each with a backlog of words of its own, ends in 100 s and none fails', async () => {
  delivery = new Delivery({ definition, shardOf: () => 'only' });
  for (let i = 0; i < 1000; i += 1) await delivery.create(`acme-${i}`, longest(0));
  // More than one step takes, of more organizations than are updated at once.
  for (let i = 0; i < 50; i += 1) {
    for (let text = 1; text < 6; text += 1) await delivery.create(`acme-${i}`, longest(text));
  }
  await delivery.time.pass(15_000);
  await delivery.start();
  while (delivery.invocations.length === 0) await delivery.time.pass(5000);
  const { invocations, errors } = delivery;
  expect(invocations).toMatchObject([{ records: 1000, failures: 0 }]);
  expect(invocations[0]?.testimonials).toBeGreaterThan(0);
  expect(invocations[0]?.ms).toBeLessThanOrEqual(100_000);
  expect(errors).toEqual([]);
});

/** 10,000 letters of two bytes: worth an update alone, and each word in a posting of its own. */
function longest(text: number): TestimonialInput {
  const words = Array.from({ length: 1666 }, (_, i) => cyrillic(2000 * text + i));
  return {
    content: words.join(' '),
    author: { name: 'Mallory', email: 'mallory@example.com' },
    type: 'text',
  };
}

function cyrillic(number: number): string {
  const digits = Array.from(number.toString(32).padStart(5, '0'), (digit) => Number.parseInt(digit, 32));
  return String.fromCodePoint(...digits.map((digit) => 0x430 + digit));
}
