/** The time of an invocation of the index function where each text is in as many postings as a text can be. */
import { expect, test } from '@jest/globals';
import { Delivery, templateSource } from '../world/delivery.ts';

test('a thousand organizations with texts of 10,000 Han letters: a batch ends in 100 s and none fails', async () => {
  const delivery = new Delivery({ definition: await templateSource(), shardOf: () => 'only' });
  // Each letter begins a pair that is in no other place.
  const content = Array.from({ length: 10_000 }, (_, i) => String.fromCodePoint(0x4e00 + 2 * i)).join('');
  const author = { name: 'Mallory', email: 'mallory@example.com' };
  for (let i = 0; i < 1000; i += 1) await delivery.create(`acme-${i}`, { content, author, type: 'text' });
  await delivery.time.pass(15_000);
  await delivery.start();
  await delivery.time.pass(200_000);
  delivery.stop();
  const [first, ...others] = delivery.invocations;
  expect(first).toMatchObject({ records: 1000, failures: 0 });
  expect(first?.testimonials).toBeGreaterThan(0);
  expect(Math.max(...[first, ...others].map((each) => each?.ms ?? 0))).toBeLessThanOrEqual(100_000);
  expect(delivery.errors).toEqual([]);
});
