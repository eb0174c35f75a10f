import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { comparison, sortNames } from '../../../functions/domain/testimonial-order.ts';
import { storedAt } from '../../testimonials.ts';

const start = Date.parse('2026-01-15T10:30:00.000Z');

/** Testimonials in any order, with unique positions on both axes and often equal ratings. */
const lists = fc
  .array(fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }), { maxLength: 12 })
  .chain((ratings) =>
    fc.tuple(fc.constant(ratings), fc.shuffledSubarray([...ratings.keys()], { minLength: ratings.length })),
  )
  .map(([ratings, updates]) =>
    ratings.map((rating, index) => {
      const createdAt = new Date(start + index).toISOString();
      const updateOrdinal = 1 + (updates[index] ?? 0);
      const updatedAt = new Date(start + 20 + updateOrdinal).toISOString();
      const its = { createdAt, updatedAt, ...(rating !== undefined && { rating }) };
      return storedAt(index + 1, its, { updateOrdinal });
    }),
  )
  .chain((list) => fc.shuffledSubarray(list, { minLength: list.length }));

test.each(sortNames)(
  '%s descending is the exact reverse of ascending, and either is a total order',
  (sort) => {
    const [up, down] = [comparison(sort, 'asc'), comparison(sort, 'desc')];
    fc.assert(
      fc.property(lists, (list) => {
        for (const a of list) {
          for (const b of list) {
            expect(Math.sign(up(a, b)) === -Math.sign(up(b, a))).toBe(true);
            expect(Math.sign(down(a, b)) === Math.sign(up(b, a))).toBe(true);
            expect(up(a, b) === 0).toBe(a.ordinal === b.ordinal);
            for (const c of list) if (up(a, b) < 0 && up(b, c) < 0) expect(up(a, c)).toBeLessThan(0);
          }
        }
      }),
      { numRuns: 30 },
    );
  },
);

test('createdAt ascending orders by ordinal', () => {
  fc.assert(
    fc.property(lists, (list) => {
      const ordinals = list.toSorted(comparison('createdAt', 'asc')).map(({ ordinal }) => ordinal);
      expect(ordinals).toEqual(list.map((_, index) => index + 1));
    }),
  );
});

test('updatedAt ascending orders by update', () => {
  fc.assert(
    fc.property(lists, (list) => {
      const sorted = list.toSorted(comparison('updatedAt', 'asc'));
      expect(sorted.map(({ updateOrdinal }) => updateOrdinal)).toEqual(list.map((_, index) => index + 1));
      const times = sorted.map(({ testimonial }) => testimonial.updatedAt);
      expect(times).toEqual(times.toSorted());
    }),
  );
});

test('rating ascending begins with unrated testimonials, and orders equal ratings by creation', () => {
  fc.assert(
    fc.property(lists, (list) => {
      const keys = list
        .toSorted(comparison('rating', 'asc'))
        .map(({ testimonial, ordinal }) => `${testimonial.rating ?? 0} ${String(ordinal).padStart(3, '0')}`);
      expect(keys).toEqual(keys.toSorted());
    }),
  );
});
