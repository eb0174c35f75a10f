/**
 * Laws of imports and undos that are killed, paused and continued by other runs: lists show each line of
 * every file once, and only the changed lines of undone imports.
 */
import { writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { everyTestimonial } from '../../../functions/domain/terms.ts';
import { statuses } from '../../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';
import { noIndex } from '../../../functions/testimonials/list-index/index-store.ts';
import { ListReader } from '../../../functions/testimonials/list-index/read/list-reader.ts';
import { OrganizationMemory } from '../../../functions/testimonials/list-index/read/memory.ts';
import { claimExpiryMs } from '../../../functions/timing.ts';
import { oracle } from '../../../lib/check/contract/oracle.ts';
import { fileOf } from '../../file-of.ts';
import { runsOf } from '../../some-of.ts';
import { input, query } from '../../world/arbitraries.ts';
import { createImportWorld, type ImportWorld } from '../../world/import-world.ts';
import { misplaced } from '../../world/positions.ts';
import type { Process } from '../../world/process.ts';

const runs = runsOf(4);

// Few days, so that files share them; some are later than the first created testimonial.
const day = fc.integer({ min: 1, max: 20 });
const dateOf = (number: number) => `2026-01-${String(number).padStart(2, '0')}T12:00:00.000Z`;
const line = fc
  .tuple(input, day, fc.nat({ max: 5 }), fc.constantFrom(...statuses))
  .map(([body, created, later, status]) => ({
    ...body,
    content: `${body.content} and more`,
    createdAt: dateOf(created),
    updatedAt: dateOf(Math.min(created + later, 20)),
    status,
  }));
const file = fc.array(line, { minLength: 1, maxLength: 12 });
/** Makes each text unique. */
const numbered = (lines: readonly Line[], number: number) =>
  lines.map((each, i) => ({ ...each, content: `${each.content} ${number} of ${i}` }));

const besides = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('create' as const), body: input }),
    fc.record({
      do: fc.constantFrom('change' as const, 'erase' as const),
      nth: fc.nat(40),
      to: fc.constantFrom(...statuses),
    }),
    fc.record({ do: fc.constantFrom('index update' as const, 'rebuild' as const, 'list' as const) }),
    fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 13, 130) }),
  ),
  { maxLength: 4 },
);
const calls = fc.oneof(fc.integer({ min: 0, max: 25 }), fc.integer({ min: 0, max: 200 }));
const stop = fc.record({
  calls,
  /** A sleeping process continues after another process has ended its work. */
  fate: fc.constantFrom('continues', 'is killed', 'sleeps'),
  /** True if its claim has expired when the next process begins. */
  waits: fc.boolean(),
  besides,
});
const queries = fc.array(query, { minLength: 3, maxLength: 6 });

/** True of imported testimonials that the list index lacks: all of an import, or none. */
type IsHidden = (stored: StoredTestimonial) => boolean;

async function hiddenIn(world: ImportWorld, shownBefore: ReadonlySet<string>): Promise<IsHidden> {
  const head = (await world.head()) ?? noIndex;
  const reader = new ListReader(world.backend, 'acme', head, new OrganizationMemory());
  const [shown] = await reader.bitmapsOf('createdAt', [{ kind: 'facet', term: everyTestimonial }]);
  const isHidden: IsHidden = ({ ordinal }) => ordinal < firstPosition && !shown?.has(ordinal);
  const history = (await world.stored()).filter(({ ordinal }) => ordinal < firstPosition);
  const hidden = history.filter(isHidden);
  const isBefore = ({ testimonial: { id } }: StoredTestimonial) => shownBefore.has(id);
  expect(hidden.filter(isBefore)).toEqual([]);
  if (hidden.length > 0) expect(history).toHaveLength(shownBefore.size + hidden.length);
  return isHidden;
}

async function expectLists(
  world: ImportWorld,
  asked: readonly ListQuery[],
  shownBefore: ReadonlySet<string>,
) {
  const isHidden = await hiddenIn(world, shownBefore);
  const all = (await world.stored()).filter((each) => !isHidden(each));
  expect(misplaced(all)).toEqual([]);
  for (const each of asked) expect(await world.list(each)).toEqual(oracle(all, each));
  if (all.length < (await world.stored()).length) return;
  const { found, expected } = await world.counts();
  expect(found).toEqual(expected);
}

type Beside = typeof besides extends fc.Arbitrary<(infer Each)[]> ? Each : never;

/** Testimonials by their ids. */
interface Left {
  /** The history of ended imports. */
  shown: Set<string>;
  /** Testimonials that someone has changed. */
  changed: Set<string>;
  /** Erased testimonials, by their texts. */
  erased: Set<string>;
}

