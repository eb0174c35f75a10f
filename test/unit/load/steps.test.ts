/**
 * Laws of loads in steps, as the desk does them: each step sends all lines again, works until its time is
 * over, and may be cut off, lost or sent by another window. No line is lost or stored twice.
 */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ComparedLines,
  type LoadLine,
  LoadRefused,
  type LoadStatus,
  type WorkCallbacks,
} from '../../../functions/domain/loads.ts';
import { loadsOn } from '../../../functions/testimonials/loads.ts';
import { claimExpiryMs } from '../../../functions/timing.ts';
import { runsOf } from '../../some-of.ts';
import { interceptCalls } from '../../world/backend.ts';
import { createImportWorld, type ImportWorld, loadsInMemory } from '../../world/import-world.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { Process } from '../../world/process.ts';
import { api, content, expectIndexed, loadLine } from './lines.ts';

const runs = runsOf(5);

const name = 'a'.repeat(64);
const hash = 'b'.repeat(64);
const hour = 3_600_000;

interface File {
  lines: readonly LoadLine[];
  asNew: boolean;
  which: 'all' | 'only new';
}

/** The limits of a step, and the events during it. */
interface StepFate {
  /** Calls and waits until its time is over. */
  calls: number;
  /** True if the function is killed then, and its claim stays. */
  isKilled?: boolean;
  /** Before the call of this number, another window sends the same step. */
  beforeCall?: number;
}

/** Calls of a step that none of its lines needs: its claim, the hiding, its positions, its release. */
const callsOfStep = 8;

// Of an undo.
const pageLength = 7;

const doorOf = (world: ImportWorld, linesPerBlock: number, stores = world.backend) =>
  // A process at the desk has no rights on the index.
  loadsOn(
    { ...world.importDependencies, ...stores, indexing: undefined },
    { linesPerBlock, pageLength },
  )('acme');

/** Opens work on some stores, which `withinCalls` then begins. */
type Opened<Result> = (stores: ImportWorld['backend']) => Promise<(work: WorkCallbacks) => Promise<Result>>;

/** Does work until a number of calls and waits were made, as the desk does until its time is over. */
async function withinCalls<Result>(
  world: ImportWorld,
  { calls, isKilled = false, beforeCall }: StepFate,
  open: Opened<Result>,
  otherWindow: () => Promise<unknown> = async () => {},
): Promise<{ result: Result } | 'cut'> {
  const { backend } = world;
  if (isKilled) {
    const process = new Process('step', backend).begin(async (own) => {
      const doWork = await open({ ...backend, ...own, loads: own.loads ?? backend.loads });
      return doWork(workOf(world, new AbortController().signal, () => {}));
    });
    await process.run(calls);
    process.kill();
    return 'cut';
  }
  const stop = new AbortController();
  let made: number | undefined;
  const count = async () => {
    if (made === undefined) return;
    if (made === beforeCall) await otherWindow();
    made += 1;
    if (made >= calls) stop.abort();
  };
  const { loads = backend.loads, ...counted } = interceptCalls(backend, async (_, call) => {
    await count();
    return call();
  });
  try {
    const doWork = await open({ ...backend, ...counted, loads });
    made = 0;
    return { result: await doWork(workOf(world, stop.signal, count)) };
  } catch (error) {
    if (stop.signal.aborted && Object(error).name === 'AbortError') return 'cut';
    throw error;
  }
}

/** The callbacks of a step at the desk. */
function workOf(world: ImportWorld, signal: AbortSignal, count: () => unknown): WorkCallbacks {
  return {
    progress: () => {},
    async sleep(milliseconds) {
      signal.throwIfAborted();
      world.advance(milliseconds);
      await count();
    },
    async runStoppable(part) {
      const ended = await part(signal);
      signal.throwIfAborted();
      return ended;
    },
  };
}

