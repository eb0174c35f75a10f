/** What a wall is made of. */
import type { WallTestimonial } from './site/view.ts';

/** A wall's testimonials, and what everyone said about the same. */
export interface Wall {
  /** In the order in which they are shown. */
  testimonials: WallTestimonial[];
  ratings: Ratings;
}

/**
 * What the average is made of: all approved testimonials that the wall is about, those with a bad rating and those
 * that it has no room for included.
 */
export interface Ratings {
  /** How many testimonials there are of each rating; the unrated at 0. */
  counts: number[];
}

export interface WallOptions {
  title: string;
  about: ReviewedThing;
}

// What search engines show stars for, and needs no more than a name (Google Search Central, "Review snippet").
export const reviewedTypes = ['Organization', 'Product'] as const;

/** The thing that the testimonials are about, as schema.org names it. */
export interface ReviewedThing {
  type: (typeof reviewedTypes)[number];
  name: string;
}

/** How many gave a rating. */
export function ratedCount({ counts }: Ratings): number {
  return counts.slice(1).reduce((sum, count) => sum + count, 0);
}

/** The mean rating, or undefined when nobody gave one. */
export function averageRating(ratings: Ratings): number | undefined {
  const rated = ratedCount(ratings);
  if (rated === 0) return undefined;
  return ratings.counts.reduce((sum, count, rating) => sum + rating * count, 0) / rated;
}
