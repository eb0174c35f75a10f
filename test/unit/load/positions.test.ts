/** Laws of the positions of the lines of a file. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { LoadLine } from '../../../functions/domain/loads.ts';
import { makeTestimonialId, ordinalOfId } from '../../../functions/domain/testimonial-id.ts';
import { axes, firstPosition } from '../../../functions/domain/testimonial-order.ts';
import {
  byLine,
  firstPositions,
  historyPositions,
  keepsIds,
  type OccupiedPosition,
  occupiedBy,
  ordersOf,
  spread,
} from '../../../functions/testimonials/load/positions.ts';
import { position } from '../../position.ts';
import { runsOf, someOf } from '../../some-of.ts';

const now = Number.MAX_SAFE_INTEGER;
const idAt = (ordinal: number) => ({ id: makeTestimonialId(ordinal, () => 123_456_789_012) });
/** A line with times from 0 to 20, and perhaps an id that names a position. */
const lineOf = (more: Partial<LoadLine>, ordinal = 0): LoadLine => ({
  content: 'Great work',
  author: { name: 'Ann', email: 'ann@example.com' },
  type: 'text',
  ...more,
  ...(ordinal > 0 && idAt(ordinal)),
});
const idOrdinal = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: position(1), max: position(40) }),
);
const line = fc
  .tuple(
    fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    fc.integer({ min: 0, max: 5 }),
    fc.integer({ min: 0, max: 8 }),
    idOrdinal,
  )
  .map(([createdAt, later, update, ordinal]) =>
    lineOf({ update, ...(createdAt !== undefined && { createdAt, updatedAt: createdAt + later }) }, ordinal),
  );
const lines = fc.array(line, { maxLength: 30 });
const none = { createdAt: [], updatedAt: [] };
const ordinalIn = ({ id = '' }: LoadLine) => ordinalOfId(id) ?? 0;
const createdIn = ({ createdAt = Number.POSITIVE_INFINITY }: LoadLine) => createdAt;

/** The positions of a file in an empty organization, or in the history of another one. */
function placed(all: readonly LoadLine[], isFirst: boolean) {
  const orders = ordersOf(all, now);
  const found = isFirst ? firstPositions(orders, none) : historyPositions(orders, none, now);
  const on = (axis: 'createdAt' | 'updatedAt') => [...byLine(orders.order[axis], found.positions[axis])];
  return {
    ...found,
    ordinals: on('createdAt'),
    updateOrdinals: on('updatedAt'),
    keepsIds: keepsIds(orders, found.positions),
  };
}

/** The numbers of the lines in the order of their positions. */
const inOrder = (places: readonly number[]) =>
  Array.from(places.keys()).toSorted((a, b) => (places[a] ?? 0) - (places[b] ?? 0));

test('every line has its own position on both axes', () => {
  fc.assert(
    fc.property(lines, fc.boolean(), (all, isFirst) => {
      const found = placed(all, isFirst);
      for (const axis of axes) {
        const places = [...found.positions[axis]];
        expect(new Set(places).size).toBe(all.length);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(Math.min(1, ...places)).toBe(1);
        expect(Math.max(0, ...places)).toBeLessThanOrEqual(found.last);
        // A line at one of the counter's positions ends the history.
        const behind = places.findIndex((each) => each >= firstPosition);
        if (behind >= 0) expect(found.historyEndMs).toBeDefined();
      }
      if (!isFirst || !found.keepsIds) expect(found.last).toBe(firstPosition - 1);
    }),
  );
});

test('the order of creation follows createdAt, and the file for equal times', () => {
  fc.assert(
    fc.property(lines, fc.boolean(), (all, isFirst) => {
      const order = inOrder(placed(all, isFirst).ordinals);
      const expected = [...all.entries()]
        .toSorted(([a, x], [b, y]) => {
          if (createdIn(x) !== createdIn(y)) return createdIn(x) - createdIn(y);
          return ordinalIn(x) - ordinalIn(y) || a - b;
        })
        .map(([number]) => number);
      expect(order).toEqual(expected);
    }),
  );
});

test('the order of updates follows updatedAt, then update, then the order of creation', () => {
  fc.assert(
    fc.property(lines, fc.boolean(), (all, isFirst) => {
      const { ordinals, updateOrdinals } = placed(all, isFirst);
      const key = (i: number) => [all[i]?.updatedAt ?? now, all[i]?.update ?? 0, ordinals[i] ?? 0];
      const order = inOrder(updateOrdinals).map(key);
      for (const [i, [updated = 0, said = 0, ordinal = 0]] of order.slice(1).entries()) {
        const [updatedBefore = 0, saidBefore = 0, ordinalBefore = 0] = order[i] ?? [];
        expect(updatedBefore <= updated).toBe(true);
        if (updatedBefore === updated) expect(saidBefore <= said).toBe(true);
        if (updatedBefore === updated && saidBefore === said) expect(ordinalBefore < ordinal).toBe(true);
      }
    }),
  );
});

