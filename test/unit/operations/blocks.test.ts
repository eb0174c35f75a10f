/** Changes and erasures of many testimonials in blocks. */
import { expect, test } from '@jest/globals';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import { costMeter } from '../../../functions/dynamodb/cost-meter.ts';
import { changeEach } from '../../../functions/testimonials/operations/change-testimonial.ts';
import { eraseEach } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { storesOf } from '../../api-client.ts';
import { createTestTable } from '../../test-table.ts';
import { input } from '../../testimonials.ts';
import { type Backend, interceptCalls } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { Process } from '../../world/process.ts';
import { createWorld } from '../../world/world.ts';

const approved = { status: 'approved' } as const;

/** An organization with so many testimonials. */
async function serviceWith(count: number, backend: Backend = inMemoryBackend()) {
  const world = await createWorld(backend);
  const seen: Testimonial[] = [];
  for (let i = 0; i < count; i += 1) seen.push(await world.create(input));
  return { ...world, deps: { ...backend, now: world.now }, seen };
}

const both = [
  [
    'changes',
    'writeChange',
    (...args: Parameters<typeof eraseEach>) => {
      const [deps, organization, seen, options] = args;
      return changeEach(deps, organization, seen, approved, options);
    },
  ],
  ['erasures', 'erase', eraseEach],
] as const;

/** Returns stores that return the rows of a read in another order. */
const inAnyOrder = (stores: Backend) =>
  interceptCalls(stores, async (name, call) => {
    const found = await call();
    if (name === 'findMany' && Array.isArray(found)) found.reverse();
    return found;
  });

test.each(both)(
  'a block announces all %s in order before it makes the first (rule 45)',
  async (_, write, attempt) => {
    const { backend, deps, seen, markers } = await serviceWith(30);
    const process = await new Process('block', backend)
      .begin((stores) => attempt({ ...deps, ...inAnyOrder(stores) }, 'acme', seen))
      .runUntil('putChangeMarkers');
    expect(process.waitsFor).toEqual(['putChangeMarkers']);
    await process.runUntil(write);
    const announced = await markers();
    expect(announced.map(({ ordinal }) => ordinal)).toEqual(seen.map(({ id }) => ordinalOf(id)));
    expect(new Set(announced.map(({ time }) => time)).size).toBe(1);
    await process.run();
    expect(await markers()).toEqual(announced);
  },
);

test.each(both)(
  'later blocks of %s reserve no update ordinals before their turn (rule 45)',
  async (_, __, attempt) => {
    const { backend, deps, seen } = await serviceWith(250);
    const before = (await backend.testimonials.readCounter('acme'))?.updateOrdinal ?? 0;
    const counted: number[] = [];
    const pace = async () => {
      counted.push(((await backend.testimonials.readCounter('acme'))?.updateOrdinal ?? 0) - before);
    };
    await attempt(deps, 'acme', seen, { pace });
    expect(counted).toEqual([0, 100, 200]);
  },
);

test.each(both)(
  '%s of testimonials that have changed are attempted one by one (rule 45)',
  async (_, write, attempt) => {
    const { backend, deps, seen, stored } = await serviceWith(5);
    const [first, second] = seen.map(({ id }) => ({ id }));
    const rejected = { status: 'rejected' } as const;
    await changeEach(deps, 'acme', first ? [first] : [], rejected);
    const process = await new Process('block', backend)
      .begin(async (stores) => {
        const tally = await attempt({ ...deps, ...stores }, 'acme', seen);
        expect([tally.done.length, tally.conflict]).toEqual([3, [first?.id, second?.id]]);
      })
      .runUntil(write);
    await changeEach(deps, 'acme', second ? [second] : [], rejected);
    await process.run();
    const left = (await stored()).filter(({ testimonial: { status } }) => status === 'rejected');
    expect(left).toHaveLength(2);
  },
);

test.each(both)('%s of a testimonial that is listed twice happen once', async (_, __, attempt) => {
  const { deps, seen, markers } = await serviceWith(2);
  const ids = [...seen, ...seen].map(({ id }) => ({ id }));
  const { done, already } = await attempt(deps, 'acme', ids);
  expect([done.length, already.length]).toEqual([2, 2]);
  expect(await markers()).toHaveLength(2);
});

test('a change of a block succeeds although its response was lost', async () => {
  const { backend, deps, seen } = await serviceWith(3);
  const lossy = interceptCalls(backend, async (name, call) => {
    if (name === 'writeChange') await call();
    return call();
  });
  expect((await changeEach({ ...deps, ...lossy }, 'acme', seen, approved)).done).toHaveLength(3);
});

test.each(both)('%s take 1.1 calls each', async (_, __, attempt) => {
  const table = await createTestTable();
  const { deps, seen } = await serviceWith(100, storesOf(table));
  const meter = costMeter(table.client);
  expect((await attempt(deps, 'acme', seen)).done).toHaveLength(100);
  expect(meter.cost().requests / 100).toBeLessThanOrEqual(1.1);
});
