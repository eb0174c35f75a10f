/** The law of the past: lists are as if the testimonials of all files had always been there. */
import { writeFile } from 'node:fs/promises';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ListQuery } from '../../../../functions/domain/list-query.ts';
import { matcherOf } from '../../../../functions/domain/matcher.ts';
import type { StoredTestimonial } from '../../../../functions/domain/stored-testimonial.ts';
import { everyTestimonial } from '../../../../functions/domain/terms.ts';
import { statuses } from '../../../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../../../functions/domain/testimonial-id.ts';
import { firstPlace } from '../../../../functions/domain/testimonial-order.ts';
import { facetPosting } from '../../../../functions/list-index/index-terms.ts';
import { union } from '../../../../functions/list-index/read/by-bits.ts';
import { fileOf, removeFiles } from '../../../file-of.ts';
import { input, query } from '../../../world/arbitraries.ts';
import { createImportWorld, type ImportWorld } from '../../../world/import-world.ts';
import type { Process } from '../../../world/process.ts';

afterAll(removeFiles);

const runs = Number(process.env.ENGINE_RUNS ?? 10);

// Few days, so that lines of several files meet; some after the first that is created.
const day = fc.integer({ min: 1, max: 20 });
const dateOf = (number: number) => `2026-01-${String(number).padStart(2, '0')}T12:00:00.000Z`;
const line = fc
  .tuple(input, day, fc.nat({ max: 5 }), fc.constantFrom(...statuses))
  .map(([body, created, later, status]) => ({
    ...{ ...body, content: `${body.content} and more` },
    ...{ createdAt: dateOf(created), updatedAt: dateOf(Math.min(created + later, 20)), status },
  }));
const file = fc.array(line, { minLength: 1, maxLength: 12 });

const besides = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('create' as const), body: input }),
    fc.record({
      do: fc.constantFrom('change' as const, 'erase' as const),
      nth: fc.nat(40),
      to: fc.constantFrom(...statuses),
    }),
    fc.record({ do: fc.constantFrom('fold' as const, 'rebuild' as const, 'list' as const) }),
    fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 13, 130) }),
  ),
  { maxLength: 4 },
);
const stop = fc.record({
  calls: fc.oneof(fc.integer({ min: 0, max: 25 }), fc.integer({ min: 0, max: 200 })),
  kills: fc.boolean(),
  besides,
});
const queries = fc.array(query, { minLength: 3, maxLength: 6 });

/** What was imported, and the list index does not have: all of an import, or nothing. */
type IsHidden = (stored: StoredTestimonial) => boolean;

async function hiddenIn(world: ImportWorld, shownBefore: ReadonlySet<string>): Promise<IsHidden> {
  const { generation = 1 } = (await world.head()) ?? {};
  const everything = facetPosting('createdAt', everyTestimonial);
  const chunks = { from: 0, to: Number.POSITIVE_INFINITY };
  const shown = union(await world.backend.index.readTerm('acme', generation, everything, chunks));
  const isHidden: IsHidden = ({ ordinal }) => ordinal < firstPlace && !shown.has(ordinal);
  const ofPast = (await world.stored()).filter(({ ordinal }) => ordinal < firstPlace);
  const hidden = ofPast.filter(isHidden);
  const isBefore = ({ testimonial: { id } }: StoredTestimonial) => shownBefore.has(id);
  expect(hidden.filter(isBefore)).toEqual([]);
  if (hidden.length > 0) expect(ofPast).toHaveLength(shownBefore.size + hidden.length);
  return isHidden;
}

/** Lists by times and not by places: of equal ones, the order is the service's own. */
function expectedOf(
  all: readonly StoredTestimonial[],
  { filter, sort, order }: ListQuery,
): StoredTestimonial[] {
  const matches = matcherOf(filter);
  const keyOf = ({ testimonial, ordinal, updateOrdinal }: StoredTestimonial): (string | number)[] => {
    if (sort === 'updatedAt') return [testimonial.updatedAt, updateOrdinal];
    const created = [testimonial.createdAt, ordinal];
    return sort === 'rating' ? [testimonial.rating ?? 0, ...created] : created;
  };
  const sign = order === 'asc' ? 1 : -1;
  return all
    .filter(({ testimonial }) => matches(testimonial))
    .map((stored) => ({ stored, key: keyOf(stored) }))
    .sort((a, b) => {
      const i = a.key.findIndex((each, at) => each !== b.key[at]);
      return i < 0 ? 0 : sign * ((a.key[i] ?? 0) < (b.key[i] ?? 0) ? -1 : 1);
    })
    .map(({ stored }) => stored);
}

async function expectLists(
  world: ImportWorld,
  asked: readonly ListQuery[],
  shownBefore: ReadonlySet<string>,
) {
  const isHidden = await hiddenIn(world, shownBefore);
  const all = (await world.stored()).filter((each) => !isHidden(each));
  for (const each of asked) {
    const { page, limit } = each;
    const matching = expectedOf(all, each).map(({ testimonial }) => testimonial);
    expect(await world.list(each)).toEqual({
      testimonials: matching.slice((page - 1) * limit, page * limit),
      total: matching.length,
    });
  }
  if (all.length < (await world.stored()).length) return;
  const { found, expected } = await world.counts();
  expect(found).toEqual(expected);
}

type Beside = typeof besides extends fc.Arbitrary<(infer Each)[]> ? Each : never;

/** Of testimonials, by their ids. */
interface Left {
  /** What is left of the imports that have ended. */
  shown: Set<string>;
  /** Those that somebody has changed. */
  changed: Set<string>;
}