test('all ids are kept if they are in the order of creation, and none otherwise', () => {
  fc.assert(
    fc.property(lines, (all) => {
      const { ordinals, keepsIds: isKept } = placed(all, true);
      const own = all.map(ordinalIn);
      if (isKept) for (const [i, each] of own.entries()) if (each > 0) expect(ordinals[i]).toBe(each);
      if (all.length === 0 || own.includes(0)) return;
      const inTheirOrder = inOrder(ordinals).map((i) => own[i] ?? 0);
      const ascends = inTheirOrder.every((each, i) => i === 0 || each > (inTheirOrder[i - 1] ?? 0));
      expect(isKept).toBe(ascends);
    }),
  );
});

describe('ids', () => {
  const withIds = (...ordinals: number[]) =>
    placed(
      ordinals.map((ordinal, i) => lineOf({ createdAt: i }, ordinal)),
      true,
    );

  test('lines without an id get the free positions in between', () => {
    expect(withIds(0, 3, 0, 9)).toMatchObject({ ordinals: [1, 3, 4, 9], keepsIds: true });
    const [first, second, third] = [position(2), position(3), position(7)];
    expect(withIds(0, first, 0, third)).toMatchObject({
      ordinals: [1, first, second, third],
      keepsIds: true,
      // Lines at positions of the counter end the history, also for updates.
      last: third,
      historyEndMs: 1,
      updateOrdinals: [expect.any(Number), position(1), position(2), position(3)],
    });
  });

  test.each([
    ['there is no position for a line without an id', [1, 0, 2]],
    ['there are none', [0, 0]],
  ])('are not kept when %s', (_, ordinals) => {
    expect(withIds(...ordinals)).toMatchObject({ keepsIds: false, last: firstPosition - 1 });
  });

  test('are not kept if most positions would be free, because lists would be more expensive', () => {
    expect(withIds(position(10_001))).toMatchObject({ keepsIds: true, last: position(10_001) });
    expect(withIds(position(10_002))).toMatchObject({ keepsIds: false, last: firstPosition - 1 });
    const many = Array.from({ length: 1999 }, (_, i) => position(i + 1));
    expect(withIds(...many, position(20_001))).toMatchObject({ keepsIds: true });
    expect(withIds(...many, position(20_002))).toMatchObject({ keepsIds: false });
  });
});

describe('a first import of many lines', () => {
  const linesAt = (times: number[]) => times.map((createdAt) => lineOf({ createdAt }));

  // Some rejected lines follow each other, and share a day with many others.
  const isRefused = (i: number) => i % 2000 === 7 || (i >= 5000 && i < 5100);
  test.each(
    someOf([
      ['200,001, by days', 200_001, 548],
      ['as many as the history takes, each at its own time', 286_720, 1],
    ] as const),
  )(
    'keeps positions free for its rejected lines, and for older and newer lines: %s',
    (_, count, linesPerDay) => {
      const all = Array.from({ length: count }, (_, i) => i);
      const dayOf = (i: number) => Math.floor(i / linesPerDay);
      const good = ordersOf(linesAt(all.filter((i) => !isRefused(i)).map(dayOf)), now);
      const first = firstPositions(good, none);
      expect(first).toMatchObject({ last: firstPosition - 1 });
      const taken = occupiedBy([
        { number: 1, name: 'first', ranksByUpdate: [], positions: first.positions, times: good.times },
      ]);
      const mended = all.filter(isRefused).map(dayOf);
      const older = Array.from({ length: 5000 }, (_, i) => i - 6000);
      const newer = Array.from({ length: 5000 }, (_, i) => count + i);
      for (const times of [mended, older, newer]) {
        expect(historyPositions(ordersOf(linesAt(times), now), taken, undefined)).toHaveProperty('positions');
      }
    },
  );

  test('is packed behind the history if there are fewer than three positions per line', () => {
    const count = 286_721;
    const { positions, last, historyEndMs } = placed(
      linesAt(Array.from({ length: count }, (_, i) => i)),
      true,
    );
    for (const axis of axes)
      expect([positions[axis][0], positions[axis].at(-1)]).toEqual([position(1), position(count)]);
    expect({ last, historyEndMs }).toEqual({ last: position(count), historyEndMs: 0 });
  });
});

