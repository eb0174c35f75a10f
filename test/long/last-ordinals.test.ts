/** The ordinals that twelve digits of the sort key allow. */
import { expect, test } from '@jest/globals';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { storesOf } from '../api-client.ts';
import { position } from '../position.ts';
import { createTestTable } from '../test-table.ts';
import { input } from '../testimonials.ts';
import { createWorld } from '../world/world.ts';

test('an organization with 70 billion ordinals has lists', async () => {
  const world = await createWorld(storesOf(await createTestTable()), { taken: 70_000_000_000 });
  const created = await world.create({ ...input, tags: ['a'] });
  expect(ordinalOf(created.id)).toBe(position(70_000_000_001));
  await world.settle();
  const all = { sort: 'createdAt', order: 'asc', page: 1, limit: 100 } as const;
  expect((await world.list({ ...all, filter: { tags: ['a'] } })).total).toBe(1);
});
