/** The next action on a rebuild, and a rebuild that receives a stop signal. */

import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import {
  type IndexStore,
  noIndex,
  type Rebuild,
} from '../../../../functions/testimonials/list-index/index-store.ts';
import { termsVersion } from '../../../../functions/testimonials/list-index/terms-version.ts';
import {
  beginRebuild,
  nextOfRebuild,
} from '../../../../functions/testimonials/list-index/write/acquire-rebuild.ts';
import { rebuildIndex } from '../../../../functions/testimonials/list-index/write/rebuild.ts';
import { updateIndex } from '../../../../functions/testimonials/list-index/write/update-index.ts';
import { rebuildLeaseMs } from '../../../../functions/timing.ts';
import { input } from '../../../testimonials.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { base } from '../../../world/queries.ts';
import { createWorld, otherTerms } from '../../../world/world.ts';

const now = 1_000_000;
const head = { ...noIndex, revision: 3, generation: 6, indexed: 100, updated: 120 };
const live: Rebuild = {
  generation: 7,
  terms: termsVersion,
  indexed: 50,
  updated: 60,
  epoch: 3,
  until: now + 1,
};
const unheld: Rebuild = { ...live, until: now };
const until = now + rebuildLeaseMs;
const start = { terms: termsVersion, indexed: 1, updated: 1, epoch: 1, until };

test.each([
  ['nothing if none was requested', head, false, { kind: 'nothing' }],
  [
    'to begin in an unused generation if one is requested',
    head,
    true,
    { kind: 'begin', building: { generation: 7, ...start } },
  ],
  [
    'to leave it to another process with a lease',
    { ...head, building: live },
    true,
    { kind: 'held by another' },
  ],
  [
    'to continue an unfinished rebuild, with a new epoch',
    { ...head, building: unheld },
    false,
    { kind: 'continue', building: { ...unheld, epoch: 4, until } },
  ],
  [
    'to begin another generation if the unfinished one follows other rules',
    { ...head, building: { ...unheld, terms: otherTerms.older } },
    false,
    { kind: 'begin', building: { generation: 8, ...start } },
  ],
  [
    'to wait for a newer version that may continue its rebuild',
    { ...head, building: { ...unheld, terms: otherTerms.newer } },
    false,
    { kind: 'held by another' },
  ],
  [
    'to begin another generation if a newer version has not resumed its own',
    { ...head, building: { ...unheld, terms: otherTerms.newer, until: now - rebuildLeaseMs } },
    false,
    { kind: 'begin', building: { generation: 8, ...start } },
  ],
])('the next action is %s', (_, found, isRequested, next) => {
  expect(nextOfRebuild(found, { isRequested, now })).toEqual(next);
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

test('a rebuild that is stopped between two steps continues from there at once', async () => {
  const { world, deps } = await indexed();
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

test('a rebuild that is stopped before it begins leaves nothing', async () => {
  const { world, deps } = await indexed();
  const signal = AbortSignal.abort(new Error('Ctrl-C'));
  expect(await rebuildIndex(deps, 'acme', { limits, signal })).toEqual({ kind: 'stopped' });
  expect(await world.head()).not.toHaveProperty('building');
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