/** Sends one step that stores lines. Returns true once the load has ended. */
async function storeStep(
  world: ImportWorld,
  { lines, asNew, which }: File,
  compared: readonly number[] | undefined,
  linesPerBlock: number,
  fate: StepFate,
): Promise<boolean> {
  const open = async (stores: ImportWorld['backend']) => {
    const load = await doorOf(world, linesPerBlock, stores).open(name, hash, { title: 'a.csv' });
    const checked = await load.check(lines, { asNew, alreadyStored: compared }, { progress: () => {} });
    return (work: WorkCallbacks) => checked.store(which, work);
  };
  const otherWindow = () => withinCalls(world, { calls: fate.calls }, open).catch(waitIfTaken(world));
  return (await withinCalls(world, fate, open, otherWindow).catch(waitIfTaken(world))) !== 'cut';
}

/** Waits like the browser if another window, or a killed step, holds the load. */
function waitIfTaken(world: ImportWorld) {
  return (error: unknown): 'cut' => {
    if (!(error instanceof LoadRefused) || !['busy', 'taken over'].includes(error.refusal.why)) throw error;
    world.advance(claimExpiryMs / 2);
    return 'cut';
  };
}

/** Compares lines as the browser asks for it: not those of a load that has begun. */
async function compared({ lines }: File, world: ImportWorld): Promise<readonly number[] | undefined> {
  const load = await doorOf(world, 1).open(name, hash);
  if (load.earlier) return undefined;
  const { repeated } = await load.compare(lines, { progress: () => {} });
  return repeated;
}

const statusOf = async (world: ImportWorld): Promise<LoadStatus | undefined> =>
  (await doorOf(world, 1).all())[0];

/** Undoes the load in steps. */
async function undoInSteps(
  world: ImportWorld,
  count: number,
  callsOf: () => Promise<number>,
  between: () => Promise<void>,
) {
  const { id = '' } = (await statusOf(world)) ?? {};
  // Each step reads the pages before, and seals their free positions, again.
  const positions = Math.max(count, await reserved(world));
  const again = positions + 4 * Math.ceil(positions / pageLength);
  for (let steps = 0; (await statusOf(world))?.state !== 'undone'; steps += 1) {
    if (steps > mostSteps) throw new Error('The undo never ends');
    await withinCalls(world, { calls: again + (await callsOf()) }, async (stores) => {
      const load = await doorOf(world, 1, stores).find({ id });
      return async (work) => load?.undo(work);
    }).catch(waitIfTaken(world));
    await between();
  }
}

/** Returns the number of positions that the load has reserved at the end of both axes. */
async function reserved(world: ImportWorld): Promise<number> {
  const [record] = (await world.imports()).values();
  return record && 'blocks' in record ? record.blocks.reduce((sum, { count }) => sum + count, 0) : 0;
}

/** True if the load shows its lines all at once. */
async function isPlaced(world: ImportWorld): Promise<boolean> {
  const [record] = (await world.imports()).values();
  return record !== undefined && 'isPlaced' in record && record.isPlaced;
}

const mostSteps = 600;

const loaded = async (world: ImportWorld) =>
  (await world.stored()).filter(({ testimonial }) => testimonial.content.startsWith('Amazing'));
const shown = async (world: ImportWorld) => {
  const { testimonials } = await world.list({
    filter: {},
    sort: 'createdAt',
    order: 'asc',
    page: 1,
    limit: 100,
  });
  return testimonials.filter((each) => each.content.startsWith('Amazing'));
};

const line = fc.record({ number: fc.nat(80), hours: fc.nat(9), rating: fc.integer({ min: 1, max: 5 }) });
const lines = fc.oneof(
  fc.array(line, { minLength: 1, maxLength: 60 }),
  // Without duplicates.
  fc
    .integer({ min: 1, max: 60 })
    .map((count) => Array.from({ length: count }, (_, i) => ({ number: i, hours: i % 10, rating: 5 }))),
);
const between = fc.record({
  does: fc.constantFrom('nothing', 'nothing', 'create', 'erase', 'change', 'update index', 'update index'),
  nth: fc.nat(60),
  seconds: fc.constantFrom(0, 0, 1, 13, 70),
});
const fate = fc.record({
  share: fc.double({ min: 0, max: 2, noNaN: true }),
  isKilled: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  beforeCall: fc.oneof(fc.constant(-1), fc.nat(25)),
});
const scenario = fc.record({
  lines,
  kind: fc.constantFrom('dated', 'undated', 'as new'),
  which: fc.constantFrom('all' as const, 'only new' as const),
  linesPerBlock: fc.oneof(fc.constantFrom(1, 2, 7, 300), fc.integer({ min: 1, max: 300 })),
  /** The stored testimonials before. */
  before: fc.array(fc.nat(80), { maxLength: 5 }),
  /** The index function does not run in that many steps. */
  indexPause: fc.nat(12),
  fates: fc.array(fate, { minLength: 1, maxLength: 8 }),
  between: fc.array(between, { minLength: 1, maxLength: 8 }),
  undone: fc.boolean(),
});

