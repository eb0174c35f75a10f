/** Duplicates: the import finds all of them, and stores them again only on request. */
import { expect, test } from '@jest/globals';
import { claimExpiryMs } from '../../../functions/timing.ts';
import { createImportWorld } from '../../world/import-world.ts';
import {
  api,
  content,
  contents,
  expectIndexed,
  fileWith,
  line,
  plainFile,
  worldWithTestimonial,
} from './lines.ts';

test('lines that repeat an earlier line, with its time and rating, are duplicates', async () => {
  const world = await createImportWorld();
  const at = { createdAt: '2025-01-01' };
  const file = await fileWith([line(1, at), line(1, at), line(1), line(1, { ...at, rating: 4 })]);
  expect(await world.import({ file, dryRun: true })).toMatchObject({
    good: 4,
    repeated: 1,
    repeatedInFile: 1,
  });
  expect(await world.import({ file, onlyNew: true })).toMatchObject({ good: 3, leftOut: 1 });
});

test('an import stores only the new lines, even in a run that continues, and can be undone', async () => {
  const world = await worldWithTestimonial();
  const at = (i: number) => line(i, { createdAt: `2025-01-01T10:${String(i % 60).padStart(2, '0')}:00Z` });
  const january = [3, 17, 4, 50, 51, 99];
  await world.import({ file: await fileWith(january.map(at)) });
  const file = await fileWith(contents(100).map((_, i) => at(i)));
  const others = { good: 94, leftOut: 6 };
  expect(await world.import({ file, dryRun: true })).toMatchObject({ good: 100, repeated: 6 });
  expect(await world.import({ file, onlyNew: true, dryRun: true })).toMatchObject(others);
  const process = await world.beginImport({ file, onlyNew: true }).runUntil('insert');
  await process.run(30);
  process.kill();
  world.advance(claimExpiryMs);
  const before = (await world.stored()).length - 1 - january.length;
  // The first run decided which lines are left out. A run counts the lines that it stores itself.
  expect(await world.import({ file })).toMatchObject({ ...others, stored: 94 - before });
  expect((await world.contents()).toSorted()).toEqual([...contents(100), api(0).content].toSorted());
  expect(await world.import({ file })).toMatchObject({ wasImported: true, ...others });
  expect(await world.undo(file)).toMatchObject({ erased: 94 });
  expect((await world.contents()).toSorted()).toEqual([...january.map(content), api(0).content].toSorted());
  const confirming = { ...world.importDependencies, confirm: async () => 'only new' as const };
  expect(await world.import({ file }, confirming)).toMatchObject(others);
  expect(world.again).toEqual([]);
  await expectIndexed(world);
});

test.each([
  ['with the same text and author', {}, 1],
  [
    'with another spelling of the e-mail address',
    { author: { name: 'Jane Doe', email: 'JANE@ｅｘａｍｐｌｅ.com' } },
    1,
  ],
  [
    'with invisible characters in the name',
    { author: { name: 'Jane\u200b Doe\u200e', email: 'jane@example.com' } },
    1,
  ],
  ['with invisible characters in the text', { content: `\u2060${content(1)}\u00ad` }, 1],
  ['with another e-mail address', { author: { name: 'Jane Doe', email: 'other@example.com' } }, 0],
  ['with another name', { author: { name: 'Joe Doe', email: 'jane@example.com' } }, 0],
  ['with another time', { createdAt: '2025-01-03T10:00:00Z' }, 1],
])('a line %s: %#', async (_, history, duplicates) => {
  const world = await worldWithTestimonial();
  await world.import({ file: await fileWith([line(1, { createdAt: '2025-01-02T10:00:00Z' })]) });
  const file = await fileWith([line(1, history), line(2)]);
  const report = await world.import({ file, dryRun: true, onlyNew: true });
  // A line without a time is rejected if others have one.
  expect(report.leftOut + report.good + report.rejected).toBe(2);
  expect(report.leftOut).toBe(duplicates);
});

test('if all lines are duplicates, no line is new', async () => {
  const world = await worldWithTestimonial();
  await world.import({ file: await plainFile(3) });
  const file = await fileWith(contents(3).map((_, i) => line(i, { rating: 5 })));
  expect(await world.import({ file, onlyNew: true })).toMatchObject({
    good: 0,
    leftOut: 3,
    wasImported: false,
  });
  expect(await world.contents()).toEqual([api(0).content, ...contents(3)]);
});
