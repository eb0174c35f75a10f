/** Commands pause if they change testimonials faster than the index keeps up. */
import { expect, test } from '@jest/globals';
import { maxOutstanding, paceOf } from '../../../../functions/testimonials/list-index/write/await-index.ts';
import { ownIndexing } from '../../../../functions/testimonials/list-index/write/indexing.ts';
import { position } from '../../../position.ts';
import { markerOf } from '../../../testimonials.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { input } from '../../../world/races.ts';
import { createWorld } from '../../../world/world.ts';

test.each([true, false])(
  'changes pause while there are too many markers, until index updates have deleted half of them; by a function: %s',
  async (hasFunction) => {
    const world = await createWorld(inMemoryBackend());
    await world.create(input);
    await world.settle();
    const change = (count: number, first: number) => {
      const time = world.now().toISOString();
      const updates = Array.from({ length: count }, (_, i) => position(first + i));
      const markers = updates.map((update) => markerOf(update, position(1), { version: 0, time }));
      return world.backend.testimonials.putChangeMarkers(world.organization, markers);
    };
    const reported: number[] = [];
    const begin = () =>
      paceOf(
        {
          ...world.backend,
          now: world.now,
          ...(!hasFunction && { indexing: ownIndexing }),
          sleep: async (milliseconds) => {
            world.advance(milliseconds);
            if (hasFunction)
              await world.updateIndex({ limits: { positions: 1500 }, until: world.clock.time });
          },
          progress: (outstanding) => reported.push(outstanding),
        },
        world.organization,
      );
    await change(maxOutstanding, 2);
    const pace = begin();
    await pace(100);
    expect(reported).toEqual([]);
    await change(100, 2 + maxOutstanding);
    // A check reads all markers, so it does not follow each block.
    await pace(100);
    expect(reported).toEqual([]);
    await begin()(100);
    expect(reported[0]).toBe(maxOutstanding + 100);
    expect((await world.markers()).length).toBeLessThanOrEqual(maxOutstanding / 2);
  },
);