const contentsOf = (rows: readonly { content: string }[]) => rows.map((each) => each.content).toSorted();

test('a load in steps stores each line once, shows placed ones at once, and is undone in steps', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { kind, which, linesPerBlock, before, indexPause } = given;
      const isDated = kind !== 'undated';
      const asNew = kind === 'as new';
      const all = given.lines.map(({ number, hours, rating }): LoadLine => {
        const time = Date.parse('2025-06-01') + hours * hour;
        return loadLine(number, { rating, ...(isDated && { createdAt: time }) });
      });
      const file: File = { lines: all, asNew, which };
      const world = await createImportWorld();
      for (const number of before) {
        await world.create(loadLine(number));
        world.advance(1000);
      }
      const own = new Set((await world.stored()).map(({ testimonial }) => testimonial.id));

      // By the rules of duplicates: a stored text of the author, or an earlier line with its time and rating.
      const texts = new Set(before.map(content));
      const seen = new Set<string>();
      const ordered = asNew ? all.toSorted((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0)) : all;
      const good = ordered.filter(({ content: text, createdAt, rating }) => {
        const key = `${text} ${createdAt} ${rating}`;
        const isRepeated = seen.has(key) || texts.has(text);
        seen.add(key);
        return which === 'all' || !isRepeated;
      });

      const erased: string[] = [];
      const gone = new Set<string>();
      const changed: string[] = [];
      let step = 0;
      const fateOf = async () => {
        const { share, ...more } = given.fates[step % given.fates.length] as (typeof given.fates)[0];
        // An erased line, and one whose positions were sealed, is sent again to each of them.
        const again = erased.length + (await reserved(world));
        const least = callsOfStep + Math.ceil(good.length / linesPerBlock) + again;
        // Every other step has enough time for a line.
        const calls = 1 + Math.floor(share * least) + (step % 2) * least;
        return { ...more, calls, isKilled: more.isKilled && step < 20 };
      };
      const rows = async () => (await loaded(world)).filter(({ testimonial }) => !own.has(testimonial.id));
      const meanwhile = async () => {
        const each = given.between[step % given.between.length] as (typeof given.between)[0];
        step += 1;
        world.advance(each.seconds * 1000);
        const stored = await rows();
        const some = stored[each.nth % Math.max(stored.length, 1)]?.testimonial;
        if (each.does === 'create' && step < 10 && own.size < 30)
          own.add((await world.create({ ...api(step), content: `Created ${step}` })).id);
        if (each.does === 'erase' && some && step < 10) {
          await world.erase(some.id);
          erased.push(some.content);
          gone.add(some.id);
        }
        // No one knows a testimonial that no list shows.
        if (
          each.does === 'change' &&
          some &&
          step < 20 &&
          (await shown(world)).some(({ id }) => id === some.id)
        ) {
          await world.setStatus(some.id, 'approved');
          if (!changed.includes(some.id)) changed.push(some.id);
        }
        if (step > indexPause) {
          if (each.does !== 'update index') world.advance(13_000);
          await world.updateIndex();
        }
      };

      const numbers = await compared(file, world);
      for (let hasEnded = good.length === 0; !hasEnded; ) {
        if (step > mostSteps) throw new Error('The load never ends');
        hasEnded = await storeStep(world, file, numbers, linesPerBlock, await fateOf());
        if (await isPlaced(world)) {
          const visible = (await shown(world)).filter(({ id }) => !own.has(id));
          const stored = await rows();
          if (visible.length > 0)
            expect({ visible: visible.length, stored: stored.length }).toEqual({
              visible: stored.length,
              stored: good.length - erased.length,
            });
        }
        if (!hasEnded) await meanwhile();
      }

      const remaining = contentsOf(good);
      for (const text of erased) remaining.splice(remaining.indexOf(text), 1);
      const after = await rows();
      expect(contentsOf(after.map(({ testimonial }) => testimonial))).toEqual(remaining);
      if (good.length > 0)
        expect(await statusOf(world)).toMatchObject({ state: 'ended', count: good.length });
      if (isDated && !asNew) {
        if (good.length > 0) expect(await isPlaced(world)).toBe(true);
        const timesOf = (some: readonly { content: string; createdAt?: string | number }[]) =>
          some.map((each) => `${each.content} ${new Date(each.createdAt ?? 0).toISOString()}`);
        const kept = new Set(timesOf(good));
        for (const each of timesOf(after.map(({ testimonial }) => testimonial))) expect(kept).toContain(each);
      }
      if (asNew && (await reserved(world)) === good.length && erased.length === 0)
        expect(after.map(({ testimonial }) => testimonial.content)).toEqual(good.map((each) => each.content));
      const results = await world.list({ filter: {}, sort: 'createdAt', order: 'asc', page: 1, limit: 100 });
      expect(results).toEqual(
        await world.expected({ filter: {}, sort: 'createdAt', order: 'asc', page: 1, limit: 100 }),
      );

      if (given.undone && good.length > 0) {
        await undoInSteps(world, good.length, async () => (await fateOf()).calls, meanwhile);
        const staying = await rows();
        const left = changed.filter((id) => !gone.has(id));
        expect(staying.map(({ testimonial }) => testimonial.id).toSorted()).toEqual(left.toSorted());
      }
      expect((await world.stored()).filter(({ testimonial }) => own.has(testimonial.id))).toHaveLength(
        own.size,
      );
      await expectIndexed(world);
    }),
    { numRuns: runs },
  );
});

