/** Laws of imports: no line is stored twice or lost, even if an import stops and other work goes on. */
import { describe, expect, test } from '@jest/globals';
import { makeTestimonialId } from '../../../functions/domain/testimonial-id.ts';
import { claimExpiryMs } from '../../../functions/timing.ts';
import { fileOf } from '../../file-of.ts';
import { position } from '../../position.ts';
import { createImportWorld } from '../../world/import-world.ts';
import {
  api,
  content,
  contents,
  expectIndexed,
  failed,
  fileWith,
  line,
  plainFile,
  stopped,
  worldWithTestimonial,
} from './lines.ts';

/** Later lines of the file were created earlier. */
const fileWithHistory = (count: number) => {
  const lines = contents(count).map((_, i) =>
    line(i, {
      createdAt: `2025-06-01T10:00:${String(59 - i).padStart(2, '0')}Z`,
      status: i % 3 === 0 ? 'approved' : 'rejected',
    }),
  );
  return fileWith(lines, 'a.ndjson');
};
const everything = { filter: {}, sort: 'updatedAt', order: 'asc', page: 1, limit: 100 } as const;

describe('an import that stopped and runs again', () => {
  test.each([
    ['are in the future', createImportWorld, 60_000],
    ['are later than what was created', worldWithTestimonial, 0],
  ])('rejects the same lines in every run: those that %s', async (_, worldOf, inMs) => {
    const world = await worldOf();
    world.advance(60_000);
    const late = new Date(world.now().getTime() + inMs).toISOString();
    const times = ['2025-01-01', late, '2025-01-02'];
    const file = await fileWith(times.map((createdAt, i) => line(i, { createdAt })));
    await stopped(world, file, 1);
    expect(await world.import({ file })).toMatchObject({ good: 2, rejected: 1 });
    expect((await world.contents()).slice(0, 2)).toEqual([content(0), content(2)]);
  });

  test('rejects later lines again if the others have no time', async () => {
    const world = await worldWithTestimonial();
    world.advance(60_000);
    const late = { createdAt: world.now().toISOString() };
    const file = await fileWith([line(0, late), line(1), line(2), line(3, late)]);
    await stopped(world, file, 1);
    expect(await world.import({ file })).toMatchObject({ good: 2, rejected: 2, wasImported: false });
    expect(await world.import({ file })).toMatchObject({ good: 2, wasImported: true });
    expect(await world.contents()).toEqual([api(0).content, content(1), content(2)]);
  });

  test('continues a rebuild that stopped, and stores no line again', async () => {
    const world = await createImportWorld();
    const file = await fileWithHistory(10);
    (await world.beginImport({ file }).runUntil('writePosting')).kill();
    const again = await world.beginImport({ file }).run();
    expect(again.calls).not.toContain('insert');
    expect((await world.beginImport({ file }).run()).calls).toEqual(['find']);
    expect(await world.contents()).toEqual(contents(10).toReversed());
    await expectIndexed(world);
  });
});

describe('lines whose positions an index update has sealed', () => {
  test('get other positions in the same run', async () => {
    const world = await worldWithTestimonial({ linesPerBlock: 30 });
    const process = await world.beginImport({ file: await plainFile(30) }).runUntil('insert');
    await process.run(5);
    await world.create(api(1));
    world.advance(60_000);
    await world.updateIndex();
    await process.run();
    expect((await world.contents()).toSorted()).toEqual(
      [...contents(30), api(0).content, api(1).content].toSorted(),
    );
    await expectIndexed(world);
  });

  test('do not move the stored lines between them', async () => {
    const world = await worldWithTestimonial({ linesPerBlock: 10 });
    const file = await plainFile(10);
    await failed(world, file, { calls: 10, withheld: [3, 7].map(content) });
    expect((await world.stored()).length).toBe(1 + 8);
    world.advance(60_000);
    await world.updateIndex();
    const second = await world.beginImport({ file }).runUntil('reserveOrdinals');
    await second.runUntil('insert');
    second.kill();
    world.advance(claimExpiryMs);
    await world.import({ file });
    const expected = contents(10).filter((_, i) => i !== 3 && i !== 7);
    expect(await world.contents()).toEqual([api(0).content, ...expected, content(3), content(7)]);
    await expectIndexed(world);
  });
});

