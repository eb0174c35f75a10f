/** Laws of the places that the lines of a file take. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeTestimonialId, ordinalOfId } from '../../../../functions/domain/testimonial-id.ts';
import { axes, firstPosition } from '../../../../functions/domain/testimonial-order.ts';
import type { ImportedLine } from '../../../../lib/operator/import/imported-line.ts';
import {
  byLine,
  firstPositions,
  historyPositions,
  keepsIds,
  ordersOf,
  takenBy,
} from '../../../../lib/operator/import/positions.ts';
import { place } from '../../../place.ts';

const now = Number.MAX_SAFE_INTEGER;
const idAt = (ordinal: number) => ({ id: makeTestimonialId(ordinal, () => 123_456_789_012) });
/** A line with some times, 0 to 20, and perhaps the id of a place. */
const lineOf = (more: Partial<ImportedLine>, ordinal = 0): ImportedLine => ({
  ...{ content: 'Great work', author: { name: 'Ann', email: 'ann@example.com' }, type: 'text' },
  ...more,
  ...(ordinal > 0 && idAt(ordinal)),
});
const idOrdinal = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: place(1), max: place(40) }),
);
const line = fc
  .tuple(
    fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    fc.integer({ min: 0, max: 5 }),
    fc.integer({ min: 0, max: 8 }),
    idOrdinal,
  )
  .map(([createdAt, later, updateOrdinal, ordinal]) =>
    lineOf(
      { updateOrdinal, ...(createdAt !== undefined && { createdAt, updatedAt: createdAt + later }) },
      ordinal,
    ),
  );
const lines = fc.array(line, { maxLength: 30 });
const none = { createdAt: [], updatedAt: [] };
const ordinalIn = ({ id = '' }: ImportedLine) => ordinalOfId(id) ?? 0;
const createdIn = ({ createdAt = Number.POSITIVE_INFINITY }: ImportedLine) => createdAt;

/** The places of a file in an empty organization, or before another one. */
function placed(all: readonly ImportedLine[], isFirst: boolean) {
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

/** The lines, by number, in the order of their places. */
const inOrder = (places: readonly number[]) =>
  Array.from(places.keys()).toSorted((a, b) => (places[a] ?? 0) - (places[b] ?? 0));

test('every line has a place of its own in both orders: of the past, or the first that are given', () => {
  fc.assert(
    fc.property(lines, fc.boolean(), (all, isFirst) => {
      const found = placed(all, isFirst);
      for (const axis of axes) {
        const places = [...found.positions[axis]];
        expect(new Set(places).size).toBe(all.length);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(Math.min(1, ...places)).toBe(1);
        expect(Math.max(0, ...places)).toBeLessThanOrEqual(found.last);
        // What has one of the first places is not of the past: nothing of the past is after it.
        const behind = places.findIndex((each) => each >= firstPosition);
        if (behind >= 0) expect(found.firstTime).toBeDefined();
      }
      if (!isFirst || !found.keepsIds) expect(found.last).toBe(firstPosition - 1);
    }),
  );
});

test('the order of creation is that of createdAt, and of the file where these are equal', () => {
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

test('the order of updates is that of updatedAt, then as the file says, then of creation', () => {
  fc.assert(
    fc.property(lines, fc.boolean(), (all, isFirst) => {
      const { ordinals, updateOrdinals } = placed(all, isFirst);
      const key = (i: number) => [all[i]?.updatedAt ?? now, all[i]?.updateOrdinal ?? 0, ordinals[i] ?? 0];
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

  test('lines without one take the places that are free between', () => {
    expect(withIds(0, 3, 0, 9)).toMatchObject({ ordinals: [1, 3, 4, 9], keepsIds: true });
    const [first, second, third] = [place(2), place(3), place(7)];
    expect(withIds(0, first, 0, third)).toMatchObject({
      ...{ ordinals: [1, first, second, third], keepsIds: true },
      // Those with a first place are not of the past, nor is what was updated after.
      ...{ last: third, firstTime: 1 },
      updateOrdinals: [expect.any(Number), place(1), place(2), place(3)],
    });
  });

  test.each([
    ['one comes twice', [1, 2, 2]],
    ['one is out of order', [2, 1]],
    ['no room is left for a line without one', [1, 0, 2]],
    ['there are none', [0, 0]],
  ])('are not kept when %s', (_, ordinals) => {
    expect(withIds(...ordinals)).toMatchObject({ keepsIds: false, last: firstPosition - 1 });
  });

  test('are not kept when most places would be free: these cost something', () => {
    expect(withIds(place(10_001))).toMatchObject({ keepsIds: true, last: place(10_001) });
    expect(withIds(place(10_002))).toMatchObject({ keepsIds: false, last: firstPosition - 1 });
    const many = Array.from({ length: 1999 }, (_, i) => place(i + 1));
    expect(withIds(...many, place(20_001))).toMatchObject({ keepsIds: true });
    expect(withIds(...many, place(20_002))).toMatchObject({ keepsIds: false });
  });
});

describe('a first import of many lines', () => {
  const linesAt = (times: number[]) => times.map((createdAt) => lineOf({ createdAt }));

  // Some of the refused ones follow each other, and share a day with many.
  const isRefused = (i: number) => i % 2000 === 7 || (i >= 5000 && i < 5100);
  test.each([
    ['200,001, by days', 200_001, 548],
    ['the most that the room takes, at times of their own', 286_720, 1],
  ])('leaves room for what was refused of it, and for what is older and newer: %s', (_, count, linesADay) => {
    const all = Array.from({ length: count }, (_, i) => i);
    const dayOf = (i: number) => Math.floor(i / linesADay);
    const good = ordersOf(linesAt(all.filter((i) => !isRefused(i)).map(dayOf)), now);
    const first = firstPositions(good, none);
    expect(first).toMatchObject({ last: firstPosition - 1 });
    const taken = takenBy([
      { number: 1, name: 'first', linesByUpdate: [], positions: first.positions, times: good.times },
    ]);
    const mended = all.filter(isRefused).map(dayOf);
    const older = Array.from({ length: 5000 }, (_, i) => i - 6000);
    const newer = Array.from({ length: 5000 }, (_, i) => count + i);
    for (const times of [mended, older, newer]) {
      expect(historyPositions(ordersOf(linesAt(times), now), taken, undefined)).toHaveProperty('positions');
    }
  });

  test('lies as close as it can behind the room, where that has not three places for each', () => {
    const count = 286_721;
    const { positions, last, firstTime } = placed(linesAt(Array.from({ length: count }, (_, i) => i)), true);
    for (const axis of axes)
      expect([positions[axis][0], positions[axis].at(-1)]).toEqual([place(1), place(count)]);
    expect({ last, firstTime }).toEqual({ last: place(count), firstTime: 0 });
  });
});