const plainLines = (count: number, isDated: boolean) =>
  Array.from({ length: count }, (_, i) =>
    loadLine(i, isDated ? { createdAt: Date.parse('2025-01-01') + i } : {}),
  );

describe('steps that are all cut after the same number of calls', () => {
  // A step claims the load, marks the organization, reads the positions and the lines of each block.
  test.each([
    ['placed', 60, 7, 6 + Math.ceil(60 / 7)],
    ['placed', 60, 100, 7],
    ['appended', 60, 7, 6],
    ['appended', 60, 100, 6],
  ])(
    'store %s lines, at least one each: %i lines in blocks of %i, after %i calls',
    async (kind, count, linesPerBlock, calls) => {
      const world = await createImportWorld();
      await world.create(api(0));
      const lines = plainLines(count, kind === 'placed');
      let last = 0;
      for (let steps = 0; last < count; steps += 1) {
        await storeStep(world, { lines, asNew: false, which: 'all' }, [], linesPerBlock, { calls });
        const { length: stored } = await loaded(world);
        // The first ones reserve the positions.
        if (steps > 1) expect(stored).toBeGreaterThan(last);
        last = stored;
      }
      await endOf(world, { lines, asNew: false, which: 'all' });
      expect(contentsOf((await loaded(world)).map(({ testimonial }) => testimonial))).toEqual(
        contentsOf(lines),
      );
      await expectIndexed(world);
    },
  );

  test('end although index updates seal the free positions of each block', async () => {
    const linesPerBlock = 20;
    const calls = callsOfStep + 2 * linesPerBlock;
    const world = await createImportWorld();
    await world.create(api(0));
    const file: File = { lines: plainLines(200, false), asNew: false, which: 'all' };
    for (let steps = 0; !(await storeStep(world, file, [], linesPerBlock, { calls })); steps += 1) {
      expect(steps).toBeLessThan(60);
      await world.create({ ...api(0), content: `Created ${steps}` });
      world.advance(13_000);
      await world.updateIndex();
    }
    expect(await reserved(world)).toBeGreaterThan(200);
    expect(contentsOf((await loaded(world)).map(({ testimonial }) => testimonial))).toEqual(
      contentsOf(file.lines),
    );
    await expectIndexed(world);
  });
});

/** Sends steps with plenty of time until the load has ended. */
async function endOf(world: ImportWorld, file: File): Promise<void> {
  while (!(await storeStep(world, file, [], 100, { calls: 1000 }))) await world.updateIndex();
}

