/** The sorts of a list, and the axes that they use. */
import { ratingTerm } from './terms.ts';
import { limits, type Testimonial } from './testimonial.ts';

export const directions = ['asc', 'desc'] as const;
export type Direction = (typeof directions)[number];

/** The two axes on which each testimonial has a unique number. Postings store a bit per number. */
export const axes = ['createdAt', 'updatedAt'] as const;
export type Axis = (typeof axes)[number];

/** A position on one axis. The compiler rejects its use on the other axis. */
export type PositionOn<Of extends Axis> = number & { readonly axis?: Of };

/** A position in the order of creation. */
export type Ordinal = PositionOn<'createdAt'>;

/** A position in the order of all creations and updates. */
export type UpdateOrdinal = PositionOn<'updatedAt'>;

/**
 * An organization's first position after the history, in both orders. Fifteen whole chunks are reserved for
 * the history, the maximum that costs a list no additional read unit.
 */
export const firstPosition = 15 * 65_536;

/** A testimonial's positions on the two axes of its organization. */
export interface Ordinals {
  /** The position in the order of creation. The testimonial's id ends with it. */
  ordinal: Ordinal;
  /**
   * The position of the last update, or of the creation, among all creations and updates of the organization.
   */
  updateOrdinal: UpdateOrdinal;
}

/** A testimonial with its positions on both axes. */
export interface OrderedTestimonial extends Ordinals {
  testimonial: Testimonial;
}

/** Returns a testimonial's position on an axis. It is unique in the organization. */
export function positionOn<Of extends Axis>(axis: Of, ordinals: Ordinals): PositionOn<Of>;
export function positionOn(axis: Axis, { ordinal, updateOrdinal }: Ordinals): number {
  return axis === 'createdAt' ? ordinal : updateOrdinal;
}

export interface SortDefinition {
  axis: Axis;
  /**
   * The terms to sort by before the axis: first all testimonials with the first term, then all with the
   * second, and so on.
   */
  byGroup?: {
    /** Ascending. */
    terms: string[];
    /** Returns the index in `terms` of the term that a testimonial has. */
    termOf: (testimonial: Testimonial) => number;
  };
}

/** Every sort. The parameter, the comparison, the secondary indexes and the pages follow from its entry. */
const sorts = {
  createdAt: { axis: 'createdAt' },
  updatedAt: { axis: 'updatedAt' },
  rating: {
    axis: 'createdAt',
    byGroup: {
      terms: Array.from({ length: limits.rating.max + 1 }, (_, rating) => ratingTerm(rating)),
      termOf: ({ rating = 0 }) => rating,
    },
  },
} as const satisfies Record<string, SortDefinition>;

export type Sort = keyof typeof sorts;

export const sortNames = Object.keys(sorts) as [Sort, ...Sort[]]; // of the table above, which is not empty

/**
 * Returns a sort's entry with its declared type, because TypeScript infers only the members of that entry.
 */
export function sortOf(sort: Sort): SortDefinition {
  return sorts[sort];
}

/**
 * Returns the numbers that a sort compares, the most significant first. Together they are unique in the
 * organization.
 */
export function sortPosition(sort: Sort, stored: OrderedTestimonial): number[] {
  const { axis, byGroup } = sortOf(sort);
  return [...(byGroup ? [byGroup.termOf(stored.testimonial)] : []), positionOn(axis, stored)];
}

/**
 * Returns the comparison of a sort and order, for `Array.prototype.sort`; asc is the exact reverse of desc.
 */
export function comparison(
  sort: Sort,
  order: Direction,
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
