/** Writes that are sent twice: the first try arrives after the next writes of the same process. */
import { expect, test } from '@jest/globals';
import { settledMs } from '../../../functions/timing.ts';
import { input } from '../../testimonials.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { type FirstTry, withTries } from '../../world/tries.ts';
import { createWorld } from '../../world/world.ts';

/** A world in which the first tries of some writes are late. */
async function worldWithLateTries() {
  const fates = new Map<string, FirstTry>();
  const { stores, late } = withTries(inMemoryBackend(), (name) => fates.get(name) ?? 'answered');
  const world = await createWorld(stores);
  return {
    ...world,
    delay: (name: string) => fates.set(name, 'late'),
    arrive: async () => {
      fates.clear();
      // The first ones last of all.
      for (const { arrive } of late.splice(0).reverse()) await arrive();
    },
  };
}

test('a late posting of one step of an index update does not undo a later step', async () => {
  const world = await worldWithLateTries();
  const created = [await world.create(input), await world.create(input)];
  await world.settle();
  for (const { id } of created) await world.setStatus(id, 'approved');
  world.advance(settledMs + 1000);
  world.delay('writePosting');
  expect(await world.updateIndex({ limits: { places: 1 } })).toMatchObject({ steps: 2, changes: 2 });
  await world.arrive();
  expect(await world.differences()).toEqual([]);
});

test('a late posting of a rebuild does not undo an index update after it', async () => {
  const world = await worldWithLateTries();
  const { id } = await world.create(input);
  for (let i = 0; i < 20; i += 1) await world.create(input);
  await world.settle();
  world.delay('writePosting');
  await world.rebuild();
  await world.setStatus(id, 'approved');
  await world.settle();
  await world.arrive();
  await world.settle();
  expect(await world.differences()).toEqual([]);
});

test('a head write whose response was lost does not fence off its own index update', async () => {
  const { stores } = withTries(inMemoryBackend(), (name) =>
    name === 'replaceHead' ? 'answer lost' : 'answered',
  );
  const world = await createWorld(stores);
  await world.create(input);
  expect(await world.settle()).toMatchObject({ steps: 1, testimonials: 1 });
  expect(await world.rebuild()).toMatchObject({ generation: 2 });
});