async function play(world: ImportWorld, beside: Beside, asked: readonly ListQuery[], left: Left) {
  const { shown, changed } = left;
  switch (beside.do) {
    case 'create':
      await world.create(beside.body);
      break;
    case 'wait':
      world.advance(beside.seconds * 1000);
      break;
    case 'fold':
      await world.fold();
      break;
    case 'list':
      await expectLists(world, asked, shown);
      break;
    case 'rebuild':
      // By hand it would show what there is of an import.
      if ((await world.head())?.load === undefined) await world.works.rebuild().run(world.backend, world.now);
      break;
    default: {
      const isHidden = await hiddenIn(world, shown);
      const known = (await world.stored()).filter((each) => !isHidden(each));
      const id = known[beside.nth % Math.max(known.length, 1)]?.testimonial.id;
      if (id === undefined) return;
      if (beside.do === 'erase') {
        await world.erase(id);
        shown.delete(id);
      }
      if (beside.do === 'change') {
        // A change that changes nothing is none.
        if (await world.setStatus(id, beside.to)) changed.add(id);
      }
    }
  }
}

/** Lets an import go on to its end, as whoever starts it again does. */
async function ended(process: Process, begin: () => Process): Promise<void> {
  for (let each = process; ; each = begin()) {
    try {
      await each.run();
      return;
    } catch (error) {
      if (!String(error).includes('Run it again')) throw error;
    }
  }
}

/** Lets a process go on to its end, stopped here and there, while other things happen. */
async function interrupted(
  world: ImportWorld,
  { begin, stops }: { begin: () => Process; stops: readonly Stop[] },
  asked: readonly ListQuery[],
  left: Left,
): Promise<void> {
  let process = begin();
  for (const { calls, kills, besides: meanwhile } of stops) {
    if (!process.hasEnded) {
      await process.run(calls).catch((error: unknown) => {
        if (!String(error).includes('Run it again')) throw error;
      });
    }
    for (const each of meanwhile) await play(world, each, asked, left);
    if (kills && !process.hasEnded) {
      process.kill();
      process = begin();
    }
  }
  await ended(process, begin);
}

type Stop = typeof stop extends fc.Arbitrary<infer Each> ? Each : never;
type Line = typeof line extends fc.Arbitrary<infer Each> ? Each : never;

const idsOfPast = async (world: ImportWorld) =>
  (await world.stored()).flatMap(({ ordinal, testimonial: { id } }) => (ordinal < firstPlace ? id : []));

/** Plays an import; returns the ids that it has added. */
async function playImport(
  world: ImportWorld,
  { name, lines, stops }: { name: string; lines: readonly Line[]; stops: readonly Stop[] },
  asked: readonly ListQuery[],
  left: Left,
): Promise<Set<string>> {
  await interrupted(world, { begin: () => world.beginImport({ file: name }), stops }, asked, left);
  const before = left.shown;
  for (const { testimonial, version } of await world.stored()) {
    const { id, content, status, createdAt, updatedAt } = testimonial;
    if (version > 1 || before.has(id) || ordinalOf(id) >= firstPlace) continue;
    // As the file has it.
    expect(lines).toContainEqual(expect.objectContaining({ content, status, createdAt, updatedAt }));
  }
  left.shown = new Set(await idsOfPast(world));
  await expectLists(world, asked, left.shown);
  return left.shown.difference(before);
}

/** Plays the undo of an import: what it added and nobody changed is gone, and nothing else. Then the file is new again. */
async function playUndo(
  world: ImportWorld,
  { name, stops, added }: { name: string; stops: readonly Stop[]; added: ReadonlySet<string> },
  asked: readonly ListQuery[],
  left: Left,
): Promise<void> {
  await interrupted(world, { begin: () => world.beginUndo(name), stops }, asked, left);
  const stays = [...left.shown].filter((id) => !added.has(id) || left.changed.has(id));
  left.shown = new Set(await idsOfPast(world));
  expect(left.shown).toEqual(new Set(stays));
  await expectLists(world, asked, left.shown);
  const { good, wasImported } = await world.import({ file: name });
  expect(wasImported).toBe(false);
  left.shown = new Set(await idsOfPast(world));
  expect(left.shown.size).toBe(stays.length + good);
  await expectLists(world, asked, left.shown);
}

test('whatever is created, changed, erased, folded and rebuilt beside imports and undos that stop anywhere, lists are as if all that is left had always been there', async () => {
  const stops = fc.array(stop, { maxLength: 4 });
  const undo = fc.option(fc.record({ before: besides, stops }), { nil: undefined });
  const imports = fc.array(fc.record({ file, stops, undo }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(besides, imports, queries, async (before, all, asked) => {
      const world = await createImportWorld();
      const left: Left = { shown: new Set(), changed: new Set() };
      for (const each of before) await play(world, each, asked, left);
      for (const [number, { file: lines, undo: undone, ...rest }] of all.entries()) {
        const name = await fileOf('', `${number}.ndjson`);
        await writeFile(name, lines.map((each) => JSON.stringify(each)).join('\n'));
        const added = await playImport(world, { name, lines, ...rest }, asked, left);
        // All of it may have been refused.
        if (!undone || added.size === 0) continue;
        for (const each of undone.before) await play(world, each, asked, left);
        await playUndo(world, { ...undone, name, added }, asked, left);
      }
      await world.settleForGood();
      await expectLists(world, asked, left.shown);
      expect(await world.differences()).toEqual([]);
    }),
    { numRuns: runs },
  );
});