async function play(world: ImportWorld, beside: Beside, asked: readonly ListQuery[], left: Left) {
  const { shown, changed, erased } = left;
  switch (beside.do) {
    case 'create':
      await world.create(beside.body);
      break;
    case 'wait':
      world.advance(beside.seconds * 1000);
      break;
    case 'index update':
      await world.updateIndex();
      break;
    case 'list':
      await expectLists(world, asked, shown);
      break;
    case 'rebuild':
      // A manual rebuild would show a part of an import.
      if ((await world.head())?.load === undefined) await world.works.rebuild().run(world.backend, world.now);
      break;
    default: {
      const isHidden = await hiddenIn(world, shown);
      const listed = (await world.stored()).filter((each) => !isHidden(each));
      const chosen = listed[beside.nth % Math.max(listed.length, 1)]?.testimonial;
      if (!chosen) return;
      const { id } = chosen;
      if (beside.do === 'erase') {
        await world.erase(id);
        shown.delete(id);
        erased.add(chosen.content);
      }
      if (beside.do === 'change') {
        // A change that changes nothing is none.
        if (await world.setStatus(id, beside.to)) changed.add(id);
      }
    }
  }
}

/** Ignores the errors of runs that another run stops. */
function unlessStopped(error: unknown): void {
  if (
    !/Run this command again|Another run|is being undone|already being|There is no import/.test(String(error))
  )
    throw error;
}

/** Repeats some work until it is done, by processes that stop now and then. */
async function done(
  world: ImportWorld,
  { begin, stops }: { begin: () => Process; stops: readonly Stop[] },
  asked: readonly ListQuery[],
  left: Left,
): Promise<void> {
  const sleepers: Process[] = [];
  let process = begin();
  for (const { calls: some, fate, waits, besides: meanwhile } of stops) {
    if (!process.hasEnded) await process.run(some).catch(unlessStopped);
    for (const each of meanwhile) await play(world, each, asked, left);
    if (process.hasEnded || fate === 'continues') continue;
    if (fate === 'is killed') process.kill();
    else sleepers.push(process);
    if (waits) world.advance(claimExpiryMs);
    process = begin();
  }
  for (let isDone = false; !isDone; process = begin()) {
    isDone = await process.run().then(
      () => true,
      (error: unknown) => {
        unlessStopped(error);
        world.advance(claimExpiryMs);
        return false;
      },
    );
  }
  process.kill();
  for (const each of sleepers) await each.run().catch(unlessStopped);
}

type Stop = typeof stop extends fc.Arbitrary<infer Each> ? Each : never;
type Line = typeof line extends fc.Arbitrary<infer Each> ? Each : never;

/** A file, and whether its lines should be stored. */
interface File {
  file: string;
  asNew: boolean;
  lines: readonly Line[];
  /** Imports of other files, by their ids. */
  others: ReadonlySet<string>;
  isImported: boolean;
}

const historyIds = async (world: ImportWorld) =>
  (await world.stored()).flatMap(({ ordinal, testimonial: { id } }) => (ordinal < firstPosition ? id : []));

/** Runs an import to its end. */
async function playImport(
  world: ImportWorld,
  target: File,
  stops: readonly Stop[],
  asked: readonly ListQuery[],
  left: Left,
): Promise<void> {
  const { file: name, asNew, lines } = target;
  const begin = () => world.beginImport({ file: name, asNew });
  await done(world, { begin, stops }, asked, left);
  target.isImported = true;
  for (const { testimonial, version } of await world.stored()) {
    const { id, content, status, createdAt, updatedAt } = testimonial;
    if (version > 1 || left.shown.has(id) || ordinalOf(id) >= firstPosition || asNew) continue;
    // Unchanged from the file.
    expect(lines).toContainEqual(expect.objectContaining({ content, status, createdAt, updatedAt }));
  }
  left.shown = new Set(await historyIds(world));
  await expectLists(world, asked, left.shown);
}

/**
 * Plays the undo of an import, by its id or its file.
 * @returns false if none of its lines was stored yet
 */
async function playUndo(
  world: ImportWorld,
  { target, byId, stops }: { target: File; byId: boolean; stops: readonly Stop[] },
  asked: readonly ListQuery[],
  left: Left,
): Promise<boolean> {
  const isOpen = (state: string) => state !== 'begun' && state !== 'undone';
  const open = [...(await world.imports())].filter(
    ([id, { state }]) => isOpen(state) && !target.others.has(id),
  );
  const [id, record] = open.at(-1) ?? [];
  if (id === undefined) return false;
  const what = byId ? { id } : { file: target.file };
  // An undo shows hidden lines for the moment in which it erases them.
  const isSeen = ({ do: what }: Beside) => what !== 'list' || record?.state === 'ended';
  const some = stops.map((each) => ({ ...each, besides: each.besides.filter(isSeen) }));
  await done(world, { begin: () => world.beginUndo(what), stops: some }, asked, left);
  target.isImported = false;
  // A second import of the file is another import.
  for (const { content } of target.lines) left.erased.delete(content);
  left.shown = new Set(await historyIds(world));
  await expectLists(world, asked, left.shown);
  return true;
}

