/** The three orders of a list. */
import type { StoredTestimonial } from './stored-testimonial.ts';

export const orders = ['asc', 'desc'] as const;
export type Order = (typeof orders)[number];

export interface SortDefinition {
  /** The numbers that order testimonials, the first that differs decides; no two testimonials have the same. */
  numbers: (stored: StoredTestimonial) => number[];
  /**
   * How a page is found among all that match: by counting the bits of their ordinals, by doing so for each rating in
   * turn, or by walking the secondary index of this sort.
   */
  pages: 'by ordinal' | 'by rating' | 'by walk';
}

/** Every sort: a new one is an entry here; the parameter and the secondary indexes follow. */
export const sorts = {
  // Ordinals are given out in the order of createdAt.
  createdAt: { numbers: ({ ordinal }) => [ordinal], pages: 'by ordinal' },
  // As are the ordinals of updates in the order of updatedAt.
  updatedAt: { numbers: ({ updateOrdinal }) => [updateOrdinal], pages: 'by walk' },
  // Unrated sorts below rating 1.
  rating: { numbers: ({ testimonial, ordinal }) => [testimonial.rating ?? 0, ordinal], pages: 'by rating' },
} as const satisfies Record<string, SortDefinition>;

export type Sort = keyof typeof sorts;

/** The names of all sorts. */
export const sortNames = Object.keys(sorts) as [Sort, ...Sort[]]; // of the table above, which is not empty

/** Returns the comparison of a sort and order, for `Array.prototype.sort`; asc is the exact reverse of desc. */
export function comparison(sort: Sort, order: Order): (a: StoredTestimonial, b: StoredTestimonial) => number {
  const sign = order === 'asc' ? 1 : -1;
  const { numbers } = sorts[sort];
  return (a, b) => {
    const theirs = numbers(b);
    for (const [i, mine] of numbers(a).entries()) {
      const difference = mine - (theirs[i] ?? 0);
      if (difference !== 0) return sign * difference;
    }
    return 0;
  };
}
