/** What verifying tells of the places of testimonials. */
import { expect, test } from '@jest/globals';
import type { StoredTestimonial } from '../../../../functions/domain/stored-testimonial.ts';
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

test.each([
  [
    'a place that the counter has yet to give',
    {},
    {},
    { kind: 'beyond the counter', axis: 'createdAt', at: place(5) },
  ],
  [
    'an update ordinal that it has yet to give',
    { updateOrdinal: place(9) },
    {},
    { kind: 'beyond the counter', axis: 'updatedAt', at: place(9) },
  ],
  [
    'an id of another place',
    {},
    { id: `test_123456789012${place(4)}` },
    { kind: 'wrong id', axis: 'createdAt', at: place(5) },
  ],
  [
    'an earlier time than the one before',
    {},
    { createdAt: '2020-01-01T00:00:00.000Z' },
    { kind: 'out of order', axis: 'createdAt', at: place(5) },
  ],
  [
    'the same update ordinal as another',
    { updateOrdinal: place(2) },
    {},
    { kind: 'twice', axis: 'updatedAt', at: place(2) },
  ],
  [
    'an earlier update than the one before',
    { updateOrdinal: place(6) },
    { updatedAt: '2020-01-01T00:00:00.000Z' },
    { kind: 'out of order', axis: 'updatedAt', at: place(6) },
  ],
])('%s', async (_, stored, testimonial, difference) => {
  const world = await worldWith(stored, testimonial);
  expect(await world.differences()).toContainEqual(difference);
});

test('of what was created and changed, nothing', async () => {
  const world = await createWorld(inMemoryBackend());
  const { id } = await world.create(input);
  await world.create(input);
  await world.setStatus(id, 'approved');
  expect(await world.differences()).toEqual([]);
});