describe('the page and the time of consent', () => {
  const consent = { page: '0123456789abcdefABCDEF', at: '2025-06-01T10:00:00.000Z' };
  const dated = { createdAt: '2025-06-01T10:00:00Z', consent };
  test.each([
    ['join the history', worldWithTestimonial, dated, {}],
    ['are created as new', worldWithTestimonial, dated, { asNew: true }],
  ])(
    'stay with lines that %s, also when the import stops, and go with an undo',
    async (_, worldOf, more, options) => {
      const world = await worldOf();
      const file = await fileWith(
        [line(0, more), line(1, { ...more, consent: undefined }), line(2, more)],
        'a.ndjson',
      );
      const process = await world.beginImport({ file, ...options }).runUntil('insert');
      await process.run(1);
      process.kill();
      world.advance(claimExpiryMs);
      await world.import({ file, ...options });
      const consents = async () =>
        (await world.stored())
          .map((row) => [row.testimonial.content, row.consent])
          .filter(([text]) => text !== api(0).content);
      expect(await consents()).toEqual([
        [content(0), consent],
        [content(1), undefined],
        [content(2), consent],
      ]);
      expect(JSON.stringify((await world.list(everything)).testimonials)).not.toContain(consent.page);
      await world.undo(file);
      expect(await consents()).toEqual([]);
      expect(JSON.stringify(await world.stored())).not.toContain(consent.page);
    },
  );

  test('are in the file of rejected lines, which needs no options', async () => {
    const world = await createImportWorld();
    const header = 'content,author.name,author.email,rating,createdAt,consent.page,consent.at';
    const row = `Amazing,Jane,j@example.com,4.5,01/06/2025,${consent.page},02/06/2025`;
    const file = await fileOf(`${header}\n${row}\n`, 'a.csv');
    const options = { format: 'csv', dateFormat: 'dd/MM/yyyy', roundRatings: true } as const;
    const { rejectedFileText } = await world.import({ file, ...options });
    const corrected = await fileOf(rejectedFileText.replace('Amazing', 'Amazing product'), 'b.csv');
    expect(await world.import({ file: corrected, format: 'csv' })).toMatchObject({ good: 1 });
    const at = '2025-06-02T00:00:00.000Z';
    expect(await world.stored()).toMatchObject([{ testimonial: { rating: 5 }, consent: { ...consent, at } }]);
  });
});

