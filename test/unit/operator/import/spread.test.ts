/** Laws of the places of the past: in order with all that is there, with room for what comes later. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { firstPosition } from '../../../../functions/domain/testimonial-order.ts';
import type { TakenPosition } from '../../../../lib/operator/import/positions.ts';
import { spread } from '../../../../lib/operator/import/positions.ts';

const runs = 300;
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
const merged = (taken: readonly TakenPosition[], times: readonly number[], positions: readonly number[]) =>
  [...taken, ...positions.map((position, i) => ({ position, time: times[i] ?? 0 }))].sort(
    (a, b) => a.position - b.position,
  );
const timesInOrder = (taken: readonly TakenPosition[]) => taken.flatMap(({ time }) => time ?? []);

/** Imports one after another; each gets places, or is refused. */
function imported(files: readonly (readonly number[])[], end: number | undefined) {
  let taken: TakenPosition[] = [];
  let refused = 0;
  for (const file of files) {
    const times = sorted(file);
    try {
      taken = merged(taken, times, spread(times, taken, end));
    } catch (error) {
      expect(String(error)).toContain('no position left');
      refused += 1;
    }
  }
  return { taken, refused };
}

const file = fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 40 });
const isUndone = fc.array(fc.boolean(), { minLength: 40, maxLength: 40 });

test('any files in any order of times get positions in order, each its own, within the room', () => {
  const files = fc.array(fc.tuple(file, isUndone), { maxLength: 5 });
  fc.assert(
    fc.property(files, fc.constantFrom(undefined, 1000, 5000), (all, end) => {
      let taken: TakenPosition[] = [];
      for (const [one, undone] of all) {
        const times = sorted(one);
        taken = merged(taken, times, spread(times, taken, end));
        expect(new Set(taken.map(({ position }) => position)).size).toBe(taken.length);
        expect(taken.every(({ position }) => position > 0 && position < firstPosition)).toBe(true);
        const ordered = timesInOrder(taken);
        expect(ordered).toEqual(ordered.toSorted((a, b) => a - b));
        // What was undone keeps its places, and orders nothing.
        taken = taken.map((each, i) => (undone[i % undone.length] ? { position: each.position } : each));
      }
    }),
    { numRuns: runs },
  );
});

test('lines that find no place between their neighbours are counted, and the others are not placed either', () => {
  const taken = [
    { position: 10, time: 1 },
    { position: 12 },
    { position: 13, time: 3 },
    { position: 14, time: 5 },
  ];
  expect(spread([2], taken, 9)).toEqual([11]);
  expect(() => spread([2, 2, 2, 4, 6], taken, 9)).toThrow(
    'There is no position left for 3 lines between the lines of earlier imports.',
  );
});

describe('room is left', () => {
  const year = 365;
  const from = (begin: number, count: number, days: number) =>
    Array.from({ length: count }, (_, i) => begin + (i * days) / count);
  const twelve = (first: number, count: number) => from(first * year, count, year);

  test.each([
    ['years before', [twelve(5, 500), twelve(4, 500), twelve(3, 500), twelve(0, 5000)]],
    ['years after', [twelve(0, 500), twelve(1, 500), twelve(2, 5000), twelve(3, 500)]],
    ['a year between', [[...twelve(0, 500), ...twelve(2, 500)], twelve(1, 5000)]],
    ['the same days', [twelve(0, 500), twelve(0, 500), twelve(0, 500), twelve(0, 5000)]],
    ['a first one long ago', [[-20_000, ...twelve(0, 500)], twelve(0, 500), twelve(1, 500)]],
    ['the same day, all of it', [from(0, 500, 0), from(0, 500, 0), from(0, 500, 0)]],
  ])('for files of %s', (_, files) => {
    for (const end of [undefined, 6 * year]) {
      expect(imported(files, end)).toMatchObject({ refused: 0 });
    }
  });

  test('for fifty files, one after the other, each later than those before', () => {
    const files = Array.from({ length: 50 }, (_, i) => from(30 * i, 50, 30));
    expect(imported(files, undefined)).toMatchObject({ refused: 0 });
  });

  test('for 100,000 lines before, and then 20,000 of the same time', () => {
    const files = [from(0, 100_000, 5 * year), from(0.5, 20_000, 5 * year)];
    expect(imported(files, 6 * year)).toMatchObject({ refused: 0 });
  });

  test('for the same lines twenty times, undone each time but for one, between those of another file', () => {
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

  test('for the same lines again, once they were undone, and again', () => {
    const times = sorted(from(0, 90_000, year));
    let taken: TakenPosition[] = [];
    for (let i = 0; i < 5; i += 1) {
      taken = merged(taken, times, spread(times, taken, 2 * year)).map(({ position }) => ({ position }));
    }
    expect(new Set(taken.map(({ position }) => position)).size).toBe(5 * 90_000);
  });
});
