/** Once every testimonial of an organization is erased, its history is open again. */
import { describe, expect, test } from '@jest/globals';
import { makeTestimonialId } from '../../../functions/domain/testimonial-id.ts';
import { position } from '../../position.ts';
import { createImportWorld } from '../../world/import-world.ts';
import { api, expectIndexed, fileWith, line } from './lines.ts';

describe('an organization in which everything is erased', () => {
  const id = (ordinal: number) => makeTestimonialId(ordinal, () => 123_456_789_012);
  const exported = (firstOrdinal: number) =>
    fileWith(
      [0, 1, 2].map((i) =>
        line(i, { id: id(firstOrdinal + i), createdAt: `2025-03-0${i + 1}T00:00:00.000Z` }),
      ),
    );

  test('has an open history: an undone export can be imported again, with its times and new ids', async () => {
    for (const firstOrdinal of [position(1), 5]) {
      const world = await createImportWorld();
      const file = await exported(firstOrdinal);
      expect(await world.import({ file })).toMatchObject({ good: 3, ids: 'kept' });
      const before = (await world.stored()).map(({ testimonial }) => testimonial.id);
      await world.undo(file);
      const expected = { good: 3, rejected: 0, ids: 'replaced', keepsTimes: true };
      expect(await world.import({ file, dryRun: true })).toMatchObject(expected);
      expect(await world.import({ file })).toMatchObject(expected);
      const again = (await world.stored()).map(({ testimonial }) => testimonial);
      expect(again.map(({ createdAt }) => createdAt.slice(0, 10))).toEqual([
        '2025-03-01',
        '2025-03-02',
        '2025-03-03',
      ]);
      expect(before.filter((each) => again.some((testimonial) => testimonial.id === each))).toEqual([]);
      // The history is open until something is created.
      world.advance(60_000);
      const newer = await fileWith([line(9, { createdAt: '2025-04-01' })]);
      expect(await world.import({ file: newer })).toMatchObject({ good: 1, rejected: 0 });
      const created = await world.create(api(0));
      expect((await world.contents()).at(-1)).toBe(created.content);
      await expectIndexed(world);
    }
  });

  test('does not reopen its history if someone creates a testimonial meanwhile, and rejects later lines (rule 34) (rule 43)', async () => {
    const world = await createImportWorld();
    const file = await exported(position(1));
    await world.import({ file });
    await world.undo(file);
    world.advance(60_000);
    const now = world.now().toISOString();
    const late = await fileWith([line(0, { createdAt: '2025-01-01' }), line(1, { createdAt: now })]);
    const process = await world.beginImport({ file: late }).runUntil('reopenHistory');
    world.advance(-30_000);
    await world.create(api(0));
    world.advance(60_000);
    await expect(process.run()).rejects.toThrow(
      'A testimonial was created in acme just now, and some lines of the file are later. Nothing was stored. Run this command again.',
    );
    expect((await world.head())?.load).toBeUndefined();
    expect(await world.import({ file: late })).toMatchObject({ good: 1, rejected: 1 });
  });

  test('must have no testimonial, not even one that can still arrive (rule 43)', async () => {
    const world = await createImportWorld();
    const file = await exported(position(1));
    await world.import({ file });
    const [first] = await world.stored();
    await world.setStatus(first?.testimonial.id ?? '', 'approved');
    await world.undo(file);
    expect(await world.import({ file, dryRun: true })).toMatchObject({ good: 1, rejected: 2 });
    await world.erase(first?.testimonial.id ?? '');
    const create = await world.begin(world.works.create(api(1))).runUntil('insert');
    expect(await world.import({ file, dryRun: true })).toMatchObject({ good: 1, rejected: 2 });
    await create.run();
    expect(await world.contents()).toEqual([api(1).content]);
  });
});
