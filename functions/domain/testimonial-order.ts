/** The three orders of a list. */
import { ratingTerm } from './terms.ts';
import { limits, type Testimonial } from './testimonial.ts';

export const orders = ['asc', 'desc'] as const;
export type Order = (typeof orders)[number];

/** The two orders that give each testimonial a number of its own, which the list index has bits for. */
export const axes = ['createdAt', 'updatedAt'] as const;
export type Axis = (typeof axes)[number];

/** A number of one axis: not to be handed to the other. */
export type NumberOn<Of extends Axis> = number & { readonly axis?: Of };

/** A place in the order of creation. */
export type Ordinal = NumberOn<'createdAt'>;

/** A place in the order of all creations and updates. */
export type UpdateOrdinal = NumberOn<'updatedAt'>;

/**
 * The first place that an organization gives, in both orders. The places before are a room for testimonials of the past: whole chunks of
 * the list index, as many as take a list no read unit more.
 */
export const firstPlace = 15 * 65_536;

/** A testimonial with its places in the two orders of its organization. */
export interface OrderedTestimonial {
  testimonial: Testimonial;
  /** Its place in the order of creation; its id ends with it. */
  ordinal: Ordinal;
  /** The place of its last update, or of its creation, among all creations and updates of the organization. */
  updateOrdinal: UpdateOrdinal;
}

/** A testimonial's place on an axis; no two testimonials have the same. */
export function numberOn<Of extends Axis>(axis: Of, stored: OrderedTestimonial): NumberOn<Of>;
export function numberOn(axis: Axis, { ordinal, updateOrdinal }: OrderedTestimonial): number {
  return axis === 'createdAt' ? ordinal : updateOrdinal;
}

export interface SortDefinition {
  axis: Axis;
  /** Where the axis alone does not order the testimonials: those of each term in turn. */
  inTurn?: {
    /** Ascending. */
    terms: string[];
    /** Which of the terms a testimonial has, by its position. */
    termOf: (testimonial: Testimonial) => number;
  };
}

/** Every sort: a new one is an entry here; the parameter, the comparison, the secondary indexes and pages follow. */
const sorts = {
  createdAt: { axis: 'createdAt' },
  updatedAt: { axis: 'updatedAt' },
  rating: {
    axis: 'createdAt',
    inTurn: {
      // Unrated sorts below rating 1.
      terms: Array.from({ length: limits.rating.max + 1 }, (_, rating) => ratingTerm(rating)),
      termOf: ({ rating = 0 }) => rating,
    },
  },
} as const satisfies Record<string, SortDefinition>;

export type Sort = keyof typeof sorts;

/** The names of all sorts. */
export const sortNames = Object.keys(sorts) as [Sort, ...Sort[]]; // of the table above, which is not empty

/** A sort's entry, of which TypeScript would otherwise know only what it has. */
export function sortOf(sort: Sort): SortDefinition {
  return sorts[sort];
}

/** The numbers that order testimonials: the first that differs decides, and no two testimonials have the same. */
export function placeOf(sort: Sort, stored: OrderedTestimonial): number[] {
  const { axis, inTurn } = sortOf(sort);
  return [...(inTurn ? [inTurn.termOf(stored.testimonial)] : []), numberOn(axis, stored)];
}

/** Returns the comparison of a sort and order, for `Array.prototype.sort`; asc is the exact reverse of desc. */
export function comparison(
  sort: Sort,
  order: Order,
): (a: OrderedTestimonial, b: OrderedTestimonial) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (a, b) => {
    const theirs = placeOf(sort, b);
    for (const [i, mine] of placeOf(sort, a).entries()) {
      const difference = mine - (theirs[i] ?? 0);
      if (difference !== 0) return sign * difference;
    }
    return 0;
  };
}
