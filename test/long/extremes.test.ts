/** The longest texts, the last ordinals and a lost index of many postings. */
import { randomInt } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { TestimonialInput } from '../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { noIndex } from '../../functions/testimonials/list-index/index-store.ts';
import { createTestimonial } from '../../functions/testimonials/operations/create-testimonial.ts';
import { createApiClient, storesOf } from '../api-client.ts';
import { position } from '../position.ts';
import { textOf } from '../stored-items.ts';
import { createTestTable } from '../test-table.ts';
import { input } from '../testimonials.ts';
import { Delivery, templateSource } from '../world/delivery.ts';
import { inMemoryBackend } from '../world/in-memory-backend.ts';
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

test('an organization with 70 billion ordinals, the last of twelve digits, has lists', async () => {
  const world = await createWorld(storesOf(await createTestTable()), { taken: 70_000_000_000 });
  const created = await world.create({ ...input, tags: ['a'] });
  expect(ordinalOf(created.id)).toBe(position(70_000_000_001));
  await world.settle();
  const all = { sort: 'createdAt', order: 'asc', page: 1, limit: 100 } as const;
  expect((await world.list({ ...all, filter: { tags: ['a'] } })).total).toBe(1);
});

test('every bit of a lost index is reported as missing', async () => {
  const world = await createWorld(inMemoryBackend());
  const count = 300;
  const content = Array.from({ length: 400 }, (_, i) => `word${i}`).join(' ');
  for (let i = 0; i < count; i += 1) await world.create({ ...input, content });
  const indexed = position(count + 1);
  await world.backend.index.replaceHead('acme', { ...noIndex, generation: 1, indexed, updated: indexed });
  const wrong = (await world.differences()).filter(({ kind }) => kind === 'wrong');
  // A bit of each word and of each further term, and the place in the order of updates.
  expect(wrong.length).toBe(417 * count);
  // More than a function call can have arguments.
  expect(wrong.length).toBeGreaterThan(120_000);
});
