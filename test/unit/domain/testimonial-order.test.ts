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
