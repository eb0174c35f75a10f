/**
 * A read that fails ends its list, and nothing else: a rejection that nobody hears would end the function's
 * process.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { input } from '../../../testimonials.ts';
import { interceptCalls } from '../../../world/backend.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { queries } from '../../../world/queries.ts';
import { createWorld, type World } from '../../../world/world.ts';

/** Testimonials in the index, in the tail, and with a change that is not indexed. */
async function organization(): Promise<World> {
  const world = await createWorld(inMemoryBackend());
  for (let i = 1; i <= 6; i += 1) await world.create({ ...input, rating: 1 + (i % 5), tags: ['ux'] });
  await world.setStatus((await world.nth(1))?.id ?? '', 'approved');
  await world.settle();
  await world.create(input);
  await world.setStatus((await world.nth(2))?.id ?? '', 'approved');
  return world;
}

test.each(queries.map((query) => [JSON.stringify(query), query] as const))(
  '%s fails with each of its reads',
  async (_, query) => {
    const world = await organization();
    let failing = Number.POSITIVE_INFINITY;
    let calls = 0;
    const stores = interceptCalls(world.backend, async (_name, call) => {
      calls += 1;
      if (calls !== failing) return call();
      throw new Error('the read failed');
    });
    await world.list(query, { stores });
    const reads = calls;
    for (failing = 1; failing <= reads; failing += 1) {
      calls = 0;
      await expect(world.list(query, { stores })).rejects.toThrow('the read failed');
      // Jest fails the test when a rejection is unheard by then.
      await turn();
    }
  },
);
