/** Removing the words of an erased testimonial without an index function. */
import { expect, test } from '@jest/globals';
import {
  awaitWordRemoval,
  hasWordsToRemove,
} from '../../../../functions/testimonials/list-index/write/await-word-removal.ts';
import { rebuildLeaseMs } from '../../../../functions/timing.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { input, withThree } from '../../../world/races.ts';
import { createWorld } from '../../../world/world.ts';

test('removing words finishes an abandoned rebuild: until then no marker may be deleted', async () => {
  const backend = inMemoryBackend();
  const world = await withThree(await createWorld(backend));
  const { id } = await world.create({ ...input, content: 'A zebra of a product' });
  await world.settle();
  (await world.begin(world.works.rebuild()).runUntil('writePosting')).kill();
  await world.erase(id);
  const deps = { ...backend, now: world.now };
  const start = world.clock.time;
  await awaitWordRemoval(deps, 'acme', async (milliseconds) => {
    world.advance(milliseconds);
    if (world.clock.time - start > 2 * rebuildLeaseMs) throw new Error('It does not end');
  });
  expect(await hasWordsToRemove(deps, 'acme')).toBe(false);
  expect(backend.text()).not.toContain('zebra');
  expect(await world.head()).toMatchObject({ generation: 2 });
});