/** Expects each imported line once, and of undone imports only changed lines. */
async function expectLines(world: ImportWorld, files: readonly File[], left: Left): Promise<void> {
  const all = (await world.stored()).map(({ testimonial }) => testimonial);
  for (const { file: name, asNew, lines, isImported } of files) {
    const imported = all.filter(({ content }) => lines.some((each) => each.content === content));
    const unchanged = imported.filter(({ id }) => !left.changed.has(id)).map(({ content }) => content);
    expect(unchanged).toHaveLength(isImported ? new Set(unchanged).size : 0);
    const found = new Set(imported.map(({ content }) => content));
    const gone = lines.filter(({ content }) => left.erased.has(content) && !found.has(content)).length;
    const { good, wasImported } = await world.import({ file: name, asNew, dryRun: true });
    // The import may have been refused as a whole.
    expect(wasImported && !isImported).toBe(false);
    if (wasImported) expect(found.size + gone).toBeGreaterThanOrEqual(good);
  }
}

interface LeftImport {
  calls: number;
  write?: { nth: number; isDone: boolean } | undefined;
}

/** Runs an import up to the point where it stops. */
async function runUntilStop(process: Process, { calls, write }: LeftImport): Promise<void> {
  if (!write) return void (await process.run(calls));
  for (let i = 1; i < write.nth; i += 1) await (await process.runUntil('replace')).run(1);
  await process.runUntil('replace');
  if (write.isDone) await process.run(1);
}

test('lists are right after any mix of creates, changes, erasures, index updates, rebuilds, and imports and undos that stop anywhere', async () => {
  const stops = fc.array(stop, { maxLength: 4 });
  const undo = fc.option(fc.record({ before: besides, stops, byId: fc.boolean(), isAgain: fc.boolean() }), {
    nil: undefined,
  });
  /** The point where an import stops before it continues or is undone. */
  const left = fc.option(
    fc.record({
      calls,
      /**
       * Instead of a number of calls: right before or after a write of the record, such as that of its
       * high-water mark.
       */
      write: fc.option(fc.record({ nth: fc.integer({ min: 1, max: 5 }), isDone: fc.boolean() }), {
        nil: undefined,
      }),
      isKilled: fc.boolean(),
      isUndone: fc.boolean(),
      /** True if the import continues at the very end, when other imports have its freed positions. */
      sleepsOn: fc.boolean(),
    }),
    { nil: undefined },
  );
  const imports = fc.array(fc.record({ file, asNew: fc.boolean(), stops, left, undo }), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(besides, imports, queries, async (before, all, asked) => {
      const world = await createImportWorld({ linesPerBlock: 4 });
      const left: Left = { shown: new Set(), changed: new Set(), erased: new Set() };
      const files: File[] = [];
      const asleep: Process[] = [];
      for (const each of before) await play(world, each, asked, left);
      for (const [
        number,
        { file: some, asNew, stops: pauses, left: stopPoint, undo: undone },
      ] of all.entries()) {
        const lines = numbered(some, number);
        const name = await fileOf('', `${number}.ndjson`);
        await writeFile(name, lines.map((each) => JSON.stringify(each)).join('\n'));
        const others = new Set((await world.imports()).keys());
        const one: File = { file: name, asNew, lines, others, isImported: false };
        files.push(one);
        const early = world.beginImport({ file: name, asNew });
        if (stopPoint) {
          await runUntilStop(early, stopPoint).catch(unlessStopped);
          world.advance(claimExpiryMs);
        }
        if (stopPoint?.isKilled !== false) early.kill();
        const isUndone =
          stopPoint?.isUndone &&
          (await playUndo(world, { target: one, byId: true, stops: pauses }, asked, left));
        if (!isUndone) await playImport(world, one, pauses, asked, left);
        // An import that has not read its record yet would import the file once more.
        if (stopPoint?.sleepsOn && early.calls.includes('find')) asleep.push(early);
        else if (!early.hasEnded) await early.run().catch(unlessStopped);
        if (undone && one.isImported) {
          for (const each of undone.before) await play(world, each, asked, left);
          await playUndo(world, { ...undone, target: one }, asked, left);
          if (undone.isAgain) await playImport(world, one, pauses, asked, left);
        }
        await expectLines(world, files, left);
      }
      for (const each of asleep) if (!each.hasEnded) await each.run().catch(unlessStopped);
      await world.settleForGood();
      await expectLists(world, asked, left.shown);
      await expectLines(world, files, left);
      // A late index update may write words of erased testimonials, which lists ignore (rule 30).
      expect((await world.differences()).filter(({ kind }) => kind !== 'leftover')).toEqual([]);
    }),
    { numRuns: runs },
  );
});
