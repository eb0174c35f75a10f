/** Structured data for search engines: schema.org's `Review` and `AggregateRating`, under Google's rules. */
import { limits } from '../../domain/testimonial.ts';
import type { WallTestimonial } from '../browser/view.ts';

// The types that need only a name (Google Search Central, "Review snippet").
export const reviewedTypes = ['Organization', 'Product'] as const;

/** The subject of the reviews. */
export interface ReviewedThing {
  type: (typeof reviewedTypes)[number];
  name: string;
}

export type Ratings = NonNullable<ReturnType<typeof ratingsOf>>;

/** Counts testimonials by rating, unrated ones at 0. `rated` is the number of rated ones. Returns undefined if nothing is rated. */
export function ratingsOf(testimonials: readonly WallTestimonial[]) {
  const counts = [0, 0, 0, 0, 0, 0];
  for (const { rating = 0 } of testimonials) counts[rating] = (counts[rating] ?? 0) + 1;
  const rated = testimonials.length - (counts[0] ?? 0);
  const sum = counts.reduce((all, count, rating) => all + rating * count, 0);
  return rated === 0 ? undefined : { counts, rated, average: sum / rated };
}

const { min: worstRating, max: bestRating } = limits.rating;

// Google rejects reviews with longer author names.
const longestName = 99;

/**
 * @param ratings the ratings whose average to publish, if any
 * @param shown the testimonials on the page; Google allows no others
 * @returns undefined without reviews and average
 */
export function jsonLdOf(
  { type, name }: ReviewedThing,
  ratings: Ratings | undefined,
  shown: readonly WallTestimonial[],
): object | undefined {
  // A review needs a rating.
  const reviews = shown.filter(({ rating }) => rating !== undefined).map(reviewOf);
  if (!ratings && reviews.length === 0) return undefined;
  return {
    '@context': 'https://schema.org',
    '@type': type,
    name,
    ...(ratings && { aggregateRating: aggregateOf(ratings) }),
    ...(reviews.length > 0 && { review: reviews }),
  };
}

function aggregateOf({ counts, rated, average }: Ratings): object {
  return {
    '@type': 'AggregateRating',
    ratingValue: Number(average.toFixed(2)),
    bestRating,
    worstRating,
    ratingCount: rated,
    reviewCount: rated + (counts[0] ?? 0),
  };
}

function reviewOf({ content, name, rating, date }: WallTestimonial): object {
  return {
    '@type': 'Review',
    author: { '@type': 'Person', name: Array.from(name).slice(0, longestName).join('') },
    ...(date !== undefined && { datePublished: date }),
    reviewBody: content,
    reviewRating: { '@type': 'Rating', ratingValue: rating, bestRating, worstRating },
  };
}

/** Returns JSON that is safe in a script element. */
export function inertJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