describe('history in a file', () => {
  test('keeps times, status, ids and both orders in an empty organization', async () => {
    const world = await createImportWorld();
    const id = (ordinal: number) => makeTestimonialId(ordinal, () => 123_456_789_012);
    const lines = [
      line(0, {
        id: id(position(7)),
        status: 'rejected',
        createdAt: '2025-03-01',
        updatedAt: '2025-03-09T00:00:00Z',
      }),
      line(1, { id: id(2), createdAt: '2025-02-01', updatedAt: '2025-03-09T00:00:00Z', updateOrdinal: -1 }),
      line(2, { createdAt: '2025-02-01' }),
      line(3),
    ];
    const file = await fileWith(lines, 'a.ndjson');
    const began = world.now().toISOString();
    expect(await world.import({ file })).toMatchObject({
      good: 4,
      leftOut: 0,
      rejected: 0,
      reasons: [],
      keepsTimes: true,
      ids: 'kept',
      wasImported: false,
    });
    const all = (await world.stored()).map(({ testimonial, ordinal }) => ({ ordinal, ...testimonial }));
    expect(all).toMatchObject([
      { ordinal: 1, content: content(2), status: 'pending', updatedAt: '2025-02-01T00:00:00.000Z' },
      { ordinal: 2, content: content(1), id: id(2), status: 'pending' },
      {
        ordinal: position(7),
        content: content(0),
        id: id(position(7)),
        status: 'rejected',
        createdAt: '2025-03-01T00:00:00.000Z',
      },
      { ordinal: position(8), content: content(3), createdAt: began, updatedAt: began },
    ]);
    const { testimonials } = await world.list(everything);
    expect(testimonials.map((each) => each.content)).toEqual([2, 1, 0, 3].map(content));
    await expectIndexed(world);
  });

  test('is kept if someone creates a testimonial just before the first line is stored', async () => {
    const world = await createImportWorld();
    const file = await fileWithHistory(3);
    const process = await world.beginImport({ file }).runUntil('beginCounting');
    await world.create(api(0));
    await process.run();
    expect(await world.contents()).toEqual([...contents(3).toReversed(), api(0).content]);
    await expectIndexed(world);
  });

  test('rejects lines that are later than the first created testimonial, and lines without a time', async () => {
    const world = await createImportWorld();
    const { createdAt: first } = await world.create(api(0));
    const later = new Date(Date.parse(first) + 1).toISOString();
    world.advance(60_000);
    const lines = [
      line(0, { createdAt: first }),
      line(1, { createdAt: later }),
      line(2, { createdAt: '2025-01-01', updatedAt: later }),
      line(3),
      line(4, { createdAt: '2025-01-01', status: 'approved' }),
    ];
    const file = await fileWith(lines, 'a.ndjson');
    const rule = `must not be after the first testimonial that arrived here, ${first.slice(0, 10)}`;
    const report = await world.import({ file });
    expect(report).toMatchObject({
      good: 2,
      rejected: 3,
      keepsTimes: true,
      reasons: [
        { field: 'createdAt', rule, lines: [2] },
        { field: 'updatedAt', rule, lines: [3] },
        { field: 'createdAt', rule: 'is required, because other lines have it', lines: [4] },
      ],
    });
    const rejected = report.rejectedFileText.trim().split('\n');
    expect(rejected.map((each) => JSON.parse(each).content)).toEqual([1, 2, 3].map(content));
    expect(await world.contents()).toEqual([content(4), content(0), api(0).content]);
    await expectIndexed(world);
  });

  test('is refused before anything is stored if there are too few positions between the lines of another file', async () => {
    const world = await worldWithTestimonial();
    const at = (day: number) => Date.parse(`2025-01-0${day}`);
    const both = (...numbers: number[]) => ({ createdAt: numbers, updatedAt: numbers });
    await world.backend.loads.addPositions('acme', {
      number: 1,
      name: 'another',
      ranksByUpdate: [0, 1],
      positions: both(10, 12),
      times: both(at(1), at(3)),
    });
    const many = Array.from({ length: 3 }, (_, i) => line(i, { createdAt: '2025-01-02' }));
    const file = await fileWith(many);
    for (const dryRun of [true, false]) {
      await expect(world.import({ file, dryRun })).rejects.toThrow(
        'There is no position left for 2 lines between the lines of earlier imports. Nothing was stored.',
      );
    }
    expect(await world.stored()).toHaveLength(1);
    expect((await world.head())?.load).toBeUndefined();
    const enough = await fileOf(many.slice(2).join('\n'), 'c.ndjson');
    expect(await world.import({ file: enough })).toMatchObject({ good: 1 });
    expect(await world.stored()).toMatchObject([{ ordinal: 11, updateOrdinal: 11 }, {}]);
    await expectIndexed(world);
  });

  test.each([true, false])(
    'only orders the lines with asNew, in an empty organization: %s',
    async (isEmpty) => {
      const world = await createImportWorld();
      if (!isEmpty) await world.create(api(0));
      world.advance(1000);
      const began = world.now().toISOString();
      const lines = [
        line(1, { createdAt: '2025-03-02' }),
        line(0, { createdAt: '2025-03-01', status: 'approved', id: 'test_1234567890121' }),
        line(2),
      ];
      const file = await fileWith(lines, 'a.ndjson');
      expect(await world.import({ file, asNew: true })).toMatchObject({
        keepsTimes: false,
        ids: 'replaced',
      });
      const imported = (await world.stored()).slice(isEmpty ? 0 : 1).map(({ testimonial }) => testimonial);
      expect(imported.map((each) => each.content)).toEqual(contents(3));
      for (const { status, createdAt, updatedAt, id } of imported) {
        expect({ status, createdAt, updatedAt }).toEqual({
          status: id === imported[0]?.id ? 'approved' : 'pending',
          createdAt: began,
          updatedAt: began,
        });
        expect(id).not.toBe('test_1234567890121');
      }
      await expectIndexed(world);
    },
  );
});

