import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { comparison, orders, ordinalOf, sorts } from '../../../functions/domain/testimonial-order.ts';

const start = Date.parse('2026-01-15T10:30:00.000Z');

/** Testimonials with distinct ordinals, often equal ratings and equal times, in any order. */
const lists = fc
  .array(
    fc.record({
      rating: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
      changedAfter: fc.nat({ max: 3 }),
      random: fc.integer({ min: 100_000_000_000, max: 999_999_999_999 }),
    }),
    { maxLength: 12 },
  )
  .map((rows) =>
    rows.map(({ rating, changedAfter, random }, index): Testimonial => {
      const createdAt = new Date(start + index).toISOString();
      return {
        id: `test_${random}${index + 1}`,
        content: 'Amazing product',
        author: { name: 'Jane Doe', email: 'jane@example.com' },
        ...(rating !== undefined && { rating }),
        type: 'text',
        status: 'pending',
        createdAt,
        updatedAt: new Date(start + 20 + changedAfter).toISOString(),
      };
    }),
  )
  .chain((list) => fc.shuffledSubarray(list, { minLength: list.length }));

test.each(sorts)('%s ascending is the exact reverse of descending', (sort) => {
  fc.assert(
    fc.property(lists, (list) => {
      expect(list.toSorted(comparison(sort, 'asc'))).toEqual(
        list.toSorted(comparison(sort, 'desc')).reverse(),
      );
    }),
  );
});

test.each(sorts.flatMap((sort) => orders.map((order) => [sort, order] as const)))(
  '%s %s is a total order',
  (sort, order) => {
    const compare = comparison(sort, order);
    fc.assert(
      fc.property(lists, (list) => {
        for (const a of list) {
          for (const b of list) {
            expect(Math.sign(compare(a, b)) === -Math.sign(compare(b, a))).toBe(true);
            expect(compare(a, b) === 0).toBe(a.id === b.id);
            for (const c of list) {
              if (compare(a, b) < 0 && compare(b, c) < 0) expect(compare(a, c)).toBeLessThan(0);
            }
          }
        }
      }),
      { numRuns: 30 },
    );
  },
);

test('createdAt ascending is the order of the ordinals', () => {
  fc.assert(
    fc.property(lists, (list) => {
      const ordinals = list.toSorted(comparison('createdAt', 'asc')).map(ordinalOf);
      expect(ordinals).toEqual(list.map((_, index) => index + 1));
    }),
  );
});

test('updatedAt ascending never goes back, and equal times are in the order of creation', () => {
  fc.assert(
    fc.property(lists, (list) => {
      const keys = list
        .toSorted(comparison('updatedAt', 'asc'))
        .map((row) => `${row.updatedAt} ${String(ordinalOf(row)).padStart(3, '0')}`);
      expect(keys).toEqual(keys.toSorted());
    }),
  );
});

test('rating ascending begins with the unrated, and equal ratings are in the order of creation', () => {
  fc.assert(
    fc.property(lists, (list) => {
      const keys = list
        .toSorted(comparison('rating', 'asc'))
        .map((row) => `${row.rating ?? 0} ${String(ordinalOf(row)).padStart(3, '0')}`);
      expect(keys).toEqual(keys.toSorted());
    }),
  );
});

test('a stored testimonial with a malformed id has no place in an order', () => {
  expect(() => ordinalOf({ id: 'test_12' })).toThrow('malformed id test_12');
});
