/**
 * Laws of undoing an import: unchanged testimonials are erased, changed ones stay, and the file can be
 * imported again.
 */
import { describe, expect, test } from '@jest/globals';
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';
import { findLoad } from '../../../functions/testimonials/load/find-loads.ts';
import type { LoadRecord } from '../../../functions/testimonials/load/load-record.ts';
import type { OccupiedPosition } from '../../../functions/testimonials/load/positions.ts';
import { historyRoom, occupiedBy } from '../../../functions/testimonials/load/positions.ts';
import { loadStore } from '../../../functions/testimonials/table/load-store.ts';
import { claimExpiryMs } from '../../../functions/timing.ts';
import { storesOf } from '../../api-client.ts';
import { createTestTable } from '../../test-table.ts';
import {
  api,
  content,
  contents,
  expectIndexed,
  fileWith,
  line,
  plainFile,
  stopped,
  worldWithTestimonial,
} from '../../unit/load/lines.ts';
import { interceptCalls } from '../../world/backend.ts';
import { createImportWorld, type ImportWorld } from '../../world/import-world.ts';

const dayOf = (day: number) => new Date(Date.parse('2020-01-01') + day * 86_400_000).toISOString();
/** Lines of consecutive days. */
const historyFile = (count: number, firstDay = 0) =>
  fileWith(
    contents(count).map((_, i) => line(i, { createdAt: dayOf(firstDay + i) })),
    'past.ndjson',
  );

/** Imports so many lines of history, by default into an organization without testimonials. */
async function imported(count: number, worldOf: () => Promise<ImportWorld> = createImportWorld) {
  const world = await worldOf();
  const file = await historyFile(count);
  await world.import({ file });
  return { world, file };
}

async function idOf(world: ImportWorld, wanted: string): Promise<string> {
  const found = (await world.stored()).find(({ testimonial }) => testimonial.content === wanted);
  return found?.testimonial.id ?? '';
}

describe('among several imports of a file', () => {
  /** An import, such as `ended at 3`, the hour at which it began. */
  const importOf = (name: string) => {
    const [state = '', , hour] = name.split(' ');
    const record = { count: 5, revision: 3, hash: 'abc', isPlaced: false, blocks: [] };
    const time = `2026-01-01T0${hour}:00:00.000Z`;
    return { name, record: { ...record, time, state } as LoadRecord }; // the states below
  };

  test.each([
    ['the last import is undone', ['ended at 1', 'ended at 3', 'ended at 2'], 'ended at 3'],
    ['an undone import is skipped', ['ended at 1', 'undone at 3'], 'ended at 1'],
    ['a stopped undo is continued', ['undoing at 1', 'ended at 3'], 'undoing at 1'],
    ['an unfinished import is undone first', ['ended at 1', 'storing at 3'], 'storing at 3'],
    ['the last undone import is returned', ['undone at 1', 'undone at 3'], 'undone at 3'],
    ['none is returned without imports', [], undefined],
  ])('%s', async (_, imports, found) => {
    const loads = { all: async () => imports.map(importOf) };
    expect((await findLoad(loads, 'acme', { hash: 'abc' }))?.name).toBe(found);
  });
});

