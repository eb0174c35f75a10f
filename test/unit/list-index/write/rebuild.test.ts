/** The next action on a rebuild, and a rebuild that receives a stop signal. */

import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import {
  type IndexHead,
  type IndexStore,
  noIndex,
} from '../../../../functions/testimonials/list-index/index-store.ts';
import { termsVersion } from '../../../../functions/testimonials/list-index/terms-version.ts';
import {
  beginRebuild,
  nextRebuildAction,
  type RebuildAction,
} from '../../../../functions/testimonials/list-index/write/acquire-rebuild.ts';
import { rebuildIndex } from '../../../../functions/testimonials/list-index/write/rebuild.ts';
import { updateIndex } from '../../../../functions/testimonials/list-index/write/update-index.ts';
import { rebuildLeaseMs } from '../../../../functions/timing.ts';
import { input } from '../../../testimonials.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { base } from '../../../world/queries.ts';
import { createWorld, otherTerms } from '../../../world/world.ts';

const now = 1_000_000;
const until = now + rebuildLeaseMs;
const unheld = { generation: 7, terms: termsVersion, indexed: 50, updated: 60, epoch: 3, until: now };
const head = { ...noIndex, revision: 3, generation: 6, indexed: 100, updated: 120 };

test.each<[string, IndexHead, RebuildAction]>([
  [
    'leaves it to the process with a lease',
    { ...head, building: { ...unheld, until: now + 1 } },
    { kind: 'held by another' },
  ],
  [
    'continues it with a new epoch',
    { ...head, building: unheld },
    { kind: 'continue', building: { ...unheld, epoch: 4, until } },
  ],
  [
    'begins another generation if it follows other rules',
    { ...head, building: { ...unheld, terms: otherTerms.older } },
    {
      kind: 'begin',
      building: { generation: 8, terms: termsVersion, indexed: 1, updated: 1, epoch: 1, until },
    },
  ],
])('a process that finds an unfinished rebuild %s', (_, found, next) => {
  expect(nextRebuildAction(found, { isRequested: true, now })).toEqual(next);
});

const count = 20;
const limits = { postings: 100, bits: 400 };

/** Indexes testimonials in a store that counts the writes under way. */
async function indexed() {
  const world = await createWorld(inMemoryBackend());
  for (let i = 0; i < count; i += 1) await world.create({ ...input, content: `Amazing product number ${i}` });
  await world.settle();
  const { index } = world.backend;
  let underWay = 0;
  let onWriteBegun = () => {};
  /** The number of writes under way at each write of the head. */
  const atHeads: number[] = [];
  const watched: IndexStore = {
    ...index,
    async writePosting(...args) {
      underWay += 1;
      onWriteBegun();
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
    onWriteBegun = listener;
  };
  const deps = { ...world.backend, index: watched, now: world.now };
  return { world, deps, atHeads, onWrite, underWay: () => underWay };
}

test('a rebuild that is stopped between two steps continues from there at once, and before it begins leaves nothing', async () => {
  const { world, deps } = await indexed();
  const aborted = AbortSignal.abort(new Error('Ctrl-C'));
  expect(await rebuildIndex(deps, 'acme', { limits, signal: aborted })).toEqual({ kind: 'stopped' });
  expect(await world.head()).not.toHaveProperty('building');
  const stopping = new AbortController();
  let before = 0;
  const progress = (testimonials: number) => {
    before = testimonials;
    stopping.abort(new Error('Ctrl-C'));
  };
  const options = { limits, progress, signal: stopping.signal };
  expect(await rebuildIndex(deps, 'acme', options)).toEqual({ kind: 'stopped' });
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(count);
  let after = 0;
  await rebuildIndex(deps, 'acme', { limits, progress: (testimonials) => (after = testimonials) });
  expect(before + after).toBe(count);
  expect(await world.differences()).toEqual([]);
  expect((await world.list(base)).total).toBe(count);
});

test('a rebuild that is stopped during its writes is released after them, and writes nothing afterwards', async () => {
  const { world, deps, atHeads, onWrite, underWay } = await indexed();
  const stopping = new AbortController();
  onWrite(() => stopping.abort(new Error('Ctrl-C')));
  const outcome = await rebuildIndex(deps, 'acme', { limits, signal: stopping.signal });
  expect(outcome).toEqual({ kind: 'stopped' });
  expect(underWay()).toBe(0);
  // Two writes: it took the lease, and released it.
  expect(atHeads).toEqual([0, 0]);
  expect((await world.head())?.building).toMatchObject({ indexed: 1, until: world.now().getTime() });
  await rebuildIndex(deps, 'acme', { limits });
  expect(await world.differences()).toEqual([]);
});

test('a rebuild waits for the next turn if the update has used up its own', async () => {
  const { world, deps } = await indexed();
  await beginRebuild(deps, 'acme');
  const begun = await world.head();
  const now = world.now().getTime();
  expect(await updateIndex(deps, 'acme', { until: now - 1 })).toMatchObject({ hasMore: true });
  expect((await world.head())?.building).toEqual(begun?.building);
  await updateIndex(deps, 'acme', { until: now });
  expect((await world.head())?.building?.indexed).toBeGreaterThan(1);
  await updateIndex(deps, 'acme');
  expect(await world.head()).not.toHaveProperty('building');
  expect(await world.differences()).toEqual([]);
});
