/**
 * Checks that positions follow times and ids: a rule of the service that `index verify` leaves to the tests.
 */
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { ordinalOfId } from '../../functions/domain/testimonial-id.ts';
import type { Axis } from '../../functions/domain/testimonial-order.ts';

/** A testimonial at the wrong position of an axis. */
export interface Misplaced {
  /**
   * `out of order`: the testimonial before it has a later time. `twice`: another one has the same position in
   * the order of updates. `wrong id`: its id names another ordinal.
   */
  kind: 'out of order' | 'twice' | 'wrong id';
  axis: Axis;
  at: number;
}

/** Returns the misplaced ones of all testimonials, which come in the order of creation. */
export function misplaced(testimonials: readonly StoredTestimonial[]): Misplaced[] {
  const wrongIds = testimonials
    .filter(({ testimonial, ordinal }) => ordinalOfId(testimonial.id) !== ordinal)
    .map(({ ordinal }): Misplaced => ({ kind: 'wrong id', axis: 'createdAt', at: ordinal }));
  const creations = testimonials.map(({ ordinal, testimonial }) => ({
    at: ordinal,
    time: testimonial.createdAt,
  }));
  const updates = testimonials.map(({ updateOrdinal, testimonial }) => ({
    at: updateOrdinal,
    time: testimonial.updatedAt,
  }));
  return [
    ...wrongIds,
    ...outOfOrder('createdAt', creations),
    ...outOfOrder(
      'updatedAt',
      updates.toSorted((a, b) => a.at - b.at),
    ),
  ];
}

function outOfOrder(axis: Axis, positions: readonly { at: number; time: string }[]): Misplaced[] {
  let last = { at: 0, time: '' };
  return positions.flatMap((position): Misplaced[] => {
    const { at, time } = position;
    if (at === last.at) return [{ kind: 'twice', axis, at }];
    if (time < last.time) return [{ kind: 'out of order', axis, at }];
    last = position;
    return [];
  });
}