const runs = runsOf(100);
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
const merged = (taken: readonly OccupiedPosition[], times: readonly number[], positions: readonly number[]) =>
  [...taken, ...positions.map((position, i) => ({ position, time: times[i] ?? 0 }))].sort(
    (a, b) => a.position - b.position,
  );
const timesInOrder = (taken: readonly OccupiedPosition[]) => taken.flatMap(({ time }) => time ?? []);

/** Reserves positions for files, one after another. */
function imported(files: readonly (readonly number[])[], end: number | undefined) {
  let taken: OccupiedPosition[] = [];
  for (const file of files) {
    const times = sorted(file);
    taken = merged(taken, times, spread(times, taken, end));
  }
  return taken;
}

const times = fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 40 });
const isUndone = fc.array(fc.boolean(), { minLength: 40, maxLength: 40 });

test('files in any order get ordered positions of their own in the history', () => {
  const files = fc.array(fc.tuple(times, isUndone), { maxLength: 5 });
  fc.assert(
    fc.property(files, fc.constantFrom(undefined, 1000, 5000), (all, end) => {
      let taken: OccupiedPosition[] = [];
      for (const [one, undone] of all) {
        const times = sorted(one);
        taken = merged(taken, times, spread(times, taken, end));
        expect(new Set(taken.map(({ position }) => position)).size).toBe(taken.length);
        expect(taken.every(({ position }) => position > 0 && position < firstPosition)).toBe(true);
        const ordered = timesInOrder(taken);
        expect(ordered).toEqual(ordered.toSorted((a, b) => a - b));
        // Undone lines keep their positions, but no longer affect the order.
        taken = taken.map((each, i) => (undone[i % undone.length] ? { position: each.position } : each));
      }
    }),
    { numRuns: runs },
  );
});

test('no line gets a position if there are too few between its neighbours', () => {
  const taken = [
    { position: 10, time: 1 },
    { position: 12 },
    { position: 13, time: 3 },
    { position: 14, time: 5 },
  ];
  expect(spread([2], taken, 9)).toEqual([11]);
  const room = { free: firstPosition - 1 - 4, occupied: 3, spent: 1 };
  expect(() => spread([2, 2, 2, 4, 6], taken, 9)).toThrow(
    expect.objectContaining({ refusal: { why: 'no room', missing: 3, room } }),
  );
});

describe('enough positions stay free', () => {
  const year = 365;
  const from = (begin: number, count: number, days: number) =>
    Array.from({ length: count }, (_, i) => begin + (i * days) / count);
  const twelve = (first: number, count: number) => from(first * year, count, year);

  test.each<[string, number[][], (number | undefined)[]?]>([
    ['years before', [twelve(5, 500), twelve(4, 500), twelve(3, 500), twelve(0, 5000)]],
    ['years after', [twelve(0, 500), twelve(1, 500), twelve(2, 5000), twelve(3, 500)]],
    ['a year between', [[...twelve(0, 500), ...twelve(2, 500)], twelve(1, 5000)]],
    ['the same days', [twelve(0, 500), twelve(0, 500), twelve(0, 500), twelve(0, 5000)]],
    ['a first one long ago', [[-20_000, ...twelve(0, 500)], twelve(0, 500), twelve(1, 500)]],
    ['the same day, all of it', [from(0, 500, 0), from(0, 500, 0), from(0, 500, 0)]],
    ['later days each', Array.from({ length: 50 }, (_, i) => from(30 * i, 50, 30)), [undefined]],
    ['the same time, 20,000 lines among 100,000', [from(0, 100_000, 5 * year), from(0.5, 20_000, 5 * year)]],
  ])('for files of %s', (_, files, ends: (number | undefined)[] = [undefined, 6 * year]) => {
    for (const end of ends) expect(imported(files, end)).toHaveLength(files.flat().length);
  });

  test('for twenty imports of the same lines between those of another file, each undone except for one line', () => {
    const [others, times] = [from(50, 400, 400), from(0, 500, 500)];
    let taken = merged([], others, spread(others, [], 2000));
    for (let round = 0; round < 20; round += 1) {
      const positions = spread(times, taken, 2000);
      const left = positions.map((position, i) =>
        i === round ? { position, time: times[i] ?? 0 } : { position },
      );
      taken = [...taken, ...left].sort((a, b) => a.position - b.position);
    }
    expect(new Set(taken.map(({ position }) => position)).size).toBe(400 + 20 * 500);
  });
});
