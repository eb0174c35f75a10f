/** Claims: one process works on an import, and another can continue once the claim has expired. */
import { describe, expect, test } from '@jest/globals';
import { claimExpiryMs } from '../../../functions/timing.ts';
import type { ImportWorld } from '../../world/import-world.ts';
import {
  api,
  content,
  contents,
  expectIndexed,
  failed,
  fileWith,
  line,
  plainFile,
  worldWithTestimonial,
} from './lines.ts';

const other = () => fileWith([line(700), line(701)]);

describe('a process', () => {
  test('refuses another import of the same file, with its progress and the end of its claim (rule 41)', async () => {
    const world = await worldWithTestimonial();
    const file = await plainFile(100);
    const first = await world.beginImport({ file }).runUntil('insert');
    await first.run(30);
    world.advance(20_000);
    await first.run(30);
    for (const dryRun of [true, false]) {
      await expect(world.import({ file, dryRun })).rejects.toThrow(
        /^This file is already being imported into acme \([3-6]\d of 100 lines at 10:00:20 UTC\)\. Wait for it to finish\. If it was stopped, run this command again after 10:02:20 UTC\.$/,
      );
    }
    await expect(world.undo(file)).rejects.toThrow('This file is already being imported into acme');
    await first.run();
    expect(await world.import({ file })).toMatchObject({ wasImported: true });
    expect(await world.contents()).toEqual([api(0).content, ...contents(100)]);
  });

  test('that pauses until another one has finished leaves no mark behind (rule 41) (rule 42)', async () => {
    // It continues after the other one has ended, or just before that one records its end.
    for (const isOver of [true, false]) {
      const world = await worldWithTestimonial();
      const file = await fileWith([
        line(0, { createdAt: '2025-01-01' }),
        line(1, { createdAt: '2025-01-02' }),
      ]);
      const sleeper = await world.beginImport({ file }).runUntil('replaceHead');
      world.advance(claimExpiryMs);
      const other = world.beginImport({ file });
      for (let saved = 0; saved < 3; saved += 1) await (await other.runUntil('replace')).run(1);
      await other.runUntil('replace');
      if (isOver) await other.run();
      await expect(sleeper.run()).rejects.toThrow(
        'Another run has continued this import. Run this command again.',
      );
      await other.run();
      expect((await world.head())?.load).toBeUndefined();
      expect(await world.contents()).toEqual([content(0), content(1), api(0).content]);
      await expectIndexed(world);
    }
  });

  test('that fails gives up its claim at once', async () => {
    const world = await worldWithTestimonial();
    const file = await plainFile(5);
    await failed(world, file, { calls: 0, withheld: [] });
    await world.import({ file });
    expect(await world.contents()).toEqual([api(0).content, ...contents(5)]);
  });

  test('that was stopped can be continued after its corrected file was imported', async () => {
    const world = await worldWithTestimonial();
    const file = await plainFile(30);
    const process = await world.beginImport({ file }).runUntil('insert');
    await process.run(7);
    process.kill();
    const stored = (await world.contents()).length - 1;
    world.advance(claimExpiryMs);
    const corrected = await fileWith(contents(30).map((_, i) => line(i === 29 ? 800 : i)));
    expect(await world.import({ file: corrected, onlyNew: true })).toMatchObject({ leftOut: stored });
    expect([...(await world.imports()).values()].map(({ state }) => state)).toEqual(['storing', 'ended']);
    expect(await world.import({ file })).toMatchObject({ wasImported: false, good: 30 });
    expect(await world.contents()).toHaveLength(1 + 30 - stored + 30);
    await expectIndexed(world);
  });
});

/** Waits end at once, and an import that waits forever fails. */
function impatient(world: ImportWorld) {
  let waits = 0;
  const sleep = async (milliseconds: number) => {
    world.advance(milliseconds);
    waits += 1;
    if (waits > 300) throw new Error('It waits forever');
  };
  return { ...world.importDependencies, sleep };
}

test('an import ends although a stopped one reserved positions that stay free', async () => {
  const world = await worldWithTestimonial();
  const process = await world.beginImport({ file: await plainFile(1000) }).runUntil('reserveOrdinals');
  await process.run(1);
  process.kill();
  await world.import({ file: await other() }, impatient(world));
  expect(await world.contents()).toEqual([api(0).content, content(700), content(701)]);
});

test('an import whose positions were sealed ends, and can be undone', async () => {
  const world = await worldWithTestimonial();
  const file = await plainFile(300);
  // Four writes do not arrive, first in the middle, then at the end. Stored lines are not sent again.
  for (const calls of [145, 159]) {
    await failed(world, file, { calls, withheld: [20, 60, 100, 140].map(content) });
    world.advance(40_000);
    await world.updateIndex();
  }
  await world.import({ file }, impatient(world));
  expect((await world.contents()).toSorted()).toEqual([...contents(300), api(0).content].toSorted());
  expect(await world.undo(file)).toMatchObject({ erased: 300 });
  expect(await world.contents()).toEqual([api(0).content]);
  await expectIndexed(world);
});
