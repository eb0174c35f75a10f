/** Texts with the most postings: the time of the index function, erasures, and searches. */
import { randomInt } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { TestimonialInput } from '../../functions/domain/testimonial.ts';
import { createTestimonial } from '../../functions/testimonials/operations/create-testimonial.ts';
import { createApiClient, storesOf } from '../api-client.ts';
import { textOf } from '../stored-items.ts';
import { createTestTable } from '../test-table.ts';
import { Delivery, templateSource } from '../world/delivery.ts';
import { createWorld } from '../world/world.ts';

const author = { name: 'Mallory', email: 'mallory@example.com' };

test('a batch of a thousand organizations with texts of 10,000 Han letters ends within 100 s without failures', async () => {
  const delivery = new Delivery(await templateSource());
  // Each letter begins a unique pair.
  const content = Array.from({ length: 10_000 }, (_, i) => String.fromCodePoint(0x4e00 + 2 * i)).join('');
  for (let i = 0; i < 1000; i += 1) await delivery.create(`acme-${i}`, { content, author, type: 'text' });
  await delivery.time.pass(15_000);
  delivery.start();
  await delivery.time.pass(200_000);
  delivery.stop();
  const [first, ...others] = delivery.invocations;
  expect(first).toMatchObject({ records: 1000, failures: 0 });
  expect(first?.testimonials).toBeGreaterThan(0);
  expect(Math.max(...[first, ...others].map((each) => each?.ms ?? 0))).toBeLessThanOrEqual(100_000);
  expect(delivery.errors).toEqual([]);
});

test('a batch of a thousand organizations, fifty of them with a backlog, ends within 100 s without failures', async () => {
  const delivery = new Delivery(await templateSource());
  for (let i = 0; i < 1000; i += 1) await delivery.create(`acme-${i}`, longest(0));
  // More than one step takes, in more organizations than are updated concurrently.
  for (let i = 0; i < 50; i += 1) {
    for (let text = 1; text < 6; text += 1) await delivery.create(`acme-${i}`, longest(text));
  }
  await delivery.time.pass(15_000);
  delivery.start();
  while (delivery.invocations.length === 0) await delivery.time.pass(5000);
  delivery.stop();
  const { invocations, errors } = delivery;
  expect(invocations).toMatchObject([{ records: 1000, failures: 0 }]);
  expect(invocations[0]?.testimonials).toBeGreaterThan(0);
  expect(invocations[0]?.ms).toBeLessThanOrEqual(100_000);
  expect(errors).toEqual([]);
});

/** Returns a text of 10,000 letters of two bytes whose words are unique: enough for an update of its own. */
function longest(text: number): TestimonialInput {
  const words = Array.from({ length: 1666 }, (_, i) => cyrillic(2000 * text + i));
  return { content: words.join(' '), author, type: 'text' };
}

function cyrillic(number: number): string {
  const digits = Array.from(number.toString(32).padStart(5, '0'), (digit) => Number.parseInt(digit, 32));
  return String.fromCodePoint(...digits.map((digit) => 0x430 + digit));
}

test('an erasure removes a text whose words do not fit into one item', async () => {
  const table = await createTestTable();
  const world = await createWorld(storesOf(table));
  // Each letter begins another word of 200: 480 KB of them.
  const letters = Array.from({ length: 2400 }, (_, i) =>
    String.fromCharCode(97 + (((i * i * 7919) % 10_007) % 26)),
  );
  const { id } = await world.create({ content: letters.join('.'), author, type: 'text', tags: ['striped'] });
  await world.settle();
  expect(await world.erase(id)).toBe(true);
  await world.settle();
  expect(await textOf(table)).not.toContain('striped');
  expect(await world.differences()).toEqual([]);
});

test('a search finds letters that expand to eighteen in sixty old texts, which creates refuse today', async () => {
  const api = await createApiClient();
  const content = '\ufdfa'.repeat(10_000);
  const deps = { ...storesOf(api.table), now: api.table.now, randomInt, onPositionTaken: () => {} };
  for (let i = 0; i < 60; i += 1) {
    await createTestimonial(deps, { organization: 'acme', input: { content, author, type: 'text' } });
  }
  const totalOf = async (search: string) =>
    (await api.list(`search=${encodeURIComponent(search)}`)).body.pagination.total;
  expect(await totalOf('nothing')).toBe(0);
  expect(await totalOf('\ufdfa')).toBe(60);
  // The texts contain these letters, but not at the beginning of a word.
  expect(await totalOf('لله')).toBe(0);
});
