/** `index verify`: the counter, blocks of ordinals and changes during the comparison; and the check of positions in the tests. */
import { expect, test } from '@jest/globals';
import type { StoredTestimonial } from '../../../../functions/domain/stored-testimonial.ts';
import { blockSize, decodeBlock, encodeBlock } from '../../../../functions/list-index/bits/ordinal-block.ts';
import type { IndexStore } from '../../../../functions/list-index/index-store.ts';
import { ordinalsTerm } from '../../../../functions/list-index/index-terms.ts';
import { verifyIndex } from '../../../../functions/list-index/write/verify.ts';
import { place } from '../../../place.ts';
import { input } from '../../../testimonials.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { createWorld } from '../../../world/world.ts';

/** Three that were created and indexed, and one that something wrote past the counter. */
async function worldWith(overrides: Partial<StoredTestimonial>, testimonial: Record<string, unknown> = {}) {
  const world = await createWorld(inMemoryBackend());
  for (let i = 0; i < 3; i += 1) {
    world.advance(1000);
    await world.create(input);
  }
  const { id } = await world.create(input);
  await world.setStatus(id, 'approved');
  const [first] = await world.stored();
  if (!first) throw new Error('There is one');
  const stored = { ...first, ordinal: place(5), updateOrdinal: place(5), ...overrides };
  const own = { id: `test_123456789012${stored.ordinal}`, ...testimonial };
  await world.backend.testimonials.insert('acme', {
    ...stored,
    testimonial: { ...first.testimonial, createdAt: '2027-01-01T00:00:00.000Z', ...own },
  });
  return world;
}

const early = '2020-01-01T00:00:00.000Z';

test.each([
  ['beyond the counter', 'createdAt', place(5), {}, {}],
  ['beyond the counter', 'updatedAt', place(9), { updateOrdinal: place(9) }, {}],
  ['wrong id', 'createdAt', place(5), {}, { id: `test_123456789012${place(4)}` }],
  ['out of order', 'createdAt', place(5), {}, { createdAt: early }],
  ['twice', 'updatedAt', place(2), { updateOrdinal: place(2) }, {}],
  ['out of order', 'updatedAt', place(6), { updateOrdinal: place(6) }, { updatedAt: early }],
])('%s on the axis %s, at %i', async (kind, axis, at, stored, testimonial) => {
  const world = await worldWith(stored, testimonial);
  expect(await world.differences()).toContainEqual({ kind, axis, at });
});

test('no difference is reported after creates and changes', async () => {
  const world = await createWorld(inMemoryBackend());
  const { id } = await world.create(input);
  await world.create(input);
  await world.setStatus(id, 'approved');
  expect(await world.differences()).toEqual([]);
});

test.each([
  ['another', place(2)],
  ['none', 0],
])('a position in the order of updates with %s in the index is wrong', async (_, wrong) => {
  const world = await createWorld(inMemoryBackend());
  for (let i = 0; i < 3; i += 1) await world.create(input);
  await world.settle();
  const number = Math.floor(place(1) / blockSize);
  const ref = { posting: ordinalsTerm, chunk: number };
  const [there] = await world.backend.index.readPostings('acme', 1, [ref]);
  if (!there) throw new Error('There is one');
  const block = decodeBlock(there.bytes, number);
  expect(block[place(1) % blockSize]).toBe(place(1));
  block[place(1) % blockSize] = wrong;
  const posting = { ...there, bytes: encodeBlock(block, number) };
  expect(await world.backend.index.writePosting('acme', 1, ref, posting)).toBe(true);
  expect(await world.differences()).toEqual([{ posting: ordinalsTerm, kind: 'wrong', at: place(1) }]);
});

test('no difference is reported for changes that are indexed meanwhile', async () => {
  const world = await createWorld(inMemoryBackend());
  const { id } = await world.create(input);
  await world.create(input);
  await world.settle();
  const { index } = world.backend;
  let looks = 0;
  const meanwhile: IndexStore = {
    ...index,
    async *readPartition(organization, generation, partition) {
      if (partition.kind === 'ordinals') {
        looks += 1;
        await world.setStatus(id, looks % 2 === 1 ? 'approved' : 'pending');
        await world.settle();
      }
      yield* index.readPartition(organization, generation, partition);
    },
  };
  const found: unknown[] = [];
  await verifyIndex({ ...world.backend, index: meanwhile, now: world.now }, 'acme', (each) =>
    found.push(each),
  );
  expect(found).toEqual([]);
  expect(looks).toBeGreaterThan(0);
});
