/** Rules of docs/protocol.md that no other race breaks alone. */
import { expect, test } from '@jest/globals';
import { removeOldGenerations } from '../../../functions/list-index/write/rebuild.ts';
import { forgetAfterMs, rebuildGivenUpMs, settledMs } from '../../../functions/timing.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { approvedAmazing, expectRightForGood, expectRightLists, withThree } from '../../world/races.ts';
import { createWorld } from '../../world/world.ts';

const worldWithThree = async () => withThree(await createWorld(inMemoryBackend()));

test('a change whose marker comes after one with a higher number was covered is in every list', async () => {
  const world = await worldWithThree();
  const change = await world
    .begin(world.works.setStatus(world.first.id, 'approved'))
    .runUntil('putChangeMarker');
  await world.setStatus(world.third.id, 'approved');
  world.advance(settledMs + 1000);
  expect(await world.fold()).toMatchObject({ changes: 1 });
  await change.run();
  await expectRightLists(world);
  await expectRightForGood(world);
});

test('a rebuild that was given up writes into no generation that a later one makes', async () => {
  const world = await worldWithThree();
  // It has read the first testimonial as pending.
  const sleeper = await world.begin(world.works.rebuild()).runUntil('writePosting');
  await world.setStatus(world.first.id, 'approved');
  world.advance(rebuildGivenUpMs);
  await world.settle();
  expect(await world.markers()).toEqual([]);
  await world.rebuild();
  await sleeper.run();
  await expectRightForGood(world);
});

test('an old generation is kept for as long as a list can be running that began with it', async () => {
  const world = await worldWithThree();
  const list = world.works.list(approvedAmazing);
  // It has the head, and has yet to read the postings.
  const listing = await world.begin(list).runUntil('readTerm');
  const head = await world.rebuild();
  if (!head) throw new Error('It has an index');
  await removeOldGenerations(world.backend.index, 'acme', head, async (milliseconds) => {
    expect(milliseconds).toBe(forgetAfterMs);
    await listing.run();
  });
  await listing.run();
  expect(list.listed()).toEqual(await world.expected(approvedAmazing));
});