test('a load that begins again after a testimonial was created leaves out the same duplicates', async () => {
  const world = await createImportWorld();
  world.advance(60_000);
  const early = Date.parse('2025-01-01');
  const texts: [number, number][] = [
    [0, world.now().getTime()],
    [1, early],
    [2, early],
    [2, early],
    [3, early],
  ];
  const lines = texts.map(([i, createdAt]) => loadLine(i, { createdAt }));
  const file: File = { lines, asNew: false, which: 'only new' };
  const { testimonials } = world.backend;
  const { beginCounting } = testimonials;
  testimonials.beginCounting = async (...args) => {
    testimonials.beginCounting = beginCounting;
    world.advance(-30_000);
    await world.create(api(0));
    world.advance(60_000);
    return beginCounting(...args);
  };
  await expect(storeStep(world, file, [], 100, { calls: 1000 })).rejects.toThrow('created meanwhile');
  expect(await loaded(world)).toEqual([]);
  // Someone can still read the file in another way.
  expect(await doorOf(world, 1).toContinue(hash)).toBeUndefined();
  // The first line is later than the testimonial by now, so the numbers of the other good lines are lower.
  await endOf(world, file);
  expect(await world.contents()).toEqual([content(1), content(2), content(3), api(0).content]);
  expect(await statusOf(world)).toMatchObject({ state: 'ended', count: 3 });
  await expectIndexed(world);
});

describe('a comparison in parts', () => {
  const work = { progress: () => {} };
  const some = fc.array(fc.nat(9), { minLength: 8, maxLength: 25 });

  /** Compares in parts, one page of the store each, with something in between. */
  async function inParts(
    world: ImportWorld,
    lines: readonly LoadLine[],
    meanwhile: (part: number) => Promise<void>,
  ) {
    let comparedSoFar: ComparedLines | undefined;
    for (let part = 0; ; part += 1) {
      const load = await doorOf(world, 1).open(name, hash);
      comparedSoFar = await load.compare(lines, work, { until: 0, ...(comparedSoFar && { comparedSoFar }) });
      if (comparedSoFar.next === undefined) return comparedSoFar.repeated;
      expect(part).toBeLessThan(100);
      await meanwhile(part);
    }
  }

  test('finds what is there from the beginning to the end, whatever happens meanwhile', async () => {
    const action = fc.record({
      does: fc.constantFrom('create', 'change', 'erase', 'update index'),
      nth: fc.nat(30),
    });
    const actions = fc.array(action, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        some,
        some,
        fc.integer({ min: 1, max: 5 }),
        actions,
        async (stored, numbers, rowsPerPage, all) => {
          const world = await worldOfPages(rowsPerPage);
          for (const i of stored) await world.create(loadLine(i));
          const first = await world.contents();
          const created: string[] = [];
          const lines = numbers.map((i) => loadLine(i));
          const repeated = await inParts(world, lines, async (part) => {
            const { does, nth } = all[part] ?? { does: 'nothing', nth: 0 };
            const { id } = (await world.nth(nth)) ?? {};
            if (does === 'create') created.push((await world.create(loadLine(nth))).content);
            if (does === 'change' && id) await world.setStatus(id, 'approved');
            if (does === 'erase' && id) await world.erase(id);
            if (does === 'update index') await world.updateSettled();
          });
          const last = await world.contents();
          const stayed = first.filter((text) => last.includes(text) && !created.includes(text));
          const numbersOf = (texts: readonly string[]) =>
            lines.flatMap((line, number) => (texts.includes(line.content) ? number : []));
          expect(repeated).toEqual(expect.arrayContaining(numbersOf(stayed)));
          // Each once, in the order of the file.
          const possible = numbersOf([...first, ...created]);
          expect(repeated).toEqual(possible.filter((number) => repeated.includes(number)));
        },
      ),
      { numRuns: runs },
    );
  });

  /** Returns an organization whose store returns so many testimonials at once. */
  async function worldOfPages(rowsPerPage: number) {
    const backend = { ...inMemoryBackend(), loads: loadsInMemory() };
    const { from } = backend.testimonials;
    backend.testimonials.from = (organization, ordinal) =>
      from(organization, ordinal, { limit: rowsPerPage });
    return createImportWorld({ backend });
  }
});