describe('an undo', () => {
  test.each([true, false])(
    'of a stopped import seals the free positions, so that late lines do not arrive; history: %s (rule 36)',
    async (isHistory) => {
      const world = await worldWithTestimonial();
      const file = await (isHistory ? historyFile(30) : plainFile(30));
      const importing = await world.beginImport({ file }).runUntil('insert');
      await importing.run(12);
      world.advance(claimExpiryMs);
      const stored = (await world.stored()).length - 1;
      expect(await world.undo(file)).toMatchObject({ erased: stored, changed: 0, gone: 0 });
      // The import had only paused.
      await expect(importing.run()).rejects.toThrow('Another run has continued this import');
      expect(await world.contents()).toEqual([api(0).content]);
      expect((await world.head())?.load).toBeUndefined();
      expect(await world.import({ file })).toMatchObject({ good: 30, wasImported: false });
      expect(await world.stored()).toHaveLength(31);
      await expectIndexed(world);
    },
  );

  test('counts a testimonial as unchanged if an index update only raised its version', async () => {
    const { world, file } = await imported(3);
    const change = world.begin(world.works.setStatus(await idOf(world, content(1)), 'approved'));
    await change.runUntil('writeChange');
    change.kill();
    await world.settleForGood();
    expect((await world.stored()).map(({ version }) => version)).toEqual([1, 2, 1]);
    expect(await world.undo(file)).toMatchObject({ erased: 3, changed: 0 });
    expect(await world.stored()).toEqual([]);
    await expectIndexed(world);
  });

  test('keeps a testimonial that someone changes between the count and the erasure', async () => {
    const { world, file } = await imported(3);
    const undo = await world.beginUndo({ file }).runUntil('putChangeMarkers');
    await world.setStatus(await idOf(world, content(1)), 'approved');
    await undo.run();
    expect(await world.contents()).toEqual([content(1)]);
    expect(await world.import({ file })).toMatchObject({ good: 3 });
    await expectIndexed(world);
  });

  test('that was stopped can be continued; until it ends, the file cannot be imported (rule 36)', async () => {
    const { world, file } = await imported(20);
    const undo = await world.beginUndo({ file }).runUntil('erase');
    await undo.run(5);
    undo.kill();
    const left = (await world.stored()).length;
    expect(left).toBeLessThan(20);
    await expect(world.import({ file })).rejects.toThrow('This import is already being undone in acme');
    world.advance(claimExpiryMs);
    for (const dryRun of [true, false]) {
      await expect(world.import({ file, dryRun })).rejects.toThrow(
        'The import of this file is being undone. Wait for that to finish; if it was stopped, run it again with --undo.',
      );
    }
    expect(await world.undo(file)).toMatchObject({ erased: left, changed: 0, gone: 20 - left });
    expect(await world.stored()).toEqual([]);
    expect(await world.import({ file })).toMatchObject({ good: 20, wasImported: false });
    await expectIndexed(world);
  });

  test('is refused while another undo of the same import runs', async () => {
    const { world, file } = await imported(20);
    const late = await world.beginUndo({ file }).runUntil('replace');
    const undo = await world.beginUndo({ file }).run(30);
    await expect(late.run()).rejects.toThrow(
      /^This import is already being undone in acme \(\d+ of 20 lines/,
    );
    await expect(world.undo(file)).rejects.toThrow('This import is already being undone in acme');
    await undo.run();
    expect(await world.stored()).toEqual([]);
    expect(await world.undo(file)).toBeUndefined();
    await expectIndexed(world);
  });

  test('that pauses until the file was imported again does not affect the new import (rule 36)', async () => {
    const { world, file } = await imported(20);
    const undo = await world.beginUndo({ file }).runUntil('erase');
    world.advance(claimExpiryMs);
    await world.undo(file);
    await world.import({ file });
    await expect(undo.run()).rejects.toThrow('Another run has continued this import');
    expect(await world.contents()).toEqual(contents(20));
    expect(await world.undo(file)).toMatchObject({ erased: 20 });
    await expectIndexed(world);
  });
});

test.each(['an import', 'an undo'])(
  '%s that is stopped gives up its claim before the process ends',
  async (which) => {
    const world = await worldWithTestimonial();
    const file = await historyFile(3);
    if (which === 'an undo') await world.import({ file });
    let claims: unknown[] = [];
    world.importDependencies.runStoppable = async (work) => {
      const stopped = new Error('Stopped');
      await expect(work(AbortSignal.abort(stopped))).rejects.toBe(stopped);
      claims = Array.from((await world.imports()).values(), ({ claimedUntil }) => claimedUntil);
      throw stopped;
    };
    await expect(which === 'an undo' ? world.undo(file) : world.import({ file })).rejects.toThrow('Stopped');
    expect(claims).toEqual(['']);
  },
);

test.each([
  ['an import', 'insert', 20],
  ['an undo', 'findErased', 3],
] as const)(
  '%s that is continued and stopped again never reports less progress',
  async (which, call, calls) => {
    const world = await worldWithTestimonial();
    const { backend, importDependencies } = world;
    const file = await historyFile(30);
    if (which === 'an undo') await world.import({ file });
    let [left, ending] = [Number.POSITIVE_INFINITY, new AbortController()];
    const stores = interceptCalls(backend, (name, go) => {
      if (name === call) left -= 1;
      if (left === 0) ending.abort(new Error('Stopped'));
      return go();
    });
    const doneWhenStoppedAt = async (nth: number) => {
      Object.assign(importDependencies, stores, {
        runStoppable: (work: (signal: AbortSignal) => Promise<unknown>) => {
          [left, ending] = [nth, new AbortController()];
          return work(ending.signal);
        },
      });
      await expect(which === 'an undo' ? world.undo(file) : world.import({ file })).rejects.toThrow(
        'Stopped',
      );
      const [record] = (await world.imports()).values();
      return record?.done ?? 0;
    };
    const done = await doneWhenStoppedAt(calls);
    expect(done).toBeGreaterThan(5);
    expect(await doneWhenStoppedAt(1)).toBeGreaterThanOrEqual(done);
  },
);

test('on the real engine the history stays open after an undo without creations: a newer file keeps its times', async () => {
  const table = await createTestTable();
  const world = await createImportWorld({ backend: { ...storesOf(table), loads: loadStore(table) } });
  const file = await historyFile(3);
  await world.import({ file });
  await world.undo(file);
  world.advance(3_600_000);
  const newer = line(5, { createdAt: new Date(world.now().getTime() - 60_000).toISOString() });
  const both = await fileWith([line(1, { createdAt: dayOf(1) }), newer]);
  expect(await world.import({ file: both })).toMatchObject({ good: 2, rejected: 0 });
  await world.create(api(0));
  expect(await world.contents()).toEqual([content(1), content(5), api(0).content]);
  await expectIndexed(world);
});

describe('positions of an undone import', () => {
  test('do not affect the order of lines, except those of lines that stay', async () => {
    const { world, file } = await imported(3, worldWithTestimonial);
    await world.setStatus(await idOf(world, content(1)), 'approved');
    await world.undo(file);
    const { createdAt, updatedAt } = occupiedBy(await world.backend.loads.positions('acme'));
    expect(createdAt.map(({ time }) => time)).toEqual([undefined, Date.parse(dayOf(1)), undefined]);
    expect(updatedAt.map(({ time }) => time)).toEqual([undefined, undefined, undefined]);
    // All three are between two of the undone lines, in the other order.
    const older = [5, 4, 3].map((i) => line(i, { createdAt: `2020-01-0${i - 1}T0${9 - i}:00:00Z` }));
    await world.import({ file: await fileWith(older) });
    const days = (await world.stored()).map(({ testimonial }) => testimonial.createdAt);
    expect(days).toEqual(days.toSorted());
    await expectIndexed(world);
  });

  test('become free on both axes if no line was sent to them, and stay closed otherwise', async () => {
    const world = await worldWithTestimonial({ linesPerBlock: 4 });
    // Their order of updates is reversed.
    const updatedAt = (i: number) => dayOf(100 - i);
    const lines = contents(12).map((_, i) => line(i, { createdAt: dayOf(i), updatedAt: updatedAt(i) }));
    const file = await fileWith(lines, 'past.ndjson');
    await stopped(world, file, 2);
    const before = occupiedBy(await world.backend.loads.positions('acme'));
    const [id = ''] = (await world.imports()).keys();
    await world.undoById(id);
    const after = occupiedBy(await world.backend.loads.positions('acme'));
    const placesOf = (taken: readonly OccupiedPosition[]) => taken.map(({ position }) => position);
    expect(after.createdAt).toEqual(placesOf(before.createdAt.slice(0, 4)).map((position) => ({ position })));
    expect(after.updatedAt).toEqual(placesOf(before.updatedAt.slice(-4)).map((position) => ({ position })));
    expect(historyRoom(await world.backend.loads.positions('acme'))).toEqual({
      free: firstPosition - 5,
      occupied: 0,
      spent: 4,
    });
    await expectIndexed(world);
  });

  test('are enough for the next import after stopped imports had reserved all of them', async () => {
    const world = await worldWithTestimonial({ linesPerBlock: 1 });
    const at = (day: number) => Date.parse(dayOf(day));
    const both = (...numbers: number[]) => ({ createdAt: numbers, updatedAt: numbers });
    await world.backend.loads.addPositions('acme', {
      number: 1,
      name: 'another',
      ranksByUpdate: [0, 1],
      positions: both(10, 16),
      times: both(at(1), at(9)),
    });
    for (const day of [2, 3, 4]) {
      const lines = contents(3).map((_, i) => line(i + day, { createdAt: dayOf(day) }));
      const file = await fileWith(lines, `${day}.ndjson`);
      await stopped(world, file, 0);
      await world.undo(file);
    }
    const six = contents(6).map((_, i) => line(i, { createdAt: dayOf(5) }));
    await expect(world.import({ file: await fileWith(six) })).rejects.toThrow(
      'Nothing was stored. 983,034 of 983,039 positions for imported history are free. Imported lines hold 2; undone imports used up 3. Leave out some lines',
    );
    expect(await world.import({ file: await fileWith(six.slice(4)) })).toMatchObject({ good: 2 });
    await expectIndexed(world);
  });
});

describe('the high-water mark of an import', () => {
  test('limits the positions that an undo reads and closes', async () => {
    const world = await worldWithTestimonial({ linesPerBlock: 10 });
    const file = await historyFile(300);
    await stopped(world, file, 14);
    const sent = (await world.stored()).length - 1;
    const looked: string[] = [];
    const stores = interceptCalls(world.backend, (name, call, [, places]) => {
      for (const place of [places].flat()) if (typeof place === 'number') looked.push(`${name} ${place}`);
      return call();
    });
    Object.assign(world.importDependencies, stores);
    expect(await world.undo(file)).toMatchObject({ erased: sent, changed: 0, gone: 0 });
    expect(looked.filter((each) => each.startsWith('sealPosition'))).toHaveLength(20 - sent);
    expect(new Set(looked.filter((each) => each.startsWith('findMany'))).size).toBe(20);
    await expectIndexed(world);
  });

  test('is written before a line is sent, so an undo leaves no line behind, whenever the import paused (rule 36)', async () => {
    let hasEnded = false;
    for (let calls = 1; !hasEnded; calls += 1) {
      const world = await worldWithTestimonial({ linesPerBlock: 2 });
      const file = await historyFile(4);
      const sleeper = await world.beginImport({ file }).runUntil('addPositions');
      await sleeper.run(calls);
      hasEnded = sleeper.hasEnded;
      world.advance(claimExpiryMs);
      const [id = ''] = (await world.imports()).keys();
      const isUndone = await world.undoById(id).catch(() => 'nothing was stored');
      // Lines of the same days, at the positions that became free.
      const others = [0, 1, 2, 3].map((i) => line(i + 10, { createdAt: dayOf(i) }));
      if (isUndone === 'nothing was stored') {
        await sleeper.run();
        continue;
      }
      await world.import({ file: await fileWith(others, 'others.ndjson') });
      await sleeper.run().catch(() => {});
      expect(await world.contents()).toEqual([...[10, 11, 12, 13].map(content), api(0).content]);
      expect((await world.head())?.load).toBeUndefined();
      expect(await world.differences()).toEqual([]);
    }
  });
});
