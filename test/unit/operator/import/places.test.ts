/** Laws of the places that the lines of a file take. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type LineTimes, placesOf } from '../../../../lib/operator/import/places.ts';

const time = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(Number.POSITIVE_INFINITY));
const line = fc
  .record({
    createdAt: time,
    later: fc.integer({ min: 0, max: 5 }),
    updateOrdinal: fc.integer({ min: 0, max: 8 }),
    idOrdinal: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 })),
  })
  .map(({ later, ...each }) => ({ ...each, updatedAt: each.createdAt + later }));
const timesOf = (lines: readonly { [Name in keyof LineTimes]: number }[]): LineTimes => ({
  createdAt: lines.map((each) => each.createdAt),
  updatedAt: lines.map((each) => each.updatedAt),
  updateOrdinal: lines.map((each) => each.updateOrdinal),
  idOrdinal: lines.map((each) => each.idOrdinal),
});
const lines = fc.array(line, { maxLength: 30 });

/** The lines, by number, in the order of their places. */
const inOrder = (places: Float64Array) =>
  Array.from(places.keys()).toSorted((a, b) => (places[a] ?? 0) - (places[b] ?? 0));

test('every line has a place of its own in both orders, up to the last', () => {
  fc.assert(
    fc.property(lines, (all) => {
      const { ordinals, updateOrdinals, last, keepsIds } = placesOf(timesOf(all));
      expect(new Set(ordinals).size).toBe(all.length);
      expect(Math.max(0, ...ordinals)).toBe(last);
      expect(Math.min(1, ...ordinals)).toBe(1);
      expect([...updateOrdinals].toSorted((a, b) => a - b)).toEqual(all.map((_, i) => i + 1));
      if (!keepsIds) expect(last).toBe(all.length);
    }),
  );
});

test('the order of creation is that of createdAt, and of the file where these are equal', () => {
  fc.assert(
    fc.property(lines, (all) => {
      const order = inOrder(placesOf(timesOf(all)).ordinals);
      const expected = [...all.keys()].toSorted((a, b) => {
        const [x, y] = [all[a], all[b]];
        if (x?.createdAt !== y?.createdAt) return (x?.createdAt ?? 0) - (y?.createdAt ?? 0);
        return (x?.idOrdinal ?? 0) - (y?.idOrdinal ?? 0) || a - b;
      });
      expect(order).toEqual(expected);
    }),
  );
});

test('the order of updates is that of updatedAt, then as the file says, then of creation', () => {
  fc.assert(
    fc.property(lines, (all) => {
      const { ordinals, updateOrdinals } = placesOf(timesOf(all));
      const key = (i: number) => [all[i]?.updatedAt ?? 0, all[i]?.updateOrdinal ?? 0, ordinals[i] ?? 0];
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

test('ids are kept if they are in the order of creation, and all of them or none', () => {
  fc.assert(
    fc.property(lines, (all) => {
      const { ordinals, keepsIds } = placesOf(timesOf(all));
      const kept = [...all.entries()].filter(([, { idOrdinal }]) => idOrdinal > 0);
      if (keepsIds) for (const [i, { idOrdinal }] of kept) expect(ordinals[i]).toBe(idOrdinal);
      const inTheirOrder = all.every(({ idOrdinal }) => idOrdinal > 0)
        ? inOrder(ordinals).map((i) => all[i]?.idOrdinal ?? 0)
        : undefined;
      if (!inTheirOrder || all.length === 0) return;
      const ascends = inTheirOrder.every((each, i) => i === 0 || each > (inTheirOrder[i - 1] ?? 0));
      expect(keepsIds).toBe(ascends);
    }),
  );
});

describe('ids', () => {
  const withIds = (...idOrdinal: number[]) =>
    placesOf({
      createdAt: idOrdinal.map((_, i) => i),
      updatedAt: idOrdinal.map((_, i) => i),
      updateOrdinal: idOrdinal.map(() => 0),
      idOrdinal,
    });

  test('lines without one take the places that are free between', () => {
    expect(withIds(0, 3, 0, 9)).toMatchObject({
      ...{ ordinals: Float64Array.of(1, 3, 4, 9), last: 9, keepsIds: true },
    });
  });

  test.each([
    ['one comes twice', [1, 2, 2]],
    ['one is out of order', [2, 1]],
    ['no room is left for a line without one', [1, 0, 2]],
    ['there are none', [0, 0]],
  ])('are not kept when %s', (_, ordinals) => {
    expect(withIds(...ordinals)).toMatchObject({ keepsIds: false, last: ordinals.length });
  });

  test('are not kept when most places would be free: these cost something', () => {
    expect(withIds(10_000)).toMatchObject({ keepsIds: true, last: 10_000 });
    expect(withIds(10_001)).toMatchObject({ keepsIds: false, last: 1 });
    const many = Array.from({ length: 2000 }, (_, i) => i + 1);
    expect(withIds(...many.slice(1), 20_000)).toMatchObject({ keepsIds: true });
    expect(withIds(...many.slice(1), 20_001)).toMatchObject({ keepsIds: false });
  });
});
