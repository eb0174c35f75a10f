/** The three orders of a list. */
import { ratingTerm } from './terms.ts';
import { limits, type Testimonial } from './testimonial.ts';

export const orders = ['asc', 'desc'] as const;
export type Order = (typeof orders)[number];

/** The two orders that give each testimonial a unique number. The list index has a bit for each. */
export const axes = ['createdAt', 'updatedAt'] as const;
export type Axis = (typeof axes)[number];

/** A position on one axis. The compiler keeps it from being used on the other. */
export type PositionOn<Of extends Axis> = number & { readonly axis?: Of };

/** A position in the order of creation. */
export type Ordinal = PositionOn<'createdAt'>;

/** A position in the order of all creations and updates. */
export type UpdateOrdinal = PositionOn<'updatedAt'>;

/**
 * The first position that an organization gives out, in both orders. The positions before it are reserved for history: fifteen
 * whole chunks of the list index, the most that cost a list no additional read unit.
 */
export const firstPosition = 15 * 65_536;

/** A testimonial with its positions in the two orders of its organization. */
export interface OrderedTestimonial {
  testimonial: Testimonial;
  /** Its position in the order of creation; its id ends with it. */
  ordinal: Ordinal;
  /** The position of its last update, or of its creation, among all creations and updates of the organization. */
  updateOrdinal: UpdateOrdinal;
}

/** Returns a testimonial's position on an axis; no two testimonials have the same. */
export function positionOn<Of extends Axis>(axis: Of, stored: OrderedTestimonial): PositionOn<Of>;
export function positionOn(axis: Axis, { ordinal, updateOrdinal }: OrderedTestimonial): number {
  return axis === 'createdAt' ? ordinal : updateOrdinal;
}

export interface SortDefinition {
  axis: Axis;
  /** Terms that sort before the axis: all testimonials with the first term, then those with the second, and so on. */
  inTurn?: {
    /** Ascending. */
    terms: string[];
    /** Returns the index in `terms` of the term that a testimonial has. */
    termOf: (testimonial: Testimonial) => number;
  };
}

/** Every sort. A new one is an entry here; the parameter, the comparison, the secondary indexes and pages follow from it. */
const sorts = {
  createdAt: { axis: 'createdAt' },
  updatedAt: { axis: 'updatedAt' },
  rating: {
    axis: 'createdAt',
    inTurn: {
      terms: Array.from({ length: limits.rating.max + 1 }, (_, rating) => ratingTerm(rating)),
      termOf: ({ rating = 0 }) => rating,
    },
  },
} as const satisfies Record<string, SortDefinition>;

export type Sort = keyof typeof sorts;

export const sortNames = Object.keys(sorts) as [Sort, ...Sort[]]; // of the table above, which is not empty

/** Returns a sort's entry with its declared type: TypeScript would infer the members of this entry only. */
export function sortOf(sort: Sort): SortDefinition {
  return sorts[sort];
}

/** Returns the numbers that a sort compares, the most significant first. They are unique to the testimonial. */
export function sortPosition(sort: Sort, stored: OrderedTestimonial): number[] {
  const { axis, inTurn } = sortOf(sort);
  return [...(inTurn ? [inTurn.termOf(stored.testimonial)] : []), positionOn(axis, stored)];
}

/** Returns the comparison of a sort and order, for `Array.prototype.sort`; asc is the exact reverse of desc. */
export function comparison(
  sort: Sort,
  order: Order,
): (a: OrderedTestimonial, b: OrderedTestimonial) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (a, b) => {
    const second = sortPosition(sort, b);
    for (const [i, number] of sortPosition(sort, a).entries()) {
      const difference = number - (second[i] ?? 0);
      if (difference !== 0) return sign * difference;
    }
    return 0;
  };
}