test('a dry run writes nothing and returns the result of an import', async () => {
  const world = await createImportWorld();
  const file = await fileOf(`${line(0, { createdAt: '2025-01-01' })}\n{}\n`, 'a.ndjson');
  const process = await world.beginImport({ file, dryRun: true }).run();
  expect(process.calls).toEqual(['find', 'readHead', 'readHead', 'from', 'from', 'positions']);
  expect(world.organizations).toEqual([]);
  const { keepsTimes, good, rejected } = await world.import({ file, dryRun: true });
  expect({ keepsTimes, good, rejected }).toEqual({ keepsTimes: true, good: 1, rejected: 1 });
});

test('a first import that finds an index head stores its lines before the created testimonials (rule 26)', async () => {
  const world = await createImportWorld();
  const file = await fileWithHistory(5);
  const process = await world.beginImport({ file }).runUntil('replaceHead');
  const created = await world.create(api(0));
  world.advance(17_000);
  await world.updateIndex();
  await process.run();
  expect((await world.head())?.load).toBeUndefined();
  expect(await world.contents()).toEqual([...contents(5).toReversed(), created.content]);
  await expectIndexed(world);
});

test('a first import marks the organization again after a rebuild showed part of it', async () => {
  const world = await createImportWorld();
  const file = await fileWithHistory(10);
  await stopped(world, file, 3);
  await world.rebuild();
  const again = await world.beginImport({ file }).runUntil('insert');
  expect(await world.head()).toMatchObject({ load: expect.any(String) });
  await again.run();
  expect((await world.head())?.load).toBeUndefined();
  expect(await world.contents()).toEqual(contents(10).toReversed());
  await expectIndexed(world);
});

test('an import that pauses before it reserves positions reserves current ones (rule 33)', async () => {
  const world = await worldWithTestimonial();
  const file = await fileWithHistory(5);
  const process = await world.beginImport({ file }).runUntil('addPositions');
  // A manual rebuild removes the mark of the load.
  await world.rebuild();
  const lines = contents(5).map((_, i) => line(10 + i, { createdAt: `2025-06-01T10:00:5${i}Z` }));
  const other = await fileWith(lines);
  await world.import({ file: other });
  await process.run();
  const all = await world.stored();
  expect(all).toHaveLength(11);
  const times = all.map(({ testimonial }) => testimonial.createdAt);
  expect(times).toEqual(times.toSorted());
  await expectIndexed(world);
});

test('an abandoned rebuild that began during a load shows the whole load once it is finished (rule 35)', async () => {
  const world = await worldWithTestimonial();
  world.advance(60_000);
  await world.updateIndex();
  const file = await fileWithHistory(5);
  const process = await world.beginImport({ file }).runUntil('insert');
  await process.run(2);
  // A manual rebuild has read the first lines.
  const rebuild = await world.begin(world.works.rebuild()).runUntil('replaceSummary');
  rebuild.kill();
  await process.run();
  expect(await world.contents()).toEqual([...contents(5).toReversed(), api(0).content]);
  await expectIndexed(world);
});

test('progress counts lines, then testimonials', async () => {
  const world = await createImportWorld();
  await world.import({ file: await fileWithHistory(5) });
  expect(world.steps).toContain('5 of 0 checked');
  expect(world.steps).toContain('5 of 5 stored');
  expect(world.steps.at(-1)).toBe('5 of 5 indexed');
});
