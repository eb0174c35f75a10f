/** A rebuild whose process is told to stop: whoever comes next goes on with it at once. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { IndexStore } from '../../../../functions/list-index/index-store.ts';
import { rebuildIndex } from '../../../../functions/list-index/write/rebuild.ts';
import { input } from '../../../testimonials.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { base } from '../../../world/queries.ts';
import { createWorld } from '../../../world/world.ts';

const count = 20;
const limits = { postings: 100, bits: 400 };

/** An index of some testimonials, in a store that counts the writes under way. */
async function indexed() {
  const world = await createWorld(inMemoryBackend());
  for (let i = 0; i < count; i += 1) await world.create({ ...input, content: `Amazing product number ${i}` });
  await world.settle();
  const { index } = world.backend;
  let underWay = 0;
  let told = () => {};
  /** The number of writes under way at each write of the head. */
  const atHeads: number[] = [];
  const watched: IndexStore = {
    ...index,
    async writePosting(...args) {
      underWay += 1;
      told();
      await turn();
      return index.writePosting(...args).finally(() => {
        underWay -= 1;
      });
    },
    replaceHead(...args) {
      atHeads.push(underWay);
      return index.replaceHead(...args);
    },
  };
  const onWrite = (listener: () => void) => {
    told = listener;
  };
  const deps = { ...world.backend, index: watched, now: world.now };
  return { world, deps, atHeads, onWrite, underWay: () => underWay };
}

test('a rebuild that is stopped between two steps continues from there, at the same time', async () => {
  const { world, deps } = await indexed();
  const stopping = new AbortController();
  const reason = new Error('Ctrl-C');
  let before = 0;
  const progress = (testimonials: number) => {
    before = testimonials;
    stopping.abort(reason);
  };
  const options = { limits, progress, signal: stopping.signal };
  await expect(rebuildIndex(deps, 'acme', options)).rejects.toBe(reason);
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(count);
  let after = 0;
  await rebuildIndex(deps, 'acme', { limits, progress: (testimonials) => (after = testimonials) });
  expect(before + after).toBe(count);
  expect(await world.differences()).toEqual([]);
  expect((await world.list(base)).total).toBe(count);
});

test('a rebuild that is stopped while it writes is left once its writes have ended, and writes nothing afterwards', async () => {
  const { world, deps, atHeads, onWrite, underWay } = await indexed();
  const stopping = new AbortController();
  onWrite(() => stopping.abort(new Error('Ctrl-C')));
  await expect(rebuildIndex(deps, 'acme', { limits, signal: stopping.signal })).rejects.toThrow('Ctrl-C');
  expect(underWay()).toBe(0);
  // Two writes: begun, and left.
  expect(atHeads).toEqual([0, 0]);
  expect((await world.head())?.building).toMatchObject({ indexed: 1, until: world.now().getTime() });
  await rebuildIndex(deps, 'acme', { limits });
  expect(await world.differences()).toEqual([]);
});

test('a rebuild that is stopped before it begins leaves nothing', async () => {
  const { world, deps } = await indexed();
  const signal = AbortSignal.abort(new Error('Ctrl-C'));
  await expect(rebuildIndex(deps, 'acme', { limits, signal })).rejects.toThrow('Ctrl-C');
  expect(await world.head()).not.toHaveProperty('building');
});
