/** The three orders of a list. */
import type { Testimonial } from './testimonial.ts';
import { ordinalOfId } from './testimonial-id.ts';

export const sorts = ['createdAt', 'updatedAt', 'rating'] as const;
export const orders = ['asc', 'desc'] as const;
export type Sort = (typeof sorts)[number];
export type Order = (typeof orders)[number];

/** The ordinal of a testimonial in its organization, which its id ends with: the order of creation. */
export function ordinalOf(testimonial: Pick<Testimonial, 'id'>): number {
  const ordinal = ordinalOfId(testimonial.id);
  if (ordinal === undefined) throw new Error(`A stored testimonial has the malformed id ${testimonial.id}`);
  return ordinal;
}

/**
 * Returns the comparison of a sort and order, for `Array.prototype.sort`. Ties are ordered by creation in the
 * same direction, so that ascending is the exact reverse of descending; unrated sorts below rating 1.
 */
export function comparison(sort: Sort, order: Order): (a: Testimonial, b: Testimonial) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (a, b) => sign * (ascending[sort](a, b) || ordinalOf(a) - ordinalOf(b));
}

const ascending: Record<Sort, (a: Testimonial, b: Testimonial) => number> = {
  // Ordinals are given out in the order of createdAt.
  createdAt: () => 0,
  updatedAt: (a, b) => (a.updatedAt < b.updatedAt ? -1 : Number(a.updatedAt > b.updatedAt)),
  rating: (a, b) => (a.rating ?? 0) - (b.rating ?? 0),
};
